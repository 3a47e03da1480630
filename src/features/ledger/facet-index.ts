// Knows which ranges of an account's orders and entries contain rows of a kind or package, so that a rare filter only reads
// those. A job indexes ranges that no longer change; newer rows are read one by one (docs/decisions/0032-finding-things.md).
// The only writer of list_stretches and list_stretch_marks.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { holdTestInUse, isInUse } from '../identity/account-in-use.ts';
import type { NumberSpan } from './daily-totals.ts';

export type FacetedList = keyof typeof lists;

/** Rows per range: numbers 1 to 250, 251 to 500, and so on. */
const rangeRows = 250;
/** Ranges per statement. On the embedded database, orders wait for each statement. */
const rangesAtOnce = 20;
/** Rows read per statement where there is no index yet. */
const plainRows = 5_000;
/** Statements per page. A page that reaches this is short and says where to continue. */
const roundsMax = 20;

const lists = {
  orders: {
    table: 'orders',
    counter: 'order_count',
    columns: 'kind, package_id',
    facets: `(kind::text), (package_id::text), (kind || ' ' || package_id)`,
  },
  ledger: {
    table: 'ledger_entries',
    counter: 'entry_count',
    columns: 'kind',
    facets: '(kind::text)',
  },
} as const;

/** The index's key for rows of this kind and package; null if every row matches. */
export function orderFacet(kind: string | null, packageId: number | null): string | null {
  return [kind, packageId].filter((part) => part !== null).join(' ') || null;
}

const findMark: SqlStatement = {
  name: 'find_list_mark',
  text: `select stretch_count from list_stretch_marks where account_id = $1::int and list = $2::text`,
};

const findRanges: SqlStatement = {
  name: 'find_list_ranges',
  text: `select stretch, row_count from list_stretches
    where account_id = $1::int and list = $2::text and facet = $3::text and stretch between $4::int and $5::int
    order by stretch desc limit $6::int`,
};

export interface Walk<Item> {
  readonly list: FacetedList;
  readonly accountId: number;
  readonly facet: string | null;
  /** The numbers to read, newest first: from `to` down to `from`. */
  readonly span: NumberSpan;
  readonly limit: number;
  readonly read: (spans: readonly NumberSpan[], limit: number) => Promise<readonly Item[]>;
  readonly numberOf: (item: Item) => number;
}

export interface Walked<Item> {
  readonly items: readonly Item[];
  readonly nextBefore: number | null;
}

