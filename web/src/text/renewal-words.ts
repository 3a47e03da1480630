import { t } from '@lingui/core/macro';

const refusals: Readonly<Record<string, string>> = {
  'order_failed order_pending': t`An order for this customer is still waiting for the product.`,
  'order_failed plan_changed': t`The customer now has a different package.`,
  'order_failed plan_not_running': t`The plan is no longer running.`,
  'order_failed term_too_long': t`The plan would end more than 10 years ahead.`,
  'order_failed account_full': t`This account has used all its order numbers.`,
  'order_failed account_halted': t`This account is frozen while its ledger is being checked.`,
  'package_unavailable free_trial': t`This is a free trial. Order a package instead.`,
  test_full: t`The test account is full. Reset it to continue.`,
  package_unavailable: t`The package cannot be renewed.`,
  invalid_months: t`The package isn’t sold for this period. Choose another one.`,
  order_not_found: t`This customer has no completed order. Order a package instead.`,
  customer_not_found: t`Customer not found.`,
  insufficient_credit: t`The balance is too low.`,
  price_changed: t`The price has changed in the meantime. Nothing was charged.`,
  idempotency_conflict: t`An earlier attempt was accepted with different data. Check your latest orders.`,
  service_unavailable: t`The service is temporarily unavailable.`,
  internal_error: t`Something went wrong on our side.`,
  network: t`The service did not answer. Try again; nothing is charged twice.`,
};

export function renewalRefusalWords({
  code,
  reason,
}: {
  readonly code: string;
  readonly reason: string | null;
}): string {
  return refusals[`${code} ${reason}`] ?? refusals[code] ?? t`The service refused the request.`;
}
