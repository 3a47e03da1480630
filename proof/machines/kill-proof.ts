// Proves that kills neither lose nor double orders: kills the process (-9) at random instants and named points while clients
// repeat each order until answered; audits after every restart, and compares the journals finally.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { startDeliveryWitness } from './delivery-witness.ts';
import { fastTime } from './fast-clock.ts';
import { startHeldPlans } from './held-plans.ts';
import { readAll } from './journal.ts';
import { startLivingPlans } from './living-plans.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { settlementProblems } from './settled-orders.ts';
import { startUnreliableProduct } from './unreliable-product.ts';

export interface KillProofOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly kills: number;
  readonly points?: readonly CrashPoint[];
  readonly seed: number;
  /** Fewer orders between kills, because each audit reads all of them, and no random instants. */
  readonly isShort?: boolean;
  readonly confirms?: boolean;
  readonly onKill?: (done: number, point: string) => void;
}

export interface KillReport {
  readonly kills: number;
  readonly killsByPoint: Readonly<Record<string, number>>;
  readonly ordersAcknowledged: number;
  readonly ordersAfterUnknown: number;
  readonly renewals: number;
  readonly cancels: number;
  readonly changes: number;
  readonly events: number;
  readonly deliveries: number;
  readonly repeats: number;
  readonly completed?: number;
  readonly failed?: number;
  readonly settledByHand?: number;
  readonly calls?: number;
  readonly entitlements?: number;
}

type KillMoment = CrashPoint | 'random instant';

const clientCount = 8;
const clientCountShort = 4;
const restMillisecondsShort = 60;
/** More orders than a bulk submits in one window, so that a kill can fall between two windows. */
const ordersInBulk = 110;
const ordersInBulkShort = 12;
const bulkEvery = 8;
const preloads = ['fast-clock', 'quick-jobs', 'crash-points'].map((name) => `proof/machines/${name}.ts`);

export async function runKillProof(options: KillProofOptions): Promise<KillReport> {
  const endings: (() => unknown)[] = [];
  try {
    return await killAgainAndAgain(options, endings);
  } finally {
    for (const end of endings) await end();
  }
}