export async function scanDown<Item>(database: Queryable, walk: Walk<Item>): Promise<Walked<Item>> {
  const { list, accountId, facet, span, limit, read, numberOf } = walk;
  const wanted = limit + 1;
  const items: Item[] = [];
  const indexedTo = facet === null ? 0 : await indexedRows(database, list, accountId);
  let { to } = span;
  for (let rounds = 0; rounds < roundsMax && to >= span.from && items.length < wanted; rounds += 1) {
    const missing = wanted - items.length;
    const part =
      facet === null || to > indexedTo
        ? plainPart(Math.max(span.from, indexedTo + 1), to)
        : await indexedPart(database, { ...walk, facet }, to, missing);
    if (part.spans.length > 0) items.push(...(await read(part.spans, missing)));
    to = part.next;
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  if (items.length > limit && last !== undefined) return { items: page, nextBefore: numberOf(last) };
  return { items: page, nextBefore: to >= span.from ? to + 1 : null };
}

interface Part {
  readonly spans: readonly NumberSpan[];
  readonly next: number;
}

function plainPart(from: number, to: number): Part {
  const low = Math.max(from, to - plainRows + 1);
  return { spans: [{ from: low, to }], next: low - 1 };
}

async function indexedPart<Item>(
  database: Queryable,
  { list, accountId, facet, span, limit }: Walk<Item> & { readonly facet: string },
  to: number,
  missing: number,
): Promise<Part> {
  const atOnce = limit + 1;
  const values = [accountId, list, facet, rangeOf(span.from), rangeOf(to), atOnce];
  const found = await database.ofAccount(accountId).query(findRanges, values);
  const spans: NumberSpan[] = [];
  let rows = 0;
  for (const row of found) {
    if (rows >= missing) break;
    const first = Number(row['stretch']) * rangeRows + 1;
    spans.push({ from: Math.max(span.from, first), to: Math.min(to, first + rangeRows - 1) });
    rows += Number(row['row_count']);
  }
  const isAll = spans.length === found.length && found.length < atOnce;
  return { spans, next: isAll ? span.from - 1 : (spans.at(-1)?.from ?? span.from) - 1 };
}

function rangeOf(number: number): number {
  return Math.floor((number - 1) / rangeRows);
}

async function indexedRows(database: Queryable, list: FacetedList, accountId: number): Promise<number> {
  const [row] = await database.ofAccount(accountId).query(findMark, [accountId, list]);
  return Number(row?.['stretch_count'] ?? 0) * rangeRows;
}

/** SQL for `Walk.read`: matching rows of `table t` in the spans $2, $3 of account $1, at most $4. */
export function rowsInSpans(table: string, fits: string): string {
  return `unnest($2::int[], $3::int[]) span (low, high) cross join lateral (
      select * from ${table} t
      where t.account_id = $1::int and t.number between span.low and span.high and ${fits}
      order by t.number desc limit $4::int)`;
}

const listBehind = (list: FacetedList): SqlStatement => ({
  name: `list_accounts_behind_${list}`,
  text: `select a.id, a.${lists[list].counter} / ${rangeRows} - coalesce(m.stretch_count, 0) as behind
    from accounts a left join list_stretch_marks m on m.account_id = a.id and m.list = '${list}'
    where a.${lists[list].counter} / ${rangeRows} > coalesce(m.stretch_count, 0)
      and ${isInUse('a')} order by a.id`,
});

// Concurrent runs write the same rows. The statement itself reads the mark, because another run may have moved it.
const indexMore = (list: FacetedList): SqlStatement => {
  const { table, counter, columns, facets } = lists[list];
  return {
    name: `index_ranges_of_${list}`,
    text: `with mark as (
        select done, greatest(0, least(${rangesAtOnce}, whole - done)) as more from (
          select a.${counter} / ${rangeRows} as whole, coalesce(m.stretch_count, 0) as done
          from accounts a left join list_stretch_marks m on m.account_id = a.id and m.list = '${list}'
          where a.id = $1::int) counted),
      fresh as (
        select (number - 1) / ${rangeRows} as stretch, ${columns}
        from mark cross join lateral (
          select number, ${columns} from ${table} t
          where t.account_id = $1::int and t.number > mark.done * ${rangeRows}
            and t.number <= (mark.done + mark.more) * ${rangeRows}) t),
      written as (
        insert into list_stretches (account_id, list, facet, stretch, row_count)
        select $1::int, '${list}', facet, stretch, count(*)
        from fresh cross join lateral (values ${facets}) f (facet) group by facet, stretch
        on conflict do nothing)
      insert into list_stretch_marks as m (account_id, list, stretch_count)
      select $1::int, '${list}', done + more from mark
      on conflict (account_id, list) do update set stretch_count = greatest(m.stretch_count, excluded.stretch_count)`,
  };
};

/** For groups on several servers. Citus 13 cannot INSERT what another part of the statement selects. */
const indexApart = (list: FacetedList) => {
  const { table, counter, columns, facets } = lists[list];
  return {
    findMark: {
      name: `find_ranges_behind_of_${list}`,
      text: `select coalesce(m.stretch_count, 0) as done, least(coalesce(m.stretch_count, 0) + ${rangesAtOnce}, a.${counter} / ${rangeRows}) as whole
        from accounts a left join list_stretch_marks m on m.account_id = a.id and m.list = '${list}'
        where a.id = $1::int and a.${counter} / ${rangeRows} > coalesce(m.stretch_count, 0)`,
    },
    count: {
      name: `count_ranges_of_${list}`,
      text: `select facet, stretch, count(*)::int as rows from (
          select (number - 1) / ${rangeRows} as stretch, ${columns} from ${table}
          where account_id = $1::int and number > $2::int * ${rangeRows} and number <= $3::int * ${rangeRows}) fresh
        cross join lateral (values ${facets}) f (facet) group by facet, stretch`,
    },
    insert: {
      name: `insert_ranges_of_${list}`,
      text: `insert into list_stretches (account_id, list, facet, stretch, row_count)
        select $1::int, '${list}', facet, stretch, row_count
        from unnest($2::text[], $3::int[], $4::int[]) row (facet, stretch, row_count) on conflict do nothing`,
    },
    moveMark: {
      name: `move_list_mark_of_${list}`,
      text: `insert into list_stretch_marks as m (account_id, list, stretch_count) values ($1::int, '${list}', $2::int)
        on conflict (account_id, list) do update set stretch_count = greatest(m.stretch_count, excluded.stretch_count)`,
    },
  } as const satisfies Record<string, SqlStatement>;
};

const statements = (Object.keys(lists) as FacetedList[]).map((list) => ({
  behind: listBehind(list),
  index: indexMore(list),
  apart: indexApart(list),
}));
type IndexApart = ReturnType<typeof indexApart>;

const neverAborted = new AbortController().signal;

/** Indexes new whole ranges of all lists. Returns how many were left when the signal stopped it. */
export async function indexFacets(database: Database, signal = neverAborted): Promise<number> {
  let left = 0;
  await eachInTurn(statements, async ({ behind, index, apart }) =>
    eachInTurn(await queryShards(database, behind, [], 'every'), async (row) => {
      let ranges = Number(row['behind']);
      for (; ranges > 0 && !signal.aborted; ranges -= rangesAtOnce) {
        await indexMoreOf(database, { index, apart }, Number(row['id']));
      }
      left += Math.max(0, ranges);
    }),
  );
  return left;
}

async function indexMoreOf(
  whole: Database,
  { index, apart }: { readonly index: SqlStatement; readonly apart: IndexApart },
  accountId: number,
): Promise<void> {
  const database = whole.ofAccount(accountId);
  const add = (queryable: Queryable) =>
    bySharding<Promise<unknown>>(queryable, {
      together: () => queryable.query(index, [accountId]),
      apart: () => addApart(queryable, apart, accountId),
    });
  if (!isTestAccount(accountId)) await add(database);
  else {
    await database.transaction(async (transaction) => {
      if (await holdTestInUse(transaction, accountId)) await add(transaction);
    });
  }
}

/** Concurrent runs are safe: they write the same rows, and the mark only increases. */
async function addApart(queryable: Queryable, apart: IndexApart, accountId: number): Promise<void> {
  const [mark] = await queryable.query(apart.findMark, [accountId]);
  if (mark === undefined) return;
  const whole = Number(mark['whole']);
  const rows = await queryable.query(apart.count, [accountId, Number(mark['done']), whole]);
  await queryable.query(apart.insert, [
    accountId,
    textArray(rows.map((row) => String(row['facet']))),
    numberArray(rows.map((row) => Number(row['stretch']))),
    numberArray(rows.map((row) => Number(row['rows']))),
  ]);
  await queryable.query(apart.moveMark, [accountId, whole]);
}
