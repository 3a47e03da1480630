// Plays the product and its operator while the service is killed. In mode confirm, the product randomly accepts orders,
// refuses, breaks, stays silent, loses answers and goes away. The operator settles orders that wait too long.
// Invariant: each order has the product's decision, and each customer's last accepted call equals the entitlement.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { createEntitlementCopy } from './entitlement-copy.ts';
import { readAll } from './journal.ts';
import type { Shop } from './kill-proof.ts';
import { mustLive } from './living-plans.ts';
import { type SignedAnswer, type SignedRequest, startSignedServer } from './signed-server.ts';

export interface UnreliableProduct {
  settle(address: string): Promise<void>;
  check(address: string): Promise<UnreliableProductReport>;
  close(): Promise<void>;
}

export interface UnreliableProductReport {
  readonly completed: number;
  readonly failed: number;
  readonly settledByHand: number;
  readonly calls: number;
  readonly entitlements: number;
  readonly problems: readonly string[];
}

interface UnreliableProductOptions {
  readonly shop: Shop;
  readonly adminKey: string;
  readonly seed: number;
  readonly address: () => string;
}

interface Question {
  readonly ids: Set<string>;
  readonly bodies: Set<string>;
  decision: 'taken' | 'refused' | null;
  isAnswered: boolean;
  isByHand: boolean;
}

const orderTypes = ['plan.activate', 'plan.renew', 'plan.change'];
const problemsMax = 10;
const attentionMilliseconds = 150;
const pollMilliseconds = 100;
const patienceMilliseconds = 60_000;
const awayMillisecondsMax = 200;

