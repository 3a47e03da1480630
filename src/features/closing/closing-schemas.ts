// Schemas of closing an account.

import Type, { type Static } from 'typebox';
import { amount, currency, example, keyInBody, oneOf, text } from '../../shared/schema-parts.ts';

export const closingBalances = ['paid_out', 'written_off'] as const;
export type ClosingBalance = (typeof closingBalances)[number];

/** Why an account cannot be closed, in the details of `account_not_closable`. */
export const notClosable = [
  'administrator',
  'account_halted',
  'order_pending',
  'plan_running',
  'product_call_open',
  'payment_open',
  'receivable_open',
] as const;
export type NotClosable = (typeof notClosable)[number];

export const closeAccountBodySchema = Type.Object(
  {
    balance: oneOf(
      closingBalances,
      'What becomes of the balance: paid_out if you pay it out outside the service. What the account owes can only be written_off.',
    ),
    memo: Type.String({
      minLength: 1,
      maxLength: 400,
      description: 'Why, or how it was paid out. For the ledger entry and the audit log.',
    }),
    // Checked before this schema, because it has its own error code.
    idempotency_key: keyInBody,
  },
  example({ balance: 'paid_out', memo: 'Transfer of 27 November', idempotency_key: 'close-litware' }),
);

export const closedAccountSchema = Type.Object({
  account: Type.Ref('Account'),
  balance: oneOf(closingBalances, 'What became of the balance.'),
  amount: amount('What left the balance with one ledger entry. 0.00: there was none.'),
  written_off: amount('What the account owed and no longer does.'),
  currency,
  memo: text('As it was sent.', 400),
});

export type ClosedAccountView = Static<typeof closedAccountSchema>;
