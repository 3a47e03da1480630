// Every error code with its status and message, read by http/error-responses.ts, the OpenAPI generator and the documents'
// tests. Clients rely on the codes: only ever add.

export const errorCatalogue = {
  invalid_json: {
    status: 400,
    message: 'The request could not be read: its body must be one JSON object in UTF-8.',
  },
  missing_api_key: {
    status: 401,
    message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: { status: 401, message: 'This API key is not known.' },
  revoked_api_key: { status: 401, message: 'This API key was replaced or revoked. Use the current one.' },
  not_signed_in: { status: 401, message: 'Sign in first: there is no session, or it has ended.' },
  invalid_credentials: { status: 401, message: 'The username or the password is not right.' },
  code_required: {
    status: 401,
    message: 'Send a code of your authenticator app, or a recovery code, as well.',
  },
  insufficient_credit: { status: 402, message: 'The balance is too low. Nothing was charged.' },
  account_blocked: { status: 403, message: 'This account is blocked.' },
  api_disabled: { status: 403, message: 'API access is switched off for this account.' },
  ip_not_allowed: { status: 403, message: 'Requests from this IP address are not allowed for this account.' },
  forbidden: { status: 403, message: 'Only an administrator may do this.' },
  insufficient_scope: {
    status: 403,
    message: 'This key, or the role of whoever is signed in, does not include what the request needs.',
  },
  test_mode_only: {
    status: 403,
    message: 'This is for test mode alone: send it with a key that begins with sk_test_.',
  },
  forbidden_origin: { status: 403, message: 'Changes are taken from the pages of this service only.' },
  password_change_required: {
    status: 403,
    message: 'This password was generated or set by somebody else. Choose one of your own first.',
  },
  second_factor_required: {
    status: 403,
    message: 'With this role a second factor is required. Set one up first.',
  },
  view_read_only: {
    status: 403,
    message: 'You look at this account as its owner sees it: nothing is changed, and this is not shown.',
  },
  view_ended: {
    status: 403,
    message: 'You do not look at this account, or no longer. Open its panel from the console again.',
  },
  wrong_password: { status: 403, message: 'The password is not right.' },
  invalid_code: { status: 403, message: 'The code is not right, has expired, or was used before.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  order_not_found: { status: 404, message: 'There is no such order.' },
  customer_not_found: { status: 404, message: 'There is no such customer.' },
  product_call_not_found: { status: 404, message: 'There is no such call, or it was deleted since.' },
  statement_not_found: {
    status: 404,
    message: 'There is no statement of this month: ask for yyyy-mm, as GET /statements lists them.',
  },
  account_not_found: { status: 404, message: 'There is no such account.' },
  key_not_found: { status: 404, message: 'There is no such key, or it was revoked.' },
  person_not_found: { status: 404, message: 'This account has no such person.' },
  link_not_found: {
    status: 404,
    message: 'This link was used before, has expired, or was never made. Ask for another one.',
  },
  package_not_found: { status: 404, message: 'There is no such package.' },
  price_not_found: { status: 404, message: 'No prices of this package are scheduled for that second.' },
  webhook_not_found: { status: 404, message: 'There is no such endpoint.' },
  event_not_found: { status: 404, message: 'There is no such event, or it is kept no more.' },
  request_not_found: {
    status: 404,
    message: 'There is no such request, or it is older than seven days and kept no more.',
  },
  receipt_not_found: { status: 404, message: 'There is no such credit or debit.' },
  session_not_found: { status: 404, message: 'There is no such session.' },
  method_not_allowed: {
    status: 405,
    message: 'This address does not take that method. The Allow header lists those it takes.',
  },
  customer_not_yours: { status: 409, message: 'This customer belongs to another account.' },
  clock_moving: {
    status: 409,
    message: 'The test clock is being moved already. Wait for the answer to that request.',
  },
  reset_in_progress: {
    status: 409,
    message:
      'Test data of earlier resets is still being deleted, or the test was reset meanwhile. Try again in a moment.',
  },
  test_full: {
    status: 409,
    message: 'Test data has used up its space: nothing more is stored. Reset the test account to go on.',
  },
  idempotency_conflict: {
    status: 409,
    message: 'This idempotency key was used before with different data. Nothing was charged.',
  },
  trial_already_granted: {
    status: 409,
    message: 'This customer has already had this free trial. To give it once more, set `again` to true.',
  },
  price_changed: {
    status: 409,
    message: 'The order would be charged more than max_charge. Nothing was charged.',
  },
  price_already_scheduled: {
    status: 409,
    message: 'Other prices of this package are scheduled for that second. Delete them first.',
  },
  price_has_begun: {
    status: 409,
    message: 'These prices have begun and stay in the history. Change the prices of the package instead.',
  },
  events_gone: {
    status: 410,
    message:
      'Events after this cursor have expired, or the service was restored from a backup. Start again without after, and reconcile with the lists.',
  },
  too_many_webhooks: {
    status: 409,
    message: 'There are as many endpoints as an account may have. Delete one first.',
  },
  too_many_keys: {
    status: 409,
    message: 'There are as many keys as an account may have. Revoke one first.',
  },
  first_key: {
    status: 409,
    message:
      'The first key of an account has all scopes, does not expire and is not revoked: rotate it instead.',
  },
  order_already_settled: {
    status: 409,
    message: 'The order has come to its end already, and to another one.',
  },
  product_call_decides_order: {
    status: 409,
    message: 'The order of this call is pending. Accept or fail the order instead.',
  },
  product_not_set: {
    status: 409,
    message: 'There is no product to call. Set its address first.',
  },
  username_taken: { status: 409, message: 'Another account has this username.' },
  too_many_people: {
    status: 409,
    message: 'There are as many people as an account may have. Remove one first.',
  },
  invitation_used: {
    status: 409,
    message: 'The invitation was used: this person has a password. Remove them, and invite them again.',
  },
  last_owner: {
    status: 409,
    message: 'An account needs an owner who can sign in. Make somebody else one first.',
  },
  totp_enabled: { status: 409, message: 'Codes at sign-in are on already.' },
  totp_not_enabled: { status: 409, message: 'Codes at sign-in are not on.' },
  last_administrator: {
    status: 409,
    message: 'The last administrator who can act cannot be blocked or switched off.',
  },
  mail_not_configured: {
    status: 409,
    message: 'This service sends no mail: its operator has not named a mail server.',
  },
  payload_too_large: { status: 413, message: 'The request body is larger than 64 KiB.' },
  invalid_package: { status: 422, message: 'package_id must be the id of a package from GET /packages.' },
  package_unavailable: { status: 422, message: 'This package cannot be ordered.' },
  invalid_customer: { status: 422, message: 'The customer is not valid.' },
  invalid_months: {
    status: 422,
    message: 'months must be 1, 3 or 12, or period monthly, quarterly or yearly; both must agree.',
  },
  invalid_max_charge: {
    status: 422,
    message: 'max_charge must be an amount, such as "12.50".',
  },
  invalid_idempotency_key: {
    status: 422,
    message: 'An idempotency key has 1 to 80 visible ASCII characters, the same in header and body.',
  },
  invalid_filter: { status: 422, message: 'A filter, or the format, cannot be read.' },
  too_many_entries: {
    status: 422,
    message:
      'The month has more entries than a PDF holds. Ask for CSV, or read a shorter period of GET /ledger.',
  },
  invalid_cursor: {
    status: 422,
    message: 'cursor must be next_cursor of the page before, sent with the same filters.',
  },
  order_failed: { status: 422, message: 'The order cannot be carried out. Nothing was charged.' },
  validation_failed: { status: 422, message: 'A field is not valid.' },
  address_locked_out: {
    status: 422,
    message: 'This allow-list leaves out the address you are using. Send confirm to set it all the same.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Wait for the seconds in the Retry-After header.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Quote the X-Request-Id when you report it.',
  },
  service_unavailable: {
    status: 503,
    message:
      'The service cannot take this request now. Retry with the same idempotency key: it never charges twice.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Short strings and numbers, never secrets. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

export interface Refusal {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  /** Replaces the code's own message where that would be wrong. */
  readonly message?: string;
}

export function refusal(code: ErrorCode, details: ErrorDetails = {}): Refusal {
  return { code, details };
}

export function fieldRefusal(code: ErrorCode, field: string, reason: string): Refusal {
  return { code, details: { field, reason } };
}

/** The catalog's message has the usual limit. */
export function tooLarge(limitBytes: number): Refusal & { readonly message: string } {
  const message = `The request body is larger than ${limitBytes / 1024} KiB.`;
  return { code: 'payload_too_large', details: { limit_bytes: limitBytes }, message };
}

/** For problems before the body is parsed; `reason` ends a sentence. */
export function unreadable(reason: string): Refusal {
  return { code: 'invalid_json', details: { reason }, message: `The request could not be read: ${reason}.` };
}

/** Explains null, which some tools send for unset fields. */
export function typeReason(value: unknown, reason: string): string {
  return value === null ? `${reason}, not null: to set nothing, leave it out` : reason;
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'details' in value;
}
