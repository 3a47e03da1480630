// POST /accounts/{id}/close: refused while anything is open; then the balance leaves once and nothing of the account works.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { shutAccount } from '../../src/features/closing/close-account.ts';
import { settleClosing, settleClosings } from '../../src/features/closing/settle-closing.ts';
import { isRefusal } from '../../src/shared/error-catalog.ts';
import { verify } from '../harness/falsified-books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { createOwingAccount } from '../harness/owing-account.ts';
import { signIn, signInAnswer, testPassword, usernameOf } from '../harness/panel-client.ts';
import { addPerson, ownPassword, peoplePath, type TestPerson } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';
import { testModeOf } from '../harness/test-mode.ts';

let service: TestService;
before(async () => {
  service = await startTestService({
    outbound: {
      send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
      problemOf: async () => null,
      close: async () => undefined,
    },
  });
});
after(() => service.close());

const admin = '/api/admin/v1';
const pathOf = ({ id }: Pick<TestAccount, 'id'>) => `${admin}/accounts/${id}`;

function close(account: Pick<TestAccount, 'id'>, body: object = {}, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  const sent = { balance: 'paid_out', memo: 'Transfer of today', ...body };
  return service.admin.post(`${pathOf(account)}/close`, sent, headers);
}

async function entriesOf({ id }: Pick<TestAccount, 'id'>) {
  const { data } = expectStatus(await service.admin.get(`${pathOf({ id })}/ledger`), 200);
  return data as { kind: string; amount: string; memo: string | null }[];
}

async function cancel(account: TestAccount, customerId: number): Promise<void> {
  expectStatus(await account.post(`/customers/${customerId}/cancel`, { at: 'now' }), 200);
}

