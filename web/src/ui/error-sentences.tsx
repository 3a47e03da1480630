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

const wrongRequest = t`This page asked for something that the service does not take. Reload it and try again.`;
const ofTheApi = t`This concerns programs that use the API, not this page. Reload it and try again.`;

const sentences = {
  invalid_json: wrongRequest,
  method_not_allowed: wrongRequest,
  invalid_cursor: t`This place in the list is gone. Go back to the newest.`,
  too_many_entries: t`The month has more entries than a PDF holds. Download it as CSV.`,
  invalid_filter: t`A filter cannot be read. Take it away and try again.`,
  invalid_idempotency_key: wrongRequest,
  invalid_max_charge: wrongRequest,
  invalid_months: t`This period cannot be ordered.`,
  missing_api_key: ofTheApi,
  invalid_api_key: ofTheApi,
  revoked_api_key: ofTheApi,
  api_disabled: t`API access is switched off for this account.`,
  ip_not_allowed: t`The account’s allow-list does not take requests from where you are.`,
  not_signed_in: t`Your session has ended. Sign in again.`,
  invalid_credentials: t`The username or the password is not right.`,
  code_required: t`A code of your authenticator app, or a recovery code, is needed as well.`,
  insufficient_credit: t`The balance is too low. Nothing was charged.`,
  account_blocked: t`This account is blocked.`,
  forbidden: t`Only the operator may do this.`,
  insufficient_scope: t`Your role does not allow this. An owner of the account can change that.`,
  test_mode_only: t`This is there in test mode only.`,
  forbidden_origin: t`The request did not come from this page. Reload it and try again.`,
  password_change_required: t`Choose a password of your own first.`,
  second_factor_required: t`Your role needs codes at sign-in. Set them up first.`,
  wrong_password: t`The password is not right.`,
  invalid_code: t`The code is not right, has expired, or was used before.`,
  not_found: t`There is nothing at this address.`,
  order_not_found: t`There is no such order.`,
  customer_not_found: t`There is no such customer.`,
  statement_not_found: t`There is no statement of this month.`,
  account_not_found: t`There is no such account.`,
  key_not_found: t`There is no such key, or it was revoked.`,
  person_not_found: t`This account has no such person.`,
  link_not_found: t`This link is invalid or has expired. Ask for a new one.`,
  package_not_found: t`There is no such package.`,
  price_not_found: t`These scheduled prices are not there any more.`,
  webhook_not_found: t`There is no such endpoint.`,
  event_not_found: t`There is no such event, or it is kept no more.`,
  receipt_not_found: t`There is no receipt of this entry.`,
  view_ended: t`The view of this account has ended. Begin it again from the account’s page.`,
  view_read_only: t`You look at this account as its reseller does, and change nothing.`,
  request_not_found: t`There is no such request, or it is kept no more.`,
  session_not_found: t`This session has ended already.`,
  customer_not_yours: t`This customer belongs to another account.`,
  clock_moving: t`The test clock is being moved already. Wait until it has arrived.`,
  test_full: t`Test data has used up its space, and nothing more is stored. Reset the test to go on.`,
  reset_in_progress: t`Earlier test data is still being deleted. Try again in a moment.`,
  idempotency_conflict: t`An earlier attempt went through with other data. Nothing was charged this time.`,
  price_changed: t`The price has changed meanwhile. Nothing was charged.`,
  trial_already_granted: t`This customer has had this free trial before.`,
  price_already_scheduled: t`Other prices of this package begin at that moment. Delete them first.`,
  price_has_begun: t`These prices have begun and stay in the history. Change the prices of the package instead.`,
  events_gone: t`Older events are kept no more.`,
  too_many_webhooks: t`There are as many endpoints as an account may have. Delete one first.`,
  too_many_keys: t`There are as many keys as an account may have. Revoke one first.`,
  first_key: t`The first key of an account cannot be limited or revoked. Rotate it instead.`,
  order_already_settled: t`This order was settled already, in another way.`,
  product_call_not_found: t`This call is not there any more.`,
  product_call_decides_order: t`The order of this call is pending. Accept or fail the order instead.`,
  product_not_set: t`There is no product to call. Set its address first.`,
  username_taken: t`This username is taken.`,
  too_many_people: t`There are as many people as an account may have. Remove one first.`,
  invitation_used: t`The invitation was used: this person has a password. Remove them, and invite them again.`,
  last_owner: t`An account needs an owner who can sign in. Make somebody else one first.`,
  totp_enabled: t`Codes at sign-in are on already.`,
  totp_not_enabled: t`Codes at sign-in are not on.`,
  last_administrator: t`The last administrator who can act cannot be blocked or switched off.`,
  mail_not_configured: t`This service sends no mail: its operator has not set that up.`,
  payload_too_large: t`That is too much at once. Send less.`,
  invalid_package: t`This package cannot be ordered.`,
  package_unavailable: t`This package is no longer on offer.`,
  invalid_customer: t`Enter an e-mail address, or a username of letters, digits, dot, underscore and hyphen.`,
  order_failed: t`The order cannot be carried out. Nothing was charged.`,
  validation_failed: t`Something that was entered is not valid.`,
  address_locked_out: t`This allow-list leaves out where you are.`,
  rate_limited: t`Too many requests. Wait a moment, and try again.`,
  internal_error: t`Something went wrong on our side. Quote the request id when you report it.`,
  service_unavailable: t`The service cannot take this now. Try again in a moment: nothing is ever charged twice.`,
} satisfies Record<ErrorCode, string>;
