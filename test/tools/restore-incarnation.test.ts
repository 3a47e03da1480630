// After a restore, or a failover that lost transactions, no id is used twice: product calls, webhooks, cursors.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { type ServiceHere, startServiceHere } from '../../proof/machines/service-here.ts';
import { startPatiently } from '../../proof/machines/service-process.ts';
import { type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { postgresForTests } from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { assertRefused, runCommand, runForJson } from '../harness/command-process.ts';
import { askServer } from '../harness/one-question.ts';
import { createPostgresDatabase } from '../harness/postgres-database.ts';
import {
  type ProductReceiver,
  type ReceivedCall,
  startProductReceiver,
} from '../harness/product-receiver.ts';
import { expectStatus } from '../harness/refusals.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-incarnation-'));
const adminKey = mintApiKey('live');
const settings = {
  SECRET_KEY: 'the key of the service that is restored',
  ADMIN_API_KEY: adminKey,
  PORT: '0',
  OUTBOUND_ALLOW: '127.0.0.1/32',
};

let postgres: Awaited<ReturnType<typeof postgresForTests>>;
const databases = new Set<string>();
const running = new Set<ServiceHere>();
let product: ProductReceiver;
let receiver: WebhookReceiver;

before(async () => {
  postgres = await postgresForTests();
});
afterEach(async () => {
  await product?.close();
  await receiver?.close();
});
after(async () => {
  for (const service of running) service.kill('SIGKILL');
  for (const name of databases) await askServer(postgres.url, `drop database if exists ${name} with (force)`);
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

type Place = Readonly<Record<string, string>>;

const kinds: Readonly<Record<string, () => Promise<Place>>> = {
  'the embedded database': async () => {
    const place = { DATA_DIR: mkdtempSync(join(folder, 'data-')) };
    copyEmbeddedTemplate(place.DATA_DIR);
    return place;
  },
  'PostgreSQL in three account groups': async () => ({
    DATABASE_URL: await createDatabase(),
    ACCOUNT_GROUPS: '3',
  }),
};

for (const [kind, createPlace] of Object.entries(kinds)) {
  // The embedded database alone adds nothing to what PostgreSQL shows.
  const tag = kind === 'the embedded database' ? ' @nightly' : '';
  test(`${kind}: after a restore no call and no webhook has an id of before, and old cursors are gone${tag}`, async () => {
    product = await startProductReceiver();
    receiver = await startWebhookReceiver();
    const decided = decideOncePerId(product);
    const first = await createPlace();
    let service = await startProcess(first);
    let admin = createApiClient(service.address, adminKey);
    const { key, accountId, packageId } = await openShop(admin);
    let reseller = createApiClient(service.address, key);
    const [own, whole] = [receiver.at('/own'), receiver.at('/whole')];
    expectStatus(await reseller.post('/webhooks', { url: own.url }), 201);
    expectStatus(await admin.post('/api/admin/v1/webhooks', { url: whole.url }), 201);
    const order = async (customer: string) => {
      const body = { package_id: packageId, customer };
      const { order: placed } = expectStatus(await reseller.post('/orders', body), 201);
      return settled(reseller, placed.id);
    };
    assert.equal(await order('ada'), 'completed');
    const early = await placesOf(reseller, admin);
    const backup = join(folder, `${accountId}-${databases.size}-${running.size}.backup`);
    await runForJson(['backup', backup], { cwd: folder, environment: { ...settings, ...first } });
    assert.deepEqual([await order('bea'), await order('bad-guy')], ['completed', 'failed']);
    const late = await placesOf(reseller, admin);
    await own.gets((await eventsOf(reseller)).length);
    service.kill('SIGKILL');
    await service.gone;

    const second = await createPlace();
    const restored = await runForJson(['restore', backup], {
      cwd: folder,
      environment: { ...settings, ...second },
    });
    assert.match(restored.incarnation, /^[0-9a-f]{12}$/);
    const callsBefore = product.calls.length;
    service = await start(second);
    admin = createApiClient(service.address, adminKey);
    reseller = createApiClient(service.address, key);
    assert.equal((await feedAfter(reseller, late.own)).status, 410, 'before anything new has happened');
    assert.deepEqual(
      [await order('carl'), await order('dora'), await order('emil')],
      ['completed', 'completed', 'completed'],
    );
    const made = [...decided.values()].filter(({ isTaken }) => isTaken).map(({ reference }) => reference);
    assert.deepEqual(made, ['ada', 'bea', 'carl', 'dora', 'emil'], 'each order was looked at by itself');
    assert.deepEqual(sharedIds(product.calls, callsBefore), []);

    // A reader that has read past the backup gets an error. A reader that has not continues and misses nothing.
    for (const [what, answer] of Object.entries({
      own: await feedAfter(reseller, late.own),
      whole: await admin.get(`/api/admin/v1/events?after=${late.whole}`),
      copy: await admin.get(`/api/product/v1/entitlements?after=${late.copy}`),
      'copy of before the backup': await admin.get(`/api/product/v1/entitlements?after=${early.copy}`),
    })) {
      assert.deepEqual(
        [answer.status, answer.body.error?.code],
        [410, 'events_gone'],
        `${what} ${answer.text}`,
      );
      assert.match(answer.body.error.message, /restored from a backup/);
    }
    const since = expectStatus(await feedAfter(reseller, early.own), 200).data;
    const wholeSince = expectStatus(
      await admin.get(`/api/admin/v1/events?after=${early.whole}&limit=100`),
      200,
    );
    for (const events of [since, wholeSince.data]) {
      assert.deepEqual(completed(events).slice(-3), ['carl', 'dora', 'emil']);
    }
    const copy = expectStatus(await admin.get('/api/product/v1/entitlements'), 200);
    assert.deepEqual(
      copy.data.map((one: { reference: string }) => one.reference),
      ['ada', 'carl', 'dora', 'emil'],
    );
    const next = expectStatus(await admin.get(`/api/product/v1/entitlements?after=${copy.next_after}`), 200);
    assert.ok(next.next_after.endsWith(`.r${restored.incarnation}`), next.next_after);

    // An id always means the same event. Events that were delivered before the backup may come again unchanged.
    const newest = since.at(-1)?.id;
    while (!own.ids().includes(newest)) await own.gets(own.received.length + 1);
    while (!whole.ids().includes(newest)) await whole.gets(whole.received.length + 1);
    for (const { received } of [own, whole]) {
      const bodies = new Map<string, string>();
      for (const { headers, text } of received) {
        const id = String(headers['webhook-id']);
        assert.equal(bodies.get(id) ?? text, text, id);
        bodies.set(id, text);
      }
    }
    const account = expectStatus(
      await admin.post('/api/admin/v1/accounts', { username: 'newcomer', group: 'reseller' }),
      201,
    );
    assert.ok(
      account.account.id > accountId + 1_000,
      'an account of the lost database keeps its id to itself',
    );
    await stop(service);

    // Restore a second time, this time by hand and with a pending order.
    service = await start(second);
    reseller = createApiClient(service.address, key);
    product.answer(() => ({ status: 503 }));
    const { order: waiting } = expectStatus(
      await reseller.post('/orders', { package_id: packageId, customer: 'fay' }),
      201,
    );
    const [asked] = await product.waitFor(1, (call) => call.data.order_id === waiting.id);
    const recheckInDoubt = await placesOf(reseller, createApiClient(service.address, adminKey));
    const command = ['new-incarnation', '--yes'];
    const here = { cwd: folder, environment: { ...settings, ...second } };
    assertRefused(await runCommand(command, here), 1, /Stop it first|in use/);
    await stop(service);
    const { incarnation } = await runForJson(command, here);
    assert.notEqual(incarnation, restored.incarnation);
    decideOncePerId(product, decided);
    service = await start(second);
    reseller = createApiClient(service.address, key);
    assert.equal(await settled(reseller, waiting.id), 'completed');
    const [again] = [...product.calls].reverse().filter((call) => call.data.order_id === waiting.id);
    assert.equal(again?.id, `call_order_${waiting.id}_r${incarnation}`);
    assert.notEqual(again?.id, asked?.id);
    const goesOn = expectStatus(await feedAfter(reseller, recheckInDoubt.own), 200).data;
    assert.deepEqual(completed(goesOn), ['fay']);
    await stop(service);
    const { ok } = await runForJson(['verify'], here);
    assert.equal(ok, true);
  });
}

test('a restore that ended between its load and its new incarnation starts no service', async () => {
  const { url, remove } = await createPostgresDatabase();
  try {
    const environment = { ...settings, DATABASE_URL: url };
    const service = await start({ DATABASE_URL: url });
    await stop(service);
    await askServer(url, 'create table unfinished_restore ()');
    assertRefused(await runCommand(['verify'], { cwd: folder, environment }), 1, /was interrupted/);
    await assert.rejects(() => start({ DATABASE_URL: url }), /was interrupted/);
  } finally {
    await remove();
  }
});

function startProcess(place: Place): Promise<ServiceHere> {
  return noted(startPatiently({ environment: { ...settings, ...place } }));
}

/** One process owns the embedded database's folder, so a service there runs in its own process. */
function start(place: Place): Promise<ServiceHere> {
  return 'DATA_DIR' in place ? startProcess(place) : noted(startServiceHere({ ...settings, ...place }));
}

async function noted(starting: Promise<ServiceHere>): Promise<ServiceHere> {
  const service = await starting;
  running.add(service);
  service.gone.then(() => running.delete(service));
  return service;
}

async function stop(service: ServiceHere): Promise<void> {
  service.kill('SIGTERM');
  await service.gone;
}

async function openShop(admin: ApiClient) {
  const { account, api_key: key } = expectStatus(
    await admin.post('/api/admin/v1/accounts', {
      username: 'shop',
      group: 'reseller',
      rate_limit_per_minute: 1_000_000,
    }),
    201,
  );
  expectStatus(
    await admin.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: '500.00', memo: 'x' }),
    201,
  );
  const price = { monthly: '10.00', quarterly: '27.00', yearly: '96.00' };
  const limits = { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 };
  const body = { name: 'Basic', features: [], limits, prices: { reseller: price, distributor: price } };
  const made = expectStatus(await admin.post('/api/admin/v1/packages', body), 201);
  const { url, secret } = product;
  expectStatus(await admin.send('PUT', '/api/admin/v1/product', { mode: 'confirm', url, secret }), 200);
  return { key, accountId: Number(account.id), packageId: Number(made.package.id) };
}