async function killAgainAndAgain(
  {
    environment,
    kills,
    points = crashPoints,
    seed,
    isShort = false,
    confirms = false,
    onKill,
  }: KillProofOptions,
  endings: (() => unknown)[],
): Promise<KillReport> {
  const random = createRandom(seed);
  const adminKey = mintApiKey('live');
  const beganAt = Date.now();
  const base = {
    PORT: '0',
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    FAST_CLOCK_BEGAN: String(beganAt),
    ...environment,
  };
  const endAt = (moment: KillMoment) =>
    moment === 'random instant'
      ? base
      : { ...base, CRASH_POINT: moment, CRASH_AT: String(1 + random.below(isShort ? 10 : 30)) };
  const moments: readonly KillMoment[] = isShort ? points : [...points, 'random instant'];
  let deck = [...moments];
  const draw = (): KillMoment => {
    // Draws each moment once before repeating, so that few kills cover all.
    if (deck.length === 0) deck = [...moments];
    return deck.splice(random.below(deck.length), 1)[0] ?? 'random instant';
  };
  let point = draw();
  let service: ServiceProcess = await startServiceProcess({ environment: endAt(point), preloads });
  endings.push(() => service.kill('SIGKILL'));
  const shop = await openShop(service.address, adminKey);
  const witness = await startDeliveryWitness({
    ...{ shop, address: service.address, adminKey, seed },
    refusesEvery: 50,
  });
  endings.push(witness.close);
  const killsByPoint: Record<string, number> = {};
  let clients: RetryingClients | null = null;
  // Clients keep using the previous process's address until the next process is audited, because orders slow the audit down.
  let address = service.address;
  const journal = emptyJournal(shop);
  const plans = await startLivingPlans({ shop, seed, journal, address: () => address });
  const product = confirms
    ? await startUnreliableProduct({ shop, adminKey, seed, address: () => address })
    : null;
  if (product !== null) endings.push(product.close);
  const held = startHeldPlans({
    ...{ shop, adminKey, seed, address: () => address },
    ...(isShort ? { restMilliseconds: restMillisecondsShort } : {}),
  });
  endings.push(held.stop);
  for (let done = 0; done < kills; done += 1) {
    if (done > 0) {
      point = draw();
      service = await startServiceProcess({ environment: endAt(point), preloads });
    }
    await expectContent(service.address, adminKey);
    address = service.address;
    clients ??= startRetryingClients({
      shop,
      seed,
      journal,
      clientCount: isShort ? clientCountShort : clientCount,
      customersPerAccount: 20,
      // A starting process does not answer, and requests slow it down.
      retryMilliseconds: 100,
      restMilliseconds: isShort ? restMillisecondsShort : 0,
      ordersInBulk: isShort ? ordersInBulkShort : ordersInBulk,
      address: () => address,
      onAttempt({ key, answer }) {
        if (answer === null || answer.status === 503 || isRefusedForGood(answer)) return;
        assert.equal(answer.status, 201, `order ${key}: ${answer.text}`);
      },
    });
    if (point === 'random instant') {
      await pause(random.below(250));
      service.kill('SIGKILL');
    } else {
      service.kill('SIGUSR2');
    }
    await service.gone;
    killsByPoint[point] = (killsByPoint[point] ?? 0) + 1;
    onKill?.(done + 1, point);
  }
  service = await startServiceProcess({ environment: base, preloads });
  address = service.address;
  assert.ok(clients, 'a proof needs at least one kill');
  await Promise.all([clients.finish(), plans.finish()]);
  const changes = await held.finish();
  await witness.calmDown(address);
  await product?.settle(address);
  service.kill('SIGKILL');
  await service.gone;
  const stopsAt = Date.now();
  const stopped = { ...base, FAST_CLOCK_STOPS: String(stopsAt) };
  service = await startServiceProcess({ environment: stopped, preloads });
  address = service.address;
  await plans.settle(address, fastTime(beganAt, stopsAt));
  await product?.settle(address);
  await expectContent(service.address, adminKey);
  const { orders, lost, doubled } = await compareBooks(service.address, adminKey, journal);
  assert.deepEqual(lost, [], 'every acknowledged order stands as it was shown');
  assert.deepEqual(doubled, [], 'no order stands that was not acknowledged');
  const { renewals, cancels } = await plans.check(createApiClient(service.address, adminKey));
  const { problems: missed, ...deliveries } = await witness.check(service.address, adminKey);
  assert.deepEqual(missed, [], 'every committed event arrived, in order, and no other event');
  const { problems: askedWrong = [], ...asked } = (await product?.check(service.address)) ?? {};
  assert.deepEqual(askedWrong, [], 'orders are what the product said, entitlements what it was last sent');
  service.kill('SIGTERM');
  const { code } = await service.gone;
  assert.equal(code, 0, 'the last process ends cleanly');
  return {
    kills,
    killsByPoint,
    ordersAcknowledged: orders,
    ordersAfterUnknown: clients.ordersAfterUnknown(),
    renewals,
    cancels,
    changes,
    ...deliveries,
    ...asked,
  };
}

async function expectContent(address: string, adminKey: string): Promise<void> {
  const until = performance.now() + patienceMilliseconds;
  const audit = () => createApiClient(address, adminKey).get('/api/admin/v1/verify');
  let { status, body, text } = await audit();
  // On a busy machine an audit may take longer than a request may.
  while (status === 503 && performance.now() < until) ({ status, body, text } = await audit());
  assert.equal(status, 200, text);
  assert.deepEqual(body.problems, []);
}

export interface Shop {
  readonly accounts: readonly { readonly id: number; readonly key: string }[];
  readonly packageIds: readonly number[];
}

interface Acknowledged {
  readonly key: string;
  readonly orderId: number;
  readonly balance: string;
}

export type Journal = ReadonlyMap<number, Acknowledged[]>;

export function emptyJournal({ accounts }: Shop): Journal {
  return new Map(accounts.map(({ id }) => [id, []]));
}

export interface Attempt {
  readonly accountId: number;
  readonly key: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer | null;
}

export interface RetryingClientsOptions {
  readonly shop: Shop;
  readonly seed: number;
  readonly journal?: Journal;
  readonly keyPrefix?: string;
  readonly retryMilliseconds?: number;
  readonly restMilliseconds?: number;
  readonly ordersInBulk?: number;
  readonly clientCount: number;
  readonly customersPerAccount: number;
  /** Asked before every request, because a restarted service may listen elsewhere. */
  readonly address: () => string;
  readonly onAttempt: (attempt: Attempt) => void;
}

