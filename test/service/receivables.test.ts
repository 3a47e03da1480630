// The operator's list of what accounts owe, and write-offs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import { verify } from '../harness/falsified-books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { createOwingAccount } from '../harness/owing-account.ts';
import { signIn } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const admin = '/api/admin/v1';

const list = async (query = '') => expectStatus(await service.admin.get(`${admin}/receivables${query}`), 200);

function writeOff({ id }: Pick<TestAccount, 'id'>, body: object, key?: string) {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return service.admin.post(`${admin}/accounts/${id}/receivable/write-offs`, body, headers);
}

test('accounts that owe are listed, the most first, until it is settled or written off', async () => {
  await service.createReseller({ credit: '5.00' });
  const small = await createOwingAccount(service, 10_000n);
  const large = await createOwingAccount(service, 30_000n);
  const alike = await createOwingAccount(service, 10_000n);
  const { data, ...page } = await list();
  assert.deepEqual(page, { page: 1, per_page: 25, total: 3 });
  assert.deepEqual(
    data.map(({ account, receivable, balance }: { account: { id: number }; [name: string]: unknown }) => [
      account.id,
      receivable,
      balance,
    ]),
    [
      [large.id, '300.00', '0.00'],
      [alike.id, '100.00', '0.00'],
      [small.id, '100.00', '0.00'],
    ],
  );
  const console = await signIn(service, service.admin);
  const { owed, ...sums } = expectStatus(await console.get('/admin/topup-sums'), 200);
  assert.deepEqual(owed, { count: 3, amount: '500.00' });
  const idsOf = async (query: string) =>
    expectStatus(await console.get(`/admin/topups?${query}`), 200)
      .data.map(({ account }: { account: { id: number } }) => account.id)
      .toSorted();
  assert.equal((await idsOf('status=credited_this_month')).length, sums.credited.count);
  assert.deepEqual(await idsOf('status=credited_this_month&reference=pi_none'), []);
  assert.equal((await idsOf('status=pending')).length, sums.pending.count);
  assert.equal((await idsOf('status=recently_failed')).length, sums.failed.count);
  assert.ok(sums.credited.count > 0);
  assert.deepEqual(sums.disputed, { count: 3, amount: '500.00' });
  assert.deepEqual(await idsOf('reference=pi_1'), [small.id, large.id, alike.id].toSorted());
  assert.deepEqual(await idsOf(`reference=pi_1&account_id=${large.id}`), [large.id]);
  assert.deepEqual(await idsOf(`reference=${publicId(small.id, 1)}`), [small.id]);
  assert.deepEqual(await idsOf(`reference=${rfReference(small.id)}`), [], 'it made no transfer');
  assert.deepEqual(await idsOf('reference=pi_none'), []);
  const { text } = await console.get('/admin/topups?format=csv');
  assert.deepEqual(text.split('\n').length, 5);
  const [first] = data;
  const { username, display_name } = expectStatus(
    await service.admin.get(`${admin}/accounts/${large.id}`),
    200,
  ).account;
  assert.deepEqual(first.account, { id: large.id, username, display_name });
  assert.match(first.since, /^\d{4}-\d\d-\d\dT/);
  const second = await list('?page=2&limit=1');
  assert.deepEqual([second.total, second.data.length, second.data[0].account.id], [3, 1, alike.id]);
  assert.deepEqual((await list('?page=9')).data, []);
  expectStatus(await writeOff(small, { memo: 'Closed' }), 201);
  expectStatus(await service.admin.post(`${admin}/accounts/${alike.id}/credit`, { amount: '100.00' }), 201);
  assert.deepEqual(
    (await list()).data.map(({ account }: { account: { id: number } }) => account.id),
    [large.id],
  );
  expectStatus(await writeOff(large, { memo: 'Closed' }), 201);
  assert.deepEqual((await list()).data, []);
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});

