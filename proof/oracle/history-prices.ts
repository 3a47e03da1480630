// Account prices and held prices in histories, and the labels that a run should have. Part of histories.ts.

import type { OwnPath, PlayedList, Request } from './histories.ts';
import {
  heldDepartures,
  heldStops,
  listMemos,
  listPercents,
  listSequels,
  listStarts,
  listTerms,
  namedCells,
  priceSets,
  type Reader,
  soonLeads,
} from './history-genes.ts';
import type { AccountId, CustomerView, Oracle, Order, Prices } from './oracle.ts';
import type { PriceList } from './oracle-prices.ts';
import type { Months } from './oracle-request.ts';

export interface PriceScene {
  readonly oracle: Oracle;
  readonly accountCount: number;
  now(): number;
  moveTo(second: number): void;
  accountIdOf(account: number): AccountId;
  packageIdOf(slot: number): number;
  customersOf(account: number): readonly CustomerView[];
  orderCountOf(account: number): number;
  accountWithOrders(account: number): number;
  customerPathOf(reader: Reader, account: number): OwnPath;
  pricesOf(
    reseller: readonly [bigint, bigint, bigint],
    distributor: readonly [bigint, bigint, bigint],
  ): Prices;
}

type ListStep = Extract<Request, { type: 'list' }>;

const trialSlots = [5, 6];

