// The words of top-ups: how they are paid, and how far they are.

export const topupMethods = ['card', 'bank_transfer'] as const;
export type TopupMethod = (typeof topupMethods)[number];

export const unpaidStatuses = ['open', 'processing', 'failed', 'expired', 'cancelled'] as const;
export type UnpaidStatus = (typeof unpaidStatuses)[number];

const paidStatuses = ['paid', 'partly_refunded', 'refunded', 'disputed'] as const;
export type PaidStatus = (typeof paidStatuses)[number];

export const topupStatuses = [...unpaidStatuses, ...paidStatuses] as const;
export type TopupStatus = (typeof topupStatuses)[number];

export const bankLineStatuses = ['waiting', 'credited', 'returned', 'unmatched', 'ignored'] as const;
export type BankLineStatus = (typeof bankLineStatuses)[number];

/** What becomes of a top-up in test mode. */
export const testOutcomes = ['pay', 'fail', 'later', 'dispute'] as const;
export type TestOutcome = (typeof testOutcomes)[number];

/** Why money that came or went at the provider could not be booked. */
export const problemReasons = [
  'unknown_topup',
  'amount_differs',
  'currency_differs',
  'second_payment',
  'account_blocked',
  'account_halted',
  'not_bookable',
] as const;
export type ProblemReason = (typeof problemReasons)[number];
