// The proof that no order is lost or doubled when the service is killed: a supervisor kills -9 the
// process at random instants and at named points, under load from clients that repeat an order with its
// key until they are answered; and after every restart the books are added up. At the end the journal of
// what the clients saw is held against what the service knows.
// Called by test/kill.test.ts (short) and long-kill.ts (hundreds of kills).

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { mintApiKey } from '../../src/accounts/api-key.ts';
import { type Answer, createApiClient } from '../harness/api-client.ts';
import { type CrashPoint, crashPoints } from './crash-points.ts';
import { createRandom } from './random.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

export interface KillProofOptions {
  /** DATA_DIR or DATABASE_URL. */
  readonly environment: Readonly<Record<string, string>>;
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (done: number, point: string) => void;
}

export interface KillReport {
  readonly kills: number;
  readonly killsByPoint: Readonly<Record<string, number>>;
  readonly ordersAcknowledged: number;
  /** Answered only after at least one attempt whose outcome the client could not know. */
  readonly ordersAfterUnknown: number;
}

interface Acknowledged {
  readonly key: string;
  readonly orderId: number;
  readonly balance: string;
}

const clientCount = 8;
const preload = new URL('./crash-points.ts', import.meta.url);

export async function runKillProof({
  environment,
  kills,
  seed,
  onKill,
}: KillProofOptions): Promise<KillReport> {
  const random = createRandom(seed);
  const adminKey = mintApiKey();
  const base = {
    PORT: '0',
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    ...environment,
  };
  let service: ServiceProcess = await startServiceProcess({ environment: base });
  const { accounts, packageIds } = await prepare(service.address, adminKey);

  let isOver = false;
  let ordersAfterUnknown = 0;
  const journal = new Map<number, Acknowledged[]>(accounts.map(({ id }) => [id, []]));

  /** One client: one order after another, each repeated with its key until it is answered. */
  async function runClient(number: number): Promise<void> {
    const own = createRandom(seed * 1_000 + number);
    const account = own.pick(accounts);
    const acknowledged = journal.get(account.id) ?? [];
    for (let count = 1; !isOver; count += 1) {
      const key = `client-${number}-${count}`;
      const body = {
        package_id: own.pick(packageIds),
        // Few customers: renewals, changes and refunds, not only activations.
        customer: `customer-${account.id}-${own.below(20)}`,
        months: own.pick([1, 3, 12]),
      };
      let unknown = 0;
      for (;;) {
        const answer = await attempt(account.key, body, key);
        if (answer === null) {
          unknown += 1;
          await pause(20);
          continue;
        }
        if (answer.status === 503) {
          await pause(20);
          continue;
        }
        if (answer.status === 422 && answer.body.error.details.reason === 'term_too_long') break;
        assert.equal(answer.status, 201, `order ${key}: ${answer.text}`);
        acknowledged.push({ key, orderId: answer.body.order.id, balance: answer.body.balance });
        if (unknown > 0) ordersAfterUnknown += 1;
        break;
      }
    }
  }

  /** null: the outcome is unknown. */
  async function attempt(key: string, body: object, idempotencyKey: string): Promise<Answer | null> {
    try {
      return await createApiClient(service.address, key).post('/orders', body, {
        'idempotency-key': idempotencyKey,
      });
    } catch {
      return null;
    }
  }

  const killsByPoint: Record<string, number> = {};
  let clients: Promise<unknown> | null = null;
  for (let done = 0; done < kills; done += 1) {
    const point: CrashPoint | 'random instant' = random.pick([...crashPoints, 'random instant']);
    const crash =
      point === 'random instant' ? {} : { CRASH_POINT: point, CRASH_AT: String(1 + random.below(30)) };
    service.kill('SIGKILL');
    await service.gone;
    service = await startServiceProcess({ environment: { ...base, ...crash }, preload });
    // What the kill before this one left behind.
    await expectContent(service.address, adminKey);
    clients ??= Promise.all(Array.from({ length: clientCount }, (_, number) => runClient(number)));
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
  service = await startServiceProcess({ environment: base });
  isOver = true;
  await clients;
  await expectContent(service.address, adminKey);
  const ordersAcknowledged = await compare(service.address, adminKey, journal);
  service.kill('SIGTERM');
  const { code } = await service.gone;
  assert.equal(code, 0, 'the last process ends cleanly');
  return { kills, killsByPoint, ordersAcknowledged, ordersAfterUnknown };
}

async function prepare(address: string, adminKey: string) {
  const admin = createApiClient(address, adminKey);
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const packageIds: number[] = [];
  for (const [name, cents] of [
    ['One', 100],
    ['Two', 333],
  ] as const) {
    const prices = { monthly: `${cents}.01`, quarterly: `${cents * 2}.02`, yearly: `${cents * 5}.05` };
    const answer = await admin.post('/api/admin/v1/packages', {
      name,
      limits,
      prices: { reseller: prices, distributor: prices },
    });
    packageIds.push(answer.body.package.id);
  }
  const accounts: { id: number; key: string }[] = [];
  for (const username of ['first', 'second', 'third']) {
    const answer = await admin.post('/api/admin/v1/accounts', {
      username,
      group: 'reseller',
      rate_limit_per_minute: 1_000_000,
    });
    assert.equal(answer.status, 201, answer.text);
    const { id } = answer.body.account;
    await admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount: '900000000.00' });
    accounts.push({ id, key: answer.body.api_key });
  }
  return { accounts, packageIds };
}

async function expectContent(address: string, adminKey: string): Promise<void> {
  const { status, body, text } = await createApiClient(address, adminKey).get('/api/admin/v1/verify');
  assert.equal(status, 200, text);
  assert.deepEqual(body.problems, []);
}

/** Every acknowledged order stands once, with the balance that was shown; and no other order stands. */
async function compare(
  address: string,
  adminKey: string,
  journal: ReadonlyMap<number, readonly Acknowledged[]>,
): Promise<number> {
  const admin = createApiClient(address, adminKey);
  let count = 0;
  for (const [accountId, acknowledged] of journal) {
    const orders = await readAll(admin, `/api/admin/v1/accounts/${accountId}/orders`);
    const entries = await readAll(admin, `/api/admin/v1/accounts/${accountId}/ledger`);
    const idOfKey = new Map(orders.map((order) => [String(order['idempotency_key']), order['id']]));
    assert.equal(idOfKey.size, orders.length, 'no key stands for two orders');
    const balanceOfOrder = new Map(
      entries
        .filter(({ kind }) => kind === 'charge')
        .map((entry) => [entry['order_id'], entry['balance_after']]),
    );
    for (const { key, orderId, balance } of acknowledged) {
      assert.equal(idOfKey.get(key), orderId, `the acknowledged order ${key} stands`);
      assert.equal(balanceOfOrder.get(orderId), balance, `the balance shown for ${key} is its entry's`);
    }
    // Every client repeated until it was answered: an order that nobody saw acknowledged was doubled or made up.
    assert.equal(orders.length, acknowledged.length, 'no order stands that was not acknowledged');
    count += orders.length;
  }
  return count;
}

async function readAll(
  admin: ReturnType<typeof createApiClient>,
  path: string,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await admin.get(`${path}?limit=100&page=${page}`);
    if (body.data.length === 0) return rows;
    rows.push(...body.data);
  }
}
