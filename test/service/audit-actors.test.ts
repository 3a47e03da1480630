// For every guard, audit entries name the key or person that acted besides the account. Keys record their use.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { listAudit, type RecordedAuditEntry } from '../../src/features/audit/read-audit-log.ts';
import { createPanelClient, type PanelClient, signIn, testPassword } from '../harness/panel-client.ts';
import { resetKey } from '../harness/shop.ts';

const api = '/api/admin/v1';
let service: TestService;
let reseller: TestAccount;
let adminPanel: PanelClient;
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '100.00' });
  adminPanel = await signIn(service, service.admin);
});
after(() => service.close());

async function newestEntry(): Promise<RecordedAuditEntry> {
  const [entry] = (await listAudit(service.database, { page: 1, limit: 1 })).entries;
  assert.ok(entry);
  return entry;
}

async function keyIdOf({ id }: Pick<TestAccount, 'id'>): Promise<number> {
  const [row] = await service.database.query(
    { name: '', text: 'select id from api_keys where account_id = $1::int and revoked_at is null' },
    [id],
  );
  return Number(row?.['id']);
}

test('what an administrator does is noted with the key, or in the panel with the person', async () => {
  const placed = await reseller.post('/orders', { package_id: service.packages.basic, customer: 'noted' });
  const customer = placed.body.order.customer.id;
  const key = { type: 'key', id: await keyIdOf(service.admin) };
  const person = { type: 'person', id: service.admin.id };
  const requests: readonly (readonly ['post' | 'patch', string, object])[] = [
    ['post', '/accounts', { group: 'reseller', username: 'made' }],
    ['patch', `/accounts/${reseller.id}`, { display_name: 'Changed' }],
    ['post', `/accounts/${reseller.id}/credit`, { amount: '1.00' }],
    ['post', `/accounts/${reseller.id}/trials`, { package_id: service.packages.trial, customer: 'given' }],
    ['patch', `/packages/${service.packages.plus}`, { duration_days: 31 }],
    ['patch', `/customers/${customer}`, { status: 'suspended' }],
  ];
  const actions: string[] = [];
  for (const [method, path, body] of requests) {
    const byKey = await service.admin[method](api + path, body);
    assert.ok(byKey.status < 300, byKey.text);
    const noted = await newestEntry();
    assert.deepEqual([noted.actorId, noted.by], [service.admin.id, key], noted.action);
    actions.push(noted.action);

    // A repeated request would change nothing, so send another name, another customer, and an active one.
    const again = JSON.parse(
      JSON.stringify(body)
        .replace('"made"', '"made-too"')
        .replace('Changed', 'Changed again')
        .replace('given', 'given-too')
        .replace('suspended', 'active'),
    );
    const byPerson = await adminPanel[method](`/admin/v1${path}`, again);
    assert.ok(byPerson.status < 300, byPerson.text);
    const notedToo = await newestEntry();
    assert.deepEqual([notedToo.action, notedToo.by], [noted.action, person]);
    assert.equal(notedToo.number, noted.number + 1);
  }
  assert.deepEqual(actions, [
    'account.create',
    'account.update',
    'account.credit',
    'customer.grant_trial',
    'package.update',
    'customer.update',
  ]);
  const { data } = (await service.admin.get(`${api}/audit?limit=1`)).body;
  assert.deepEqual(Object.keys(data[0]), [
    'number',
    'at',
    'actor',
    'action',
    'subject',
    'before',
    'after',
    'by',
  ]);
  assert.deepEqual(data[0].actor, { id: service.admin.id, username: 'admin' });
  assert.deepEqual(data[0].by, { ...person, name: 'admin' });
});

test('what no one asked for by key or session is noted with the account alone', async () => {
  await service.createReseller();
  const noted = await newestEntry();
  assert.deepEqual([noted.action, noted.by], ['account.create', null]);
});

test('what an account changes of its own is noted with its person', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  assert.equal((await panel.post('/api-key/reveal', { password: testPassword })).status, 200);
  const noted = await newestEntry();
  assert.deepEqual(
    [noted.action, noted.actorId, noted.by],
    ['account.reveal_api_key', account.id, { type: 'person', id: account.id }],
  );
});

test('a new key is another one, and its use is noted on it alone', async () => {
  const account = await service.createReseller();
  const panel = createPanelClient(service.address, (await signIn(service, account)).cookie);
  const lastUsed = async () => (await panel.get('/api-key')).body.last_used_at;
  assert.equal((await account.get('/balance')).status, 200);
  assert.notEqual(await lastUsed(), null);
  const before = await keyIdOf(account);
  await resetKey(service, account);
  assert.notEqual(await keyIdOf(account), before);
  assert.equal(await lastUsed(), null);
  assert.equal((await account.get('/balance')).status, 401);
  assert.equal(await lastUsed(), null, 'the use of the replaced key does not count for the new one');
});