export function createPriceScenes(scene: PriceScene) {
  const { oracle } = scene;
  const put: ListStep[] = [];
  const heldPackages: number[] = [];
  /** For each customer that has renewed at a held price, the start of that run of plans. */
  const heldRuns = new Map<string, number>();

  function* listsOf(reader: Reader): Iterable<Request> {
    const first = listOf(reader);
    yield first;
    const { account } = first;
    const coming = comingOf(account).at(-1);
    const then = reader.pick(listSequels);
    if (coming === undefined || then === 'nothing') return;
    if (then === 'again') yield first;
    else if (then === 'delete') yield { type: 'unlist', account, list: coming.number };
    else if (then === 'others') {
      const { list } = listOf(reader);
      yield { type: 'list', account, list: { ...list, from: coming.from, until: null } };
    } else {
      scene.moveTo(coming.from + reader.pick([-1, 0, 0]));
      yield { type: 'unlist', account, list: coming.number };
    }
  }

  function listOf(reader: Reader): ListStep {
    const earlier = put.at(-1 - reader.below(3));
    const how = reader.below(10);
    const account = reader.below(scene.accountCount);
    const list = drawList(reader, scene.now(), scene.packageIdOf);
    if (earlier === undefined || how < 8) return { type: 'list', account, list };
    return how === 8 ? earlier : { ...earlier, list: { ...earlier.list, from: undefined } };
  }

  function unlistOf(reader: Reader): Request {
    const account = reader.below(scene.accountCount);
    const lists = oracle.accountPrices(scene.accountIdOf(account));
    const coming = comingOf(account).at(-1 - reader.below(2));
    const chosen = reader.pick([coming, coming, lists.at(-1 - reader.below(3))]);
    return { type: 'unlist', account, list: chosen?.number ?? lists.length + 50 };
  }

  function comingOf(account: number): PriceList[] {
    return oracle.accountPrices(scene.accountIdOf(account)).filter(({ from }) => from > scene.now());
  }

  /** A change with `held` begins while a plan runs. Then the plan is renewed, with events that may end the hold. */
  function* heldOf(reader: Reader): Iterable<Request> {
    const account = scene.accountWithOrders(reader.below(scene.accountCount));
    const customer = scene.customerPathOf(reader, account);
    const view = customer.kind === 'own' ? scene.customersOf(account)[customer.number - 1] : undefined;
    if (view === undefined || trialSlots.map(scene.packageIdOf).includes(view.plan.packageId)) return;
    const { packageId } = view.plan;
    const { reference } = view;
    const keyed = { account, headerKey: undefined, mintedBy: null };
    const place = (ordered: number, months: number): Request => ({
      type: 'place',
      ...keyed,
      body: { package_id: ordered, customer: reference, months },
    });
    const money = { type: 'credit', account, amountCents: 60_000n, memo: 'held', key: undefined } as const;
    yield money;
    // Mostly in a run that began before the change, sometimes in one that begins in the same second.
    if (!view.plan.active || reader.below(3) === 0) yield place(packageId, reader.pick([1, 1, 3]));
    const from = scene.now() + reader.pick(soonLeads);
    const prices = reader.pick(namedCells)(scene.pricesOf(reader.pick(priceSets), reader.pick(priceSets)));
    const existingPlans = reader.pick(['held', 'held', 'held', 'new'] as const);
    yield { type: 'schedule', packageId, from, prices, existingPlans };
    if (existingPlans === 'held') heldPackages.push(packageId);
    for (let count = reader.below(3); count > 0; count -= 1) {
      const stop = reader.pick(heldStops);
      if (stop === 'begin') scene.moveTo(from + reader.pick([-1, 0, 0, 1]));
      else if (stop === 'end') scene.moveTo(endOf(account, reference) - reader.pick([0, 1, 1, 3600]));
      else if (stop === 'prices')
        yield {
          type: 'prices',
          packageId,
          prices: scene.pricesOf(reader.pick(priceSets), reader.pick(priceSets)),
        };
      else if (stop === 'list') yield listOf(reader);
      else if (stop === 'group' && account < scene.accountCount - 1)
        yield { type: 'group', account, group: reader.pick(['reseller', 'distributor']) };
      else if (stop === 'again') {
        const later = scene.now() + reader.pick(soonLeads);
        const others = scene.pricesOf(reader.pick(priceSets), reader.pick(priceSets));
        const changed = reader.below(2) === 0 ? packageId : otherOf(reader, packageId);
        yield { type: 'schedule', packageId: changed, from: later, prices: others, existingPlans: 'held' };
      } else if (stop === 'renew') yield place(packageId, reader.pick([1, 1, 3]));
    }
    scene.moveTo(Math.max(from, scene.now()));
    yield { type: 'wait' };
    const leaves = reader.pick(heldDepartures);
    if (leaves === 'cancel') yield { type: 'cancel', ...keyed, customer, body: { at: 'now' } };
    else if (leaves === 'change') yield place(otherOf(reader, packageId), 1);
    else if (leaves === 'gap') scene.moveTo(endOf(account, reference) + reader.pick([0, 1]));
    else if (leaves === 'by_itself') {
      yield {
        type: 'auto_renew',
        ...keyed,
        customer,
        body: { months: reader.pick([1, 3]), hours_before: 24 },
      };
      scene.moveTo(endOf(account, reference) - 86_400);
      yield { type: 'jobs' };
    } else if (leaves === 'suspend') yield { type: leaves, ...keyed, customer, body: undefined };
    for (let count = 1 + reader.below(3); count > 0; count -= 1)
      yield place(packageId, reader.pick([1, 1, 3, 12]));
    const order: OwnPath = { kind: 'own', number: Math.max(1, scene.orderCountOf(account)) };
    yield { type: 'renew', ...keyed, order, body: undefined };
  }

  function otherOf(reader: Reader, packageId: number): number {
    const drawn = scene.packageIdOf(reader.pick([1, 2, 0]));
    const held = heldPackages.findLast((other) => other !== packageId);
    return reader.below(4) === 0 ? drawn : (held ?? drawn);
  }

  function endOf(account: number, reference: string): number {
    const view = scene.customersOf(account).find((one) => one.reference === reference);
    return view?.plan.expiresAt ?? scene.now();
  }

  function notePut(request: ListStep): void {
    put.push(request);
  }

  function notesOf(account: number, order: Order): string[] {
    const { priceRule, customerReference, months, packageId, priceCents, createdAt } = order;
    const accountId = scene.accountIdOf(account);
    const periods = oracle.paidPeriods(accountId, customerReference);
    const before = order.status === 'completed' ? periods.slice(0, -1) : periods;
    if (priceRule.rule === 'held') {
      const anchorAt = periods[0]?.startAt ?? 0;
      heldRuns.set(customerReference, anchorAt);
      const wasBought = before.some((period) => period.months === months);
      const others = oracle.packages(accountId, createdAt).find(({ id }) => id === packageId);
      const [price, rule] = [others?.prices[months], others?.rules[months]];
      return [
        `held price, ${wasBought ? 'bought before' : 'never bought'}`,
        ...(price !== undefined && price < priceCents ? ['held price above that of others'] : []),
        ...(price !== undefined && price > priceCents ? ['held price below that of others'] : []),
        ...(rule === 'account' ? ['held price before a list'] : []),
      ];
    }
    if (heldRuns.has(customerReference) && order.status === 'completed') {
      const isNewRun = heldRuns.get(customerReference) !== periods[0]?.startAt || before.length === 0;
      if (!isNewRun) return ['no hold for this group or period'];
      heldRuns.delete(customerReference);
      return [`hold given up by ${order.kind}`, ...byList(order, accountId)];
    }
    return byList(order, accountId);
  }

  function byList({ priceRule, packageId, months }: Order, accountId: AccountId): string[] {
    if (priceRule.rule !== 'account') return [];
    const { list: number } = priceRule;
    const list = oracle.accountPrices(accountId).find((one) => one.number === number);
    const named = list?.prices.find((one) => one.packageId === packageId)?.prices[months];
    return [named === undefined ? 'price of a list by percent' : 'price of a list by name'];
  }

  return { listsOf, unlistOf, heldOf, notePut, notesOf };
}

export function drawList(reader: Reader, now: number, packageIdOf: (slot: number) => number): PlayedList {
  const start = reader.pick(listStarts);
  const from = start === null ? undefined : now + start;
  const term = reader.pick(listTerms);
  const until = term === null ? null : (from ?? now) + term;
  const percentOff = reader.pick(listPercents);
  return {
    from,
    until,
    percentOff,
    prices: drawListPrices(reader, packageIdOf),
    memo: reader.pick(listMemos),
  };
}

function drawListPrices(reader: Reader, packageIdOf: (slot: number) => number): PlayedList['prices'] {
  // Package 4 is retired, 5 is a trial: both are refused.
  const slots = reader.pick([[0], [0], [0, 1], [1], [2, 0], [], [], [3], [0, 4], [5], [0, 0]]);
  return slots.map((slot) => {
    const [monthly, quarterly, yearly] = reader.pick(priceSets);
    const all = { 1: monthly, 3: quarterly, 12: yearly };
    const named = reader.pick<Partial<Record<Months, bigint>>>([
      { 1: monthly },
      { 12: yearly },
      all,
      { 1: monthly, 3: quarterly },
    ]);
    return { packageId: packageIdOf(slot), prices: named };
  });
}
