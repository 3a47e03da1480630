// Reads what customers may do, for the product: one customer, all of them, or those whose plans changed since a position of
// the stream. It returns their current state, so reading a change twice is harmless.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { findIncarnation } from '../../platform/secrets/service-state.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { listenToEverybody } from '../events/event-log.ts';
import type { EventType } from '../events/event-schemas.ts';
import { extendStreamWholly, readStream, streamBegin, streamEnd } from '../events/event-stream.ts';
import {
  type Customer,
  formerReferencesOf,
  parseFormerReferences,
  shownCustomers,
} from '../order-engine/records/customer-table.ts';

export interface EntitledCustomer {
  readonly customer: Customer;
  readonly accountName: string;
  readonly formerReferences: readonly string[];
  readonly testClock: EpochSeconds | null;
}

/** Real and test customers are never mixed. */
export type EntitledMode = 'live' | 'test';

/** A place in the first pass over all customers, or in the stream. `position` is the stream's when the pass began. */
export type EntitlementCursor = (
  | { readonly type: 'all'; readonly accountId: number; readonly number: number }
  | { readonly type: 'stream' }
) & { readonly position: bigint; readonly incarnation: string | null };

export interface EntitlementPage {
  readonly customers: readonly EntitledCustomer[];
  readonly next: EntitlementCursor;
  readonly hasMore: boolean;
}

const entitlementEvents: ReadonlySet<EventType> = new Set([
  'plan.activated',
  'plan.renewed',
  'plan.changed',
  'plan.suspended',
  'plan.resumed',
  'plan.cancelled',
  'plan.expired',
  'customer.updated',
  'customer.erased',
]);

const shown = `${shownCustomers.list('c')}, ${formerReferencesOf('c')}, a.display_name, a.test_clock`;

const byReference = (references: string) => `select ${shown} from ${references} r
    join customers c on c.account_id = r.account_id and c.number = r.customer_number
    join accounts a on a.id = c.account_id
    where r.reference = $1::text and a.test_state is not distinct from`;

const claim = (references: string) =>
  `select account_id, customer_number from ${references} where reference = $1::text`;

const all = (mode: string) => `select ${shown} from customers c join accounts a on a.id = c.account_id
    where (c.account_id, c.number) > ($1::int, $2::int) and ${mode} order by c.account_id, c.number limit $3::int`;

const statements = {
  live: {
    findClaim: { name: 'find_entitled_claim', text: claim('customer_references') },
    find: { name: 'find_entitlement', text: `${byReference('customer_references')} null` },
    list: { name: 'list_entitlements', text: all(`c.account_id <= ${realAccountIdMax}`) },
  },
  test: {
    findClaim: { name: 'find_entitled_test_claim', text: claim('test_customer_references') },
    find: { name: 'find_test_entitlement', text: `${byReference('test_customer_references')} 'current'` },
    list: {
      name: 'list_test_entitlements',
      text: all(`c.account_id > ${realAccountIdMax} and a.test_state = 'current'`),
    },
  },
} as const satisfies Record<
  EntitledMode,
  { readonly findClaim: SqlStatement; readonly find: SqlStatement; readonly list: SqlStatement }
>;

const listNamed: SqlStatement = {
  name: 'list_changed_entitlements',
  text: `select ${shown} from unnest($1::int[], $2::int[]) with ordinality wanted (account_id, number, place)
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number
    join accounts a on a.id = c.account_id and a.test_state is distinct from 'discarded' order by wanted.place`,
};

export async function findEntitlement(
  database: Queryable,
  mode: EntitledMode,
  reference: string,
): Promise<EntitledCustomer | null> {
  const statement = statements[mode];
  const [row] = await bySharding(database, {
    together: () => database.query(statement.find, [reference]),
    apart: async () =>
      readNamed(database, (await database.query(statement.findClaim, [reference])).map(parseClaim)),
  });
  return row === undefined ? null : parseEntitled(row);
}

function parseClaim(row: Row): Named {
  return { accountId: Number(row['account_id']), number: Number(row['customer_number']) };
}

/** From this call on, every plan change enters the stream. */
export async function beginEntitlements(database: Database, mode: EntitledMode): Promise<EntitlementCursor> {
  await listenToEverybody(database, mode);
  await extendStreamWholly(database);
  const accountId = mode === 'live' ? 0 : realAccountIdMax;
  const incarnation = await findIncarnation(database);
  return { type: 'all', accountId, number: 0, position: await streamEnd(database), incarnation };
}

/** Returns null if the changes have expired or the cursor is from another incarnation. */
export async function readEntitlements(
  database: Database,
  mode: EntitledMode,
  cursor: EntitlementCursor,
  limit: number,
): Promise<EntitlementPage | null> {
  const { incarnation } = cursor;
  if (incarnation !== (await findIncarnation(database))) return null;
  if (cursor.type === 'all') return readAll(database, mode, cursor, limit);
  await extendStreamWholly(database);
  const begin = await streamBegin(database);
  const end = await streamEnd(database);
  if (cursor.position > end || (cursor.position < end && (begin === null || begin > cursor.position + 1n)))
    return null;
  const events = await readStream(database, { after: cursor.position, accountId: null, limit, mode });
  const named = new Map<string, { accountId: number; number: number }>();
  for (const { type, accountId, data } of events) {
    if (!entitlementEvents.has(type)) continue;
    const id = customerIdOf(data);
    // If a customer changed several times, the last change decides their place.
    named.delete(String(id));
    named.set(String(id), { accountId, number: id % 1_000_000_000 });
  }
  const wanted = [...named.values()];
  const rows = await readNamed(database, wanted);
  return {
    customers: rows.map(parseEntitled),
    // Test events share the positions. If no real event is left, skip to the end.
    next: { type: 'stream', position: events.at(-1)?.position ?? end, incarnation },
    hasMore: events.length === limit,
  };
}

interface Named {
  readonly accountId: number;
  readonly number: number;
}

function readNamed(database: Queryable, wanted: readonly Named[]): Promise<readonly Row[]> {
  return queryShards(database, listNamed, [], {
    of: wanted,
    accountOf: ({ accountId }) => accountId,
    columns: (some) => [
      numberArray(some.map(({ accountId }) => accountId)),
      numberArray(some.map(({ number }) => number)),
    ],
    inOrder: {
      keyOf: ({ accountId, number }) => `${accountId} ${number}`,
      keyOfRow: (row) => `${row['account_id']} ${row['number']}`,
    },
  });
}

async function readAll(
  database: Queryable,
  mode: EntitledMode,
  cursor: EntitlementCursor & { type: 'all' },
  limit: number,
): Promise<EntitlementPage> {
  const { accountId, number, position, incarnation } = cursor;
  const rows = await queryShards(database, statements[mode].list, [accountId, number, limit], {
    first: { columns: ['account_id', 'number'], limit },
  });
  const customers = rows.map(parseEntitled);
  const last = customers.at(-1)?.customer;
  if (last === undefined || rows.length < limit) {
    return { customers, next: { type: 'stream', position, incarnation }, hasMore: false };
  }
  const next = {
    type: 'all',
    accountId: last.accountId,
    number: last.number,
    position,
    incarnation,
  } as const;
  return { customers, next, hasMore: true };
}

function customerIdOf(data: string): number {
  const { customer } = JSON.parse(data) as { readonly customer: { readonly id: number } };
  return customer.id;
}

function parseEntitled(row: Row): EntitledCustomer {
  return {
    customer: shownCustomers.parse(row),
    accountName: String(row['display_name']),
    formerReferences: parseFormerReferences(row),
    testClock: nullable(Number, row['test_clock']),
  };
}
