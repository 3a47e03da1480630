// Finds package terms, account groups and customer details at a past time from the audit log. Between two entries the result
// of the first applied and, if the second found another state (because of manual SQL), that state too. Clocks differ, so
// everything that applied within `slackSeconds` counts as right.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type Group, groups, type Months, periodNames } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { parseTime } from '../../shared/times.ts';
import { type AccountPriceListRow, readPriceLists } from '../packages/account-prices.ts';
import { loadCatalog, type Package } from '../packages/package-catalog.ts';
import { type HeldStep, pricesAt, priceTable } from '../packages/price-lines.ts';
import { parsePrices } from '../packages/written-prices.ts';
import type { Recorded, Terms } from './package-terms.ts';
import { type PackageEntry, withScheduled } from './past-prices.ts';

export const slackSeconds = 300;
const entriesPerRange = 2_000;

export interface Past {
  termsAround(packageId: number, at: EpochSeconds): readonly Terms[];
  groupsAround(accountId: number, present: Group, at: EpochSeconds): readonly Group[];
  listsOf(accountId: number): readonly AccountPriceListRow[];
  /** Price changes after which running plans kept their earlier price. */
  holdsOf(packageId: number, group: Group, months: Months): readonly HeldStep[];
  detailsOf(accountId: number, customerNumber: number): LoggedDetails | null;
}

export interface LoggedDetails {
  /** Undefined if the reference was never changed. */
  readonly firstReference: unknown;
  readonly reference: unknown;
  readonly firstName: unknown;
  readonly name: unknown;
  readonly externalRef: unknown;
}

interface PastPrices {
  readonly lists: ReadonlyMap<number, readonly AccountPriceListRow[]>;
  readonly byId: ReadonlyMap<number, Pick<Package, 'heldSteps'>>;
}

/** Entries come oldest first. `present` is the current state. */
export function createPast(
  packages: ReadonlyMap<
    number,
    { readonly recorded: readonly Recorded<Terms>[]; readonly present: Terms | null }
  >,
  groupChanges: ReadonlyMap<number, readonly Recorded<Group>[]>,
  customers: ReadonlyMap<number, LoggedDetails> = new Map(),
  { lists, byId }: PastPrices = { lists: new Map(), byId: new Map() },
): Past {
  return {
    termsAround(packageId, at) {
      const found = packages.get(packageId);
      return found === undefined ? [] : statesAround(found.recorded, found.present, at);
    },
    groupsAround: (accountId, present, at) => statesAround(groupChanges.get(accountId) ?? [], present, at),
    listsOf: (accountId) => lists.get(accountId) ?? [],
    holdsOf: (packageId, group, months) => byId.get(packageId)?.heldSteps[group][months] ?? [],
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
  // Looks before the first entry, between entries, and after the last. Clocks may run backwards.
  for (let index = 0; index <= recorded.length; index += 1) {
    const began = recorded[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const ended = recorded[index]?.at ?? Number.POSITIVE_INFINITY;
    if (Math.min(began, ended) > at + slackSeconds || Math.max(began, ended) < at - slackSeconds) continue;
    add(recorded[index - 1]?.after);
    add(index === recorded.length ? present : recorded[index]?.before);
    // A package cannot be older than its first entry. If it seems to be, a clock was set back, and its first state applied.
    if (index === 0) add(recorded[0]?.before ?? recorded[0]?.after);
  }
  return [...found];
}

const readLog: SqlStatement = {
  name: 'verify_past',
  text: `select subject, action, at, before, after from audit_log
    where number > $1::int and number <= least($1::int + ${entriesPerRange}, $2::int)
      and action in ('package.create', 'package.update', 'package.schedule_prices', 'package.unschedule_prices',
        'account.create', 'account.update', 'account.set_prices', 'account.delete_prices', 'customer.update') order by number`,
};

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
      const earlier = customers.get(id);
      const { firstName = before['name'] } = earlier ?? {};
      const firstReference = earlier?.firstReference ?? before['reference'];
      const reference = after['reference'] ?? earlier?.reference;
      // Entries without a name set the operator's hold, which is not checked here.
      if (name !== undefined) customers.set(id, { firstName, name, externalRef, firstReference, reference });
      return false;
    }
    if (String(entry['action']).endsWith('_prices')) return true;
    const states = { at, before: groupOf(entry['before']), after: groupOf(entry['after']) };
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
      const lists = Map.groupBy(await readPriceLists(database), ({ accountId }) => accountId);
      past = createPast(new Map(packages), recordedGroups, customers, { lists, byId });
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

function presentTerms(one: Package | undefined): Terms | null {
  return one === undefined ? null : { ...one, prices: pricesAt(one, Number.POSITIVE_INFINITY) };
}

function termsOf(noted: unknown): Terms | null {
  const { prices, retired, trial, duration_days: durationDays, periods } = fieldsOf(noted);
  if (typeof durationDays !== 'number') return null;
  const found = parsePrices(prices);
  return {
    isTrial: trial === true,
    retired: retired === true,
    durationDays,
    // In earlier versions, every package was sold for every period.
    periods: Array.isArray(periods) ? periodNames.filter((period) => periods.includes(period)) : periodNames,
    prices: priceTable((group, months) => found[group]?.[months] ?? -1n),
  };
}

function groupOf(noted: unknown): Group | null {
  return groups.find((group) => group === fieldsOf(noted)['group']) ?? null;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
