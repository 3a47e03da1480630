// Plays a year of business through the service's own APIs, on a clock that it moves. It is sparse at first and ends with a
// full month. The engine decides all orders and credits. Called by fill-demo.ts.
// Invariant: the same seed and end give the same year. Requests run one at a time, and the clock never goes back.

import { Secret, TOTP } from 'otpauth';
import { type Ask, type DemoAnswer, expectDone, objectIn } from './demo-client.ts';
import { createPeople, type Person } from './demo-people.ts';
import {
  administratorsActs,
  classicPackage,
  classicRetiredDaysAgo,
  type ResellerPlan,
  resellerPlans,
} from './demo-resellers.ts';
import { createRandom } from './random.ts';

export interface DemoYearOptions {
  readonly ask: Ask;
  readonly administrator: { readonly key: string };
  readonly password: string;
  readonly seed: number;
  readonly share: number;
  readonly until: number;
  readonly setClock: (seconds: number) => void;
  readonly say: (text: string) => void;
}

interface Reseller {
  readonly plan: ResellerPlan;
  readonly id: number;
  key: string;
  orderCount: number;
  topUpIsUnderWay: boolean;
  readonly customers: DemoCustomer[];
}

interface DemoCustomer {
  readonly person: Person;
  readonly id: number;
  packageId: number;
  months: number;
  orderId: number;
  expiresAt: number;
}

type Step = () => Promise<void>;

export const yearDays = 365;
const daySeconds = 86_400;
const fullMonthDays = 35;
const requestDays = 7;
/** Refusals that the story intends: no credit, a blocked account, a package that was retired meanwhile. */
const expectedRefusals = new Set([
  'insufficient_credit',
  'account_blocked',
  'api_disabled',
  'package_unavailable',
]);
const office = '203.0.113.240';
const terms = [1, 1, 1, 1, 1, 1, 1, 3, 3, 12];
const upgrades: Readonly<Record<string, string>> = {
  Starter: 'Business',
  Classic: 'Business',
  Business: 'Agency',
};