interface Decided {
  readonly reference: string;
  readonly isTaken: boolean;
}

/** Does what the documents advise receivers: a repeated call gets its first answer. */
function decideOncePerId(
  { answer }: ProductReceiver,
  decided: Map<string, Decided> = new Map(),
): Map<string, Decided> {
  answer(({ id, data }) => {
    const { reference } = data.customer;
    const known = decided.get(id) ?? { reference, isTaken: reference !== 'bad-guy' };
    decided.set(id, known);
    return known.isTaken ? { status: 200 } : { status: 422, body: '{"reason":"Not this one"}' };
  });
  return decided;
}

function sharedIds(calls: readonly ReceivedCall[], place: number): string[] {
  const before = new Set(calls.slice(0, place).map(({ id }) => id));
  return calls.slice(place).flatMap(({ id }) => (before.has(id) ? [id] : []));
}

async function settled(reseller: ApiClient, id: number): Promise<string> {
  for (;;) {
    const { order } = expectStatus(await reseller.get(`/orders/${id}`), 200);
    if (order.status !== 'pending') return order.status;
    // Wait for the order's last event.
    await reseller.get(`/events?after=${(await cursorOf(reseller)) ?? ''}&wait=1`);
  }
}

async function cursorOf(reseller: ApiClient): Promise<number | null> {
  return expectStatus(await reseller.get('/events?limit=1'), 200).last_id;
}

