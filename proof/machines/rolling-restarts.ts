// Restarts and then kills three processes on one PostgreSQL, one after another, behind a proxy. Clients never repeat a
// request, so every unexpected answer is a failure.

import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { type ProxyKind, startProxy } from '../../scripts/throwaway/front-proxy.ts';
import { sendRequest, type WholeAnswer } from '../../scripts/throwaway/send-request.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { readAll } from './journal.ts';
import { openShop, type Shop } from './kill-proof.ts';
import { type ServiceProcess, startPatiently } from './service-process.ts';

export interface RestartsOptions {
  readonly kind: ProxyKind;
  readonly file?: string;
  readonly certificates: string;
  readonly ca: string;
  readonly databaseUrl: string;
  readonly rounds: number;
  readonly killRounds: number;
  readonly seed: number;
  readonly clientCount?: number;
  /** True: no further round of restarts or kills begins. The rounds done are still checked. */
  readonly isEnough?: () => boolean;
  readonly onRestart?: (sentence: string) => void;
}

type Wish = 'order with a key' | 'order without a key' | 'read' | 'wait for an event';

interface Failure {
  readonly wish: Wish;
  readonly during: 'restarts' | 'kills';
  readonly outcome: string;
}

export interface RestartsReport {
  readonly restarts: number;
  readonly kills: number;
  readonly requests: number;
  readonly ordersAcknowledged: number;
  readonly failedByRestarts: readonly Failure[];
  /** Failures during kills of requests that can be repeated: reads, and orders with a key. */
  readonly failedByKills: readonly Failure[];
  /** Orders with a key that are not in `failedByKills`: Caddy 2.6 does not resend bodies and answers 503 itself. */
  readonly handedBackByKills: readonly Failure[];
  readonly unknownByKills: readonly Failure[];
  readonly problems: readonly string[];
}

const processCount = 3;
const waitersCount = 2;
const restMillisecondsMax = 80;