export interface RetryingClients {
  readonly journal: Journal;
  ordersAfterUnknown(): number;
  finish(): Promise<void>;
}

const retryAfterMilliseconds = 20;
const patienceMilliseconds = 30_000;

export function startRetryingClients({
  shop,
  seed,
  journal = emptyJournal(shop),
  keyPrefix = 'client',
  retryMilliseconds = retryAfterMilliseconds,
  restMilliseconds = 0,
  ordersInBulk = 0,
  clientCount,
  customersPerAccount,
  address,
  onAttempt,
}: RetryingClientsOptions): RetryingClients {
  const { accounts, packageIds } = shop;
  let ordersAfterUnknown = 0;
  let endsAt: number | null = null;

  async function runClient(number: number): Promise<void> {
    const own = createRandom(seed * 1_000 + number);
    const account = accounts[number % accounts.length] ?? own.pick(accounts);
    const acknowledged = journal.get(account.id) ?? [];
    const draw = () => ({
      package_id: own.pick(packageIds),
      customer: `customer-${account.id}-${own.below(customersPerAccount)}`,
      months: own.pick([1, 3, 12]),
    });
    if (ordersInBulk > 0 && number % bulkEvery === 0) return runBulks(number, account, draw);
    for (let count = 1; endsAt === null; count += 1) {
      const key = `${keyPrefix}-${number}-${count}`;
      const body = draw();
      for (let unknown = 0; ; unknown += 1) {
        const sentAt = performance.now();
        const answer = await createApiClient(address(), account.key)
          .post('/orders', body, { 'idempotency-key': key })
          .catch(() => null);
        const answeredAt = performance.now();
        onAttempt({ accountId: account.id, key, sentAt, answeredAt, answer });
        if (answer !== null && isRefusedForGood(answer)) break;
        if (answer?.status === 201) {
          acknowledged.push({ key, orderId: answer.body.order.id, balance: answer.body.balance });
          if (unknown > 0) ordersAfterUnknown += 1;
          break;
        }
        if (endsAt !== null && answeredAt > endsAt) throw new Error(`The order ${key} was never answered.`);
        await pause(retryMilliseconds);
      }
      if (restMilliseconds > 0) await pause(restMilliseconds);
    }
  }

  /** The same for bulks, repeated until each order has a final answer. */
  async function runBulks(
    number: number,
    { id: accountId, key: apiKey }: Shop['accounts'][number],
    draw: () => object,
  ): Promise<void> {
    const acknowledged = journal.get(accountId) ?? [];
    for (let count = 1; endsAt === null; count += 1) {
      const orders = Array.from({ length: ordersInBulk }, (_nothing, place) => ({
        ...draw(),
        idempotency_key: `${keyPrefix}-${number}-${count}-${place}`,
      }));
      const answered = new Set<string>();
      const placed = new Set<string>();
      for (let unknown = 0; answered.size < orders.length; unknown += 1) {
        const sentAt = performance.now();
        const whole = await createApiClient(address(), apiKey)
          .post('/orders/bulk', { orders })
          .catch(() => null);
        const answeredAt = performance.now();
        if (whole?.status === 200) assert.equal(whole.body.results.length, orders.length, whole.text);
        for (const [place, { idempotency_key: key }] of orders.entries()) {
          const answer = answerIn(whole, place);
          onAttempt({ accountId, key, sentAt, answeredAt, answer });
          if (answer === null) continue;
          if (isRefusedForGood(answer)) answered.add(key);
          // An order that was refused before may be accepted now, because another client has changed the customer's plan.
          if (answer.status !== 201 || placed.has(key)) continue;
          answered.add(key);
          placed.add(key);
          acknowledged.push({ key, orderId: answer.body.order.id, balance: answer.body.balance });
          if (unknown > 0) ordersAfterUnknown += 1;
        }
        if (answered.size === orders.length) break;
        if (endsAt !== null && answeredAt > endsAt) throw new Error(`Bulk ${count} was never answered.`);
        await pause(retryMilliseconds);
      }
      if (restMilliseconds > 0) await pause(restMilliseconds);
    }
  }

  const running = Promise.all(Array.from({ length: clientCount }, (_, number) => runClient(number)));
  return {
    journal,
    ordersAfterUnknown: () => ordersAfterUnknown,
    async finish() {
      endsAt ??= performance.now() + patienceMilliseconds;
      await running;
    },
  };
}

