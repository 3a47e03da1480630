// What `sellthrough export` writes: every row once, a ledger that adds up to the balance, and no secrets.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type ExportManifest, writeAccountExport } from '../../src/features/data-export/account-export.ts';
import { findAccount } from '../../src/features/identity/find-accounts.ts';
import { createPackageCatalog } from '../../src/features/packages/package-catalog.ts';
import { signIn } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

let service: TestService;
let account: TestAccount;
let folder: string;
let receiver: WebhookReceiver;
before(async () => {
  service = await startTestService();
  receiver = await startWebhookReceiver();
  account = await service.createReseller({ credit: '100000.00' });
  folder = mkdtempSync(join(tmpdir(), 'account-export-'));
  await account.get('/events');
});
after(async () => {
  rmSync(folder, { recursive: true });
  await receiver.close();
  await service.close();
});

interface Exported {
  readonly manifest: ExportManifest;
  readonly folder: string;
  rows(kind: string): Record<string, unknown>[];
  csv(kind: string): string;
}

let exports = 0;

async function write(id = account.id): Promise<Exported> {
  exports += 1;
  const to = mkdtempSync(join(folder, `${exports}-`));
  const manifest = await service.database.transaction(
    async (snapshot) => {
      const found = await findAccount(snapshot, id);
      assert.ok(found);
      const catalog = await createPackageCatalog(snapshot);
      const wanted = {
        account: found,
        packages: catalog.current(),
        currency: 'USD',
        now: service.clock.seconds,
      };
      return writeAccountExport(snapshot, wanted, to);
    },
    { isSnapshot: true },
  );
  const text = (name: string) => readFileSync(join(to, name), 'utf8');
  return {
    manifest,
    folder: to,
    rows: (kind) =>
      text(`${kind}.jsonl`)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    csv: (kind) => text(`${kind}.csv`),
  };
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}

async function order(customer: string, key: string, more: object = {}) {
  const body = { package_id: service.packages.basic, customer, idempotency_key: key, ...more };
  return expectStatus(await account.post('/orders', body), 201).order;
}

