// Why a payment needs attention, and what the operator does about it.

import { t } from '@lingui/core/macro';
import type { ProblemReason } from '../../../../src/shared/topup-words.ts';

export const problemWords: Readonly<
  Record<ProblemReason, { readonly title: string; readonly todo: string }>
> = {
  unknown_topup: {
    title: t`No such top-up`,
    todo: t`A restore may have lost it. Credit the account by hand, or refund the payment at the provider.`,
  },
  amount_differs: {
    title: t`Amount differs`,
    todo: t`Nothing was credited. Refund the payment at the provider.`,
  },
  currency_differs: {
    title: t`Currency differs`,
    todo: t`Nothing was credited. Refund the payment at the provider.`,
  },
  second_payment: {
    title: t`Paid twice`,
    todo: t`The first payment was credited. Refund the second one at the provider.`,
  },
  account_blocked: {
    title: t`The account is blocked`,
    todo: t`It is credited once the account is unblocked.`,
  },
  account_halted: {
    title: t`The account is frozen`,
    todo: t`It is credited once the account’s books are in order.`,
  },
  not_bookable: {
    title: t`The ledger refuses it`,
    todo: t`For example, more went back than was paid. Compare the top-up with the provider.`,
  },
};
