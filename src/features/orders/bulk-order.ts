// One order of a bulk, with the same checks, outcomes and envelope as a single request. Pure.

import { errorOf, statusOf } from '../../platform/http/error-responses.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, isRefusal, type Refusal, typeReason } from '../../shared/error-catalog.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import type { Account } from '../identity/account-table.ts';
import type { NewLoginLink, OrderCommand } from '../order-engine/decisions/order-commands.ts';
import type { OrderRecord } from '../order-engine/records/order-table.ts';
import type { BulkResult } from './bulk-schemas.ts';
import { keyed, placeCommand, renewCommand, renewCustomerCommand } from './order-command.ts';
import type { OrderView } from './order-schemas.ts';
import { parseOrderRequest, parseRenewedCustomer, parseRenewRequest } from './parse-order-request.ts';

export interface MintedLink extends NewLoginLink {
  readonly url: string;
}

export interface BulkOrder {
  readonly command: (account: Account) => OrderCommand;
  readonly link: MintedLink | null;
}

/** Each order needs a key, so that it can be repeated if the bulk's answer is lost. */
export function readBulkOrder(item: unknown, mintLink: () => MintedLink): BulkOrder | Refusal {
  if (!isJsonObject(item)) return fieldRefusal('invalid_json', 'orders', 'each must be an object');
  const orderId = own(item, 'renew');
  const customer = own(item, 'renew_customer');
  if (customer !== undefined) {
    if (orderId !== undefined) {
      return fieldRefusal('validation_failed', 'renew_customer', 'send renew or renew_customer, not both');
    }
    const renewed = parseRenewedCustomer(customer);
    if (isRefusal(renewed)) return renewed;
    const wanted = parseRenewRequest(item, undefined, true);
    if (isRefusal(wanted)) return wanted;
    const key = keyed(wanted.idempotencyKey);
    return { command: (account) => renewCustomerCommand(account, wanted, key, renewed), link: null };
  }
  if (orderId === undefined) {
    const wanted = parseOrderRequest(item, undefined, true);
    if (isRefusal(wanted)) return wanted;
    const key = keyed(wanted.idempotencyKey);
    const link = wanted.returnLogin ? mintLink() : null;
    return { command: (account) => placeCommand(account, wanted, key, link), link };
  }
  if (typeof orderId !== 'number' || !Number.isInteger(orderId)) {
    return fieldRefusal('validation_failed', 'renew', typeReason(orderId, 'must be an integer'));
  }
  const wanted = parseRenewRequest(item, undefined, true);
  if (isRefusal(wanted)) return wanted;
  const key = keyed(wanted.idempotencyKey);
  return {
    // No order has the number 0, so another account's order is treated like a missing one.
    command: (account) =>
      renewCommand(account, wanted, key, parseOwnNumber(String(orderId), account.id) ?? 0),
    link: null,
  };
}

export function placedResult(
  { balanceAfterCents }: OrderRecord,
  order: OrderView,
  replayed: boolean,
  link: MintedLink | null,
): BulkResult {
  const balance = formatAmount(balanceAfterCents);
  return { status: 201, order, balance, replayed, ...(link === null ? {} : { login_url: link.url }) };
}

export function refusedResult(refused: Refusal): BulkResult {
  return { status: statusOf(refused.code, false), error: errorOf(refused) };
}
