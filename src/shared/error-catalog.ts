// Every error code with its status and message. Clients rely on the codes, so never change or remove one.

export const errorCatalog = {
  invalid_json: {
    status: 400,
    message: 'The request body must be one JSON object in UTF-8.',
  },
  missing_api_key: {
    status: 401,
    message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: { status: 401, message: 'This API key is unknown. Check that it was copied completely.' },
  revoked_api_key: {
    status: 401,
    message: 'This API key was replaced or revoked, or it has expired. Use the current one.',
  },
  not_signed_in: { status: 401, message: 'You are not signed in, or your session has ended. Sign in first.' },
  invalid_credentials: { status: 401, message: 'The username or password is wrong.' },
  code_required: {
    status: 401,
    message: 'Also send a code from your authenticator app, or a recovery code.',
  },
  insufficient_credit: {
    status: 402,
    message:
      'The balance is {balance} {currency}, but {required} {currency} is needed. Nothing was charged. Add funds first.',
  },
  account_blocked: { status: 403, message: 'This account is blocked. Contact the operator of this service.' },
  api_disabled: {
    status: 403,
    message: 'API access is switched off for this account. Ask the operator of this service to switch it on.',
  },
  ip_not_allowed: {
    status: 403,
    message:
      'Your IP address is not on the allow-list of this account or key. Add it, or use an address that is on the list.',
  },
  forbidden: { status: 403, message: 'Only administrators can do this.' },
  insufficient_scope: {
    status: 403,
    message: 'Your key or role lacks the scope `{scope}`. Use a key or role that has it.',
  },
  test_mode_only: {
    status: 403,
    message: 'This works in test mode only. Use a key that begins with sk_test_.',
  },
  forbidden_origin: { status: 403, message: 'Changes are accepted only from the pages of this service.' },
  password_change_required: {
    status: 403,
    message: 'Your password was generated or set by someone else. Choose your own first.',
  },
  second_factor_required: {
    status: 403,
    message: 'Your role requires a second factor. Set one up first.',
  },
  view_read_only: {
    status: 403,
    message: 'You are viewing this account in read-only mode.',
  },
  view_ended: {
    status: 403,
    message:
      'You are not viewing this account, or the view has ended. Open its panel from the console again.',
  },
  wrong_password: { status: 403, message: 'The password is wrong.' },
  invalid_code: {
    status: 403,
    message: 'The code is wrong, has expired, or was already used. Enter a new one.',
  },
  not_found: { status: 404, message: 'There is nothing at this address. Check the path.' },
  order_not_found: { status: 404, message: 'There is no such order.' },
  customer_not_found: { status: 404, message: 'There is no such customer.' },
  product_call_not_found: { status: 404, message: 'There is no such call, or it has been deleted.' },
  statement_not_found: {
    status: 404,
    message: 'There is no statement for this month. GET /statements lists the months that have one.',
  },
  account_not_found: { status: 404, message: 'There is no such account.' },
  key_not_found: { status: 404, message: 'There is no such key, or it was revoked.' },
  person_not_found: { status: 404, message: 'This account has no such person.' },
  link_not_found: {
    status: 404,
    message: 'This link was already used, has expired, or never existed. Request a new one.',
  },
  package_not_found: { status: 404, message: 'There is no such package.' },
  limit_not_found: { status: 404, message: 'There is no such limit.' },
  price_not_found: { status: 404, message: 'There is no such price change or price list.' },
  webhook_not_found: { status: 404, message: 'There is no such webhook endpoint.' },
  event_not_found: { status: 404, message: 'There is no such event, or it has expired.' },
  request_not_found: {
    status: 404,
    message: 'There is no such request, or it has expired and been deleted.',
  },
  topup_not_found: { status: 404, message: 'There is no such top-up, or it has not been paid.' },
  payment_problem_not_found: { status: 404, message: 'There is no such payment that needs attention.' },
  card_missing: {
    status: 409,
    message: 'No card is saved yet. Save one with POST /auto-topup/card first.',
  },
  topup_not_open: {
    status: 409,
    message: 'This top-up can no longer be canceled: it is {status}.',
  },
  bank_line_not_found: { status: 404, message: 'There is no such bank line.' },
  bank_line_settled: {
    status: 409,
    message: 'This bank line was decided already: it is {status}.',
  },
  bank_file_refused: { status: 422, message: 'The bank file was refused. {reason}' },
  too_many_topups: {
    status: 409,
    message: 'An account can have at most {limit} top-ups that wait to be paid. Cancel one first.',
  },
  receipt_not_found: { status: 404, message: 'There is no such credit or debit.' },
  session_not_found: { status: 404, message: 'There is no such session.' },
  method_not_allowed: {
    status: 405,
    message: 'Method not allowed. See the Allow header.',
  },
  customer_not_yours: { status: 409, message: 'This customer belongs to another account.' },
  customer_erased: {
    status: 409,
    message: 'This customer was erased. Order under a new reference to make a new customer.',
  },
  reference_taken: {
    status: 409,
    message: 'Another customer has this reference, or had it before. Choose another one.',
  },
  account_closed: { status: 409, message: 'This account was closed for good. Create another account.' },
  account_not_closable: {
    status: 409,
    message: 'This account cannot be closed yet: {reason}. Settle this first, and try again.',
  },
  clock_moving: {
    status: 409,
    message: 'The test clock is already moving. Wait for the answer to that request.',
  },
  reset_in_progress: {
    status: 409,
    message:
      'Test data from an earlier reset is still being deleted, or the test was reset in the meantime. Try again in a few seconds.',
  },
  test_full: {
    status: 409,
    message: 'The test account is full, and nothing more is stored. Reset it to continue.',
  },
  idempotency_conflict: {
    status: 409,
    message:
      'This idempotency key was already used with different data. Nothing was charged. Use a new key for a new order.',
  },
  trial_already_granted: {
    status: 409,
    message: 'This customer has already had this free trial. Set `again` to true to grant it once more.',
  },
  price_changed: {
    status: 409,
    message: 'The order costs {charge} {currency}, more than `max_charge` {max_charge}. Nothing was charged.',
  },
  limit_in_use: {
    status: 409,
    message: 'The package "{package}" has this limit. Remove it from the package first.',
  },
  too_many_limits: {
    status: 409,
    message: 'There can be at most {limit} limits. Delete one first.',
  },
  price_already_scheduled: {
    status: 409,
    message: 'Other prices are already scheduled for {from}. Delete those first.',
  },
  price_has_begun: {
    status: 409,
    message: 'These prices took effect at {from} and stay in the history. Set new prices instead.',
  },
  events_gone: {
    status: 410,
    message:
      'Events after this cursor have expired, or the service was restored from a backup. Restart without `after` and reconcile with the lists.',
  },
  too_many_webhooks: {
    status: 409,
    message: 'An account can have at most {limit} webhook endpoints. Delete one first.',
  },
  too_many_keys: {
    status: 409,
    message: 'An account can have at most {limit} API keys. Revoke one first.',
  },
  first_key: {
    status: 409,
    message:
      'The first key of an account always has all scopes, never expires and cannot be revoked. Rotate it instead.',
  },
  order_already_settled: {
    status: 409,
    message: 'The order was already settled with a different outcome: {status}.',
  },
  product_call_decides_order: {
    status: 409,
    message: 'This call belongs to the pending order {order_id}. Accept or fail that order instead.',
  },
  product_not_set: {
    status: 409,
    message: 'No product address is set. Set one first.',
  },
  username_taken: { status: 409, message: 'This username is taken. Choose another one.' },
  too_many_people: {
    status: 409,
    message: 'An account can have at most {limit} people. Remove one first.',
  },
  invitation_used: {
    status: 409,
    message: 'This person has already accepted the invitation. To invite them again, remove them first.',
  },
  last_owner: {
    status: 409,
    message: 'An account needs an owner who can sign in. Make someone else an owner first.',
  },
  totp_enabled: { status: 409, message: 'Codes at sign-in are already on.' },
  totp_not_enabled: { status: 409, message: 'Codes at sign-in are off. Set them up first.' },
  last_administrator: {
    status: 409,
    message:
      'This is the last active administrator and cannot be blocked or switched off. Add another one first.',
  },
  mail_not_configured: {
    status: 409,
    message: 'This service sends no mail because its operator has not set up a mail server.',
  },
  payload_too_large: { status: 413, message: 'The request body must be at most 64 KiB.' },
  invalid_package: { status: 422, message: '`package_id` must be the id of a package from GET /packages.' },
  package_unavailable: {
    status: 422,
    message: 'This package cannot be ordered. Choose another one from GET /packages.',
  },
  invalid_customer: { status: 422, message: '`customer` must be an e-mail address or a username.' },
  invalid_months: {
    status: 422,
    message:
      '`months` must be 1, 3 or 12, or `period` monthly, quarterly or yearly. If both are sent, they must agree.',
  },
  invalid_max_charge: {
    status: 422,
    message: '`max_charge` must be an amount such as "12.50".',
  },
  invalid_idempotency_key: {
    status: 422,
    message: 'An idempotency key must be 1 to 80 visible ASCII characters, and the same in header and body.',
  },
  invalid_filter: { status: 422, message: 'A filter or the format is not valid.' },
  too_many_entries: {
    status: 422,
    message:
      'The month has {entries} entries, and a PDF holds {entries_max} at most. Ask for CSV, or read a shorter period of GET /ledger.',
  },
  invalid_cursor: {
    status: 422,
    message: '`cursor` must be the next_cursor of the previous page, sent with the same filters.',
  },
  order_failed: { status: 422, message: 'The order cannot be executed: {reason}. Nothing was charged.' },
  validation_failed: { status: 422, message: 'A field is not valid.' },
  refund_too_large: {
    status: 422,
    message:
      '{paid} {currency} were paid, and {reversed} {currency} were already returned. Refund at most the rest.',
  },
  payment_method_off: {
    status: 422,
    message: 'The operator of this service takes no top-ups by this method.',
  },
  daily_maximum_reached: {
    status: 422,
    message:
      'An account can top up at most {daily_maximum} {currency} within 24 hours, and {used} {currency} were used.',
  },
  invalid_signature: {
    status: 400,
    message: 'The signature of this webhook is wrong, or older than five minutes.',
  },
  address_locked_out: {
    status: 422,
    message:
      'This allow-list does not include the address you are using, {address}. Set `confirm` to true to save it anyway.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests. Retry in {retry_after} s.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side. Quote the X-Request-Id when you report it.',
  },
  provider_unavailable: {
    status: 503,
    message: 'The payment provider did not answer. Nothing was paid. Retry with the same idempotency key.',
  },
  service_unavailable: {
    status: 503,
    message:
      'The service is temporarily unavailable. Retry with the same idempotency key: you are never charged twice.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorCatalog;

/** Short strings and numbers, or a list of words; never secrets. */
export type ErrorDetails = Readonly<Record<string, string | number | readonly string[]>>;

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

/** The catalog's own message names the usual limit; this one names the limit that is given. */
export function tooLarge(limitBytes: number): Refusal & { readonly message: string } {
  const message = `The request body must be at most ${limitBytes / 1024} KiB.`;
  return { code: 'payload_too_large', details: { limit_bytes: limitBytes }, message };
}

/** For problems found before the body is parsed. `reason` is the end of a sentence. */
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