describe('an account with some of everything', () => {
  let exported: Exported;
  const secrets: string[] = [];

  before(async () => {
    const made = await order('ada@example.com', 'e-1', {
      customer_name: '=HYPERLINK("https://evil.example")',
    });
    await order('bob', 'e-2', { months: 3 });
    const path = `/customers/${made.customer.id}`;
    expectStatus(await account.patch(path, { reference: 'ada2@example.com', external_ref: '+1-2' }), 200);
    expectStatus(await account.post(`${path}/suspend`, { reason: '@SUM(A1)' }), 200);
    expectStatus(await account.post(`${path}/resume`, {}), 200);
    expectStatus(await account.post(`${path}/cancel`, { at: 'now' }), 200);
    // Hundreds of orders, so that lists have several pages.
    for (let batch = 0; batch < 3; batch += 1) {
      const orders = Array.from({ length: 200 }, (_, index) => ({
        ...{ package_id: service.packages.basic, customer: `many-${batch}-${index}` },
        idempotency_key: `many-${batch}-${index}`,
      }));
      expectStatus(await account.post('/orders/bulk', { orders }), 200);
    }
    const hook = await account.post('/webhooks', { url: receiver.at('/hook').url });
    secrets.push(expectStatus(hook, 201).secret);
    const panel = await signIn(service, account);
    await panel.get('/requests');
    secrets.push(account.key);
    const prices = { prices: [{ package_id: service.packages.plus, monthly: '1.00' }], memo: '=1+1' };
    expectStatus(await service.admin.send('PUT', `/api/admin/v1/accounts/${account.id}/prices`, prices), 200);
    exported = await write();
  });

  test('each kind has one file of JSON lines and one of CSV, and the manifest counts their rows', async () => {
    const { manifest } = exported;
    const kinds = manifest.files.map(({ kind }) => kind);
    assert.deepEqual(kinds, [
      ...['customers', 'former_references', 'orders', 'plan_changes', 'ledger', 'topups', 'prices', 'events'],
      ...['requests', 'people', 'keys', 'webhooks'],
    ]);
    assert.deepEqual(
      readdirSync(exported.folder).sort(),
      ['manifest.json', ...kinds.flatMap((kind) => [`${kind}.csv`, `${kind}.jsonl`])].sort(),
    );
    for (const { kind, rows } of manifest.files) {
      assert.equal(exported.rows(kind).length, rows, kind);
      // A text may have line breaks, but none here has.
      assert.equal(exported.csv(kind).trimEnd().split('\n').length, rows + 1, kind);
    }
    const counted = Object.fromEntries(manifest.files.map(({ kind, rows }) => [kind, rows]));
    const totalOf = async (list: string) => (await account.get(`/${list}?limit=1`)).body.total;
    assert.deepEqual(
      [counted['customers'], counted['orders'], counted['ledger']],
      [await totalOf('customers'), await totalOf('orders'), await totalOf('ledger')],
    );
    assert.deepEqual([counted['former_references'], counted['prices'], counted['webhooks']], [1, 1, 1]);
    assert.equal(counted['plan_changes'], 3);
    assert.ok(Number(counted['events']) > 1_200 && Number(counted['requests']) > 5);
    for (const kind of ['customers', 'orders', 'ledger', 'events'])
      assert.equal(new Set(exported.rows(kind).map(({ id }) => id)).size, counted[kind], kind);
  });

  test('the ledger file adds up to the balance in the manifest', async () => {
    const { manifest } = exported;
    const ledger = exported.rows('ledger');
    const total = ledger.reduce((sum, { amount }) => sum + centsOf(amount), 0n);
    assert.equal(total, centsOf(manifest.balance));
    assert.equal(manifest.ledger_total, manifest.balance);
    assert.equal(manifest.balance, (await account.get('/balance')).body.balance);
    assert.equal(ledger.at(-1)?.['balance_after'], manifest.balance);
    const [header = '', ...lines] = exported.csv('ledger').trimEnd().split('\n');
    const place = header.split(',').indexOf('amount');
    const ofCsv = lines.reduce((sum, line) => sum + centsOf(line.split(',')[place]), 0n);
    assert.equal(ofCsv, total);
  });

  test('rows are those of the API', async () => {
    const { data: orders } = (await account.get('/orders?limit=2')).body;
    assert.deepEqual(exported.rows('orders').slice(0, 2), orders);
    const { data: customers } = (await account.get('/customers?limit=2')).body;
    assert.deepEqual(exported.rows('customers').slice(0, 2), customers);
    const { data: events } = (await account.get('/events?limit=3')).body;
    assert.deepEqual(exported.rows('events').slice(0, 3), events);
    const { data: webhooks } = (await account.get('/webhooks')).body;
    assert.deepEqual(exported.rows('webhooks'), webhooks);
  });

  test('no text becomes a formula', () => {
    assert.match(exported.csv('customers'), /"'=HYPERLINK/);
    assert.match(exported.csv('customers'), /"'\+1-2"/);
    assert.match(exported.csv('plan_changes'), /"'@SUM\(A1\)"/);
    assert.match(exported.csv('prices'), /"'=1\+1"/);
    assert.match(exported.csv('former_references'), /,"ada@example\.com"/);
  });

  test('no secret is written', () => {
    const all = readdirSync(exported.folder).map((name) => readFileSync(join(exported.folder, name), 'utf8'));
    const text = all.join('\n');
    assert.equal(secrets.length, 2);
    for (const secret of secrets) assert.ok(!text.includes(secret));
    assert.doesNotMatch(text, /\$argon2id|"password|whsec_|sk_(?:live|test)_|token_hash|secret_hash/);
  });
});

test('an account without anything has empty files and a balance of zero', async () => {
  const empty = await service.createReseller();
  const { manifest, rows, csv } = await write(empty.id);
  assert.deepEqual(
    [manifest.balance, manifest.ledger_total, manifest.account.id],
    ['0.00', '0.00', empty.id],
  );
  assert.deepEqual(rows('orders'), []);
  assert.match(csv('orders'), /^id,created_at,[^\n]*\n$/);
});