async function eventsOf(reseller: ApiClient): Promise<readonly { readonly id: number }[]> {
  return expectStatus(await reseller.get('/events?limit=100'), 200).data;
}

const feedAfter = (reseller: ApiClient, after: number) => reseller.get(`/events?after=${after}&limit=100`);

async function placesOf(reseller: ApiClient, admin: ApiClient) {
  const whole = expectStatus(await admin.get('/api/admin/v1/events?limit=100'), 200);
  const copy = expectStatus(await admin.get('/api/product/v1/entitlements?limit=1000'), 200);
  const behind = expectStatus(await admin.get(`/api/product/v1/entitlements?after=${copy.next_after}`), 200);
  return {
    own: Number((await eventsOf(reseller)).at(-1)?.id),
    whole: Number(whole.next_after),
    copy: String(behind.next_after),
  };
}

function completed(
  events: readonly { type: string; data: { order?: { customer: { reference: string } } } }[],
): string[] {
  return events.flatMap(({ type, data }) =>
    type === 'order.completed' && data.order !== undefined ? [data.order.customer.reference] : [],
  );
}

async function createDatabase(): Promise<string> {
  const name = `incarnation_${process.pid}_${databases.size + 1}`;
  databases.add(name);
  await askServer(postgres.url, `create database ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}