export async function playDemoYear(options: DemoYearOptions): Promise<number> {
  const { ask, administrator, password, share, until, setClock, say } = options;
  const random = createRandom(options.seed);
  const people = createPeople(random);
  const today = Math.floor(until / daySeconds);
  const agenda = new Map<number, { second: number; step: Step }[]>();
  const resellers: Reseller[] = [];
  const packages = new Map<string, number>();
  let clock = 0;
  let orders = 0;
  let invoice = 1_040;

  function plan(at: number, step: Step): void {
    // A step planned for the current day runs on the next day.
    const day = Math.max(Math.floor(at / daySeconds), Math.floor(clock / daySeconds) + 1);
    planOn(day, ((at % daySeconds) + daySeconds) % daySeconds, step);
  }

  function planOn(day: number, second: number, step: Step): void {
    const list = agenda.get(day) ?? [];
    list.push({ second, step });
    agenda.set(day, list);
  }

  const workingSecond = () => 25_200 + random.below(21_600) + random.below(21_600);
  const isWeekend = (day: number) => [2, 3].includes(day % 7);
  const nextWorkingDay = (day: number) => day + (isWeekend(day + 1) ? (isWeekend(day + 2) ? 3 : 2) : 1);
  const chance = (percent: number) => random.below(1000) < percent * 10;

  const asAdministrator = async (method: string, path: string, body?: object) => {
    const answer = await ask({
      method,
      path: `/api/admin/v1${path}`,
      from: office,
      key: administrator.key,
      ...(body !== undefined && { body }),
    });
    return expectDone(answer, `${method} ${path}`);
  };

  const asReseller = (
    { plan: { address }, key }: Reseller,
    method: string,
    path: string,
    more: { body?: object | string; idempotencyKey?: string; from?: string } = {},
  ): Promise<DemoAnswer> => ask({ method, path: `/api/v1${path}`, from: address, key, ...more });

  const inPanel = async ({ plan: { username, address: from } }: Reseller, by = password) => {
    const entry = { method: 'POST', path: '/panel/api/sign-in', from, cookie: '' };
    const signedIn = await ask({ ...entry, body: { username, password: by } });
    expectDone(signedIn, `Signing in ${username}`);
    return async (path: string, body: object) =>
      expectDone(
        await ask({ method: 'POST', path: `/panel/api${path}`, from, cookie: signedIn.cookie, body }),
        path,
      );
  };

  async function topUp(reseller: Reseller): Promise<void> {
    const { plan: reseller_, id } = reseller;
    reseller.topUpIsUnderWay = false;
    invoice += 1 + random.below(3);
    // With a larger share of the customers, more is due.
    const amount = reseller_.topUp * (chance(20) ? 2 : 1) * Math.max(1, Math.round(share * 10) / 10);
    const memo = random.pick([
      `Bank transfer, invoice ${invoice}`,
      `Bank transfer, invoice ${invoice}`,
      `Card payment, invoice ${invoice}`,
    ]);
    await asAdministrator('POST', `/accounts/${id}/credit`, { amount: `${amount}.00`, memo });
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

  async function order(reseller: Reseller, person: Person, id: number, months: number): Promise<void> {
    const isNew = !reseller.customers.some((customer) => customer.person === person);
    const answer = await asReseller(reseller, 'POST', '/orders', {
      idempotencyKey: `${reseller.plan.username}-${reseller.orderCount + 1}`,
      body: {
        package_id: id,
        customer: person.reference,
        ...(months === 1 ? {} : { months }),
        ...(isNew && person.name !== null && { customer_name: person.name }),
        ...(isNew && chance(30) && { return_login: true }),
      },
    });
    afterOrder(reseller, person, answer, () => order(reseller, person, id, months));
  }

  async function renew(reseller: Reseller, customer: DemoCustomer): Promise<void> {
    const isRetired = customer.packageId === packageId('Classic');
    if (!isRetired && chance(30))
      return order(reseller, customer.person, customer.packageId, customer.months);
    const answer = await asReseller(reseller, 'POST', `/orders/${customer.orderId}/renew`, {
      idempotencyKey: `${reseller.plan.username}-${reseller.orderCount + 1}`,
      body: {},
    });
    afterOrder(reseller, customer.person, answer, () => renew(reseller, customer));
  }

  function afterOrder(reseller: Reseller, person: Person, answer: DemoAnswer, again: Step): void {
    if (answer.status === 402) {
      planTopUp(reseller);
      plan(nextWorkingDay(Math.floor(clock / daySeconds)) * daySeconds + 68_400, again);
    }
    if (answer.status !== 201) {
      const code = String(objectIn(answer.body, 'error')['code']);
      if (!expectedRefusals.has(code)) expectDone(answer, `An order of ${reseller.plan.username}`);
      return;
    }
    orders += 1;
    reseller.orderCount += 1;
    const placed = objectIn(answer.body, 'order');
    const known = reseller.customers.find((customer) => customer.person === person);
    const customer: DemoCustomer = known ?? {
      person,
      id: Number(objectIn(placed, 'customer')['id']),
      packageId: 0,
      months: 1,
      orderId: 0,
      expiresAt: 0,
    };
    if (known === undefined) reseller.customers.push(customer);
    customer.packageId = Number(objectIn(placed, 'package')['id']);
    customer.months = Number(placed['months']);
    customer.orderId = Number(placed['id']);
    customer.expiresAt = Date.parse(String(placed['expires_at'])) / 1000;
    planFuture(reseller, customer);
    if (Number(answer.body['balance']) < reseller.plan.topUp / 4) planTopUp(reseller);
  }

  function planFuture(reseller: Reseller, customer: DemoCustomer): void {
    const { orderId, expiresAt } = customer;
    const ifStill = (step: Step) => async () => {
      if (customer.orderId === orderId) await step();
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
    await asAdministrator('POST', `/accounts/${reseller.id}/trials`, {
      package_id: packageId('Free trial'),
      customer: person.reference,
      ...(person.name !== null && { customer_name: person.name }),
    });
    if (!chance(45)) return;
    const at = clock + (3 + random.below(11)) * daySeconds;
    plan(at, () => order(reseller, person, choosePackage(reseller), random.pick(terms)));
  }

  async function makeMistake(reseller: Reseller): Promise<void> {
    const [other] = resellers.filter(({ id, customers }) => id !== reseller.id && customers.length > 0);
    const theirs = other === undefined ? 'ada@example.com' : random.pick(other.customers).person.reference;
    const send = (body: object | string, idempotencyKey?: string) =>
      asReseller(reseller, 'POST', '/orders', {
        body,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      });
    const mistakes: (() => Promise<DemoAnswer>)[] = [
      () => send({ package_id: packageId('Starter'), customer: 'no one@example' }),
      () => send({ package_id: packageId('Starter'), customer: 'no one@example' }),
      () => send({ package_id: 99, customer: people.next().reference }),
      () => send({ package_id: packageId('Classic'), customer: people.next().reference }),
      () => send({ package_id: packageId('Starter'), customer: people.next().reference, months: 6 }),
      () => send({ package_id: packageId('Starter'), customer: theirs }),
      () => send({ package_id: packageId('Business'), customer: theirs }, `${reseller.plan.username}-1`),
      () => send('{"package_id": 1, "customer": '),
      () => asReseller(reseller, 'GET', '/orders/404'),
      () => asReseller(reseller, 'GET', '/order'),
      () => asReseller(reseller, 'DELETE', '/orders'),
      () => asReseller({ ...reseller, key: 'YOUR_API_KEY' }, 'GET', '/balance'),
    ];
    await random.pick(mistakes)();
  }

  async function read(reseller: Reseller): Promise<void> {
    const { customers } = reseller;
    const customer = customers.length === 0 ? undefined : random.pick(customers);
    const paths = ['/balance', '/balance', '/packages', '/orders?limit=100', '/customers?limit=100'];
    if (customer !== undefined) paths.push(`/customers/${customer.id}`, `/orders/${customer.orderId}`);
    await asReseller(reseller, 'GET', random.pick(paths));
  }

  async function preparePackages(): Promise<void> {
    const { data } = await asAdministrator('GET', '/packages');
    for (const one of Array.isArray(data) ? data : []) packages.set(String(one['name']), Number(one['id']));
    const made = await asAdministrator('POST', '/packages', classicPackage);
    packages.set(classicPackage.name, Number(objectIn(made, 'package')['id']));
  }

  async function createReseller(plan: ResellerPlan): Promise<void> {
    const made = await asAdministrator('POST', '/accounts', {
      username: plan.username,
      display_name: plan.displayName,
      group: plan.group,
      ...(plan.rateLimitPerMinute !== undefined && { rate_limit_per_minute: plan.rateLimitPerMinute }),
      ...(plan.allowedIps !== undefined && { allowed_ips: plan.allowedIps }),
    });
    const reseller: Reseller = {
      plan,
      id: Number(objectIn(made, 'account')['id']),
      key: String(made['api_key']),
      orderCount: 0,
      topUpIsUnderWay: false,
      customers: [],
    };
    resellers.push(reseller);
    const generated = String(made['password']);
    const choose = await inPanel(reseller, generated);
    await choose('/password', { current_password: generated, new_password: password });
    await topUp(reseller);
  }

  async function act({ method, path, body }: (typeof administratorsActs)[number]): Promise<void> {
    const filled = path.replace(/\{(.+?)\}/, (_all, name: string) => {
      const reseller = resellers.find(({ plan }) => plan.username === name);
      return String(reseller?.id ?? packageId(name));
    });
    const answer = await asAdministrator(method, filled, body);
    const reseller = resellers.find(({ id }) => filled === `/accounts/${id}/api-key`);
    if (reseller === undefined) return;
    const old = reseller.key;
    reseller.key = String(answer['api_key']);
    // The reseller's nightly program still uses the old key, so it is refused.
    for (const _ of [1, 2, 3]) await asReseller({ ...reseller, key: old }, 'GET', '/balance');
  }

  async function usePanel(reseller: Reseller): Promise<void> {
    const post = await inPanel(reseller);
    await post('/api-key/reveal', { password });
    if (reseller.plan.username !== 'pixelforge') return;
    const { secret } = await post('/totp', { password });
    const code = new TOTP({ secret: Secret.fromBase32(String(secret)) }).generate({
      timestamp: clock * 1000,
    });
    await post('/totp/confirm', { code });
  }

  async function hurry(reseller: Reseller): Promise<void> {
    for (let count = 0; count < 68; count += 1) await asReseller(reseller, 'GET', '/balance');
  }

  async function orderTooMuch(reseller: Reseller): Promise<void> {
    const body = { package_id: packageId('Agency'), customer: people.next().reference, months: 12 };
    await asReseller(reseller, 'POST', '/orders', { body });
  }

  async function suspendOne(reseller: Reseller): Promise<void> {
    if (reseller.customers.length === 0) return;
    const { id } = random.pick(reseller.customers);
    await asAdministrator('PATCH', `/customers/${id}`, { status: 'suspended' });
  }

  const resellerNamed = (username: string): Reseller => {
    const found = resellers.find(({ plan }) => plan.username === username);
    if (found === undefined) throw new Error(`The demo has no reseller "${username}".`);
    return found;
  };

  function planStory(): void {
    const on = (daysAgo: number, second: number, step: Step) => planOn(today - daysAgo, second, step);
    for (const plan of resellerPlans) on(plan.sinceDaysAgo, 25_000, () => createReseller(plan));
    on(classicRetiredDaysAgo, 30_000, async () => {
      await asAdministrator('PATCH', `/packages/${packageId('Classic')}`, { retired: true });
    });
    for (const one of administratorsActs) on(one.daysAgo, 36_000 + one.daysAgo * 97, () => act(one));
    for (const [index, username] of ['brightline', 'nordlicht', 'cobalt.social', 'pixelforge'].entries()) {
      on(11 - index, 33_000 + index * 411, () => usePanel(resellerNamed(username)));
    }
    for (const daysAgo of [8, 3]) on(daysAgo, 47_300, () => orderTooMuch(resellerNamed('lumen')));
    on(2, 8_100, () => hurry(resellerNamed('pixelforge')));
    on(4, 40_100, () => suspendOne(resellerNamed('brightline')));
    on(1, 51_000, () => suspendOne(resellerNamed('nordlicht')));
    on(1, 62_000, async () => {
      await asReseller(resellerNamed('nordlicht'), 'GET', '/balance', { from: '192.0.2.7' });
    });
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
      if (daysAgo > requestDays) continue;
      for (let count = some(readsPerDay * share); count > 0; count -= 1) {
        planOn(day, random.below(daySeconds), () => read(reseller));
      }
    }
    const busy = resellers.filter(({ plan }) => plan.customersPerDay > 0);
    if (busy.length === 0) return;
    if (chance(daysAgo > fullMonthDays ? 6 : 45)) {
      planOn(day, workingSecond(), () => giveTrial(random.pick(busy)));
    }
    if (daysAgo > fullMonthDays) return;
    for (let count = some(3); count > 0; count -= 1) {
      planOn(day, workingSecond(), () => makeMistake(random.pick(busy)));
    }
  }

  function moveClock(to: number): void {
    clock = Math.max(clock, to);
    setClock(clock);
  }

  moveClock((today - yearDays) * daySeconds + 21_600);
  await preparePackages();
  planStory();
  for (let day = today - yearDays; day <= today; day += 1) {
    planDay(day);
    const steps = (agenda.get(day) ?? []).sort((one, other) => one.second - other.second);
    agenda.delete(day);
    for (const { second, step } of steps) {
      if (day * daySeconds + second >= until) break;
      moveClock(day * daySeconds + second);
      await step();
    }
    if (day % 30 === 0)
      say(`  ${new Date(day * daySeconds * 1000).toISOString().slice(0, 10)}: ${orders} orders\n`);
  }
  moveClock(until);
  return orders;
}
