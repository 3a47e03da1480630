// Two sentences per error code for API users: what it means and what to do. Other codes show the service's message.

import { t } from '@lingui/core/macro';

interface Meaning {
  readonly means: string;
  readonly toDo: string;
}

const wrongFilter: Meaning = {
  means: t`A filter, page or cursor in the address is invalid.`,
  toDo: t`The response names the field. Send next_cursor exactly as received, with the same filters.`,
};
const noSuch: Meaning = {
  means: t`Nothing has this ID, or it belongs to another account.`,
  toDo: t`Check the ID and that the key belongs to the right account. Test keys don’t see real orders.`,
};

const meanings: Readonly<Record<string, Meaning>> = {
  invalid_json: {
    means: t`The body was not a single JSON object in UTF-8.`,
    toDo: t`Send a JSON object. Form data (customer=…) and empty bodies aren’t supported.`,
  },
  revoked_api_key: {
    means: t`The key was replaced or revoked, or has expired.`,
    toDo: t`Use the current key in your program, or create a new one under “API access”.`,
  },
  account_closed: {
    means: t`The account was closed for good.`,
    toDo: t`Use another account.`,
  },
  account_not_closable: {
    means: t`Something of the account is still open.`,
    toDo: t`details.reason says what. Settle it, then close the account.`,
  },
  account_blocked: {
    means: t`The account is blocked, so every request is refused.`,
    toDo: t`Only the operator can unblock it.`,
  },
  api_disabled: {
    means: t`API access is turned off for this account.`,
    toDo: t`Only the operator can turn it on.`,
  },
  ip_not_allowed: {
    means: t`The request came from an address that isn’t on the allow-list of the account or key.`,
    toDo: t`If the address below is yours, add it to the allow-list. If not, rotate the key.`,
  },
  insufficient_scope: {
    means: t`The key lacks a scope that this request needs.`,
    toDo: t`Give the key the scope named in the response, or use another key.`,
  },
  forbidden: { means: t`Only the operator’s keys can do this.`, toDo: t`Use the paths under /api/v1.` },
  test_mode_only: {
    means: t`Only available in test mode.`,
    toDo: t`Use a key that starts with sk_test_.`,
  },
  rate_limited: {
    means: t`The account or the key sent more requests in a minute than its limit allows.`,
    toDo: t`Wait the seconds in Retry-After, then continue. For many orders, use the bulk endpoint. The operator sets the limit.`,
  },
  insufficient_credit: {
    means: t`The balance didn’t cover the price. Nothing was charged.`,
    toDo: t`Top up the balance, then send the same request with the same idempotency key.`,
  },
  invalid_package: {
    means: t`package_id is missing or isn’t a package ID.`,
    toDo: t`Use an ID from GET /packages, as a number.`,
  },
  package_unavailable: {
    means: t`The package is no longer sold, or not for this period.`,
    toDo: t`Use a package and a period from GET /packages.`,
  },
  invalid_customer: {
    means: t`The customer reference is neither an email address nor a username with letters, digits, dots, underscores and hyphens.`,
    toDo: t`Send one of the two, without spaces. The response names the invalid field.`,
  },
  invalid_months: {
    means: t`This period isn’t available.`,
    toDo: t`Set months to 1, 3 or 12: a period that the package is sold for.`,
  },
  invalid_max_charge: { means: t`max_charge isn’t a valid amount.`, toDo: t`Send a string such as "12.50".` },
  price_changed: {
    means: t`The order would have cost more than max_charge. Nothing was charged.`,
    toDo: t`Check the current price and order again.`,
  },
  customer_not_yours: {
    means: t`A customer with this reference belongs to another account.`,
    toDo: t`Use another reference, or ask the operator.`,
  },
  customer_erased: {
    means: t`This customer was erased.`,
    toDo: t`Order under a new reference, which makes a new customer.`,
  },
  invalid_idempotency_key: {
    means: t`The idempotency key is empty, too long, or differs between header and body.`,
    toDo: t`Send 1 to 80 visible ASCII characters, unique for each order.`,
  },
  idempotency_conflict: {
    means: t`This idempotency key was already used for another order. Nothing was charged.`,
    toDo: t`Use a new key for every order, and reuse it only to retry that order. The order that has this key is linked below.`,
  },
  order_failed: {
    means: t`The order could not be placed. Nothing was charged.`,
    toDo: t`See details.reason in the response.`,
  },
  validation_failed: {
    means: t`A field is missing or invalid.`,
    toDo: t`The response names the field and the reason.`,
  },
  payload_too_large: {
    means: t`The body is too large.`,
    toDo: t`Send fewer orders at once.`,
  },
  not_found: {
    means: t`Nothing exists at this address.`,
    toDo: t`Compare the path with the API reference.`,
  },
  method_not_allowed: {
    means: t`Method not allowed.`,
    toDo: t`The Allow header lists the supported methods.`,
  },
  order_not_found: noSuch,
  customer_not_found: noSuch,
  invalid_filter: wrongFilter,
  invalid_cursor: wrongFilter,
  internal_error: {
    means: t`Something went wrong in the service.`,
    toDo: t`Retry with the same idempotency key; nothing is charged twice. If it keeps failing, report the request ID.`,
  },
  service_unavailable: {
    means: t`The service was temporarily unavailable.`,
    toDo: t`Retry with the same idempotency key. Nothing is charged twice.`,
  },
};

export function refusalMeaning(code: string): Meaning | undefined {
  return meanings[code];
}
