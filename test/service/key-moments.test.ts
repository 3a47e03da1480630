// A key is restricted or revoked at the worst moment of its request: after the guard, before execution, or while it waits.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { accountScopes, keyScopes, type Scope } from '../../src/shared/scopes.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { addPerson, peoplePath } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { createWorstMoments } from '../harness/worst-moment.ts';

const { wrapDatabase, sent } = createWorstMoments();

let service: TestService;
let account: TestAccount;
before(async () => {
  const eventWaits = { ...defaultLimits.eventWaits, pollMilliseconds: 20 };
  service = await startTestService({ wrapDatabase, limits: { eventWaits } });
});
after(() => service.close());
beforeEach(async () => {
  account = await service.createReseller({ credit: '1000.00' });
});

const keysOf = ({ id }: Pick<TestAccount, 'id'>) => `/api/admin/v1/accounts/${id}/keys`;

async function makeKey(body: object, owner: Pick<TestAccount, 'id'> = account) {
  const made = await service.admin.post(keysOf(owner), { name: 'Shop', ...body });
  const { key, api_key } = expectStatus(made, 201);
  const path = `${keysOf(owner)}/${key.id}`;
  return {
    id: Number(key.id),
    path,
    client: createApiClient(service.address, api_key),
    narrow: async (scopes: readonly Scope[]) =>
      expectStatus(await service.admin.patch(path, { scopes }), 200),
    revoke: async () => expectStatus(await service.admin.send('DELETE', path), 200),
  };
}

const order = (customer: string) => ({ package_id: service.packages.basic, customer });

test('a key that is narrowed after the guard let it in orders nothing, neither one nor many, in test mode neither', async () => {
  for (const isTest of [false, true]) {
    const { client, narrow } = await makeKey({ scopes: ['orders:write', 'balance:read'], test: isTest });
    // The last read of the guard, which for a test key also reads the clock.
    const read = isTest ? 'find_account_counters' : 'find_accounts_by_key';
    const { balance } = (await client.get('/balance')).body;
    const widen = () => narrow(['orders:write', 'balance:read']);
    const narrowed = () => narrow(['balance:read']);
    const lacking = { scope: 'orders:write' };
    await widen();
    const one = () => client.post('/orders', order('too-late'));
    expectRefusal(await sent(read, narrowed, one), '403 insufficient_scope', lacking);
    await widen();
    const orders = Array.from({ length: 50 }, (_, index) => ({
      ...order(`bulk-${index}`),
      idempotency_key: `bulk-${index}`,
    }));
    const many = await sent(read, narrowed, () => client.post('/orders/bulk', { orders }));
    if (many.status !== 403) {
      const { results } = expectStatus(many, 200);
      const codes = results.map(({ error }: { error?: { code: string } }) => error?.code);
      assert.deepEqual([...new Set(codes)], ['insufficient_scope']);
    }
    assert.equal((await client.get('/balance')).body.balance, balance);
  }
});

test('scopes narrowed by another process count for reads and orders before the notice arrives', async () => {
  const { client, id } = await makeKey({ scopes: ['orders:write', 'customers:read'] });
  for (let looked = 0; looked < 2; looked += 1) expectStatus(await client.get('/customers'), 200);
  await service.database.query(
    { name: '', text: `update api_keys set scopes = '{balance:read}' where id = $1::int` },
    [id],
  );
  await sqlOf(
    service,
    account,
    `update accounts set access_version = access_version + 1 where id = ${account.id}`,
  );
  expectRefusal(await client.get('/customers'), '403 insufficient_scope', { scope: 'customers:read' });
  expectRefusal(await client.post('/orders', order('narrowed')), '403 insufficient_scope');
});

test('a key that another process widened is let in before the notice arrives', async () => {
  const { client, id } = await makeKey({ scopes: ['balance:read'] });
  for (let looked = 0; looked < 2; looked += 1)
    expectRefusal(await client.get('/customers'), '403 insufficient_scope');
  await service.database.query(
    { name: '', text: `update api_keys set scopes = '{customers:read}' where id = $1::int` },
    [id],
  );
  expectStatus(await client.get('/customers'), 200);
});