test('a write-off is made once for each key, and says what is still owed', async () => {
  const account = await createOwingAccount(service, 10_000n);
  const body = { amount: '30.00', memo: 'Agreed by phone' };
  const first = await writeOff(account, body, 'agreed-1');
  assert.deepEqual(expectStatus(first, 201), {
    written_off: '30.00',
    receivable: '70.00',
    currency: 'USD',
  });
  assert.equal(first.headers.get('idempotent-replayed'), null);
  expectStatus(await writeOff(account, { ...body, idempotency_key: 'agreed-2' }), 201);
  const again = await writeOff(account, body, 'agreed-1');
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [first.body, 'true']);
  expectRefusal(
    await writeOff(account, { ...body, amount: '30.01' }, 'agreed-1'),
    '409 idempotency_conflict',
  );
  expectRefusal(await writeOff(account, { memo: 'Agreed by phone' }, 'agreed-1'), '409 idempotency_conflict');
  assert.deepEqual(expectStatus(await account.get('/balance'), 200).receivable, '40.00');
  const { data } = expectStatus(await service.admin.get(`${admin}/audit`), 200);
  const { action, subject, before: was, after: is } = data[0];
  assert.deepEqual(
    { action, subject, was, is },
    {
      action: 'receivable.write_off',
      subject: `account ${account.id}`,
      was: { receivable: '70.00' },
      is: { receivable: '40.00', memo: 'Agreed by phone' },
    },
  );
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});

test('bad write-offs are refused, and change nothing', async () => {
  const account = await createOwingAccount(service, 10_000n);
  for (const amount of ['0', '0.00', '100.01', '-1.00', '1.234', '1e2', '', 5, null]) {
    expectRefusal(await writeOff(account, { amount, memo: 'Wrong' }), '422 validation_failed');
  }
  for (const memo of [undefined, '', 7, 'x'.repeat(501)]) {
    expectRefusal(await writeOff(account, { amount: '1.00', memo }), '422 validation_failed');
  }
  expectRefusal(await writeOff(account, { memo: 'Wrong' }, 'a b'), '422 invalid_idempotency_key');
  for (const id of [999_999, 2_000_000_000])
    expectRefusal(await writeOff({ id }, { memo: 'Of no account' }), '404 account_not_found');
  const rich = await service.createReseller({ credit: '5.00' });
  expectRefusal(await writeOff(rich, { memo: 'Owes nothing' }), '422 validation_failed');
  const path = `${admin}/accounts/${account.id}/receivable/write-offs`;
  expectRefusal(await account.post(path, { memo: 'Of my own' }), '403 forbidden');
  expectRefusal(await account.get(`${admin}/receivables`), '403 forbidden');
  assert.equal(expectStatus(await account.get('/balance'), 200).receivable, '100.00');
});

test('a refund or dispute counts in the month in which it happened, and its rows are as many', async () => {
  const { clock } = service;
  const account = await service.createReseller({});
  const { engine } = service.service;
  const common = { accountId: account.id, topupNumber: 1 };
  await sqlOf(
    service,
    account,
    `insert into topups (account_id, number, method, amount_cents, status, created_at)
      values (${account.id}, 1, 'card', 10000, 'open', to_timestamp(${clock.seconds}))`,
  );
  const paymentRef = 'stripe:pi_months';
  await engine.submit({ type: 'receive_payment', ...common, amountCents: 10_000n, paymentRef, memo: null });
  const reverse = (kind: 'refund' | 'dispute', cents: bigint) =>
    engine.submit({
      type: 'reverse_payment',
      ...common,
      amountCents: cents,
      cause: `stripe:${kind}_${cents}`,
      kind,
      allowReceivable: true,
      by: null,
    });
  const expectThisMonth = async (expected: { refunded: [number, string]; disputed: [number, string] }) => {
    const console = await signIn(service, service.admin);
    const sums = expectStatus(await console.get('/admin/topup-sums'), 200);
    for (const kind of ['refunded', 'disputed'] as const) {
      const [count, amount] = expected[kind];
      assert.deepEqual(sums[kind], { count, amount }, kind);
      for (const query of [`status=${kind}_this_month`, `status=${kind}_this_month&reference=pi_months`]) {
        const { data } = expectStatus(await console.get(`/admin/topups?${query}`), 200);
        assert.equal(data.length, count, query);
      }
    }
    return sums;
  };
  clock.seconds = secondsOf('2027-11-20T12:00:00Z');
  await reverse('refund', 2_000n);
  await reverse('refund', 500n);
  await expectThisMonth({ refunded: [1, '25.00'], disputed: [0, '0.00'] });
  clock.seconds = secondsOf('2027-12-10T12:00:00Z');
  await expectThisMonth({ refunded: [0, '0.00'], disputed: [0, '0.00'] });
  await reverse('dispute', 7_500n);
  const { credited } = await expectThisMonth({ refunded: [0, '0.00'], disputed: [1, '75.00'] });
  assert.equal(credited.count, 0, 'it was paid long before');
  await engine.submit({ type: 'reinstate_payment', accountId: account.id, cause: 'stripe:dispute_7500' });
  await expectThisMonth({ refunded: [0, '0.00'], disputed: [0, '0.00'] });
});
