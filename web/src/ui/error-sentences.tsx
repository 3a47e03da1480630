// Texts for every error code, complete by type check; the service's own messages address programs. Loaded with the first
// refusal; error-notice.tsx handles those with details.

import { t } from '@lingui/core/macro';
import type { ErrorCode } from '../../../src/shared/error-catalogue.ts';
import type { ApiError } from '../api/client.ts';
import { fieldProblem } from './field-problems.ts';
import { unknownRefusal } from './unknown-refusal.ts';

export default function CodeSentence({ error }: { readonly error: ApiError }) {
  const field = error.detail('field');
  if (error.code === 'validation_failed' && field !== '') return fieldProblem(field, error.detail('reason'));
  return Object.entries(sentences).find(([code]) => code === error.code)?.[1] ?? unknownRefusal();
}

const wrongRequest = t`The service did not accept this request. Reload the page and try again.`;
const ofTheApi = t`This error concerns API keys, not this page. Reload the page and try again.`;

const sentences = {
  invalid_json: wrongRequest,
  method_not_allowed: wrongRequest,
  invalid_cursor: t`This page of the list is no longer available. Go back to the newest entries.`,
  too_many_entries: t`The month has too many entries for a PDF. Download it as CSV.`,
  invalid_filter: t`A filter is not valid. Remove it and try again.`,
  invalid_idempotency_key: wrongRequest,
  invalid_max_charge: wrongRequest,
  invalid_months: t`This period cannot be ordered. Choose another one.`,
  missing_api_key: ofTheApi,
  invalid_api_key: ofTheApi,
  revoked_api_key: ofTheApi,
  api_disabled: t`API access is switched off for this account.`,
  ip_not_allowed: t`Your address is not on the account’s allow-list.`,
  not_signed_in: t`Your session has ended. Sign in again.`,
  invalid_credentials: t`The username or password is wrong.`,
  code_required: t`Also enter a code from your authenticator app, or a recovery code.`,
  insufficient_credit: t`The balance is too low. Nothing was charged.`,
  account_blocked: t`This account is blocked.`,
  forbidden: t`Only the operator can do this.`,
  insufficient_scope: t`Your role does not allow this. An owner of the account can change that.`,
  test_mode_only: t`This is available in test mode only.`,
  forbidden_origin: t`The request did not come from this page. Reload it and try again.`,
  password_change_required: t`Choose your own password first.`,
  second_factor_required: t`Your role requires codes at sign-in. Set them up first.`,
  wrong_password: t`The password is wrong.`,
  invalid_code: t`The code is wrong, has expired, or was already used.`,
  not_found: t`There is nothing at this address.`,
  order_not_found: t`There is no such order.`,
  customer_not_found: t`There is no such customer.`,
  statement_not_found: t`There is no statement for this month.`,
  account_not_found: t`There is no such account.`,
  key_not_found: t`There is no such key, or it was revoked.`,
  person_not_found: t`This account has no such person.`,
  link_not_found: t`This link is invalid or has expired. Ask for a new one.`,
  package_not_found: t`There is no such package.`,
  price_not_found: t`These scheduled prices no longer exist.`,
  webhook_not_found: t`There is no such endpoint.`,
  event_not_found: t`There is no such event, or it has expired.`,
  receipt_not_found: t`There is no receipt for this entry.`,
  view_ended: t`Your view of this account has ended. Open it again from the account’s page.`,
  view_read_only: t`You are viewing this account in read-only mode.`,
  request_not_found: t`There is no such request, or it has been deleted.`,
  session_not_found: t`This session has already ended.`,
  customer_not_yours: t`This customer belongs to another account.`,
  clock_moving: t`The test clock is already moving. Wait until it stops.`,
  test_full: t`The test account is full, and nothing more is stored. Reset it to continue.`,
  reset_in_progress: t`Earlier test data is still being deleted. Try again in a moment.`,
  idempotency_conflict: t`An earlier attempt was accepted with different data. Nothing was charged this time.`,
  price_changed: t`The price has changed in the meantime. Nothing was charged.`,
  trial_already_granted: t`This customer has already had this free trial.`,
  price_already_scheduled: t`Another price change of this package is scheduled for that time. Delete it first.`,
  price_has_begun: t`These prices are already in effect and stay in the history. Change the prices of the package instead.`,
  events_gone: t`Older events have expired.`,
  too_many_webhooks: t`The account has reached its limit of endpoints. Delete one first.`,
  too_many_keys: t`The account has reached its limit of keys. Revoke one first.`,
  first_key: t`The first key of an account cannot be limited or revoked. Rotate it instead.`,
  order_already_settled: t`This order was already settled with a different outcome.`,
  product_call_not_found: t`This call no longer exists.`,
  product_call_decides_order: t`This call belongs to a pending order. Accept or fail the order instead.`,
  product_not_set: t`No product address is set. Set one first.`,
  username_taken: t`This username is taken.`,
  too_many_people: t`The account has reached its limit of people. Remove one first.`,
  invitation_used: t`This person has already accepted the invitation. To invite them again, remove them first.`,
  last_owner: t`An account needs an owner who can sign in. Make someone else an owner first.`,
  totp_enabled: t`Codes at sign-in are already on.`,
  totp_not_enabled: t`Codes at sign-in are off.`,
  last_administrator: t`The last active administrator cannot be blocked or switched off.`,
  mail_not_configured: t`This service sends no mail because its operator has not set up a mail server.`,
  payload_too_large: t`The request is too large. Send less at once.`,
  invalid_package: t`This package cannot be ordered.`,
  package_unavailable: t`This package is no longer on offer.`,
  invalid_customer: t`Enter an e-mail address, or a username of letters, digits, dot, underscore and hyphen.`,
  order_failed: t`The order could not be placed. Nothing was charged.`,
  validation_failed: t`One of the values is not valid.`,
  address_locked_out: t`This allow-list does not include your address.`,
  rate_limited: t`Too many requests. Wait a moment, and try again.`,
  internal_error: t`Something went wrong on our side. Quote the request id when you report it.`,
  service_unavailable: t`The service is temporarily unavailable. Try again in a moment; nothing is charged twice.`,
} satisfies Record<ErrorCode, string>;
