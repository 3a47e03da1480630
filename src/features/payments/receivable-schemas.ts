// Schemas of what accounts owe, and of write-offs.

import Type, { type Static } from 'typebox';
import { amount, currency, example, id, keyInBody, text, time } from '../../shared/schema-parts.ts';

export const receivableSchema = Type.Object(
  {
    account: Type.Object({
      id: id('The id of the account.'),
      username: text('The account’s name for signing in.', 64),
      display_name: text('The name shown to people.', 500),
    }),
    receivable: amount('What the account owes, because payments went back that it had spent.'),
    balance: amount('The balance. It can be above zero, because refunds of orders settle nothing.'),
    currency,
    since: time('When the oldest payment went back that is still owed for.'),
  },
  { $id: 'Receivable' },
);

export type ReceivableView = Static<typeof receivableSchema>;

export const writeOffBodySchema = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
        maxLength: 16,
        description: 'At most the receivable. All of it, if left out.',
        examples: ['950.00'],
      }),
    ),
    memo: Type.String({ minLength: 1, maxLength: 500, description: 'Why, for the audit log.' }),
    // Checked before this schema, because it has its own error code.
    idempotency_key: keyInBody,
  },
  example({ amount: '950.00', memo: 'Out of business', idempotency_key: 'write-off-2026-3' }),
);

export const writtenOffSchema = Type.Object({
  written_off: amount('What was written off.'),
  receivable: amount('What the account still owed after it.'),
  currency,
});
