// What the product may let a customer do, read for it: one customer by reference, all there are, and those whose plans
// have changed since a place of the stream. Each is shown as they are now, so a change that was told twice does no harm.

import type { EventType } from '../contract/event-schemas.ts';
import type { Database, Queryable, Row, Statement } from '../database/database.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { listenToEverybody } from '../events/event-log.ts';
import { extendStream, readStream, streamBegin, streamEnd } from '../events/event-stream.ts';
import { type Customer, shownCustomers } from './customer-table.ts';

/** A customer, and whose. */
export interface EntitledCustomer {
  readonly customer: Customer;
  readonly accountName: string;
}

/**
 * Where a copy stands: among all customers, of whom those behind the named one are still to come (`position`: that of the
 * stream when the copy was begun); or behind a position of the stream.
 */
export type EntitlementPlace =
  | { readonly type: 'all'; readonly accountId: number; readonly number: number; readonly position: bigint }
  | { readonly type: 'stream'; readonly position: bigint };

export interface EntitlementPage {
  readonly customers: readonly EntitledCustomer[];
  readonly next: EntitlementPlace;
  readonly hasMore: boolean;
}

/** Events after which a customer may do something else than before. */
const telling: ReadonlySet<EventType> = new Set([
  'plan.activated',
  'plan.renewed',
  'plan.changed',
  'plan.suspended',
  'plan.resumed',
  'plan.cancelled',
  'plan.expired',
]);

const shown = `${shownCustomers.list('c')}, a.display_name`;

const findByReference: Statement = {
  name: 'find_entitlement',
  text: `select ${shown} from customer_references r
    join customers c on c.account_id = r.account_id and c.number = r.customer_number
    join accounts a on a.id = c.account_id where r.reference = $1::text`,
};

const listAll: Statement = {
  name: 'list_entitlements',
  text: `select ${shown} from customers c join accounts a on a.id = c.account_id
    where (c.account_id, c.number) > ($1::int, $2::int) order by c.account_id, c.number limit $3::int`,
};

const listNamed: Statement = {
  name: 'list_changed_entitlements',
  text: `select ${shown} from unnest($1::int[], $2::int[]) with ordinality wanted (account_id, number, place)
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number
    join accounts a on a.id = c.account_id order by wanted.place`,
};

/** null: there is no such customer. */
export async function findEntitlement(
  database: Queryable,
  reference: string,
): Promise<EntitledCustomer | null> {
  const [row] = await database.query(findByReference, [reference]);
  return row === undefined ? null : parseEntitled(row);
}

/** From now on every change of a plan has its place in the stream, and a copy can be begun. */
export async function beginEntitlements(database: Database): Promise<EntitlementPlace> {
  await listenToEverybody(database);
  await extendStream(database);
  return { type: 'all', accountId: 0, number: 0, position: await streamEnd(database) };
}

/** null: what changed behind that place is kept no more. */
export async function readEntitlements(
  database: Database,
  place: EntitlementPlace,
  limit: number,
): Promise<EntitlementPage | null> {
  if (place.type === 'all') return readAll(database, place, limit);
  await extendStream(database);
  const begin = await streamBegin(database);
  const end = await streamEnd(database);
  if (place.position > end || (place.position < end && (begin === null || begin > place.position + 1n)))
    return null;
  const events = await readStream(database, { after: place.position, accountId: null, limit });
  const named = new Map<string, { accountId: number; number: number }>();
  for (const { type, accountId, data } of events) {
    if (!telling.has(type)) continue;
    const id = customerIdOf(data);
    // The latest of several changes says where it stands in the order.
    named.delete(String(id));
    named.set(String(id), { accountId, number: id % 1_000_000_000 });
  }
  const wanted = [...named.values()];
  const rows = await database.query(listNamed, [
    numberArray(wanted.map(({ accountId }) => accountId)),
    numberArray(wanted.map(({ number }) => number)),
  ]);
  return {
    customers: rows.map(parseEntitled),
    next: { type: 'stream', position: events.at(-1)?.position ?? place.position },
    hasMore: events.length === limit,
  };
}

async function readAll(
  database: Queryable,
  place: EntitlementPlace & { type: 'all' },
  limit: number,
): Promise<EntitlementPage> {
  const { accountId, number, position } = place;
  const rows = await database.query(listAll, [accountId, number, limit]);
  const customers = rows.map(parseEntitled);
  const last = customers.at(-1)?.customer;
  if (last === undefined || rows.length < limit) {
    return { customers, next: { type: 'stream', position }, hasMore: false };
  }
  const next = { type: 'all', accountId: last.accountId, number: last.number, position } as const;
  return { customers, next, hasMore: true };
}

function customerIdOf(data: string): number {
  const { customer } = JSON.parse(data) as { readonly customer: { readonly id: number } };
  return customer.id;
}

function parseEntitled(row: Row): EntitledCustomer {
  return { customer: shownCustomers.parse(row), accountName: String(row['display_name']) };
}
