// Plays a year of business, sparse at first and with a full month at the end. The engine decides all orders and credits
// (demo-shop.ts). Called by fill-demo-year.ts for a demo, and by scripts/demo/fill-demo.ts.
// Invariant: the same seed, end and shop give the same year. The clock never goes back.

import type { Months } from '../../shared/periods.ts';
import { yearDays } from '../demo-state.ts';
import { createPeople, type Person } from './demo-people.ts';
import {
  type AdministratorsAct,
  administratorsActs,
  classicRetiredDaysAgo,
  type ResellerPlan,
  resellerPlans,
  storyPayments,
} from './demo-resellers.ts';
import type { DemoShop, OrderAnswer } from './demo-shop.ts';
import { createRandom } from './seeded-random.ts';

export interface DemoYearOptions {
  readonly shop: DemoShop;
  readonly seed: number;
  readonly share: number;
  readonly until: number;
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal;
}

interface Reseller {
  readonly plan: ResellerPlan;
  readonly id: number;
  keyCount: number;
  creditCount: number;
  topUpIsUnderWay: boolean;
  readonly customers: DemoCustomer[];
}

interface DemoCustomer {
  readonly person: Person;
  readonly id: number;
  packageId: number;
  months: Months;
  orderId: number;
  expiresAt: number;
  isOrdering: boolean;
}

type Step = () => Promise<void>;

interface PlannedStep {
  readonly second: number;
  readonly step: Step;
  /** Changes an account or a package, which refuses orders of the same moment. */
  readonly isAlone: boolean;
}

const daySeconds = 86_400;
const fullMonthDays = 35;
const mistakeCount = 12;
const requestDays = 7;
/** Refusals that the story intends: no credit, a blocked account, a package that was retired meanwhile. */
const expectedRefusals = new Set([
  'insufficient_credit',
  'account_blocked',
  'api_disabled',
  'package_unavailable',
]);
const terms: readonly Months[] = [1, 1, 1, 1, 1, 1, 1, 3, 3, 12];
/** Two of three top-ups are transfers. */
const topUpMethods = [
  { words: 'Bank transfer', isCard: false },
  { words: 'Bank transfer', isCard: false },
  { words: 'Card payment', isCard: true },
] as const;
const upgrades: Readonly<Record<string, string>> = {
  Starter: 'Business',
  Classic: 'Business',
  Business: 'Agency',
};

