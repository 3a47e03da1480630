// Links a logged request to its customer and order, by the ids in its path or bodies. Only to those that the account has.

import type { Database } from '../../platform/database/database.ts';
import { endOfTime, numberMax } from '../../platform/http/list-query.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../shared/json.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { findCustomerNumber } from '../customers/find-customer.ts';
import { findOrders } from '../orders/list-orders.ts';
import type { OrderReads } from '../orders/order-reads.ts';
import type { RequestBodies } from './request-bodies.ts';
import type { LoggedRequest } from './request-lines.ts';

export interface RequestLinks {
  readonly customer: { readonly id: number; readonly reference: string } | null;
  readonly order: { readonly id: number } | null;
}

export async function findRequestLinks(
  { database, orders, customers }: { database: Database; orders: OrderReads; customers: CustomerReads },
  accountId: number,
  { path }: Pick<LoggedRequest, 'path'>,
  bodies: RequestBodies | null,
): Promise<RequestLinks> {
  const inPath = (list: string) => new RegExp(`/${list}/(\\d{1,16})(?:/|$)`).exec(path)?.[1];
  const answered = bodies?.answered ?? '';
  const inAnswer = (name: string) => new RegExp(`"${name}":\\{"id":(\\d{1,16})[,}]`).exec(answered)?.[1];
  const numberOf = (id: string | undefined) => (id === undefined ? null : parseOwnNumber(id, accountId));

  const orderNumber =
    numberOf(inPath('orders')) ??
    numberOf(inAnswer('order')) ??
    (await orderOfKey(database, accountId, bodies));
  const order = orderNumber === null ? null : await orders.find(accountId, orderNumber);
  const customerNumber =
    numberOf(inPath('customers')) ??
    numberOf(inAnswer('customer')) ??
    order?.customerNumber ??
    (await customerOfBody(database, accountId, bodies));
  const customer = customerNumber === null ? null : await customers.find(accountId, customerNumber);
  return {
    customer:
      customer === null ? null : { id: publicId(accountId, customer.number), reference: customer.reference },
    order: order === null ? null : { id: publicId(accountId, order.number) },
  };
}

/** The order with the request's idempotency key. It may be another order, which then explains a refusal. */
async function orderOfKey(
  database: Database,
  accountId: number,
  bodies: RequestBodies | null,
): Promise<number | null> {
  const idempotencyKey = bodies?.idempotencyKey ?? sentText(bodies, 'idempotency_key');
  if (idempotencyKey === '') return null;
  const { orders } = await findOrders(database, accountId, {
    idempotencyKey,
    from: 1,
    to: numberMax,
    since: 0,
    until: endOfTime,
    customerNumber: null,
    kind: null,
    packageId: null,
    limit: 1,
  });
  return orders[0]?.number ?? null;
}

async function customerOfBody(
  database: Database,
  accountId: number,
  bodies: RequestBodies | null,
): Promise<number | null> {
  const reference = sentText(bodies, 'customer');
  return reference === '' ? null : findCustomerNumber(database, accountId, reference);
}

function sentText(bodies: RequestBodies | null, name: string): string {
  const text = own(sentObject(bodies), name);
  return typeof text === 'string' && text.isWellFormed() && !/\p{Cc}/u.test(text) ? text : '';
}

function sentObject(bodies: RequestBodies | null): JsonObject {
  if (bodies?.sent == null || bodies.sentIsCut) return {};
  try {
    const sent: unknown = JSON.parse(bodies.sent);
    return isJsonObject(sent) ? sent : {};
  } catch {
    return {};
  }
}
