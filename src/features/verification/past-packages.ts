// What packages cost and which group an account was in, at a moment in the past, and what customers are called. Nothing records it beside an
// order, but the audit log holds every change of packages and accounts, before and after: between two entries
// about a package it was what the first left behind, and where the second found something else (someone used
// SQL), it was both. Prices that were scheduled begin between two entries, at their second: past-prices.ts.
//
// This is not exact to the second. An order's time is taken as its batch begins, an entry's as the request begins, by
// clocks of processes that may differ. So whatever held within `slackSeconds` of an order's second counts as
// right. Whoever reads orders reads, in the same statement, how far the log goes: the log is then read on at
// least that far, and so knows every change that was made before those orders.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type Group, groups } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { parseTime } from '../../shared/times.ts';
import { loadCatalog, type Package } from '../packages/package-catalog.ts';
import { pricesAt, priceTable } from '../packages/price-lines.ts';
import { parsePrices } from '../packages/written-prices.ts';
import type { Recorded, Terms } from './package-terms.ts';
import { type PackageEntry, withScheduled } from './past-prices.ts';

const slackSeconds = 300;
const entriesPerRange = 2_000;

export interface Past {
  /** Everything that the package may have been around that second; empty: there is no such package. */
  termsAround(packageId: number, at: EpochSeconds): readonly Terms[];
  /** Every group that the account, which is of the group `present` now, may have been of. */
  groupsAround(accountId: number, present: Group, at: EpochSeconds): readonly Group[];
  /** null: the customer's name and external id were never changed. */
  detailsOf(accountId: number, customerNumber: number): LoggedDetails | null;
}

/** Of a customer, whose details were changed. */
export interface LoggedDetails {
  readonly firstName: unknown;
  readonly name: unknown;
  readonly externalRef: unknown;
}

/** Oldest first, in the order of the log. `present`: as it is now. */
export function createPast(
  packages: ReadonlyMap<
    number,
    { readonly recorded: readonly Recorded<Terms>[]; readonly present: Terms | null }
  >,
  groupChanges: ReadonlyMap<number, readonly Recorded<Group>[]>,
  customers: ReadonlyMap<number, LoggedDetails> = new Map(),
): Past {
  return {
    termsAround(packageId, at) {
      const found = packages.get(packageId);
      return found === undefined ? [] : statesAround(found.recorded, found.present, at);
    },
    groupsAround: (accountId, present, at) => statesAround(groupChanges.get(accountId) ?? [], present, at),
    detailsOf: (accountId, customerNumber) => customers.get(publicId(accountId, customerNumber)) ?? null,
  };
}

function statesAround<State>(
  recorded: readonly Recorded<State>[],
  present: State | null,
  at: EpochSeconds,
): State[] {
  const found = new Set<State>();
  const add = (state: State | null | undefined) => {
    if (state !== null && state !== undefined) found.add(state);
  };
  // The time before the first entry, between each two, and after the last one. Clocks may run backwards.
  for (let index = 0; index <= recorded.length; index += 1) {
    const began = recorded[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const ended = recorded[index]?.at ?? Number.POSITIVE_INFINITY;
    if (Math.min(began, ended) > at + slackSeconds || Math.max(began, ended) < at - slackSeconds) continue;
    add(recorded[index - 1]?.after);
    add(index === recorded.length ? present : recorded[index]?.before);
    // Nothing is older than what it names: where it seems so, the clock was set back, and what was made first held.
    if (index === 0) add(recorded[0]?.before ?? recorded[0]?.after);
  }
  return [...found];
}

const readLog: SqlStatement = {
  name: 'verify_past',
  text: `select subject, action, at, before, after from audit_log
    where number > $1::int and number <= least($1::int + ${entriesPerRange}, $2::int)
      and action in ('package.create', 'package.update', 'package.schedule_prices', 'package.unschedule_prices',
        'account.create', 'account.update', 'customer.update') order by number`,
};

/** Reads on in the audit log, when it has grown, as far as `auditCount`. */
export interface PastReader {
  upTo(auditCount: number, signal: AbortSignal): Promise<Past>;
}

export function createPastReader(database: Database): PastReader {
  const recordedPackages = new Map<number, PackageEntry[]>();
  const recordedGroups = new Map<number, Recorded<Group>[]>();
  const customers = new Map<number, LoggedDetails>();
  let readTo = 0;
  let past: Past | null = null;

  function note(entry: Row): boolean {
    const [kind, number] = String(entry['subject']).split(' ');
    const id = Number(number);
    const at = Number(entry['at']);
    if (kind === 'package') {
      recordedPackages.set(id, [...(recordedPackages.get(id) ?? []), packageEntry(entry, at)]);
      return true;
    }
    if (kind === 'customer') {
      const [before, after] = [fieldsOf(entry['before']), fieldsOf(entry['after'])];
      const { name, external_ref: externalRef } = after;
      const { firstName = before['name'] } = customers.get(id) ?? {};
      // Others set the operator's hold.
      if (name !== undefined) customers.set(id, { firstName, name, externalRef });
      return false;
    }
    const states = { at, before: groupOf(entry['before']), after: groupOf(entry['after']) };
    // Most changes of an account leave its group.
    if (states.before === states.after) return false;
    recordedGroups.set(id, [...(recordedGroups.get(id) ?? []), states]);
    return true;
  }

  return {
    async upTo(auditCount, signal) {
      let isNew = past === null;
      while (readTo < auditCount) {
        signal.throwIfAborted();
        for (const entry of await database.query(readLog, [readTo, auditCount])) isNew = note(entry) || isNew;
        readTo = Math.min(readTo + entriesPerRange, auditCount);
      }
      if (!isNew && past !== null) return past;
      const { byId } = await loadCatalog(database);
      const ids = new Set([...recordedPackages.keys(), ...byId.keys()]);
      const packages = [...ids].map((id) => {
        const present = presentTerms(byId.get(id));
        const recorded = withScheduled(recordedPackages.get(id) ?? [], present, slackSeconds);
        return [id, { recorded, present }] as const;
      });
      past = createPast(new Map(packages), recordedGroups, customers);
      return past;
    },
  };
}

function packageEntry(entry: Row, at: EpochSeconds): PackageEntry {
  const [before, after] = [entry['before'], entry['after']];
  switch (entry['action']) {
    case 'package.schedule_prices':
      return { kind: 'scheduled', at, ...scheduleOf(after) };
    case 'package.unschedule_prices':
      return { kind: 'deleted', at, ...scheduleOf(before) };
    default:
      return { kind: 'changed', at, before: termsOf(before), after: termsOf(after) };
  }
}

function scheduleOf(noted: unknown) {
  const { from, prices } = fieldsOf(noted);
  return { from: parseTime(from) ?? Number.POSITIVE_INFINITY, prices: parsePrices(prices) };
}

/** When all that is scheduled has begun: it is what follows the last beginning. */
function presentTerms(one: Package | undefined): Terms | null {
  return one === undefined ? null : { ...one, prices: pricesAt(one, Number.POSITIVE_INFINITY) };
}

/** As package-store.ts notes a package; null: it is nothing of the kind, and tells nothing. */
function termsOf(noted: unknown): Terms | null {
  const { prices, retired, trial, duration_days: durationDays } = fieldsOf(noted);
  if (typeof durationDays !== 'number') return null;
  const found = parsePrices(prices);
  return {
    isTrial: trial === true,
    retired: retired === true,
    durationDays,
    prices: priceTable((group, months) => found[group]?.[months] ?? -1n),
  };
}

function groupOf(noted: unknown): Group | null {
  return groups.find((group) => group === fieldsOf(noted)['group']) ?? null;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