function answerIn(whole: Answer | null, place: number): Answer | null {
  if (whole?.status !== 200) return whole;
  const body = whole.body.results[place];
  return { ...whole, status: body.status, body, text: JSON.stringify(body) };
}

/** Final refusals: a plan is paid too many years ahead, or another order of the customer is pending. */
export function isRefusedForGood({ status, body }: Answer): boolean {
  return status === 422 && ['term_too_long', 'order_pending'].includes(body.error.details.reason);
}

const attemptsMax = 50;

/** Retries after a 503, which the service answers before anything is broken if the machine stalls for seconds. */
async function patiently(send: (attempt: number) => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(attempt);
    if (answer.status === 503 && attempt < attemptsMax) {
      await pause(retryAfterMilliseconds);
      continue;
    }
    assert.equal(answer.status, 201, answer.text);
    return answer;
  }
}

export async function openShop(address: string, adminKey: string): Promise<Shop> {
  const admin = createApiClient(address, adminKey);
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const packageIds: number[] = [];
  for (const [name, cents] of [
    ['One', 100],
    ['Two', 333],
  ] as const) {
    const prices = { monthly: `${cents}.01`, quarterly: `${cents * 2}.02`, yearly: `${cents * 5}.05` };
    const answer = await patiently(() =>
      admin.post('/api/admin/v1/packages', {
        name,
        limits,
        prices: { reseller: prices, distributor: prices },
      }),
    );
    packageIds.push(answer.body.package.id);
  }
  const accounts: { id: number; key: string }[] = [];
  for (const username of ['first', 'second', 'third']) {
    const answer = await patiently((attempt) =>
      admin.post('/api/admin/v1/accounts', {
        username: `${username}-${attempt}`,
        group: 'reseller',
        rate_limit_per_minute: 1_000_000,
      }),
    );
    const { id } = answer.body.account;
    await patiently(() => admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount: '900000000.00' }));
    accounts.push({ id, key: answer.body.api_key });
  }
  return { accounts, packageIds };
}

export interface BooksReport {
  readonly orders: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** An order that was never acknowledged was doubled or made up. */
export async function compareBooks(
  address: string,
  adminKey: string,
  journal: Journal,
): Promise<BooksReport> {
  const client = createApiClient(address, adminKey);
  const admin = { get: (path: string) => untilTaken(() => client.get(path)) };
  const lost: string[] = [];
  const doubled: string[] = [];
  let count = 0;
  for (const [accountId, acknowledged] of journal) {
    const orders = await readAll(admin, `/api/admin/v1/accounts/${accountId}/orders`);
    const entries = await readAll(admin, `/api/admin/v1/accounts/${accountId}/ledger`);
    const idOfKey = new Map<string, unknown>();
    for (const order of orders) {
      const key = String(order['idempotency_key']);
      if (idOfKey.has(key)) doubled.push(`The key ${key} stands for two orders.`);
      idOfKey.set(key, order['id']);
    }
    doubled.push(...settlementProblems(orders, entries));
    // Entries are newest first, so the order's first charge remains. A later charge takes back the refund of a failed order.
    const balanceOfOrder = new Map<unknown, unknown>();
    for (const entry of entries)
      if (entry['kind'] === 'charge') balanceOfOrder.set(entry['order_id'], entry['balance_after']);
    const seen = new Set<string>();
    for (const { key, orderId, balance } of acknowledged) {
      seen.add(key);
      const id = idOfKey.get(key);
      const after = balanceOfOrder.get(orderId);
      if (id !== orderId)
        lost.push(`The key ${key} was answered with the order ${orderId} and stands for ${id}.`);
      else if (after !== balance)
        lost.push(`The order ${orderId} showed ${balance}, its entry says ${after}.`);
    }
    for (const key of idOfKey.keys()) {
      // living-plans.ts checks automatic renewals.
      if (key.startsWith('auto_')) continue;
      if (!seen.has(key)) doubled.push(`The order with the key ${key} stands and was never acknowledged.`);
    }
    count += orders.length;
  }
  return { orders: count, lost, doubled };
}

export async function untilTaken(request: () => Promise<Answer>): Promise<Answer> {
  const endsAt = performance.now() + patienceMilliseconds;
  for (;;) {
    const answer = await request();
    if (answer.status !== 503 || performance.now() > endsAt) return answer;
    await pause(retryAfterMilliseconds);
  }
}
