// Schemas of top-ups, in the account's API.

import Type from 'typebox';
import {
  createdParameters,
  cursorParameter,
  filteredPageOf,
  oneOfParameter,
  pageQuerySchema,
} from '../../shared/list-schemas.ts';
import {
  amount,
  currency,
  example,
  id,
  keyInBody,
  oneOf,
  orNothing,
  text,
  time,
} from '../../shared/schema-parts.ts';
import { testOutcomes, topupMethods, topupStatuses } from '../../shared/topup-words.ts';

const method = oneOf(topupMethods, 'How it is paid.');
const reference = text('What names the payment.', 255);

export const topupSchema = Type.Object(
  {
    id: id('Unique in the service.'),
    status: oneOf(
      topupStatuses,
      'open: waits to be paid. processing: paid, and the money is on its way. paid: credited. Money for an expired or cancelled top-up is credited all the same.',
    ),
    method,
    amount: amount('How much the balance rises.'),
    tax: amount('Tax on it.'),
    total: amount('What is paid: amount and tax.'),
    currency,
    refunded: amount('Of it, what was refunded or returned.'),
    disputed: amount('Of it, what was disputed and not won back.'),
    reference: orNothing(
      reference,
      'Of a transfer: what to write on it, always the same for an account. Of a card: the provider’s name of the payment; null until it is credited.',
    ),
    created_at: time('When it was made.'),
    expires_at: orNothing(time('Until when it waits to be paid.'), 'null: it does not expire.'),
    credited_at: orNothing(time('When the balance rose.'), 'null: the money has not come.'),
    ledger_entry_id: orNothing(
      id('The ledger entry of the credit. The panel has its receipt.'),
      'null: the money has not come.',
    ),
    pay_url: Type.Optional(
      Type.String({
        description: 'The provider’s page where it is paid, while it is open.',
        format: 'uri',
        maxLength: 4_096,
      }),
    ),
    bank: Type.Optional(
      Type.Object(
        {
          holder: text('The name on the bank account.', 70),
          iban: Type.String({ description: 'Without spaces.', pattern: '^[A-Z0-9]+$', maxLength: 34 }),
          bic: orNothing(Type.String({ pattern: '^[A-Z0-9]+$', maxLength: 11 }), 'null: not needed.'),
          reference: Type.String({
            description: 'Write it on the transfer. ISO 11649.',
            pattern: '^RF\\d{10}$',
            maxLength: 25,
          }),
          qr: orNothing(
            text('The text of a QR code that banking apps read (EPC069-12).', 331),
            'null: there are such codes for euros only.',
          ),
        },
        { description: 'Where to transfer it, while it is open.' },
      ),
    ),
  },
  { $id: 'Topup' },
);

export const topupAnswerSchema = Type.Object({ topup: Type.Ref('Topup') });
export const topupListSchema = filteredPageOf('Topup');

export const newTopupBodySchema = Type.Object(
  {
    amount: Type.String({
      description: 'How much the balance is to rise.',
      pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
      maxLength: 15,
      examples: ['100.00'],
    }),
    method,
    return_url: Type.Optional(
      Type.String({
        description:
          'Where the provider’s page leads afterward: https, or http for this machine. Default: the panel.',
        format: 'uri',
        maxLength: 2_000,
      }),
    ),
    outcome: Type.Optional(
      oneOf(
        testOutcomes,
        'Only in test mode: what becomes of it. pay (the default): it is paid at once. fail: the payment fails. later: it is paid a minute later, by the test clock. dispute: it is paid, and disputed at once.',
      ),
    ),
    idempotency_key: keyInBody,
  },
  example({ amount: '100.00', method: 'card' }),
);

export const topupListQuerySchema = Type.Object({
  ...pageQuerySchema.properties,
  status: oneOfParameter(topupStatuses, 'Top-ups of this status.'),
  method: oneOfParameter(topupMethods, 'Top-ups by this method.'),
  ...createdParameters,
  cursor: cursorParameter,
});
