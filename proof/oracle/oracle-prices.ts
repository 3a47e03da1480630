// What an order costs: the group's prices with their dates, the price lists of single accounts, and held prices. Part of
// oracle.ts, written from the documents only. "Ax" points to AMBIGUITIES.md.
// Invariant: a price depends only on its second and the plan.

import { isDeepStrictEqual } from 'node:util';
import type { AccountId, Prices, SomePrices, World } from './oracle.ts';
import type { Plan } from './oracle-plan.ts';
import type { Months } from './oracle-request.ts';

/** `since`: the list's start or, for a held price, the change's. `percentOff`: null if the list names the price. */
export type PriceRule =
  | { rule: 'group' }
  | { rule: 'account'; list: number; since: number; percentOff: number | null }
  | { rule: 'held'; since: number };

export type Priced = { priceCents: bigint; priceRule: PriceRule };

/** `held`: running plans keep their prices when the change begins. */
export type ExistingPlans = 'new' | 'held';

/** The administrator's price requests have other error codes than orders. */
export type PriceRefusal = {
  code:
    | 'package_not_found'
    | 'package_unavailable'
    | 'price_not_found'
    | 'price_already_scheduled'
    | 'price_has_begun'
    | 'validation_failed';
  details: { field?: string };
};
export type ScheduleOutcome = { status: 201; replayed: boolean } | PriceRefusal;
export type UnscheduleOutcome = { status: 204; replayed: false } | PriceRefusal;

type Shown = {
  prices: Partial<Record<Months, bigint>>;
  rules: Partial<Record<Months, PriceRule['rule']>>;
  /** In percent, compared with single months. */
  savings: Partial<Record<Months, number>>;
};

export type PackageView = Shown & {
  id: number;
  /** The monthly price, sold or not (A135). */
  price: bigint;
  upcoming: (Shown & { from: number })[];
};

type ListTerms = {
  /** Exclusive; null if it has no end. */
  until: number | null;
  /** In hundredths of a percent, for prices that the list does not name. null: the group's prices apply. */
  percentOff: number | null;
  prices: { packageId: number; prices: Partial<Record<Months, bigint>> }[];
  memo: string | null;
};

export type PriceList = ListTerms & { number: number; from: number; afterOrder: number };

export type PutListInput = ListTerms & { accountId: AccountId; from?: number | undefined };
export type PutListOutcome = { replayed: boolean; list: PriceList } | PriceRefusal;
export type DeleteListOutcome = { list: PriceList } | PriceRefusal;

type PriceGroup = keyof Prices;
type Package = World['packages'][number];

type PriceEvent = {
  packageId: number;
  at: number;
  isScheduled: boolean;
  existingPlans: ExistingPlans;
  prices: SomePrices;
};

/** `run`: the running plan that the order extends, or null. */
export type PriceQuestion = {
  accountId: AccountId;
  group: PriceGroup;
  packageSold: Package;
  months: Months;
  run: Plan | null;
};

const allMonths = [1, 3, 12] as const;
const listsToComeMax = 50;
const packagesPerListMax = 200;
const memoCharactersMax = 500;
const wholeInHundredths = 10_000;

