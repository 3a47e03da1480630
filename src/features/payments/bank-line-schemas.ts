// Schemas of bank statements and their lines.

import Type, { type Static } from 'typebox';
import { bankFileBytesMax } from '../../shared/bank-files.ts';
import { oneOfParameter, pageQuerySchema } from '../../shared/list-schemas.ts';
import {
  count,
  currency,
  example,
  id,
  oneOf,
  orNothing,
  signedAmount,
  text,
  time,
} from '../../shared/schema-parts.ts';
import { bankLineStatuses } from '../../shared/topup-words.ts';

const fileTextLengthMax = 4 * Math.ceil(bankFileBytesMax / 3);
/** The names of CSV columns need a little more. */
export const statementBodyBytesMax = Math.ceil((fileTextLengthMax + 8_192) / 1_024) * 1_024;

export const bankLineSchema = Type.Object(
  {
    id: id('The id of the line.'),
    status: oneOf(
      bankLineStatuses,
      'waiting: to be booked. credited: it raised a balance. returned: it took a payment back. unmatched: a person decides. ignored: it concerns no account.',
    ),
    reason: orNothing(
      text('Why it waits, or why no account was found. Tolerate new values.', 40),
      'null: it was booked, or is about to be.',
    ),
    booked_on: Type.String({ description: 'The day of the bank.', format: 'date' }),
    amount: signedAmount('Negative: money went out.'),
    currency,
    payer: Type.Object({
      name: orNothing(text('As the bank has it.', 200), 'null: the file has none.'),
      account: orNothing(text('The IBAN, or another number.', 64), 'null: the file has none.'),
    }),
    text: text('What the payer wrote.', 2_000),
    reference: orNothing(text('The structured reference.', 500), 'null: the file has none.'),
    end_to_end_id: orNothing(text('The payer’s own id.', 200), 'null: the file has none.'),
    is_return: Type.Boolean({ description: 'The bank marked it as the return of an earlier transfer.' }),
    account: orNothing(
      Type.Object({ id: id('The id of the account.'), username: text('Its name for signing in.', 64) }),
      'null: no account was found.',
    ),
    topup_id: orNothing(id('The top-up that it paid, or took back.'), 'null: it was not booked.'),
    suggested_account_ids: Type.Array(id('Of an account.'), {
      description:
        'Accounts whose references are in the line, or almost: with a digit mistyped or two swapped.',
      maxItems: 100,
    }),
    imported_at: time('When it was imported.'),
    settled_at: orNothing(time('When it was booked.'), 'null: it was not booked.'),
  },
  { $id: 'BankLine' },
);

export type BankLineView = Static<typeof bankLineSchema>;

export const bankLineAnswerSchema = Type.Object({ line: Type.Ref('BankLine') });

export const bankLineQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  status: oneOfParameter(bankLineStatuses, 'Lines of this status.'),
});

export const assignBankLineBodySchema = Type.Object(
  { account_id: id('The account.') },
  example({ account_id: 2 }),
);

export const ignoreBankLineBodySchema = Type.Object(
  {
    note: Type.Optional(
      Type.String({ description: 'Why, for the audit log.', pattern: '\\S', minLength: 1, maxLength: 500 }),
    ),
  },
  example({ note: 'Bank fees' }),
);

const column = (description: string) =>
  Type.String({ description, pattern: '^[^\\r\\n]+$', minLength: 1, maxLength: 200 });

const csvSchema = Type.Object(
  {
    columns: Type.Object(
      {
        date: column('The day of the booking.'),
        amount: column('With a sign, or without one beside `direction`.'),
        text: Type.Optional(column('What the payer wrote.')),
        reference: Type.Optional(column('The structured reference.')),
        payer: Type.Optional(column('Who paid.')),
        iban: Type.Optional(column('The account of who paid.')),
        id: Type.Optional(column('The bank’s own id of the booking.')),
        currency: Type.Optional(column('The currency.')),
        direction: Type.Optional(column('Debit or credit, of banks that write no sign.')),
      },
      { description: 'The names in the file’s header.' },
    ),
    delimiter: Type.Optional(oneOf([',', ';', '\t', '|'] as const, 'Found, if left out.')),
    decimal: Type.Optional(oneOf([',', '.'] as const, 'The decimal sign. Found, if left out.')),
    dates: Type.Optional(
      oneOf(['day_first', 'month_first'] as const, 'Found, if left out and one day is above 12.'),
    ),
  },
  { description: 'Only for CSV.' },
);

/** A CSV file with the columns Date, Amount, Payer and Text. */
const exampleFile = [
  'RGF0ZTtBbW91bnQ7UGF5ZXI7VGV4dAoyMDI2LTAxLTE0OzI1MC4wMDtOb3J0aHdpbmQgTWVkaWE7',
  'SW52b2ljZSAxNwoyMDI2LTAxLTE1Oy0xMi41MDtCYW5rO0ZlZXM=',
].join('');

export const bankStatementBodySchema = Type.Object(
  {
    file: Type.String({
      description: 'A camt.053, camt.054, MT940 or CSV file in base64, at most 10 MiB.',
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      minLength: 4,
      maxLength: fileTextLengthMax,
    }),
    csv: Type.Optional(csvSchema),
  },
  example({
    file: exampleFile,
    csv: { columns: { date: 'Date', amount: 'Amount', payer: 'Payer', text: 'Text' } },
  }),
);

export const bankStatementAnswerSchema = Type.Object({
  lines: Type.Object({
    new: count('Lines that no earlier file had.'),
    known: count('Lines that an earlier file had. They are not booked again.'),
    credited: count('Lines that raised a balance.'),
    returned: count('Lines that took a payment back.'),
    unmatched: count('New lines for which no account was found.'),
    waiting: count('Lines that are booked later: of blocked accounts, or the rest of a large file.'),
    pending: count('Lines that the bank has not booked yet. They are left out.'),
  }),
});
