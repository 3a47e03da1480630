// Sets, lists and deletes an account's own prices; the only writer of account_price_lists. Each change takes the account's
// lock, so an order is decided wholly before it or wholly after it.
// Invariant: a list that has begun stays forever, because verification computes past prices from it.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { writeRows } from '../../platform/database/table.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type Months, periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { appendEvents, type NewEvent } from '../events/event-log.ts';
import { type AccountState, accountStates } from '../identity/account-table.ts';
import {
  type AccountPriceListRow,
  accountPriceLists,
  newAccountPriceLists,
  priceKey,
  priceListOf,
} from './account-prices.ts';
import { canBeOrdered, loadCatalog, type Packages } from './package-catalog.ts';
import { announce, type DatedCaller, lockCatalog } from './package-store.ts';
import { listInForce, type Payer, priceFor } from './price-rules.ts';
import { writtenPriceList } from './written-prices.ts';

export interface NamedPrices {
  readonly packageId: number;
  readonly cents: Readonly<Partial<Record<Months, bigint>>>;
}

export interface NewPriceList extends Pick<AccountPriceListRow, 'until' | 'percentOff' | 'memo'> {
  /** null starts the list now. */
  readonly from: EpochSeconds | null;
  readonly prices: readonly NamedPrices[];
}

const upcomingMax = 50;
const begunListedMax = 100;

const lockPayer: SqlStatement = {
  name: 'lock_account_for_prices',
  text: `select ${accountStates.list('a')} from accounts a where a.id = $1::int and a.test_of is null for no key update`,
};

const selectOfAccount: SqlStatement = {
  name: 'select_price_lists_of_account',
  text: `select ${accountPriceLists.list('l')} from account_price_lists l where l.account_id = $1::int
    order by l.starts_at, l.id`,
};

const insertList = newAccountPriceLists.insert('insert_account_price_list', 'returning id');

const deleteList: SqlStatement = {
  name: 'delete_account_price_list',
  text: 'delete from account_price_lists where id = $1::int',
};

/** Returns the lists to come and the last 100 that have begun, latest first. */
export async function listAccountPrices(
  database: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<readonly AccountPriceListRow[]> {
  const all = (await listEveryAccountPrice(database, accountId)).toReversed();
  const isToCome = ({ from }: AccountPriceListRow) => from > now;
  return [...all.filter(isToCome), ...all.filter((one) => !isToCome(one)).slice(0, begunListedMax)];
}

/** `replayed`: nothing was done. Refusals: account_not_found, validation_failed, price_already_scheduled. */
export async function setAccountPrices(
  database: Database,
  accountId: number,
  wanted: NewPriceList,
  currency: string,
  { now, ...author }: DatedCaller,
): Promise<{ readonly list: AccountPriceListRow; readonly replayed: boolean } | Refusal> {
  return database.transaction(async (transaction) => {
    // Lock the account first, in the same order as the batches.
    const account = await lockAccount(transaction, accountId);
    if (account === null) return refusal('account_not_found');
    await lockCatalog(transaction);
    const packages = await loadCatalog(transaction);
    const lists = await listEveryAccountPrice(transaction, accountId);
    // A list must not begin before the date of an order that was decided without it.
    const earliest = Math.max(now, account.ledgerOpenFrom ?? now);
    const made = {
      ...wanted,
      from: wanted.from ?? earliest,
      accountId,
      prices: storedPrices(wanted.prices),
      afterOrder: account.orderCount,
      createdAt: now,
    };
    const sameStart = lists.findLast(({ from }) => from === made.from);
    const present = wanted.from === null ? inForce(lists, earliest) : (sameStart ?? null);
    if (present !== null && isSame(present, made)) return { list: present, replayed: true };

    const problem = problemOf(made, lists, earliest) ?? packageProblem(wanted.prices, packages);
    if (problem !== null) return problem;
    if (sameStart !== undefined && made.from > earliest) {
      return refusal('price_already_scheduled', { from: formatTime(made.from) });
    }
    const [row] = await writeRows(transaction, insertList, [made]);
    const list = { ...made, id: Number(row?.['id']) };

    const before: Payer = { group: account.group, prices: lists.map(priceListOf) };
    const after: Payer = { group: account.group, prices: byStart([...lists, list]).map(priceListOf) };
    await appendEvents(transaction, accountId, changesOf(packages, before, after, list, currency), now);
    const replaced = inForce(lists, made.from);
    await announce(
      transaction,
      {
        ...author,
        action: 'account.set_prices',
        subject: `account ${accountId}`,
        before: replaced === null ? null : writtenPriceList(replaced),
        after: writtenPriceList(list),
      },
      now,
    );
    return { list, replayed: false };
  });
}

/** Refusals: account_not_found, price_not_found, price_has_begun. */
export async function deleteAccountPrices(
  database: Database,
  accountId: number,
  listId: number,
  { now, ...author }: DatedCaller,
): Promise<AccountPriceListRow | Refusal> {
  return database.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if (account === null) return refusal('account_not_found');
    await lockCatalog(transaction);
    const list = (await listEveryAccountPrice(transaction, accountId)).find(({ id }) => id === listId);
    if (list === undefined) return refusal('price_not_found');
    // A process whose clock is ahead may already have charged an order by this list.
    if (list.from <= Math.max(now, account.ledgerOpenFrom ?? now)) {
      return refusal('price_has_begun', { from: formatTime(list.from) });
    }
    await transaction.query(deleteList, [listId]);
    await announce(
      transaction,
      {
        ...author,
        action: 'account.delete_prices',
        subject: `account ${accountId}`,
        before: writtenPriceList(list),
        after: null,
      },
      now,
    );
    return list;
  });
}

