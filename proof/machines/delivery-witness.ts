// Receives the webhooks of a service that is killed or loses its database.
// Finally, each event of the feed has arrived and no other; first deliveries are in order; repeats are identical.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { type Row, readAll } from './journal.ts';
import type { Shop } from './kill-proof.ts';
import { type SignedRequest, startSignedServer } from './signed-server.ts';

export interface DeliveryWitness {
  calmDown(address: string): Promise<void>;
  check(address: string, adminKey: string): Promise<DeliveryReport>;
  close(): Promise<void>;
}

export interface DeliveryReport {
  readonly events: number;
  readonly deliveries: number;
  readonly repeats: number;
  readonly problems: readonly string[];
}

interface DeliveryWitnessOptions {
  readonly shop: Shop;
  readonly address: string;
  readonly adminKey: string;
  readonly seed: number;
  readonly refusesEvery?: number;
}

interface Endpoint {
  readonly account: Shop['accounts'][number] | null;
  readonly key: string;
  readonly place: string;
  readonly secret: string;
  readonly first: Map<string, SignedRequest>;
  readonly refused: Set<string>;
  readonly problems: string[];
  deliveries: number;
}

interface FeedEvent {
  readonly id: number;
  readonly type: string;
  readonly account_id: number;
  // biome-ignore lint/suspicious/noExplicitAny: data of every type
  readonly data: any;
}

const ordersOnly = ['order.completed', 'order.failed'];
const planTypes = ['plan.activated', 'plan.renewed', 'plan.changed'];
const problemsMax = 10;
const busyTriesMax = 100;
const pollMilliseconds = 50;
/** If nothing new arrives for this long, missing events count as lost. */
const patienceMilliseconds = 60_000;

/** Resolves when the endpoints exist, so that events of later orders are delivered. */
export async function startDeliveryWitness({
  shop,
  address,
  adminKey,
  seed,
  refusesEvery = 0,
}: DeliveryWitnessOptions): Promise<DeliveryWitness> {
  const random = createRandom(seed * 1_000 + 800);
  const endpoints = new Map<string, Endpoint>();
  let mayRefuse = refusesEvery > 0;
  let arrivedAt = performance.now();

  function receive(request: SignedRequest): number {
    const endpoint = endpoints.get(request.path);
    if (endpoint === undefined) return 404;
    endpoint.deliveries += 1;
    const known = endpoint.first.get(request.id);
    if (known === undefined) {
      endpoint.first.set(request.id, request);
      arrivedAt = performance.now();
    } else if (known.body !== request.body) {
      add(endpoint.problems, `${request.id} came again and was ${request.body}, not ${known.body}.`);
    }
    const isRefused = mayRefuse && random.below(refusesEvery) === 0;
    if (isRefused) endpoint.refused.add(request.id);
    else endpoint.refused.delete(request.id);
    return isRefused ? 500 : 204;
  }

  const server = await startSignedServer(
    (path) => endpoints.get(path)?.secret ?? null,
    (request) => ({ status: receive(request) }),
  );
  for (const account of [...shop.accounts, null]) {
    const path = account === null ? '/operator' : `/account/${account.id}`;
    const key = account?.key ?? adminKey;
    const place = account === null ? '/api/admin/v1/webhooks' : '/webhooks';
    const body = { url: `${server.address}${path}`, types: account === null ? ordersOnly : [] };
    const client = createApiClient(address, key);
    const create = () => client.post(place, body, { 'idempotency-key': path });
    let answer = await create();
    for (let tries = 1; answer.status === 503 && tries < busyTriesMax; tries += 1) {
      await pause(pollMilliseconds);
      answer = await create();
    }
    assert.equal(answer.status, 201, answer.text);
    const { webhook, secret: shown } = answer.body;
    // If the request was executed but answered 503, the secret is not shown again.
    const renew = () => client.post(`${place}/${webhook.id}/secret`, { overlap_hours: 0 });
    const secret = shown ?? (await renew()).body.secret;
    endpoints.set(path, {
      ...{ account, key, place, secret, deliveries: 0 },
      ...{ first: new Map(), refused: new Set<string>(), problems: [] },
    });
  }

  async function caughtUp({ first }: Endpoint, feed: readonly FeedEvent[]): Promise<void> {
    arrivedAt = performance.now();
    while (feed.some(({ id }) => !first.has(`evt_${id}`))) {
      if (performance.now() - arrivedAt > patienceMilliseconds) return;
      await pause(pollMilliseconds);
    }
  }

  return {
    async calmDown(currentAddress) {
      mayRefuse = false;
      const until = performance.now() + patienceMilliseconds;
      for (const { place, key, refused, problems } of endpoints.values()) {
        for (;;) {
          const { body, text } = await createApiClient(currentAddress, key).get(place);
          if (body.data?.[0]?.failing_since === null && refused.size === 0) break;
          if (performance.now() > until) {
            for (const id of refused) add(problems, `${id} was refused and never came again: ${text}`);
            assert.deepEqual(problems, [], `nothing is refused any more, and it still fails: ${text}`);
          }
          await pause(pollMilliseconds);
        }
      }
    },
    async check(currentAddress, currentAdminKey) {
      const admin = createApiClient(currentAddress, currentAdminKey);
      const feeds: FeedEvent[] = [];
      for (const endpoint of endpoints.values()) {
        const { account, problems } = endpoint;
        const feed =
          account === null
            ? (await readFeed(admin, '/api/admin/v1/events')).filter(({ type }) => ordersOnly.includes(type))
            : await readFeed(createApiClient(currentAddress, account.key), '/events');
        await caughtUp(endpoint, feed);
        compare(endpoint, feed, problems);
        if (account === null) {
          for (const problem of strayProblems(feeds, feed)) add(problems, problem);
          continue;
        }
        feeds.push(...feed);
        const orders = await readAll(admin, `/api/admin/v1/accounts/${account.id}/orders`);
        for (const problem of tellingProblems(orders, feed)) add(problems, problem);
      }
      const all = [...endpoints.values()];
      const sum = (count: (endpoint: Endpoint) => number) =>
        all.reduce((total, one) => total + count(one), 0);
      return {
        events: feeds.length,
        deliveries: sum(({ deliveries }) => deliveries),
        repeats: sum(({ deliveries, first }) => deliveries - first.size),
        problems: [...server.forged, ...all.flatMap(({ problems }) => problems)],
      };
    },
    close: () => server.close(),
  };
}

