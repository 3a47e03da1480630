// A text for every error code, because the service's own messages are written for programs. Loaded with the first refusal.

import { t } from '@lingui/core/macro';
import type { ErrorCode } from '../../../src/shared/error-catalog.ts';
import type { ApiError } from '../api/client.ts';
import { formatMoney } from '../text/amounts.ts';
import { fieldProblem } from './field-problems.ts';
import { unknownRefusal } from './unknown-refusal.ts';

export default function CodeSentence({ error }: { readonly error: ApiError }) {
  const field = error.detail('field');
  if (error.code === 'validation_failed' && field !== '') return fieldProblem(field, error.detail('reason'));
  const general = Object.entries(sentences).find(([code]) => code === error.code)?.[1];
  return detailedSentence(error) ?? general ?? unknownRefusal();
}

/** Says more where the error has details. */
function detailedSentence(error: ApiError): string | undefined {
  const currency = error.detail('currency');
  const money = (name: string) => formatMoney(error.detail(name), currency);
  switch (error.code) {
    case 'insufficient_credit':
      return currency === ''
        ? undefined
        : t`The balance of ${money('balance')} is too low: ${money('required')} is needed. Nothing was charged.`;
    case 'price_changed':
      return currency === ''
        ? undefined
        : t`The price is now ${money('charge')} instead of ${money('max_charge')}. Nothing was charged. Check the new price and confirm it.`;
    case 'totp_not_enabled':
      return t`Two-factor authentication is off, or wasn’t confirmed within 15 minutes. Close this dialog and start again.`;
    case 'order_failed':
      return orderFailures[error.detail('reason')];
    case 'idempotency_conflict':
      return t`An earlier attempt from this dialog was accepted with different data. Close it and check your latest orders.`;
    case 'invalid_customer':
      return error.detail('field') === 'customer_name'
        ? t`Use at most 120 characters and no control characters.`
        : undefined;
    case 'address_locked_out':
      return t`This allow-list does not include your address, ${error.detail('address')}. Requests with your key from there will be refused.`;
    default:
      return undefined;
  }
}

const orderFailures: Readonly<Record<string, string>> = {
  order_pending: t`An order for this customer is still waiting for the operator’s product. Try again once it is settled.`,
  plan_changed: t`This customer now has a different package. Open the customer and renew from there.`,
  account_full: t`This account has used all its order numbers. Ask the operator for a second account or, in test mode, reset the test.`,
  plan_not_running: t`The plan is no longer running. Nothing was changed.`,
  account_halted: t`This account is frozen until the operator has checked its ledger.`,
  term_too_long: t`The plan would end more than 10 years ahead. Nothing was charged.`,
};

const wrongRequest = t`The service didn’t accept this request. Reload the page and try again.`;
const ofTheApi = t`This error concerns API keys, not this page. Reload the page and try again.`;