async function lockAccount(transaction: Queryable, id: number): Promise<AccountState | null> {
  const [row] = await transaction.ofAccount(id).query(lockPayer, [id]);
  return row === undefined ? null : accountStates.parse(row);
}

export async function listEveryAccountPrice(
  database: Queryable,
  accountId: number,
): Promise<readonly AccountPriceListRow[]> {
  const rows = await database.query(selectOfAccount, [accountId]);
  return rows.map((row) => accountPriceLists.parse(row));
}

function byStart(lists: readonly AccountPriceListRow[]): readonly AccountPriceListRow[] {
  return lists.toSorted((a, b) => a.from - b.from || a.id - b.id);
}

function inForce(lists: readonly AccountPriceListRow[], at: EpochSeconds): AccountPriceListRow | null {
  const id = listInForce(lists.map(priceListOf), at)?.id;
  return lists.find((list) => list.id === id) ?? null;
}

function storedPrices(named: readonly NamedPrices[]): JsonObject {
  const cells = named.flatMap(({ packageId, cents }) =>
    periods.flatMap(({ months }) => {
      const price = cents[months];
      return price === undefined ? [] : [[priceKey(packageId, months), Number(price)] as const];
    }),
  );
  return Object.fromEntries(cells);
}

type NewRow = Omit<AccountPriceListRow, 'id'>;

function isSame(one: NewRow, other: NewRow): boolean {
  const content = ({ until, percentOff, prices, memo }: NewRow) =>
    JSON.stringify([until, percentOff, memo, Object.entries(prices).sort()]);
  return content(one) === content(other);
}

function wrong(field: string, reason: string): Refusal {
  return fieldRefusal('validation_failed', field, reason);
}

function problemOf(
  { from, until }: NewRow,
  lists: readonly AccountPriceListRow[],
  earliest: EpochSeconds,
): Refusal | null {
  if (from < earliest) return wrong('from', 'must not be in the past');
  if (until !== null && until <= from) return wrong('until', 'must be later than from');
  if (from > earliest && lists.filter((list) => list.from > earliest).length >= upcomingMax) {
    return wrong('from', `${upcomingMax} price lists are still to come: delete one first`);
  }
  return null;
}

function packageProblem(prices: readonly NamedPrices[], { byId }: Packages): Refusal | null {
  const named = new Set<number>();
  for (const [index, { packageId }] of prices.entries()) {
    const one = byId.get(packageId);
    const field = `prices.${index}.package_id`;
    if (one === undefined) return wrong(field, 'unknown');
    if (named.has(packageId)) return wrong(field, 'is in the list twice');
    named.add(packageId);
    if (!canBeOrdered(one)) return wrong(field, one.isTrial ? 'a free trial has no price' : 'retired');
  }
  return null;
}

/** One event for each package whose price changes when the list begins, and one if it changes again at the end. */
function changesOf(
  { byId }: Packages,
  before: Payer,
  after: Payer,
  { from, until }: Pick<AccountPriceListRow, 'from' | 'until'>,
  currency: string,
): NewEvent[] {
  const changes = [
    { payer: before, at: from, next: after, from },
    ...(until === null ? [] : [{ payer: after, at: until - 1, next: after, from: until }]),
  ];
  return changes.flatMap(({ payer, at, next, from: start }) =>
    [...byId.values()].filter(canBeOrdered).flatMap((one) => {
      const prices = periods.flatMap(({ months, period }) => {
        const { cents } = priceFor(one, next, months, start, null);
        if (cents === priceFor(one, payer, months, at, null).cents) return [];
        return [{ months, period, price: formatAmount(cents) }];
      });
      const data = { package: { id: one.id, name: one.name }, from: formatTime(start), prices, currency };
      return prices.length === 0 ? [] : [{ type: 'price.scheduled' as const, data }];
    }),
  );
}