export async function playDemoYear(options: DemoYearOptions): Promise<number> {
  const { shop, share, until, say } = options;
  const { traffic } = shop;
  const random = createRandom(options.seed);
  const people = createPeople(random);
  const today = Math.floor(until / daySeconds);
  const agenda = new Map<number, PlannedStep[]>();
  const resellers: Reseller[] = [];
  let packages: ReadonlyMap<string, number> = new Map();
  let clock = 0;
  let orders = 0;
  let invoice = 1_040;

  function plan(at: number, step: Step): void {
    // A step planned for the current day runs on the next day.
    const day = Math.max(Math.floor(at / daySeconds), Math.floor(clock / daySeconds) + 1);
    planOn(day, ((at % daySeconds) + daySeconds) % daySeconds, step);
  }

  function planOn(day: number, second: number, step: Step, isAlone = false): void {
    const list = agenda.get(day) ?? [];
    list.push({ second, step, isAlone });
    agenda.set(day, list);
  }

  const workingSecond = () => 25_200 + random.below(21_600) + random.below(21_600);
  const isWeekend = (day: number) => [2, 3].includes(day % 7);
  const nextWorkingDay = (day: number) => day + (isWeekend(day + 1) ? (isWeekend(day + 2) ? 3 : 2) : 1);
  const chance = (percent: number) => random.below(1000) < percent * 10;

  async function topUp(reseller: Reseller): Promise<void> {
    const { plan: reseller_, id } = reseller;
    reseller.topUpIsUnderWay = false;
    invoice += 1 + random.below(3);
    // With a larger share of the customers, more is due.
    const amount = reseller_.topUp * (chance(20) ? 2 : 1) * Math.max(1, Math.round(share * 10) / 10);
    const method = random.pick(topUpMethods);
    reseller.creditCount += 1;
    const key = `demo-year-${reseller_.username}-${reseller.creditCount}`;
    const amountCents = BigInt(Math.round(amount)) * 100n;
    const isPaid =
      method.isCard && (await shop.pay({ accountId: id, amountCents, end: 'paid', key: `pay-${key}` }));
    if (!isPaid) await shop.credit(id, amountCents, `${method.words}, invoice ${invoice}`, key);
  }

  function planTopUp(reseller: Reseller): void {
    if (reseller.topUpIsUnderWay) return;
    reseller.topUpIsUnderWay = true;
    const day = nextWorkingDay(Math.floor(clock / daySeconds));
    plan(day * daySeconds + workingSecond(), () => topUp(reseller));
  }

  function choosePackage({ plan: { taste, group } }: Reseller): number {
    const daysAgo = today - Math.floor(clock / daySeconds);
    if (daysAgo > classicRetiredDaysAgo && group === 'reseller' && chance(40)) return packageId('Classic');
    let place = random.below(taste[0] + taste[1] + taste[2]);
    for (const [index, name] of ['Starter', 'Business', 'Agency'].entries()) {
      place -= taste[index] ?? 0;
      if (place < 0) return packageId(name);
    }
    return packageId('Starter');
  }

  function packageId(name: string): number {
    const id = packages.get(name);
    if (id === undefined) throw new Error(`The demo has no package "${name}".`);
    return id;
  }

  async function order(reseller: Reseller, person: Person, id: number, months: Months): Promise<void> {
    const isNew = !reseller.customers.some((customer) => customer.person === person);
    const wanted = { packageId: id, person, isNew, months, key: nextKey(reseller) };
    const answer = await shop.place(reseller.id, wanted);
    afterOrder(reseller, person, answer, () => order(reseller, person, id, months));
  }

  async function renew(reseller: Reseller, customer: DemoCustomer): Promise<void> {
    const isRetired = customer.packageId === packageId('Classic');
    if (!isRetired && chance(30))
      return order(reseller, customer.person, customer.packageId, customer.months);
    const answer = await shop.renew(reseller.id, customer.orderId, nextKey(reseller));
    afterOrder(reseller, customer.person, answer, () => renew(reseller, customer));
  }

  function nextKey(reseller: Reseller): string {
    reseller.keyCount += 1;
    return `${reseller.plan.username}-${reseller.keyCount}`;
  }

  function afterOrder(reseller: Reseller, person: Person, answer: OrderAnswer, again: Step): void {
    if (typeof answer === 'string') {
      if (!expectedRefusals.has(answer)) throw new Error(`An order of ${reseller.plan.username}: ${answer}`);
      if (answer !== 'insufficient_credit') return;
      planTopUp(reseller);
      plan(nextWorkingDay(Math.floor(clock / daySeconds)) * daySeconds + 68_400, again);
      return;
    }
    orders += 1;
    const known = reseller.customers.find((customer) => customer.person === person);
    const { customerId: id, balanceCents, ...placed } = answer;
    const customer: DemoCustomer = known ?? { person, id, ...placed, isOrdering: false };
    if (known === undefined) reseller.customers.push(customer);
    Object.assign(customer, placed);
    planFuture(reseller, customer);
    if (balanceCents < BigInt(reseller.plan.topUp) * 25n) planTopUp(reseller);
  }

  function planFuture(reseller: Reseller, customer: DemoCustomer): void {
    const { orderId, expiresAt } = customer;
    // An upgrade and a renewal may fall into one slot, which is one batch: only the first is sent.
    const ifStill = (step: Step) => async () => {
      if (customer.orderId !== orderId || customer.isOrdering) return;
      customer.isOrdering = true;
      await step().finally(() => {
        customer.isOrdering = false;
      });
    };
    const upgrade = upgrades[nameOf(customer.packageId)];
    if (upgrade !== undefined && chance(7)) {
      const at = clock + daySeconds + random.below(Math.max(1, expiresAt - clock - 2 * daySeconds));
      const months = chance(80) ? 1 : 12;
      plan(
        at - (at % daySeconds) + workingSecond(),
        ifStill(() => order(reseller, customer.person, packageId(upgrade), months)),
      );
    }
    if (!chance(82)) return;
    const days = chance(90) ? -random.below(5) : 1 + random.below(6);
    const day = Math.floor(expiresAt / daySeconds) + days;
    plan(
      day * daySeconds + workingSecond(),
      ifStill(() => renew(reseller, customer)),
    );
  }

  const nameOf = (id: number) => [...packages].find(([, known]) => known === id)?.[0] ?? '';

  async function giveTrial(reseller: Reseller): Promise<void> {
    const person = people.next();
    await shop.grantTrial(reseller.id, packageId('Free trial'), person);
    if (!chance(45)) return;
    const at = clock + (3 + random.below(11)) * daySeconds;
    plan(at, () => order(reseller, person, choosePackage(reseller), random.pick(terms)));
  }

  async function makeMistake(reseller: Reseller): Promise<void> {
    const [other] = resellers.filter(({ id, customers }) => id !== reseller.id && customers.length > 0);
    const theirs = other === undefined ? 'ada@example.com' : random.pick(other.customers).person.reference;
    const chosen = random.below(mistakeCount);
    await traffic?.makeMistake(reseller, { chosen, theirs, anyone: () => people.next().reference }, packages);
  }

  async function read(reseller: Reseller): Promise<void> {
    const { customers } = reseller;
    const customer = customers.length === 0 ? null : random.pick(customers);
    await traffic?.read(reseller, random.below(7), customer);
  }

  async function createReseller(plan: ResellerPlan): Promise<void> {
    const reseller: Reseller = {
      plan,
      id: await shop.openAccount(plan),
      keyCount: 0,
      creditCount: 0,
      topUpIsUnderWay: false,
      customers: [],
    };
    resellers.push(reseller);
    await topUp(reseller);
  }

  async function act(what: AdministratorsAct): Promise<void> {
    const reseller = what.type === 'package' ? null : resellerNamed(what.username);
    await shop.act(what, reseller?.id ?? null, what.type === 'package' ? packageId(what.name) : null);
    if (what.type === 'new_key' && reseller !== null) await traffic?.afterNewKey(reseller);
  }

  async function orderTooMuch(reseller: Reseller): Promise<void> {
    const wanted = {
      packageId: packageId('Agency'),
      person: people.next(),
      isNew: true,
      months: 12,
    } as const;
    await shop.place(reseller.id, { ...wanted, key: nextKey(reseller) });
  }

  async function suspendOne(reseller: Reseller): Promise<void> {
    if (reseller.customers.length === 0) return;
    await shop.suspend(reseller.id, random.pick(reseller.customers).id);
  }

  const resellerNamed = (username: string): Reseller => {
    const found = resellers.find(({ plan }) => plan.username === username);
    if (found === undefined) throw new Error(`The demo has no reseller "${username}".`);
    return found;
  };

  function planStory(): void {
    const on = (daysAgo: number, second: number, step: Step, isAlone = false) =>
      planOn(today - daysAgo, second, step, isAlone);
    for (const plan of resellerPlans) on(plan.sinceDaysAgo, 25_000, () => createReseller(plan));
    on(classicRetiredDaysAgo, 30_000, () => act({ type: 'package', name: 'Classic', retired: true }), true);
    for (const one of administratorsActs)
      on(one.daysAgo, 36_000 + one.daysAgo * 97, () => act(one.act), true);
    if (traffic !== null) {
      for (const [index, username] of ['brightline', 'nordlicht', 'cobalt.works', 'pixelforge'].entries()) {
        on(11 - index, 33_000 + index * 411, () => traffic.usePanel(resellerNamed(username)));
      }
      on(2, 8_100, () => traffic.hurry(resellerNamed('pixelforge')));
      on(1, 62_000, () => traffic.callFromElsewhere(resellerNamed('nordlicht')));
    }
    for (const { daysAgo, username, ...payment } of storyPayments) {
      const key = `demo-payment-${daysAgo}`;
      on(daysAgo, 41_000 + daysAgo * 1_733, async () => {
        await shop.pay({ ...payment, accountId: resellerNamed(username).id, key });
      });
    }
    for (const daysAgo of [8, 3]) on(daysAgo, 47_300, () => orderTooMuch(resellerNamed('lumen')));
    on(4, 40_100, () => suspendOne(resellerNamed('brightline')));
    on(1, 51_000, () => suspendOne(resellerNamed('nordlicht')));
  }

  function growth(daysAgo: number): number {
    return daysAgo > fullMonthDays
      ? 0.15 + 0.5 * (1 - daysAgo / yearDays)
      : 0.8 + (0.3 * (35 - daysAgo)) / 35;
  }

  const some = (average: number) => {
    const spread = average * (0.4 + random.below(1_200) / 1_000);
    return Math.floor(spread) + (random.below(1_000) < (spread % 1) * 1_000 ? 1 : 0);
  };

  function planDay(day: number): void {
    const daysAgo = today - day;
    const pace = growth(daysAgo) * (isWeekend(day) ? 0.35 : 1) * share;
    for (const reseller of resellers) {
      const { customersPerDay, readsPerDay } = reseller.plan;
      for (let count = some(customersPerDay * pace); count > 0; count -= 1) {
        planOn(day, workingSecond(), () =>
          order(reseller, people.next(), choosePackage(reseller), random.pick(terms)),
        );
      }
      if (daysAgo > requestDays || traffic === null) continue;
      for (let count = some(readsPerDay * share); count > 0; count -= 1) {
        planOn(day, random.below(daySeconds), () => read(reseller));
      }
    }
    const busy = resellers.filter(({ plan }) => plan.customersPerDay > 0);
    if (busy.length === 0) return;
    if (chance(daysAgo > fullMonthDays ? 6 : 45)) {
      planOn(day, workingSecond(), () => giveTrial(random.pick(busy)));
    }
    if (daysAgo > fullMonthDays || traffic === null) return;
    for (let count = some(3); count > 0; count -= 1) {
      planOn(day, workingSecond(), () => makeMistake(random.pick(busy)));
    }
  }

  function moveClock(to: number): void {
    clock = Math.max(clock, to);
    shop.setClock(clock);
  }

  moveClock((today - yearDays) * daySeconds + 21_600);
  packages = await shop.listPackages();
  planStory();
  for (let day = today - yearDays; day <= today; day += 1) {
    planDay(day);
    const steps = (agenda.get(day) ?? []).sort((one, other) => one.second - other.second);
    agenda.delete(day);
    const slotSeconds = shop.slotSeconds(today - day);
    for (let from = 0; from < steps.length; ) {
      const slot = slotFrom(steps, from, slotSeconds);
      from += slot.length;
      const at = day * daySeconds + (slot.at(-1)?.second ?? 0);
      if (at >= until) break;
      options.signal?.throwIfAborted();
      moveClock(at);
      await Promise.all(slot.map(({ step }) => step()));
    }
    if (day % 30 === 0)
      say(`  ${new Date(day * daySeconds * 1000).toISOString().slice(0, 10)}: ${orders} orders\n`);
  }
  moveClock(until);
  return orders;
}

function slotFrom(steps: readonly PlannedStep[], from: number, slotSeconds: number): readonly PlannedStep[] {
  const first = steps[from];
  if (first === undefined || slotSeconds === 0 || first.isAlone) return steps.slice(from, from + 1);
  const slotOf = ({ second }: PlannedStep) => Math.floor(second / slotSeconds);
  const end = steps.findIndex((one, index) => index > from && (one.isAlone || slotOf(one) !== slotOf(first)));
  return steps.slice(from, end === -1 ? steps.length : end);
}
