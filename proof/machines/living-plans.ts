// Plans while their service is killed: some renew again and again (fast-clock.ts), others are canceled. Finally there must
// be one renewal for each end and one refund for each cancel. Part of kill-proof.ts.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { readAll } from './journal.ts';
import type { Journal, Shop } from './kill-proof.ts';

interface RenewingPlan {
  readonly accountId: number;
  readonly apiKey: string;
  readonly customerId: number;
  readonly hoursBefore: number;
}

interface Cancelled {
  readonly key: string;
  readonly refund: string;
  readonly balance: string;
}

export interface LivingPlans {
  finish(): Promise<void>;
  settle(address: string, now: number): Promise<void>;
  check(admin: Pick<ApiClient, 'get'>): Promise<LivingPlansReport>;
}

export interface LivingPlansReport {
  readonly renewals: number;
  readonly cancels: number;
}

interface LivingPlansOptions {
  readonly shop: Shop;
  readonly seed: number;
  readonly journal: Journal;
  readonly address: () => string;
}

const renewingPerAccount = 5;
// Most of these plans renew before their end. With 720 hours, a plan is due again at once after a month of 28 days.
const hoursBefore = [720, 720, 240, 24, 1];
const cancelledPerAccount = 3;
const restMilliseconds = 100;
const patienceMilliseconds = 60_000;

export function mustLive(reference: string): boolean {
  return /^(?:renewing|cancelled)-/.test(reference);
}

/** The service may be killed only after this has resolved. */
export async function startLivingPlans({
  shop,
  seed,
  journal,
  address,
}: LivingPlansOptions): Promise<LivingPlans> {
  const packageId = shop.packageIds[0] ?? 0;
  const cancelled = new Map<number, Cancelled[]>(shop.accounts.map(({ id }) => [id, []]));
  const renewing: RenewingPlan[] = [];
  let endsAt: number | null = null;

  async function untilAnswered(
    apiKey: string,
    key: string,
    send: (client: ApiClient) => Promise<Answer>,
  ): Promise<Answer> {
    for (;;) {
      const answer = await send(createApiClient(address(), apiKey)).catch(() => null);
      // While an order is pending, the customer has no other changes.
      const isLater = answer === null || answer.status === 503 || isPending(answer);
      if (!isLater) return answer;
      if (endsAt !== null && performance.now() > endsAt) throw new Error(`${key} was never answered.`);
      await pause(restMilliseconds);
    }
  }

  async function order(account: Shop['accounts'][number], key: string, customer: string, months: 1 | 12) {
    const body = { package_id: packageId, customer, months };
    const answer = await untilAnswered(account.key, key, (client) =>
      client.post('/orders', body, { 'idempotency-key': key }),
    );
    // If no cancel was in time, the order extends the plan, but at most ten years ahead.
    if (answer.status === 422 && answer.body.error.details.reason === 'term_too_long') return null;
    assert.equal(answer.status, 201, `order ${key}: ${answer.text}`);
    const { order: placed, balance } = answer.body;
    journal.get(account.id)?.push({ key, orderId: placed.id, balance });
    return Number(placed.customer.id);
  }

  async function beginRenewing(account: Shop['accounts'][number], index: number): Promise<void> {
    const name = `renewing-${account.id}-${index}`;
    const hours = hoursBefore[index] ?? 24;
    const customerId = await order(account, name, name, 1);
    assert.ok(customerId !== null);
    const body = { months: 1, hours_before: hours };
    const set = await untilAnswered(account.key, name, (client) =>
      client.send('PUT', `/customers/${customerId}/auto-renew`, body, { 'idempotency-key': name }),
    );
    assert.equal(set.status, 200, set.text);
    renewing.push({ accountId: account.id, apiKey: account.key, customerId, hoursBefore: hours });
  }

  async function cancelOnAndOn(account: Shop['accounts'][number]): Promise<void> {
    const random = createRandom(seed * 1_000 + 500 + account.id);
    for (let count = 1; endsAt === null; count += 1) {
      const key = `cancelling-${account.id}-${count}`;
      const customer = `cancelled-${account.id}-${random.below(cancelledPerAccount)}`;
      const customerId = await order(account, key, customer, 12);
      if (customerId !== null) await cancel(account, key, customerId);
      await pause(restMilliseconds);
    }
  }

  async function cancel(account: Shop['accounts'][number], key: string, customerId: number): Promise<void> {
    const answer = await untilAnswered(account.key, key, (client) =>
      client.post(`/customers/${customerId}/cancel`, { at: 'now' }, { 'idempotency-key': key }),
    );
    // If the answer took a year of the fast clock, the plan has ended by itself.
    if (answer.status === 422 && answer.body.error.details.reason === 'plan_not_running') return;
    assert.equal(answer.status, 200, `cancel ${key}: ${answer.text}`);
    const { refund, balance } = answer.body;
    cancelled.get(account.id)?.push({ key, refund, balance });
  }

  await Promise.all(
    shop.accounts.flatMap((account) =>
      Array.from({ length: renewingPerAccount }, (_, index) => beginRenewing(account, index)),
    ),
  );
  const cancelling = Promise.all(shop.accounts.map(cancelOnAndOn));
  // This promise is awaited at the end. If it fails before that, the process must not end.
  cancelling.catch(() => undefined);
  return {
    async finish() {
      endsAt ??= performance.now() + patienceMilliseconds;
      await cancelling;
    },
    async settle(address, now) {
      const until = performance.now() + patienceMilliseconds;
      for (const { apiKey, customerId } of renewing) {
        for (;;) {
          const { body, text } = await createApiClient(address, apiKey).get(`/customers/${customerId}`);
          const nextAt = Date.parse(body.customer?.plan.auto_renew?.next_at);
          if (nextAt > now) break;
          assert.ok(performance.now() < until, `it is due, and is not renewed: ${text}`);
          await pause(restMilliseconds);
        }
      }
    },
    async check(admin) {
      let renewals = 0;
      for (const { id } of shop.accounts) {
        const orders = await readAll(admin, `/api/admin/v1/accounts/${id}/orders`);
        const entries = await readAll(admin, `/api/admin/v1/accounts/${id}/ledger`);
        renewals += checkRenewals(
          orders.toReversed(),
          renewing.filter(({ accountId }) => accountId === id),
        );
        checkRefunds(entries, cancelled.get(id) ?? []);
      }
      const cancels = [...cancelled.values()].reduce((sum, { length }) => sum + length, 0);
      return { renewals, cancels };
    },
  };
}