const sentences = {
  invalid_json: wrongRequest,
  method_not_allowed: wrongRequest,
  invalid_cursor: t`This page of the list is no longer available. Go back to the first page.`,
  too_many_entries: t`This month has too many entries for a PDF. Download it as CSV.`,
  invalid_filter: t`A filter is invalid. Remove it and try again.`,
  invalid_idempotency_key: wrongRequest,
  invalid_max_charge: wrongRequest,
  invalid_months: t`This period isn’t available. Choose another one.`,
  missing_api_key: ofTheApi,
  invalid_api_key: ofTheApi,
  revoked_api_key: ofTheApi,
  api_disabled: t`API access is turned off for this account.`,
  ip_not_allowed: t`Your address isn’t on the account’s allow-list.`,
  not_signed_in: t`Your session has ended. Sign in again.`,
  invalid_credentials: t`The username or password is wrong.`,
  code_required: t`Enter a code from your authenticator app too, or a recovery code.`,
  insufficient_credit: t`The balance is too low. Nothing was charged.`,
  account_blocked: t`This account is blocked.`,
  account_closed: t`This account was closed.`,
  account_not_closable: t`This account can’t be closed yet.`,
  forbidden: t`Only the operator can do this.`,
  insufficient_scope: t`Your role doesn’t allow this. An account owner can change that.`,
  test_mode_only: t`Only available in test mode.`,
  forbidden_origin: t`The request didn’t come from this page. Reload it and try again.`,
  password_change_required: t`Choose your own password first.`,
  second_factor_required: t`Your role requires two-factor authentication. Set it up first.`,
  wrong_password: t`The password is wrong.`,
  invalid_code: t`The code is wrong, has expired, or was already used.`,
  not_found: t`Nothing exists at this address.`,
  order_not_found: t`Order not found.`,
  customer_not_found: t`Customer not found.`,
  statement_not_found: t`No statement for this month.`,
  account_not_found: t`Account not found.`,
  key_not_found: t`Key not found, or it was revoked.`,
  person_not_found: t`Team member not found in this account.`,
  link_not_found: t`This link is invalid or has expired. Ask for a new one.`,
  package_not_found: t`Package not found.`,
  price_not_found: t`These scheduled prices no longer exist.`,
  webhook_not_found: t`Endpoint not found.`,
  event_not_found: t`Event not found. It may have expired.`,
  receipt_not_found: t`This entry has no receipt.`,
  topup_not_found: t`Top-up not found, or it has not been paid.`,
  bank_line_not_found: t`Bank line not found.`,
  bank_line_settled: t`This bank line was decided already.`,
  bank_file_refused: t`The bank file can’t be read.`,
  payment_problem_not_found: t`This payment no longer needs attention.`,
  card_missing: t`Save a card first.`,
  topup_not_open: t`This top-up can no longer be canceled.`,
  too_many_topups: t`Too many top-ups wait to be paid. Cancel one first.`,
  payment_method_off: t`This payment method is turned off.`,
  daily_maximum_reached: t`You reached the most that can be added within 24 hours. Try a smaller amount, or tomorrow.`,
  provider_unavailable: t`The payment provider didn’t answer. Nothing was paid. Try again.`,
  invalid_signature: ofTheApi,
  refund_too_large: t`The refund is larger than what is left of the payment.`,
  view_ended: t`You’ve stopped viewing this account. Open it again from the account’s page.`,
  view_read_only: t`You are viewing this account in read-only mode.`,
  request_not_found: t`Request not found. It may have expired.`,
  session_not_found: t`This session has already ended.`,
  customer_not_yours: t`This customer belongs to another account.`,
  customer_erased: t`This customer was erased.`,
  reference_taken: t`Another customer has this reference, or had it before.`,
  clock_moving: t`The test clock is already moving. Wait until it stops.`,
  test_full: t`The test account is full. Reset it to continue.`,
  reset_in_progress: t`Earlier test data is still being deleted. Try again in a moment.`,
  idempotency_conflict: t`An earlier attempt was accepted with different data. Nothing was charged this time.`,
  price_changed: t`The price has changed in the meantime. Nothing was charged.`,
  trial_already_granted: t`This customer has already had this free trial.`,
  price_already_scheduled: t`Other prices are already scheduled for that time. Delete them first.`,
  price_has_begun: t`These prices are already in effect and stay in the history. Set new prices instead.`,
  events_gone: t`Older events have expired.`,
  too_many_webhooks: t`Endpoint limit reached. Delete one first.`,
  too_many_keys: t`Key limit reached. Revoke one first.`,
  first_key: t`An account’s first key can’t be restricted or revoked. Rotate it instead.`,
  too_many_limits: t`You can define 50 limits. Delete one first.`,
  limit_in_use: t`A package has this limit. Remove it from the package first.`,
  limit_not_found: t`Limit not found.`,
  order_already_settled: t`This order was already settled with a different outcome.`,
  product_call_not_found: t`This call no longer exists.`,
  product_call_decides_order: t`This call belongs to a pending order. Accept or fail the order instead.`,
  product_not_set: t`No product URL is set. Set one first.`,
  username_taken: t`This username is taken.`,
  too_many_people: t`Team member limit reached. Remove one first.`,
  invitation_used: t`This person has already accepted. To invite them again, remove them first.`,
  last_owner: t`An account needs an owner who can sign in. Make someone else an owner first.`,
  totp_enabled: t`Two-factor authentication is already on.`,
  totp_not_enabled: t`Two-factor authentication is off.`,
  last_administrator: t`The last active administrator can’t be blocked or disabled.`,
  mail_not_configured: t`Email isn’t set up on this service.`,
  payload_too_large: t`The request is too large. Send less at once.`,
  invalid_package: t`This package cannot be ordered.`,
  package_unavailable: t`This package is no longer available.`,
  invalid_customer: t`Enter an email address, or a username with letters, digits, dots, underscores and hyphens.`,
  order_failed: t`The order could not be placed. Nothing was charged.`,
  validation_failed: t`One of the values is invalid.`,
  address_locked_out: t`This allow-list doesn’t include your address.`,
  rate_limited: t`Too many requests. Wait a moment and try again.`,
  internal_error: t`Something went wrong on our side. Include the request ID when contacting support.`,
  service_unavailable: t`The service is temporarily unavailable. Try again in a moment; nothing is charged twice.`,
} satisfies Record<ErrorCode, string>;