export function createPrices(world: {
  findPackage: (id: number) => Package | undefined;
  latestEntryAt: (accountId: AccountId) => number | null;
  orderCount: (accountId: AccountId) => number;
}) {
  const priceEvents: PriceEvent[] = [];
  const lists = new Map<AccountId, PriceList[]>();
  const listsPut = new Map<AccountId, number>();

  /** First match wins: held, account, group. */
  function priceOf(question: PriceQuestion, now: number): Priced {
    return heldPrice(question, now) ?? accountPrice(question, now) ?? groupPrice(question, now);
  }

  /** Only a plan that is extended can have a held price: it ran when the change began (A136). */
  function heldPrice({ group, packageSold, months, run }: PriceQuestion, now: number): Priced | null {
    if (run === null) return null;
    const starts = priceEvents
      .filter(
        ({ packageId, existingPlans, at, prices }) =>
          packageId === packageSold.id &&
          existingPlans === 'held' &&
          prices[group]?.[months] !== undefined &&
          run.anchorAt < at &&
          at <= now,
      )
      .map(({ at }) => at);
    if (starts.length === 0) return null;
    // If several changes are held, the earliest counts (A137).
    const since = Math.min(...starts);
    const lastPaid = run.periods.findLast((period) => period.months === months);
    const priceCents = lastPaid?.paidCents ?? pricesWere(packageSold, since - 1)[group][months];
    return { priceCents, priceRule: { rule: 'held', since } };
  }

  function accountPrice(question: PriceQuestion, now: number): Priced | null {
    const { accountId, packageSold, months } = question;
    const list = listInForce(accountId, now);
    if (list === null) return null;
    const byList = { rule: 'account', list: list.number, since: list.from } as const;
    const named = list.prices.find(({ packageId }) => packageId === packageSold.id)?.prices[months];
    if (named !== undefined) return { priceCents: named, priceRule: { ...byList, percentOff: null } };
    const { percentOff } = list;
    if (percentOff === null) return null;
    const priceCents = share(groupPrice(question, now).priceCents, BigInt(wholeInHundredths - percentOff));
    return { priceCents, priceRule: { ...byList, percentOff } };
  }

  function groupPrice({ packageSold, group, months }: PriceQuestion, now: number): Priced {
    return { priceCents: pricesAt(packageSold, now)[group][months], priceRule: { rule: 'group' } };
  }

  function listInForce(accountId: AccountId, second: number): PriceList | null {
    let latest: PriceList | null = null;
    for (const list of listsOf(accountId)) {
      // If two lists begin in one second, the later PUT wins.
      if (list.from <= second && (latest === null || list.from >= latest.from)) latest = list;
    }
    if (latest === null || (latest.until !== null && latest.until <= second)) return null;
    return latest;
  }

  function putAccountPrices(input: PutListInput, now: number): PutListOutcome {
    const { accountId } = input;
    const terms = termsOf(input);
    const own = listsOf(accountId);
    const earliest = firstFreeSecond(accountId, now);

    // Repeating a PUT changes nothing, even once the list has begun or its package is retired (A138).
    const from = input.from ?? earliest;
    const ofSecond = own.findLast((list) => list.from === from);
    const known = input.from === undefined ? listInForce(accountId, earliest) : (ofSecond ?? null);
    if (known !== null && isSameTerms(known, terms)) return { replayed: true, list: known };

    if (from < earliest) return { code: 'validation_failed', details: { field: 'from' } };
    if (terms.until !== null && terms.until <= from)
      return { code: 'validation_failed', details: { field: 'until' } };
    if (from > now && own.filter((list) => list.from > now).length >= listsToComeMax)
      return { code: 'validation_failed', details: { field: 'from' } };
    const wrong = wrongField(terms);
    if (wrong !== null) return { code: 'validation_failed', details: wrong };
    if (from > now && ofSecond !== undefined) return { code: 'price_already_scheduled', details: {} };

    const number = (listsPut.get(accountId) ?? 0) + 1;
    const list: PriceList = { ...terms, number, from, afterOrder: world.orderCount(accountId) };
    listsPut.set(accountId, number);
    lists.set(accountId, [...own, list]);
    return { replayed: false, list };
  }

  /** A list that has begun is history, so only future ones can be deleted. */
  function deleteAccountPrices(
    input: { accountId: AccountId; list: number },
    now: number,
  ): DeleteListOutcome {
    const own = listsOf(input.accountId);
    const list = own.find(({ number }) => number === input.list);
    if (list === undefined) return { code: 'price_not_found', details: {} };
    if (list.from <= firstFreeSecond(input.accountId, now)) return { code: 'price_has_begun', details: {} };
    lists.set(
      input.accountId,
      own.filter((one) => one !== list),
    );
    return { list };
  }

  /** A test account has the lists of its live account, at any time of its own clock. */
  function useAccountPrices(accountId: AccountId, ofLive: readonly PriceList[]): void {
    lists.set(accountId, structuredClone([...ofLive]));
  }

  /** Never before the latest ledger entry. */
  function firstFreeSecond(accountId: AccountId, now: number): number {
    return Math.max(now, world.latestEntryAt(accountId) ?? now);
  }

  function listsOf(accountId: AccountId): PriceList[] {
    return lists.get(accountId) ?? [];
  }

  function wrongField({ percentOff, prices, memo }: ListTerms): PriceRefusal['details'] | null {
    if (percentOff !== null && (percentOff < 0 || percentOff > wholeInHundredths))
      return { field: 'percent_off' };
    if (memo !== null && [...memo].length > memoCharactersMax) return { field: 'memo' };
    if (prices.length > packagesPerListMax) return {};
    const seen = new Set<number>();
    for (const [place, { packageId, prices: named }] of prices.entries()) {
      const item = world.findPackage(packageId);
      if (item === undefined || item.trial || item.retired || seen.has(packageId))
        return { field: `prices.${place}.package_id` };
      if (Object.keys(named).length === 0) return {};
      seen.add(packageId);
    }
    return null;
  }

  /** Takes effect now. Later schedules stay (A56); paid amounts do not change. */
  function setPrices(
    input: { packageId: number; prices: SomePrices },
    now: number = Number.NEGATIVE_INFINITY,
  ): void {
    const { id: packageId } = getPackage(input.packageId);
    const prices = structuredClone(input.prices);
    priceEvents.push({ packageId, at: now, isScheduled: false, existingPlans: 'new', prices });
  }

  function schedulePrices(
    input: {
      packageId: number;
      from: number;
      prices: SomePrices;
      existingPlans?: ExistingPlans | undefined;
    },
    now: number,
  ): ScheduleOutcome {
    const { packageId, from, existingPlans = 'new' } = input;
    const item = world.findPackage(packageId);
    if (item === undefined) return { code: 'package_not_found', details: {} };
    const prices = structuredClone(input.prices);
    const known = findScheduled(packageId, from);
    // A repeat must also ask for the same treatment of existing plans (A139).
    if (known !== null && known.existingPlans === existingPlans && isSamePrices(known.prices, prices))
      return { status: 201, replayed: true };
    if (item.trial || item.retired) return { code: 'package_unavailable', details: {} };
    if (from <= now) return { code: 'validation_failed', details: { field: 'from' } };
    if (known !== null) return { code: 'price_already_scheduled', details: {} };
    priceEvents.push({ packageId, at: from, isScheduled: true, existingPlans, prices });
    return { status: 201, replayed: false };
  }

  /** Prices that have begun stay in the history, because orders were charged at them. */
  function unschedulePrices(input: { packageId: number; from: number }, now: number): UnscheduleOutcome {
    if (world.findPackage(input.packageId) === undefined) return { code: 'package_not_found', details: {} };
    const known = findScheduled(input.packageId, input.from);
    if (known === null) return { code: 'price_not_found', details: {} };
    if (known.at <= now) return { code: 'price_has_begun', details: {} };
    priceEvents.splice(priceEvents.indexOf(known), 1);
    return { status: 204, replayed: false };
  }

  function packageView(
    account: { accountId: AccountId; group: PriceGroup },
    item: Package,
    now: number,
  ): PackageView {
    const pricedAt = (second: number, months: Months) =>
      priceOf({ ...account, packageSold: item, months, run: null }, second);
    const shownAt = (second: number): Shown => {
      const shown: Shown = { prices: {}, rules: {}, savings: {} };
      const monthlyCents = pricedAt(second, 1).priceCents;
      for (const months of soldMonths(item)) {
        const { priceCents, priceRule } = pricedAt(second, months);
        shown.prices[months] = priceCents;
        shown.rules[months] = priceRule.rule;
        shown.savings[months] = savingPercent(priceCents, monthlyCents * BigInt(months));
      }
      return shown;
    };
    const lists = listsOf(account.accountId);
    const ofGroup = priceEvents
      .filter(
        ({ packageId, isScheduled, prices }) =>
          packageId === item.id &&
          isScheduled &&
          soldMonths(item).some((months) => prices[account.group]?.[months] !== undefined),
      )
      .map(({ at }) => at);
    const ofLists = lists.flatMap(({ from, until }) => (until === null ? [from] : [from, until]));
    // Lists begin for all packages, so leave out the seconds that change nothing for this one (A143).
    const changes = (second: number) =>
      lists.length === 0 || !isDeepStrictEqual(shownAt(second - 1), shownAt(second));
    const later = [...new Set([...ofGroup, ...ofLists])].filter((second) => second > now && changes(second));
    later.sort((a, b) => a - b);
    return {
      id: item.id,
      price: pricedAt(now, 1).priceCents,
      ...shownAt(now),
      upcoming: later.map((from) => ({ from, ...shownAt(from) })),
    };
  }

  function pricesAt(item: Package, second: number): Prices {
    // Immediate changes by the administrator count on every clock, even on test clocks that are behind them (A110).
    return pricesAfter(
      item,
      priceEvents.filter((event) => !event.isScheduled || event.at <= second),
    );
  }

  /** Prices at a past second, as they were then: later immediate changes do not count (A140). */
  function pricesWere(item: Package, second: number): Prices {
    return pricesAfter(
      item,
      priceEvents.filter((event) => event.at <= second),
    );
  }

  /** Within a second, scheduled changes come first (A56). */
  function pricesAfter(item: Package, changes: PriceEvent[]): Prices {
    const events = changes.filter(({ packageId }) => packageId === item.id);
    events.sort((a, b) =>
      a.at === b.at ? Number(b.isScheduled) - Number(a.isScheduled) : a.at < b.at ? -1 : 1,
    );
    const prices = { reseller: { ...item.prices.reseller }, distributor: { ...item.prices.distributor } };
    for (const event of events) {
      Object.assign(prices.reseller, event.prices.reseller);
      Object.assign(prices.distributor, event.prices.distributor);
    }
    return prices;
  }

  function findScheduled(packageId: number, from: number): PriceEvent | null {
    const found = priceEvents.find(
      (event) => event.isScheduled && event.packageId === packageId && event.at === from,
    );
    return found ?? null;
  }

  function getPackage(id: number): Package {
    const item = world.findPackage(id);
    if (item === undefined) throw new Error(`no package ${id} in this world`);
    return item;
  }

  return {
    priceOf,
    packageView,
    requests: { setPrices, schedulePrices, unschedulePrices, putAccountPrices, deleteAccountPrices },
    useAccountPrices,
    accountPrices: (accountId: AccountId): PriceList[] => structuredClone(listsOf(accountId)),
  };
}

