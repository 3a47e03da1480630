// Schedules, lists and deletes future prices. The only writer of scheduled_prices. A package has one set of prices per
// second, which makes repeated requests safe. Prices that have begun cannot be changed or deleted.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { writeRows } from '../../platform/database/table.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import {
  expectMonths,
  type Group,
  groups,
  type Months,
  type PlansAtNewPrice,
  periods,
} from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { appendEach, holdListening, type NewEvent } from '../events/event-log.ts';
import { loadAccountPrices } from './account-prices.ts';
import { loadCatalog, type Package } from './package-catalog.ts';
import { announce, type DatedCaller, lockCatalog, subjectOf } from './package-store.ts';
import { scheduledPrices } from './package-table.ts';
import { namedPrices, type SomePrices } from './price-lines.ts';
import { lessPercent, listInForce, noAccountPrices, type Payer } from './price-rules.ts';
import { writtenPrices } from './written-prices.ts';

export interface ScheduledPrices {
  readonly from: EpochSeconds;
  readonly prices: SomePrices;
  readonly existingPlans: PlansAtNewPrice;
}

const upcomingMax = 50;
const begunListedMax = 100;

const insertScheduled = scheduledPrices.insert('insert_scheduled_prices');

const selectScheduled: SqlStatement = {
  name: 'select_scheduled_prices',
  text: `select ${scheduledPrices.list('r')} from scheduled_prices r
    where r.package_id = $1::int order by r.starts_at desc`,
};

const deleteScheduled: SqlStatement = {
  name: 'delete_scheduled_prices',
  text: `delete from scheduled_prices where package_id = $1::int and starts_at = to_timestamp($2::bigint)`,
};

export async function listScheduledPrices(
  database: Queryable,
  packageId: number,
  now: EpochSeconds,
): Promise<readonly ScheduledPrices[]> {
  const all = await readSchedule(database, packageId);
  const isToCome = ({ from }: ScheduledPrices) => from > now;
  return [...all.filter(isToCome), ...all.filter((one) => !isToCome(one)).slice(0, begunListedMax)];
}

/** `replayed`: these prices were already scheduled, so nothing was done. */
export async function schedulePrices(
  database: Database,
  packageId: number,
  wanted: ScheduledPrices,
  currency: string,
  { now, ...author }: DatedCaller,
): Promise<{ readonly replayed: boolean } | Refusal> {
  return database.transaction(async (transaction) => {
    // Lock the accounts first, in the same order as the batches.
    const named = groups.filter((group) => Object.keys(wanted.prices[group] ?? {}).length > 0);
    const listening = await holdListening(transaction, named);
    await lockCatalog(transaction);
    const one = (await loadCatalog(transaction)).byId.get(packageId);
    if (one === undefined) return refusal('package_not_found');
    const others = await readSchedule(transaction, packageId);
    const same = others.find(({ from }) => from === wanted.from);
    if (same !== undefined && isSame(same, wanted)) return { replayed: true };
    if (one.isTrial || one.retired) {
      return refusal('package_unavailable', { reason: one.isTrial ? 'free_trial' : 'retired' });
    }
    if (wanted.from <= now) return fieldRefusal('validation_failed', 'from', 'must be in the future');
    if (same !== undefined) return refusal('price_already_scheduled', { from: formatTime(wanted.from) });
    if (others.filter(({ from }) => from > now).length >= upcomingMax) {
      return fieldRefusal(
        'validation_failed',
        'from',
        `${upcomingMax} prices are still to come: delete one first`,
      );
    }
    const { from, existingPlans } = wanted;
    await writeRows(
      transaction,
      insertScheduled,
      namedPrices(wanted.prices).map((cell) => ({ ...cell, packageId, from, existingPlans })),
    );
    const noted = { ...author, ...subjectOf(packageId), before: null, after: scheduledView(wanted) };
    const ofAccounts = await loadAccountPrices(transaction);
    const events = new Map<number, NewEvent>();
    for (const { id, group } of listening) {
      const event = priceScheduled(
        one,
        wanted,
        { group, prices: ofAccounts.get(id) ?? noAccountPrices },
        currency,
      );
      if (event !== null) events.set(id, event);
    }
    await appendEach(transaction, listening, ({ id }) => events.get(id) ?? null, now);
    await announce(transaction, { ...noted, action: 'package.schedule_prices' }, now);
    return { replayed: false };
  });
}

export async function unschedulePrices(
  database: Database,
  packageId: number,
  from: EpochSeconds,
  { now, ...author }: DatedCaller,
): Promise<ScheduledPrices | Refusal> {
  return database.transaction(async (transaction) => {
    await lockCatalog(transaction);
    if (!(await loadCatalog(transaction)).byId.has(packageId)) return refusal('package_not_found');
    const found = (await readSchedule(transaction, packageId)).find((one) => one.from === from);
    if (found === undefined) return refusal('price_not_found');
    if (from <= now) return refusal('price_has_begun', { from: formatTime(from) });
    await transaction.query(deleteScheduled, [packageId, from]);
    const noted = { ...author, ...subjectOf(packageId), before: scheduledView(found), after: null };
    await announce(transaction, { ...noted, action: 'package.unschedule_prices' }, now);
    return found;
  });
}

async function readSchedule(database: Queryable, packageId: number): Promise<readonly ScheduledPrices[]> {
  const rows = await database.query(selectScheduled, [packageId]);
  const bySecond = Map.groupBy(
    rows.map((row) => scheduledPrices.parse(row)),
    ({ from }) => from,
  );
  return [...bySecond].map(([from, cells]) => {
    const prices: Record<Group, Partial<Record<Months, bigint>>> = { reseller: {}, distributor: {} };
    for (const { group, months, priceCents } of cells) prices[group][expectMonths(months)] = priceCents;
    return { from, prices, existingPlans: cells[0]?.existingPlans ?? 'new' };
  });
}

/** Returns null if this payer's prices do not change, for example because a list of their own names them. */
function priceScheduled(
  { id, name }: Package,
  { from, prices, existingPlans }: ScheduledPrices,
  payer: Payer,
  currency: string,
): NewEvent | null {
  const list = listInForce(payer.prices, from);
  const named = periods.flatMap(({ months, period }) => {
    const cents = prices[payer.group]?.[months];
    if (cents === undefined || list?.priceOf(id, months) !== undefined) return [];
    const price = lessPercent(cents, list?.percentOff ?? 0);
    return [{ months, period, price: formatAmount(price) }];
  });
  if (named.length === 0) return null;
  const held = existingPlans === 'held' ? { existing_plans: existingPlans } : {};
  return {
    type: 'price.scheduled',
    data: { package: { id, name }, from: formatTime(from), prices: named, currency, ...held },
  };
}

function isSame(one: ScheduledPrices, other: ScheduledPrices): boolean {
  return JSON.stringify(scheduledView(one)) === JSON.stringify(scheduledView(other));
}

/** Has the form of the audit log, whose older entries do not say what happens to running plans. */
function scheduledView({ from, prices, existingPlans }: ScheduledPrices) {
  const held = existingPlans === 'held' ? { existing_plans: existingPlans } : {};
  return { from: formatTime(from), prices: writtenPrices(prices), ...held };
}
