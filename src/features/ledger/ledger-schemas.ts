import Type, { type Static } from 'typebox';
import { amount, count, currency, id, signedAmount, time, word } from '../../shared/schema-parts.ts';

export const ledgerEntrySchema = Type.Object(
  {
    id: id('Unique in the service.'),
    number: count('Position in the account’s ledger: 1, 2, 3 …', 1),
    kind: word(
      'charge, refund, credit or debit; for a returned top-up: reversal, settlement or reinstatement. Tolerate new values.',
      'charge',
    ),
    amount: signedAmount('Negative for charges, debits, reversals and settlements.'),
    balance_after: amount('The balance after this entry.'),
    currency,
    order_id: Type.Union([Type.Integer(), Type.Null()]),
    actor: Type.Union([Type.String(), Type.Null()], { description: 'The administrator who made the entry.' }),
    memo: Type.Union([Type.String(), Type.Null()]),
    created_at: time('When the entry was made.'),
  },
  { $id: 'LedgerEntry' },
);

export const creditedSchema = Type.Object({
  entry: Type.Ref('LedgerEntry'),
  balance: amount('The balance after this entry and the settlements that follow it.'),
  settled: Type.Optional(
    amount('What the credit paid of the account’s receivable. Missing if it paid nothing.'),
  ),
  receivable: Type.Optional(amount('What the account owes now. Missing if the credit paid nothing of it.')),
});

export type CreditedView = Static<typeof creditedSchema>;

export type LedgerEntryView = Static<typeof ledgerEntrySchema>;