/** Compared with single months, rounded down. 0 if nothing is saved, or the months are free (A40). */
function savingPercent(priceCents: bigint, fullCents: bigint): number {
  if (priceCents >= fullCents) return 0;
  return Number(((fullCents - priceCents) * 100n) / fullCents);
}

/** cents × hundredths ÷ 10,000, half a cent rounded up. */
function share(cents: bigint, hundredths: bigint): bigint {
  const whole = BigInt(wholeInHundredths);
  const product = cents * hundredths;
  const over = product % whole;
  const down = (product - over) / whole;
  return over * 2n >= whole ? down + 1n : down;
}

function termsOf({ until, percentOff, prices, memo }: PutListInput): ListTerms {
  return structuredClone({ until, percentOff, prices, memo });
}

function isSameTerms(one: ListTerms, other: ListTerms): boolean {
  const cellsOf = ({ prices }: ListTerms) =>
    prices
      .flatMap(({ packageId, prices: named }) =>
        allMonths.flatMap((months) =>
          named[months] === undefined ? [] : [`${packageId} ${months} ${named[months]}`],
        ),
      )
      .sort();
  const partsOf = (terms: ListTerms) => [terms.until, terms.percentOff, terms.memo, cellsOf(terms)];
  return JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));
}

function isSamePrices(one: SomePrices, other: SomePrices): boolean {
  const groups = ['reseller', 'distributor'] as const;
  return groups.every((group) => allMonths.every((each) => one[group]?.[each] === other[group]?.[each]));
}

function soldMonths({ periods }: Package): Months[] {
  const named = { 1: 'monthly', 3: 'quarterly', 12: 'yearly' } as const;
  return allMonths.filter((months) => periods?.includes(named[months]) ?? true);
}