describe('an account with keys, people, endpoints, alerts and a test', () => {
  let account: TestAccount;
  let tests: { key: string };
  let username: string;
  let person: TestPerson;
  let closed: { account: { closed_at: string } };

  before(async () => {
    account = await service.createReseller({ credit: '100.00' });
    username = await usernameOf(service, account);
    await signIn(service, account);
    person = await addPerson(service, account, 'staff');
    tests = await testModeOf(service, account);
    expectStatus(await account.post('/webhooks', { url: 'https://shop.example.com/hook' }), 201);
    const alerts = { balance_below: '5.00', emails: ['ada@example.com'], weekly_summary: true };
    expectStatus(await account.send('PUT', '/api/v1/alerts', alerts), 200);
    const order = await placeOrder(service, account, {
      package_id: service.packages.basic,
      customer: 'ada',
      months: 1,
    });
    expectRefusal(await close(account), '409 account_not_closable', { reason: 'plan_running' });
    assert.equal((await account.get('/balance')).status, 200, 'a refused closing changes nothing');
    await cancel(account, order.order.customer.id);
  });

  test('is closed once nothing is open, and its balance leaves with one ledger entry', async () => {
    const { balance } = expectStatus(await account.get('/balance'), 200);
    const answer = await close(account, {}, 'close-1');
    closed = expectStatus(answer, 200);
    const { account: shown, ...rest } = answer.body;
    assert.deepEqual(rest, {
      ...{ balance: 'paid_out', amount: balance, written_off: '0.00', currency: 'USD' },
      memo: 'Transfer of today',
    });
    assert.deepEqual([shown.balance, shown.blocked, shown.api_enabled], ['0.00', true, false]);
    assert.match(shown.closed_at, /^\d{4}-\d\d-\d\dT/);
    const [entry] = await entriesOf(account);
    assert.deepEqual(
      [entry?.kind, entry?.amount, entry?.memo],
      ['debit', `-${balance}`, 'Account closed, paid out: Transfer of today'],
    );
    const { data } = expectStatus(await service.admin.get(`${admin}/audit`), 200);
    assert.deepEqual(
      data.slice(0, 2).map(({ action, subject }: { action: string; subject: string }) => [action, subject]),
      [
        ['account.debit', `account ${account.id}`],
        ['account.close', `account ${account.id}`],
      ],
    );
    assert.deepEqual(data[1].before, { balance, receivable: '0.00' });
    assert.deepEqual(data[1].after, { balance: 'paid_out', memo: 'Transfer of today' });
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
  });

  test('is answered the same again, and takes nothing twice', async () => {
    const count = (await entriesOf(account)).length;
    const again = await close(account, {}, 'close-1');
    assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [closed, 'true']);
    const other = await close(account, { balance: 'written_off', memo: 'Another try' });
    assert.deepEqual([other.body, other.headers.get('idempotent-replayed')], [closed, null]);
    expectRefusal(await close(account, { memo: 'Another' }, 'close-1'), '409 idempotency_conflict');
    assert.equal((await entriesOf(account)).length, count);
  });

  test('lets no key and no person in, and sends nothing', async () => {
    expectRefusal(await account.get('/balance'), '401 revoked_api_key');
    const asked = await fetch(`${service.address}/api/v1/balance`, {
      headers: { authorization: `Bearer ${tests.key}` },
    });
    assert.equal(asked.status, 401);
    const passwords = { [username]: testPassword, [person.username]: ownPassword };
    for (const [name, password] of Object.entries(passwords))
      expectRefusal(
        await signInAnswer(service.address, { username: name, password }),
        '403 account_blocked',
        {},
        name,
      );
    expectRefusal(await person.panel.get('/me'), '401 not_signed_in');
    const [sessions, links, endpoints, mails] = await Promise.all(
      [
        `select count(*)::int as count from sessions s join people p on p.id = s.person_id where p.account_id = ${account.id}`,
        `select count(*)::int as count from password_links l join people p on p.id = l.person_id where p.account_id = ${account.id}`,
        `select count(*)::int as count from webhooks where account_id = ${account.id} and enabled`,
        `select count(*)::int as count from alerts t left join mail_addresses m on m.account_id = t.account_id
          where t.account_id = ${account.id} and (t.emails <> '{}' or t.weekly_summary or m.address is not null)`,
      ].map(async (text) => (await service.database.query({ name: '', text }))[0]?.['count']),
    );
    assert.deepEqual([sessions, links, endpoints, mails], [0, 0, 0, 0]);
  });

  test('takes no money, keys, invitations, trials or settings any more, and stays readable', async () => {
    const path = pathOf(account);
    const { trial } = service.packages;
    for (const [method, end, body] of [
      ['POST', '/credit', { amount: '1.00' }],
      ['POST', '/trials', { package_id: trial, customer: 'new' }],
      ['POST', '/keys', { name: 'Shop' }],
      ['POST', '/keys', { name: 'Shop', test: true }],
      ['POST', '/api-key', undefined],
      ['POST', '/people', { username: 'late', role: 'staff' }],
      ['PATCH', '', { blocked: false }],
      ['PATCH', '', { api_enabled: true }],
    ] as const)
      expectRefusal(
        await service.admin.send(method, path + end, body),
        '409 account_closed',
        {},
        method + end,
      );
    for (const end of ['', '/ledger', '/orders', '/customers', '/people', '/keys'])
      expectStatus(await service.admin.get(path + end), 200);
    expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${person.id}`), 200);
    const panel = await signIn(service, service.admin);
    const found = async (state: string) =>
      expectStatus(await panel.get(`/admin/accounts?state=${state}`), 200).data.map(
        ({ id }: { id: number }) => id,
      );
    assert.deepEqual(await found('closed'), [account.id]);
    for (const state of ['active', 'blocked', 'api_off'])
      assert.ok(!(await found(state)).includes(account.id), state);
  });
});

describe('what is open keeps an account from being closed', () => {
  const open: readonly [reason: string, sql: (id: number) => string, undone: (id: number) => string][] = [
    [
      'payment_open',
      (id) =>
        `insert into topups (account_id, number, method, amount_cents, status, created_at, check_at)
          values (${id}, 1, 'card', 100, 'open', now(), null)`,
      (id) => `update topups set status = 'cancelled' where account_id = ${id}`,
    ],
    [
      'product_call_open',
      (id) =>
        `insert into product_calls (call_id, account_id, customer_number, type, created_at, next_attempt_at, status)
          values ('call_open_${id}', ${id}, 1, 'plan.expire', now(), now() + interval '9 days', 'attention')`,
      (id) => `update product_calls set status = 'done' where account_id = ${id}`,
    ],
    [
      'account_halted',
      (id) => `update accounts set halted_at = now() where id = ${id}`,
      (id) => `update accounts set halted_at = null where id = ${id}`,
    ],
  ];
  for (const [reason, sql, undone] of open) {
    test(reason, async () => {
      const account = await service.createReseller({});
      await sqlOf(service, account, sql(account.id));
      expectRefusal(await close(account), '409 account_not_closable', { reason });
      expectStatus(await account.get('/balance'), 200);
      await sqlOf(service, account, undone(account.id));
      assert.equal(expectStatus(await close(account), 200).amount, '0.00');
      assert.deepEqual(await entriesOf(account), [], 'nothing to take, no entry');
    });
  }

  test('an administrator is not closed, and what is owed can only be written off', async () => {
    const id = 1;
    expectRefusal(await close({ id }), '409 account_not_closable', { reason: 'administrator' });
    const account = await createOwingAccount(service, 10_000n);
    const { data } = expectStatus(await account.get('/customers'), 200);
    await cancel(account, data[0].id);
    await sqlOf(
      service,
      account,
      `update product_calls set status = 'done' where account_id = ${account.id}`,
    );
    expectRefusal(await close(account), '409 account_not_closable', { reason: 'receivable_open' });
    const closed = expectStatus(
      await close(account, { balance: 'written_off', memo: 'Insolvent' }, 'w'),
      200,
    );
    assert.equal(closed.written_off, '100.00');
    assert.equal(closed.account.balance, '0.00');
    const { data: owed } = expectStatus(await service.admin.get(`${admin}/receivables`), 200);
    assert.deepEqual(owed, []);
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
  });

  test('bad requests, unknown accounts and a key of an earlier credit are refused', async () => {
    const account = await service.createReseller({});
    for (const body of [{ balance: 'kept' }, { balance: undefined }, { memo: '' }, { memo: 'x'.repeat(401) }])
      expectRefusal(await close(account, body), '422 validation_failed');
    expectRefusal(await close({ id: 999_999 }), '404 account_not_found');
    const used = { amount: '1.00', idempotency_key: 'used' };
    expectStatus(await service.admin.post(`${pathOf(account)}/credit`, used), 201);
    expectRefusal(await close(account, {}, 'used'), '409 idempotency_conflict');
    const key = expectStatus(
      await service.admin.post(`${admin}/accounts/1/keys`, { name: 'Support', scopes: ['admin:accounts'] }),
      201,
    ).api_key;
    const answer = await fetch(`${service.address}${pathOf(account)}/close`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ balance: 'paid_out', memo: 'Without the scope for money' }),
    });
    assert.equal(answer.status, 403);
    expectStatus(await account.get('/balance'), 200);
  });
});

describe('a process that dies between the two steps', () => {
  async function shutOnly(): Promise<TestAccount> {
    const account = await service.createReseller({ credit: '20.00' });
    const { database, clock } = service;
    const done = await shutAccount(database, {
      ...{ accountId: account.id, balance: 'paid_out', memo: 'Halfway', idempotencyKey: 'half' },
      ...{ author: { actorId: 1 }, now: clock.seconds },
    });
    assert.ok(!isRefusal(done));
    return account;
  }
  const dependencies = () => ({ database: service.database, engine: service.service.engine });

  test('leaves the balance to the same request', async () => {
    const account = await shutOnly();
    const answer = await close(account, { memo: 'Halfway' }, 'half');
    assert.equal(expectStatus(answer, 200).amount, '20.00');
    assert.equal((await entriesOf(account)).filter(({ kind }) => kind === 'debit').length, 1);
  });

  test('or to the job, however many processes run it', async () => {
    const account = await shutOnly();
    const signal = new AbortController().signal;
    const left = await Promise.all([1, 2, 3].map(() => settleClosings(dependencies(), signal)));
    assert.deepEqual(left, [0, 0, 0]);
    assert.equal((await entriesOf(account)).filter(({ kind }) => kind === 'debit').length, 1);
    assert.equal((await settleClosing(dependencies(), account.id))?.amount, '20.00');
    assert.equal(await settleClosing(dependencies(), 1), null, 'an account that is not closed');
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
  });

  test('and after a payment went back meanwhile, only what is left is taken, once', async () => {
    const account = await shutOnly();
    const debit = await service.admin.post(`${pathOf(account)}/credit`, { amount: '-5.00' });
    expectStatus(debit, 201);
    assert.equal((await settleClosing(dependencies(), account.id))?.amount, '15.00');
    const late = { amount: '-1.00', memo: 'Nothing is there' };
    expectRefusal(await service.admin.post(`${pathOf(account)}/credit`, late), '422 insufficient_credit');
  });
});