function compare({ first, secret }: Endpoint, feed: readonly FeedEvent[], problems: string[]): void {
  const arrived = [...first.values()];
  const known = new Map(feed.map((event) => [`evt_${event.id}`, event]));
  const published = new Webhook(secret);
  for (const { id, timestamp, signature, body } of arrived) {
    const event = known.get(id);
    if (event === undefined) add(problems, `${id} arrived, and the feed does not know it: ${body}`);
    else if (!isDeepStrictEqual(JSON.parse(body), event)) {
      add(problems, `${id} arrived as ${body}, and is ${JSON.stringify(event)} in the feed.`);
    }
    // Signs again, because verifying would check the time, and the service's clock may run ahead.
    if (published.sign(id, new Date(Number(timestamp) * 1_000), body) !== signature) {
      add(problems, `${id} is not signed as the published library signs it.`);
    }
  }
  for (const [place, event] of feed.entries()) {
    const id = arrived[place]?.id;
    if (id === `evt_${event.id}`) continue;
    if (!first.has(`evt_${event.id}`)) add(problems, `The event ${JSON.stringify(event)} never arrived.`);
    else add(problems, `At place ${place} arrived ${id}, and the event ${event.id} was to come.`);
    return;
  }
}

/** The operator's feed, in the global order, must have every order of the accounts' feeds. */
function strayProblems(ofAccounts: readonly FeedEvent[], ofAll: readonly FeedEvent[]): string[] {
  const known = new Set(ofAll.map(({ id }) => id));
  return ofAccounts
    .filter(({ id, type }) => ordersOnly.includes(type) && !known.has(id))
    .map((event) => `The event ${JSON.stringify(event)} has no place in the operator's feed.`);
}

function tellingProblems(orders: readonly Row[], feed: readonly FeedEvent[]): string[] {
  const emitted = new Map<unknown, string[]>();
  for (const { type, data } of feed) {
    const isOfOrder = ordersOnly.includes(type);
    if (!isOfOrder && !planTypes.includes(type)) continue;
    const orderId = isOfOrder ? data.order.id : data.order_id;
    if (orderId !== null) emitted.set(orderId, [...(emitted.get(orderId) ?? []), isOfOrder ? type : 'plan']);
  }
  const wanted: Readonly<Record<string, readonly string[]>> = {
    pending: [],
    completed: ['order.completed', 'plan'],
    failed: ['order.failed'],
  };
  const problems = orders.flatMap((order) => {
    const types = (emitted.get(order['id']) ?? []).toSorted();
    emitted.delete(order['id']);
    if (isDeepStrictEqual(types, wanted[String(order['status'])])) return [];
    return [`The order ${JSON.stringify(order)} was announced as ${types.join(', ') || 'nothing'}.`];
  });
  for (const [orderId, types] of emitted) problems.push(`No order ${orderId} stands: ${types.join(', ')}.`);
  return problems;
}

async function readFeed(client: Pick<ApiClient, 'get'>, path: string): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (let after = ''; ; ) {
    const { status, body, text }: Answer = await client.get(`${path}?limit=100${after}`);
    assert.equal(status, 200, text);
    all.push(...body.data);
    if (body.has_more !== true) return all;
    after = `&after=${body.next_after}`;
  }
}

function add(problems: string[], problem: string): void {
  if (problems.length < problemsMax) problems.push(problem);
}
