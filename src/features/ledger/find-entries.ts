// Finds ledger entries for lists and exports. Each page reads one or a few ranges of an index.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { type Forms, queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type EntryKind,
  isSettling,
  type LedgerEntry,
  ledgerEntries,
} from '../order-engine/records/ledger-entry.ts';
import { rowsInSpans, scanDown, type Walked } from './facet-index.ts';
import { actorsOf } from './list-ledger.ts';

export interface FoundEntry {
  readonly entry: LedgerEntry;
  readonly actor: string | null;
  readonly customerReference: string | null;
  readonly customerName: string | null;
  readonly customerNumber: number | null;
}

/** Entries of lists by page number have no customer. */
export type ListedEntry = Pick<FoundEntry, 'entry' | 'actor'> & Partial<FoundEntry>;

export interface EntryFilter {
  readonly from: number;
  readonly to: number;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
  readonly limit: number;
}

/** Rows either include the actor's name, or actorsOf in list-ledger.ts looks it up afterwards. */
const actors = {
  together: { name: 'a.username as actor, ', join: 'left join account_names a on a.id = e.actor_id\n    ' },
  apart: { name: '', join: '' },
} as const;
type Names = keyof Forms<unknown>;

const joined = (
  names: Names,
  rows = 'ledger_entries',
) => `${ledgerEntries.list('e')}, ${actors[names].name}c.reference, c.name as customer_name, o.customer_number
    from ${rows} e
    ${actors[names].join}left join orders o on o.account_id = e.account_id and o.number = e.order_number
    left join customers c on c.account_id = o.account_id and c.number = o.customer_number`;

const between = `e.account_id = $1::int and e.number between $2::int and $3::int
      and e.created_at >= to_timestamp($4::bigint) and e.created_at < to_timestamp($5::bigint)`;

const listUp = eitherWay((names) => ({
  name: 'find_entries_up',
  text: `select ${joined(names)} where ${between} order by e.number limit $6::int`,
}));

const listDown = eitherWay((names) => ({
  name: 'find_entries_down',
  text: `select ${joined(
    names,
    rowsInSpans(
      'ledger_entries',
      `($5::text is null or t.kind = $5::text) and t.created_at >= to_timestamp($6::bigint)
        and t.created_at < to_timestamp($7::bigint)`,
    ),
  )} order by e.number desc limit $4::int`,
}));

// Orders are created together with their first entries, so the newest order number never falls along the ledger, and a
// binary search finds an order's first entry. For a settling entry, its plan change names the newest order at that time.
const listOfOrder = eitherWay((names) => ({
  name: 'find_entries_of_order',
  text: `with recursive probe (low, high) as (
      select $2::int, $3::int
      union all
      select case when e.newest_order >= $2::int then p.low else p.low + (p.high - p.low) / 2 + 1 end,
        case when e.newest_order >= $2::int then e.number else p.high end
      from probe p left join lateral (
        select x.number, case when ${isSettling('x')} then (select s.after_order from plan_changes s
            where s.account_id = x.account_id and s.order_number = x.order_number)
          else x.order_number end as newest_order
        from (select account_id, number, order_number from ledger_entries
          where account_id = $1::int and number between p.low and p.low + (p.high - p.low) / 2 and order_number is not null
          order by number desc limit 1) x) e on true
      where p.low < p.high)
    select ${joined(names)}
    where e.account_id = $1::int and e.order_number = $2::int and e.number in (
      select max(low) + more from probe cross join (values (0), (1)) two (more) group by more
      union all
      select h.entry_number + more from order_handoffs h cross join (values (0), (1)) two (more)
      where h.account_id = $1::int and h.order_number = $2::int)
    order by e.number`,
}));

function eitherWay(statement: (names: Names) => SqlStatement): Forms<SqlStatement> {
  const { name, text } = statement('apart');
  return { together: statement('together'), apart: { name: `${name}_apart`, text } };
}

export async function findEntriesUp(
  database: Queryable,
  accountId: number,
  { from, to, since, until, limit }: EntryFilter,
): Promise<FoundEntry[]> {
  const values = [accountId, from, to, since, until, limit];
  return found(database, accountId, listUp, values);
}

/** Newest first, of one kind or all. A page may be short and then says where to continue. */
export function findEntriesDown(
  database: Queryable,
  accountId: number,
  kind: EntryKind | null,
  { from, to, since, until, limit }: EntryFilter,
): Promise<Walked<FoundEntry>> {
  return scanDown(database, {
    list: 'ledger',
    accountId,
    facet: kind,
    span: { from, to },
    limit,
    numberOf: ({ entry }: FoundEntry) => entry.number,
    async read(spans, rows) {
      const low = numberArray(spans.map((span) => span.from));
      const high = numberArray(spans.map((span) => span.to));
      const values = [accountId, low, high, rows, kind, since, until];
      return found(database, accountId, listDown, values);
    },
  });
}

/** Returns refund and charge, then the settling entry of an order that waited for the product. */
export async function findEntriesOfOrder(
  database: Queryable,
  accountId: number,
  orderNumber: number,
  entryCount: number,
): Promise<FoundEntry[]> {
  return found(database, accountId, listOfOrder, [accountId, orderNumber, entryCount]);
}

async function found(
  database: Queryable,
  accountId: number,
  statement: Forms<SqlStatement>,
  values: readonly unknown[],
): Promise<FoundEntry[]> {
  const rows = await queryShards(database, statement, values, { account: accountId });
  const actorOf = await actorsOf(database, rows);
  return rows.map((row) => ({
    entry: ledgerEntries.parse(row),
    actor: actorOf(row),
    customerReference: nullable(String, row['reference']),
    customerName: nullable(String, row['customer_name']),
    customerNumber: nullable(Number, row['customer_number']),
  }));
}