export async function startUnreliableProduct({
  shop,
  adminKey,
  seed,
  address,
}: UnreliableProductOptions): Promise<UnreliableProduct> {
  const random = createRandom(seed * 1_000 + 900);
  const questions = new Map<number, Question>();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  let isUnreliable = true;
  let isOver = false;
  let calls = 0;
  const copy = createEntitlementCopy();
  const bodies = new Map<string, string>();
  const changed: string[] = [];

  function receive({ id, body }: SignedRequest): SignedAnswer {
    calls += 1;
    const { type, data } = JSON.parse(body);
    if ((bodies.get(id) ?? body) !== body && changed.length < problemsMax)
      changed.push(`The call ${id} was ${bodies.get(id)} at first, and then ${body}.`);
    bodies.set(id, body);
    const take = () => copy.take(id, data.customer.reference, data);
    if (data.order_id === null || !orderTypes.includes(type)) {
      if (isUnreliable && random.below(10) === 0) return { status: 500 };
      take();
      return isUnreliable && random.below(10) === 0 ? null : { status: 204 };
    }
    const question = questionOf(data.order_id);
    question.ids.add(id);
    question.bodies.add(body);
    const mood = isUnreliable ? random.below(100) : 100;
    if (mood < 12) return { status: random.pick([302, 404, 429, 500, 503]) };
    if (mood < 20) return null;
    if (mood < 22) void server.goAway(random.below(awayMillisecondsMax));
    const refuses = mood < 45 && !mustLive(data.customer.reference);
    question.decision ??= refuses ? 'refused' : 'taken';
    if (question.decision === 'taken') take();
    if (mood >= 20 && mood < 28) return null;
    question.isAnswered = true;
    return question.decision === 'taken'
      ? { status: 204 }
      : { status: 422, body: '{"reason":"No seats left"}' };
  }

  function questionOf(orderId: number): Question {
    const known = questions.get(orderId);
    if (known !== undefined) return known;
    const made = { ids: new Set<string>(), bodies: new Set<string>() };
    const question = { ...made, decision: null, isAnswered: false, isByHand: false };
    questions.set(orderId, question);
    return question;
  }

  /** Repeatedly settles orders that need attention. There are many, because a day passes in a tenth of a second. */
  async function decideByHand(): Promise<void> {
    while (!isOver) {
      const admin = createApiClient(address(), adminKey);
      const list = await admin.get('/api/admin/v1/orders/attention').catch(() => null);
      for (const { order } of list?.status === 200 ? list.body.data : []) {
        const question = questionOf(order.id);
        question.decision ??= mustLive(order.customer.reference) ? 'taken' : 'refused';
        question.isByHand = true;
        if (question.decision === 'taken') giveByHand(question, order.customer.reference);
        const [action, body] =
          question.decision === 'taken' ? ['accept', {}] : ['fail', { reason: 'Not in our books' }];
        const answer = await admin.post(`/api/admin/v1/orders/${order.id}/${action}`, body).catch(() => null);
        if (answer !== null && answer.status !== 503) assert.equal(answer.status, 200, answer.text);
      }
      await pause(attentionMilliseconds);
    }
  }

  /** Gives the customer the plan of the order's call. If no call arrived, the plan is unknown. */
  function giveByHand({ ids, bodies: asked }: Question, reference: string): void {
    const [[id], [body]] = [[...ids], [...asked]];
    if (id === undefined || body === undefined) copy.forget(reference);
    else copy.take(id, reference, JSON.parse(body).data);
  }

  /** Sends all open calls again, even those postponed beyond the clock's last time. @returns true if no call was open */
  async function sendWaiting(admin: ApiClient): Promise<boolean> {
    const lists = [];
    for (const status of ['attention', 'waiting'])
      lists.push(await admin.get(`/api/admin/v1/product-calls?status=${status}&limit=100`));
    for (const { status, text } of lists) assert.equal(status, 200, text);
    const open = lists.flatMap(({ body: list }) => list.data);
    for (const { id } of open) {
      const sent = await admin.post(`/api/admin/v1/product-calls/${id}/send`, {});
      assert.ok([200, 404, 503].includes(sent.status), sent.text);
    }
    return open.length === 0;
  }

  const server = await startSignedServer((path) => (path === '/product' ? secret : null), receive);
  const body = { mode: 'confirm', url: `${server.address}/product`, secret };
  const set = await createApiClient(address(), adminKey).send('PUT', '/api/admin/v1/product', body);
  assert.equal(set.status, 200, set.text);
  await copy.begin(createApiClient(address(), adminKey));
  // Orders that were completed before the product was connected, so that it was never asked about them.
  const placedBefore = new Set<number>();
  for (const account of shop.accounts) {
    for (const [id, status] of await statusesNow(createApiClient(address(), account.key))) {
      if (status === 'completed' && !questions.has(id)) placedBefore.add(id);
    }
  }
  const deciding = decideByHand();
  // This promise is awaited at the end. If it fails before that, the process must not end.
  deciding.catch(() => undefined);

  return {
    async settle(current) {
      isUnreliable = false;
      const until = performance.now() + patienceMilliseconds;
      for (const account of shop.accounts) {
        const client = createApiClient(current, account.key);
        for (const [id, status] of await statusesNow(client)) {
          if (status === 'pending') await settled(client, id, until);
        }
      }
      while (!(await sendWaiting(createApiClient(current, adminKey)))) {
        assert.ok(performance.now() < until, 'the product answers, and calls wait');
        await pause(pollMilliseconds);
      }
    },
    async check(current) {
      isOver = true;
      await deciding;
      const admin = createApiClient(current, adminKey);
      const problems = [...server.forged, ...changed];
      const counts = { completed: 0, failed: 0, settledByHand: 0, calls };
      // The ends of the last plans may be recorded only now.
      const until = performance.now() + patienceMilliseconds;
      let last = await copy.problems(admin);
      while (last.problems.length > 0 && performance.now() < until) {
        await pause(pollMilliseconds);
        last = await copy.problems(admin);
      }
      problems.push(...last.problems.slice(0, problemsMax));
      for (const { id: accountId } of shop.accounts) {
        for (const { id, status } of await readAll(admin, `/api/admin/v1/accounts/${accountId}/orders`)) {
          if (placedBefore.has(Number(id))) continue;
          const question = questionOf(Number(id));
          const problem = problemOf(question, status);
          if (problem !== null && problems.length < problemsMax) problems.push(`The order ${id} ${problem}.`);
          if (status === 'completed' || status === 'failed') counts[status] += 1;
          if (question.isByHand) counts.settledByHand += 1;
        }
      }
      return { ...counts, entitlements: last.compared, problems };
    },
    close() {
      isOver = true;
      return server.close();
    },
  };
}

/** By order id. The list is newest first: orders placed meanwhile shift others to later pages, so none is missed. */
async function statusesNow(client: ApiClient): Promise<Map<number, unknown>> {
  const statuses = new Map<number, unknown>();
  for (let page = 1; ; page += 1) {
    const { body, text }: Answer = await client.get(`/orders?limit=100&page=${page}`);
    assert.ok(Array.isArray(body?.data), text);
    if (body.data.length === 0) return statuses;
    for (const { id, status } of body.data) statuses.set(Number(id), status);
  }
}

async function settled(client: ApiClient, orderId: number, until: number): Promise<void> {
  for (;;) {
    const { status, body, text }: Answer = await client.get(`/orders/${orderId}`);
    if (status === 200 && body.order.status !== 'pending') return;
    assert.ok(performance.now() < until, `the product answers, and the order waits: ${text}`);
    await pause(pollMilliseconds);
  }
}

function problemOf(
  { ids, bodies, decision, isAnswered, isByHand }: Question,
  status: unknown,
): string | null {
  if (ids.size > 1) return `was asked about by several ids: ${[...ids].join(', ')}`;
  if (bodies.size > 1) return `was asked about in several ways: ${[...bodies].join(', ')}`;
  const wanted = decision === 'taken' ? 'completed' : 'failed';
  if (decision === null || status !== wanted) return `is ${status}, and the product's word is ${decision}`;
  return isAnswered || isByHand ? null : `is ${status}, and the product never said so`;
}
