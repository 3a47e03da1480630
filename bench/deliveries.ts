// npm run bench:deliveries [-- --events N] [--endpoints N,N]: the service, as an operator runs it on PostgreSQL, sends waiting
// events to endpoints on the loopback. Prints deliveries a second for each number of endpoints, from the first arrival to the
// last. The receiver is this process: it reads each body, counts it, and answers 200.
// Fails if an event is missing or arrives out of order.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { openShop, prepareShop, type Shop, type ShopAccount } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '50000' },
    endpoints: { type: 'string', default: '50,1' },
    profile: { type: 'string' },
  },
});
const eventCount = wholeNumber('--events', values.events, 100, 1_000_000);
const endpointCounts = values.endpoints.split(',').map((text) => wholeNumber('--endpoints', text, 1, 200));
const patienceSeconds = 300;
const eventsPerBatch = 50;

const stage = await openStage();
const isInterrupted = closeOnInterrupt(() => stage.close());
try {
  for (const endpoints of endpointCounts) await measure(stage, endpoints);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

async function measure(on: Stage, endpoints: number): Promise<void> {
  const databaseName = `deliveries_${endpoints}`;
  const database = await createPostgresShopDatabase(on, databaseName);
  const allowed = { ...database, environment: { ...database.environment, OUTBOUND_ALLOW: '127.0.0.0/8' } };
  const plan = await prepareShop(on, allowed, { count: Math.max(2, endpoints) });
  const shop = await openShop(
    on,
    allowed,
    plan,
    values.profile === undefined ? {} : { profileFolder: values.profile },
  );
  const sink = await startSink();
  const listening = plan.accounts.slice(0, endpoints);
  const ids = await Promise.all(listening.map((account) => createEndpoint(shop, account, sink.url)));
  const each = Math.floor(eventCount / endpoints);
  await on.query(databaseName, seed(listening, each));
  await on.query(databaseName, 'vacuum (analyze)');
  await on.query(databaseName, 'checkpoint');
  await Promise.all(listening.map((account, index) => switchOn(shop, account, ids[index] ?? 0)));
  const expected = each * endpoints;
  for (let waited = 0; sink.count() < expected; waited += 1) {
    assert.ok(waited < patienceSeconds * 10, `${sink.count()} of ${expected} events have arrived`);
    await pause(100);
  }
  const rate = Math.round(expected / sink.seconds());
  process.stdout.write(
    `${endpoints} endpoint${endpoints === 1 ? '' : 's'}: ${expected} events in ${sink.seconds().toFixed(1)} s, ${rate} deliveries/s\n`,
  );
  await shop.stop();
  await sink.close();
}

async function ask(shop: Shop, { key }: ShopAccount, method: string, path: string, body: object) {
  const answer = await fetch(`${shop.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}

async function createEndpoint(shop: Shop, account: ShopAccount, url: string): Promise<number> {
  const body = { url: `${url}/${account.id}`, enabled: false };
  return (await ask(shop, account, 'POST', '/webhooks', body)).webhook.id;
}

function switchOn(shop: Shop, account: ShopAccount, id: number): Promise<unknown> {
  return ask(shop, account, 'PATCH', `/webhooks/${id}`, { enabled: true });
}

/** Events of the size of an order's, in rows like those of order batches. */
function seed(accounts: readonly ShopAccount[], each: number): string {
  const ids = `array[${accounts.map(({ id }) => id).join(',')}]`;
  const data = JSON.stringify({ order: { note: 'x'.repeat(600) }, balance: '10.00' });
  return `
    update accounts set event_count = ${each} where id = any(${ids});
    insert into events (account_id, number, type, created_at, data)
      select id, number, 'order.completed', now(), '${data}'
      from unnest(${ids}) id, generate_series(1, ${each}) number;
    insert into event_inbox (account_id, first_number, last_number, created_at)
      select id, first, least(first + ${eventsPerBatch - 1}, ${each}), now()
      from generate_series(1, ${each}, ${eventsPerBatch}) first, unnest(${ids}) id;`;
}

async function startSink() {
  let count = 0;
  let firstAt = 0;
  let lastAt = 0;
  const last = new Map<string, number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const at = performance.now();
      if (count === 0) firstAt = at;
      lastAt = at;
      count += 1;
      const path = request.url ?? '';
      const { id } = JSON.parse(Buffer.concat(parts).toString());
      assert.equal(id, (last.get(path) ?? id - 1) + 1, 'in order');
      last.set(path, id);
      response.writeHead(200, { 'content-length': '2' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    seconds: () => (lastAt - firstAt) / 1_000,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
