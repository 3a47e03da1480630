// What each refusal means for API users and what to do: two sentences per code. Other codes show the answer's message.

import { t } from '@lingui/core/macro';

interface Meaning {
  readonly means: string;
  readonly toDo: string;
}

const wrongFilter: Meaning = {
  means: t`A filter, page or cursor in the address is not valid.`,
  toDo: t`The answer names the field. Send next_cursor exactly as received, with the same filters.`,
};
const noSuch: Meaning = {
  means: t`There is nothing with this id, or it belongs to another account.`,
  toDo: t`Check the id, and that the key belongs to the right account. Test keys do not see real orders.`,
};

const meanings: Readonly<Record<string, Meaning>> = {
  invalid_json: {
    means: t`The body was not a single JSON object in UTF-8.`,
    toDo: t`Send a JSON object. Forms (customer=…) and empty bodies are not read.`,
  },
  revoked_api_key: {
    means: t`The key was replaced or revoked, or has expired.`,
    toDo: t`Use the current key in the program, or make a new one under “API access”.`,
  },
  account_blocked: {
    means: t`The account is blocked, so every request is refused.`,
    toDo: t`Only the operator of this service can unblock it.`,
  },
  api_disabled: {
    means: t`API access is switched off for this account.`,
    toDo: t`Only the operator of this service can switch it on.`,
  },
  ip_not_allowed: {
    means: t`The request came from an address that is not on the allow-list of the account or the key.`,
    toDo: t`Add the address below to the allow-list if it is yours. If it is not, rotate the key.`,
  },
  insufficient_scope: {
    means: t`The key lacks a scope that this request needs.`,
    toDo: t`Give the key the scope that the answer names, or use another key.`,
  },
  forbidden: { means: t`Only the operator’s keys can do this.`, toDo: t`Use the paths under /api/v1.` },
  test_mode_only: {
    means: t`This is available in test mode only.`,
    toDo: t`Use a key that begins with sk_test_.`,
  },
  rate_limited: {
    means: t`The account or the key sent more requests in a minute than its limit allows.`,
    toDo: t`Wait for the seconds in Retry-After, then continue. For many orders use the bulk endpoint; the operator sets the limit.`,
  },
  insufficient_credit: {
    means: t`The balance did not cover the price. Nothing was charged.`,
    toDo: t`Top up the balance, then send the same request with the same idempotency key.`,
  },
  invalid_package: {
    means: t`package_id was missing or is not the id of a package.`,
    toDo: t`Use an id from GET /packages, as a number.`,
  },
  package_unavailable: {
    means: t`The package is no longer sold, or not for this period.`,
    toDo: t`Use a package and a period from GET /packages.`,
  },
  invalid_customer: {
    means: t`The reference of the customer is neither an e-mail address nor a username of letters, digits, dot, underscore and hyphen.`,
    toDo: t`Send one of the two, without spaces. The answer says which field is wrong.`,
  },
  invalid_months: { means: t`This period is not sold.`, toDo: t`Send months 1, 3 or 12.` },
  invalid_max_charge: { means: t`max_charge is not an amount.`, toDo: t`Send a string such as "12.50".` },
  price_changed: {
    means: t`The order would have cost more than max_charge. Nothing was charged.`,
    toDo: t`Check the current price and order again with it.`,
  },
  customer_not_yours: {
    means: t`A customer with this reference belongs to another account.`,
    toDo: t`Use another reference. The operator can say whose customer it is.`,
  },
  invalid_idempotency_key: {
    means: t`The idempotency key was empty, too long, or not the same in header and body.`,
    toDo: t`Send 1 to 80 visible ASCII characters, new for each order.`,
  },
  idempotency_conflict: {
    means: t`This idempotency key was already used for another order. Nothing was charged.`,
    toDo: t`Make a new key for each new order, and keep it only for repeating that order. The order that has it is linked below.`,
  },
  order_failed: {
    means: t`The order could not be placed. Nothing was charged.`,
    toDo: t`The answer says why under details.reason.`,
  },
  validation_failed: {
    means: t`A field is missing or not valid.`,
    toDo: t`The answer names the field and the reason.`,
  },
  payload_too_large: {
    means: t`The body was larger than this address accepts.`,
    toDo: t`Send fewer orders at once.`,
  },
  not_found: {
    means: t`There is nothing at this address.`,
    toDo: t`Compare the path with the API reference.`,
  },
  method_not_allowed: {
    means: t`This address does not support that method.`,
    toDo: t`The Allow header of the answer lists the supported ones.`,
  },
  order_not_found: noSuch,
  customer_not_found: noSuch,
  invalid_filter: wrongFilter,
  invalid_cursor: wrongFilter,
  internal_error: {
    means: t`Something went wrong on the side of the service.`,
    toDo: t`Send it again with the same idempotency key; nothing is charged twice. Report the request id.`,
  },
  service_unavailable: {
    means: t`The service was temporarily unavailable.`,
    toDo: t`Send it again with the same idempotency key; nothing is charged twice.`,
  },
};

export function refusalMeaning(code: string): Meaning | undefined {
  return meanings[code];
}