function isPending({ status, body }: Answer): boolean {
  return status === 422 && body.error.details.reason === 'order_pending';
}

type Rows = Awaited<ReturnType<typeof readAll>>;

/** A renewal must be placed after the customer's last order became due. An earlier one would be a duplicate. */
function checkRenewals(oldestFirst: Rows, plans: readonly RenewingPlan[]): number {
  let renewals = 0;
  for (const { customerId, hoursBefore: hours } of plans) {
    let dueAt: number | null = null;
    for (const order of oldestFirst) {
      if (customerIdOf(order) !== customerId) continue;
      const { created_at: createdAt, expires_at: expiresAt } = order;
      if (dueAt !== null) {
        assert.match(String(order['idempotency_key']), /^auto_/);
        assert.ok(
          Date.parse(String(createdAt)) >= dueAt,
          `two renewals for one end: ${JSON.stringify(order)}`,
        );
        renewals += 1;
      }
      dueAt = Date.parse(String(expiresAt)) - hours * 3_600_000;
    }
  }
  const automatic = oldestFirst.filter(({ idempotency_key: key }) => String(key).startsWith('auto_'));
  assert.equal(automatic.length, renewals, 'nothing else renewed itself');
  return renewals;
}

/** Refunds without an order must equal those in the cancels' answers, once each. */
function checkRefunds(entries: Rows, cancels: readonly Cancelled[]): void {
  const given = entries.filter(({ kind, order_id: orderId }) => kind === 'refund' && orderId === null);
  const said = (refund: unknown, balance: unknown) => `${refund} to ${balance}`;
  assert.deepEqual(
    given.map(({ amount, balance_after: balance }) => said(amount, balance)).toSorted(),
    cancels
      .filter(({ refund }) => refund !== '0.00')
      .map(({ refund, balance }) => said(refund, balance))
      .toSorted(),
    'each cancel is paid once, and no other',
  );
}

function customerIdOf({ customer }: Rows[number]): unknown {
  return typeof customer === 'object' && customer !== null && 'id' in customer ? customer.id : null;
}