export async function runRollingRestarts(options: RestartsOptions): Promise<RestartsReport> {
  const endings: (() => unknown)[] = [];
  try {
    return await restartAgainAndAgain(options, endings);
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

async function restartAgainAndAgain(
  options: RestartsOptions,
  endings: (() => unknown)[],
): Promise<RestartsReport> {
  const { rounds, killRounds, seed, clientCount = 24, isEnough = () => false, onRestart } = options;
  const adminKey = mintApiKey('live');
  const processes: ServiceProcess[] = [];
  const start = (place: number, port: string) =>
    startPatiently({
      environment: {
        // Outgoing connections do not use these addresses, so the port is still free when the process restarts.
        HOST: `127.0.0.${11 + place}`,
        PORT: port,
        DATABASE_URL: options.databaseUrl,
        SECRET_KEY: 'a key of the machines, of thirty-two and more characters',
        ADMIN_API_KEY: adminKey,
      },
    });
  endings.push(() => {
    for (const { kill } of processes) kill('SIGKILL');
  });
  for (let place = 0; place < processCount; place += 1) processes.push(await start(place, '0'));
  const addressOf = (place: number) => processes[place]?.address ?? '';
  const shop = await openShop(addressOf(0), adminKey);
  const front = await startProxy({
    ...options,
    serviceAddresses: processes.map(({ address }) => address),
  });
  endings.push(front.close);

  const clients = startClients({ address: front.address, shop, seed, clientCount, ca: options.ca });
  endings.push(clients.finish);
  await clients.served();
  // A proxy that checks every half second must have checked twice before a process announces its end.
  await pause(2_000);
  const replace = async (place: number, signal: 'SIGTERM' | 'SIGKILL') => {
    const old = processes[place];
    assert.ok(old);
    old.kill(signal);
    const ended = await old.gone;
    if (signal === 'SIGTERM') assert.deepEqual(ended, { code: 0, signal: null }, old.logged());
    processes[place] = await start(place, new URL(old.address).port);
  };
  let shown = 0;
  const goThrough = async (times: number, signal: 'SIGTERM' | 'SIGKILL') => {
    let ended = 0;
    for (let round = 1; round <= times && (round === 1 || !isEnough()); round += 1) {
      for (let place = 0; place < processCount; place += 1) {
        await replace(place, signal);
        ended += 1;
        await clients.served();
      }
      const failed = clients.failures.slice(shown).map(({ wish, outcome }) => `; ${wish}: ${outcome}`);
      shown += failed.length;
      onRestart?.(
        `${signal}: round ${round} of ${times}, ${clients.requests()} requests, ${shown} failed${failed.join('')}`,
      );
    }
    return ended;
  };
  const restarts = await goThrough(rounds, 'SIGTERM');
  clients.during = 'kills';
  // Wait until the proxy has noticed the last restart: two missing processes at once would be another test.
  if (killRounds > 0) await pause(2_000);
  const kills = await goThrough(killRounds, 'SIGKILL');
  await clients.finish();

  const problems = await compareWithBooks(createApiClient(addressOf(0), adminKey), shop, clients);
  const { failures } = clients;
  const byKills = Map.groupBy(
    failures.filter(({ during }) => during === 'kills'),
    (failure) => blameOf(options.kind, failure),
  );
  return {
    restarts,
    kills,
    requests: clients.requests(),
    ordersAcknowledged: clients.acknowledged.size,
    failedByRestarts: failures.filter(({ during }) => during === 'restarts'),
    failedByKills: byKills.get('failed') ?? [],
    handedBackByKills: byKills.get('handed back') ?? [],
    unknownByKills: byKills.get('unknown') ?? [],
    problems,
  };
}

function blameOf(kind: ProxyKind, { wish, outcome }: Failure): 'failed' | 'handed back' | 'unknown' {
  if (wish === 'order without a key') return 'unknown';
  return kind === 'caddy' && wish === 'order with a key' && outcome === '503 of the proxy'
    ? 'handed back'
    : 'failed';
}

interface ClientsOptions {
  readonly address: string;
  readonly shop: Shop;
  readonly seed: number;
  readonly clientCount: number;
  readonly ca: string;
}

interface Clients {
  during: Failure['during'];
  readonly failures: Failure[];
  readonly acknowledged: ReadonlyMap<number, string>;
  /** Customers of failed orders, which may exist. */
  readonly unknown: ReadonlySet<string>;
  requests(): number;
  served(): Promise<void>;
  finish(): Promise<void>;
}

/** Each client has one connection, sends one request after another and never repeats one. */
function startClients({ address, shop, seed, clientCount, ca }: ClientsOptions): Clients {
  const failures: Failure[] = [];
  const acknowledged = new Map<number, string>();
  const unknown = new Set<string>();
  const counts = Array.from({ length: clientCount }, () => 0);
  let isOver = false;

  async function send(client: number, count: number, wish: Wish, agent: Agent): Promise<string> {
    const account = shop.accounts[client % shop.accounts.length];
    assert.ok(account);
    const authorization = `Bearer ${account.key}`;
    if (wish === 'read' || wish === 'wait for an event') {
      const path = wish === 'read' ? (count % 2 === 0 ? '/balance' : '/orders?limit=20') : '/events?wait=5';
      return outcomeOf(
        await sendRequest(`${address}/api/v1${path}`, { method: 'GET', headers: { authorization }, agent }),
      );
    }
    const customer = `customer-${client}-${count}`;
    unknown.add(customer);
    const answer = await sendRequest(`${address}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization, ...(wish === 'order with a key' ? { 'idempotency-key': customer } : {}) },
      body: JSON.stringify({ package_id: shop.packageIds[0], customer }),
      agent,
    });
    if (answer.status !== 201) return outcomeOf(answer);
    unknown.delete(customer);
    const { order } = JSON.parse(answer.text);
    acknowledged.set(order.id, customer);
    return '201';
  }

  const clients: Clients = {
    during: 'restarts',
    failures,
    acknowledged,
    unknown,
    requests: () => counts.reduce((sum, count) => sum + count, 0),
    async served() {
      const before = counts.slice(waitersCount);
      while (counts.slice(waitersCount).some((count, client) => count === before[client])) await pause(5);
    },
    async finish() {
      isOver = true;
      await Promise.all(running);
    },
  };
  const running = counts.map(async (_nothing, client) => {
    const random = createRandom(seed * 1_000 + client);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
    const wishes = [
      'order with a key',
      'order with a key',
      'order without a key',
      'read',
    ] as const satisfies Wish[];
    for (let count = 1; !isOver; count += 1) {
      const wish = client < waitersCount ? 'wait for an event' : random.pick(wishes);
      const { during } = clients;
      const outcome = await send(client, count, wish, agent).catch((error: NodeJS.ErrnoException) =>
        String(error.code ?? error.message),
      );
      counts[client] = count;
      if (outcome !== (wish.startsWith('order') ? '201' : '200')) failures.push({ wish, during, outcome });
      await pause(random.below(restMillisecondsMax));
    }
    agent.destroy();
  });
  return clients;
}

/** The service's answers have rate limit headers; the proxy's do not. */
function outcomeOf({ status, headers }: WholeAnswer): string {
  return status === 503 ? `503 of the ${headers.has('ratelimit') ? 'service' : 'proxy'}` : String(status);
}

async function compareWithBooks(
  admin: ReturnType<typeof createApiClient>,
  { accounts }: Shop,
  { acknowledged, unknown }: Clients,
): Promise<string[]> {
  const problems: string[] = [];
  const standing = new Map<unknown, string>();
  const customers = new Set<string>();
  for (const { id } of accounts) {
    for (const order of await readAll(admin, `/api/admin/v1/accounts/${id}/orders`)) {
      const customer = referenceOf(order['customer']);
      if (customers.has(customer)) problems.push(`The customer ${customer} has two orders.`);
      customers.add(customer);
      standing.set(order['id'], customer);
      if (acknowledged.get(Number(order['id'])) !== customer && !unknown.has(customer))
        problems.push(`The order ${order['id']} stands and was never sent, or shown otherwise.`);
    }
  }
  for (const [id, customer] of acknowledged)
    if (standing.get(id) !== customer) problems.push(`The order ${id} was acknowledged and does not stand.`);
  const { status, body, text } = await admin.get('/api/admin/v1/verify');
  if (status !== 200 || body.problems.length > 0) problems.push(`verify: ${text}`);
  return problems;
}

function referenceOf(customer: unknown): string {
  if (typeof customer === 'object' && customer !== null && 'reference' in customer)
    return String(customer.reference);
  return String(customer);
}