test('an administrator’s key that is revoked or narrowed meanwhile makes and changes no key, and no account', async () => {
  const { admin } = service;
  const ofAccount = `/api/admin/v1/accounts/${account.id}`;
  const actions: readonly ((client: ApiClient) => Promise<Answer>)[] = [
    (client) => client.post(keysOf(admin), { name: 'Afterlife' }),
    (client) => client.post(keysOf(account), { name: 'Afterlife' }),
    (client) => client.post(`${ofAccount}/api-key`),
    (client) => client.patch(ofAccount, { blocked: true }),
    (client) => client.post(`${ofAccount}/people`, { username: 'after.life', role: 'owner' }),
  ];
  for (const action of actions) {
    const key = await makeKey({ scopes: [...keyScopes] }, admin);
    const narrowed = () => key.narrow(['admin:read', 'admin:credit']);
    const lacking = { scope: 'admin:accounts' };
    const refused = await sent('find_account', narrowed, () => action(key.client));
    expectRefusal(refused, '403 insufficient_scope', lacking);
    await key.narrow([...keyScopes]);
    expectRefusal(
      await sent('find_account', key.revoke, () => action(key.client)),
      '401 revoked_api_key',
      {},
    );
  }
  expectStatus(await account.get('/balance'), 200);
  const kept = (await admin.get(keysOf(admin))).body.data;
  assert.deepEqual(
    kept.filter(({ name }: { name: string }) => name === 'Afterlife'),
    [],
  );
});

test('nor does a key that is restricted meanwhile make keys of its own account', async () => {
  const { path, client } = await makeKey({}, service.admin);
  const confined = async () =>
    expectStatus(await service.admin.patch(path, { allowed_ips: ['127.0.0.1', '::1'] }), 200);
  const make = () => client.post(keysOf(service.admin), { name: 'Afterlife' });
  expectRefusal(await sent('find_account', confined, make), '403 insufficient_scope', {
    reason: 'confined_key',
  });
});

test('a secret that a rotation ends meanwhile changes nothing, although its key goes on', async () => {
  const { admin } = service;
  const { path, client } = await makeKey({}, admin);
  const rotated = async () => expectStatus(await admin.post(`${path}/rotate`), 200);
  const make = () => client.post(keysOf(account), { name: 'Afterlife' });
  expectRefusal(await sent('find_account', rotated, make), '401 revoked_api_key', {});
});

test('a key that is revoked right before it credits an account credits nothing', async () => {
  const { client, revoke } = await makeKey({ scopes: ['admin:credit'] }, service.admin);
  const credit = () => client.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: '5.00' });
  expectRefusal(await sent('find_accounts_by_key', revoke, credit), '401 revoked_api_key', {});
  assert.equal((await account.get('/balance')).body.balance, '1000.00');
});

describe('anyone who waits for news', () => {
  const feed = '/api/admin/v1/events';
  const entitlements = '/api/product/v1/entitlements';

  async function endOf(path: string, { get }: Pick<ApiClient, 'get'>): Promise<string> {
    for (let after = ''; ; ) {
      const page = expectStatus(await get(`${path}?limit=100${after}`), 200);
      if (page.next_after !== null) after = `&after=${page.next_after}`;
      if (page.data.length === 0 && !page.has_more) return after;
    }
  }

  const happened = async () => {
    const reference = `news-${randomUUID()}`;
    expectStatus(await account.post('/orders', order(reference)), 201);
  };

  test('gets no more answers once their key is revoked or narrowed', async () => {
    const places = [
      ['/events', 'list_events', account],
      [feed, 'read_event_stream', service.admin],
      [entitlements, 'read_event_stream', service.admin],
    ] as const;
    for (const [path, statement, owner] of places) {
      const key = await makeKey({}, owner);
      const wait = async () => {
        const after = await endOf(path, key.client);
        return (meanwhile: () => Promise<unknown>) =>
          sent(
            statement,
            async () => {
              await meanwhile();
              await happened();
            },
            () => key.client.get(`${path}?wait=60${after}`),
          );
      };
      assert.notEqual(expectStatus(await (await wait())(async () => undefined), 200).data.length, 0);
      const narrowed = await (await wait())(() => key.narrow(['balance:read']));
      expectRefusal(narrowed, '403 insufficient_scope', undefined, path);
      await key.narrow([...(owner === account ? accountScopes : keyScopes)]);
      expectRefusal(await (await wait())(key.revoke), '401 revoked_api_key', {}, path);
    }
  });

  test('gets no more answers once they are removed', async () => {
    for (const [path, statement, owner] of [
      ['/v1/events', 'list_events', account],
      ['/admin/v1/events', 'read_event_stream', service.admin],
    ] as const) {
      const person = await addPerson(service, owner, 'viewer');
      const after = await endOf(path, person.panel);
      const removed = async () => {
        expectStatus(await service.admin.send('DELETE', `${peoplePath(owner)}/${person.id}`), 200);
        await happened();
      };
      const waiting = () => person.panel.get(`${path}?wait=60${after}`);
      expectRefusal(await sent(statement, removed, waiting), '401 not_signed_in', {}, path);
    }
  });
});
