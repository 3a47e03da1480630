// How long data is kept: the operator's days decide what the jobs delete, and at first everything is as it always was.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { appendAudit } from '../../src/platform/audit-log/append-audit.ts';
import type { Row } from '../../src/platform/database/database.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import { isJsonObject } from '../../src/shared/json.ts';
import { retentionLimits } from '../../src/shared/retention-limits.ts';
import { verify } from '../harness/falsified-books.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { signIn, signInAnswer, usernameOf } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';
import { testModeOf } from '../harness/test-mode.ts';

const day = 86_400;
const admin = '/api/admin/v1';
const asBefore = {
  request_log_days: 7,
  event_days: 90,
  mail_days: 30,
  audit_address_days: null,
  closed_account_days: null,
};

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const sql = (text: string) => service.database.query({ name: '', text });

async function kept() {
  return expectStatus(await service.admin.get(`${admin}/retention`), 200).retention;
}

async function keep(days: object) {
  return expectStatus(await service.admin.patch(`${admin}/retention`, days), 200).retention;
}

/** The next run of the job, at the time of the test's clock. Only a few due jobs run at once, so look several times. */
async function housekeeping(kind: string): Promise<void> {
  const { jobs } = service.service;
  const stateOf = async () => (await jobs.list()).find((job) => job.kind === kind);
  await sql(`update jobs set finished_at = null, next_run_at = to_timestamp(0) where kind = '${kind}'`);
  for (let looks = 0; looks < 30 && (await stateOf())?.finishedAt === null; looks += 1) {
    await jobs.look();
    await jobs.idle();
  }
  const state = await stateOf();
  assert.deepEqual([state?.finishedAt, state?.failuresInARow], [service.clock.seconds, 0], kind);
}

async function auditRows(): Promise<readonly Row[]> {
  return sql(`select number, extract(epoch from at)::bigint::text as at, actor_id, action, subject, before, after,
      actor_key_id, actor_person_id, packages_version from audit_log order by number`);
}

describe('the settings', () => {
  test('are what the service always did, until someone changes them', async () => {
    assert.deepEqual(await kept(), asBefore);
    const count = (await auditRows()).length;
    assert.deepEqual(await keep({}), asBefore);
    assert.deepEqual(await keep({ event_days: 90, audit_address_days: null }), asBefore);
    assert.equal((await auditRows()).length, count, 'no change, no entry');
  });

  test('refuse what cannot be, naming the field', async () => {
    for (const [name, { minimum, maximum }] of Object.entries(retentionLimits)) {
      for (const days of [minimum - 1, maximum + 1, 0, -1, 20.5, '30', true, [30]]) {
        const answer = await service.admin.patch(`${admin}/retention`, { request_log_days: 3, [name]: days });
        expectRefusal(answer, '422 validation_failed', undefined, `${name} ${days}`);
        assert.equal(answer.body.error.details.field, name, answer.text);
      }
    }
    for (const name of ['request_log_days', 'event_days', 'mail_days']) {
      const answer = await service.admin.patch(`${admin}/retention`, { [name]: null });
      expectRefusal(answer, '422 validation_failed');
      assert.equal(answer.body.error.details.field, name, answer.text);
    }
    assert.deepEqual(await kept(), asBefore);
  });

  test('are changed one by one, and the audit log has what changed, before and after', async () => {
    assert.deepEqual(await keep({ mail_days: 60 }), { ...asBefore, mail_days: 60 });
    const changed = { ...asBefore, mail_days: 60, audit_address_days: 180 };
    assert.deepEqual(await keep({ mail_days: 60, audit_address_days: 180 }), changed);
    const { before: was, after: is, ...entry } = (await auditRows()).at(-1) ?? {};
    assert.deepEqual([entry['action'], entry['subject']], ['retention.update', 'retention']);
    assert.deepEqual([was, is], [{ audit_address_days: null }, { audit_address_days: 180 }]);
    assert.deepEqual(await keep(asBefore), asBefore);
  });

  test('take the scope for settings, and for closed accounts the one that erases customers too', async () => {
    const withScopes = async (...scopes: string[]) => {
      const made = await service.admin.post(`${admin}/accounts/1/keys`, { name: 'Narrow', scopes });
      return createApiClient(service.address, expectStatus(made, 201).api_key);
    };
    const reader = await withScopes('admin:read', 'admin:accounts');
    expectStatus(await reader.get(`${admin}/retention`), 200);
    expectRefusal(await reader.patch(`${admin}/retention`, { mail_days: 60 }), '403 insufficient_scope');
    const setter = await withScopes('admin:packages');
    const closed = await setter.patch(`${admin}/retention`, { closed_account_days: 1 });
    expectRefusal(closed, '403 insufficient_scope');
    expectStatus(await setter.patch(`${admin}/retention`, { mail_days: 30 }), 200);
    const reseller = await service.createReseller();
    expectRefusal(await reseller.get(`${admin}/retention`), '403 forbidden');
    assert.deepEqual(await kept(), asBefore);
  });
});

test('the request log: a shorter time hides older requests at once and deletes them, a longer one keeps them', async () => {
  const account = await service.createReseller();
  const panel = () => signIn(service, account);
  const shown = async () =>
    expectStatus(await (await panel()).get('/requests'), 200).data as { id: number }[];
  const rows = async () =>
    (await sqlOf(service, account, `select number from api_requests where account_id = ${account.id}`))
      .length;
  await account.get('/balance');
  const [old] = await shown();
  service.clock.seconds += 3 * day;
  await account.get('/balance');
  await housekeeping('request_log');
  assert.deepEqual([(await shown()).length, await rows()], [2, 2]);

  await keep({ request_log_days: 2 });
  assert.equal((await shown()).length, 1);
  expectRefusal(await (await panel()).get(`/requests/${old?.id}`), '404 request_not_found');
  assert.equal(await rows(), 2);
  await housekeeping('request_log');
  assert.equal(await rows(), 1);

  await keep({ request_log_days: 30 });
  service.clock.seconds += 29 * day;
  await housekeeping('request_log');
  assert.deepEqual([(await shown()).length, await rows()], [1, 1]);
  assert.equal(expectStatus(await (await panel()).get('/me'), 200).kept.request_log_days, 30);
  service.clock.seconds += 2 * day;
  assert.deepEqual(await shown(), []);
  await housekeeping('request_log');
  assert.equal(await rows(), 0);
  await keep({ request_log_days: 7 });
});

test('events: after a shorter time the feeds answer events_gone, and go on from the oldest that is kept', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const feed = async (query = '') => account.get(`/events?limit=100${query}`);
  expectStatus(await feed(), 200);
  await placeOrder(service, account, { customer: 'early@example.com' });
  const early = expectStatus(await feed(), 200).data as { id: number; type: string }[];
  const whole = async (query: string) => service.admin.get(`${admin}/events?${query}`);
  expectStatus(await whole('limit=1'), 200);
  service.clock.seconds += 20 * day;
  await placeOrder(service, account, { customer: 'late@example.com' });
  expectStatus(await whole('limit=1'), 200);
  await housekeeping('old_events');
  const first = early[0]?.id ?? 0;
  expectStatus(await feed(`&after=${first}`), 200);

  await keep({ event_days: 14 });
  await housekeeping('old_events');
  const gone = await feed(`&after=${first}`);
  const left = expectStatus(await feed(), 200).data as { id: number; type: string }[];
  expectRefusal(gone, '410 events_gone', { oldest: left[0]?.id });
  expectRefusal(await whole(`after=${first}`), '410 events_gone');
  expectRefusal(await account.get(`/events/${first}`), '404 event_not_found');
  assert.ok((left[0]?.id ?? 0) > (early.at(-1)?.id ?? 0));
  assert.ok(left.some(({ type }) => type === 'order.completed'));
  assert.deepEqual(
    expectStatus(await feed(`&after=${early.at(-1)?.id}`), 200).data,
    left,
    'nothing is missed',
  );
  assert.equal(expectStatus(await (await signIn(service, account)).get('/me'), 200).kept.event_days, 14);
  service.clock.seconds += 13 * day;
  await housekeeping('old_events');
  assert.deepEqual(expectStatus(await feed(), 200).data.slice(0, left.length), left);
  await keep({ event_days: 90 });
});

test('mails: rows go after the days that are set, and not before', async () => {
  const { seconds } = service.clock;
  await sql(`insert into mails (account_id, to_address, kind, occasion, subject, created_at, send_after, expires_at, sent_at)
    select 1, 'ada@example.com', 'alert', 'mail ' || days, 'Old', t, t, t, t
    from unnest(array[6, 8, 29, 31]) days cross join lateral (select to_timestamp(${seconds}) - days * interval '1 day' as t) x`);
  const left = async () =>
    (await sql('select occasion from mails order by created_at')).map(({ occasion }) => occasion);
  await housekeeping('mail');
  assert.deepEqual(await left(), ['mail 29', 'mail 8', 'mail 6']);
  await keep({ mail_days: 7 });
  await housekeeping('mail');
  assert.deepEqual(await left(), ['mail 6']);
  await keep({ mail_days: 30 });
  service.clock.seconds += 23 * day;
  await housekeeping('mail');
  assert.deepEqual(await left(), ['mail 6']);
});

test('audit addresses: old entries lose the address of the client, everything else stays, and the books are in order', async () => {
  const account = await service.createReseller();
  await signIn(service, account);
  const username = await usernameOf(service, account);
  expectRefusal(
    await signInAnswer(service.address, { username, password: 'a guess' }),
    '401 invalid_credentials',
  );
  const console = await signIn(service, service.admin);
  const change = { mail_days: 60 };
  expectRefusal(await console.patch('/admin/v1/retention', change), '422 validation_failed');
  expectRefusal(
    await console.patch('/admin/v1/retention', { ...change, current_password: 'a guess' }),
    '403 wrong_password',
  );
  assert.deepEqual(await kept(), asBefore, 'behind a session it takes the password');
  // A refused sign-in is entered after its answer.
  while (!(await auditRows()).some((row) => row['action'] === 'sign_in.refuse'));
  const entry = { actorId: account.id, subject: `account ${account.id}`, before: null };
  const address = '192.0.2.7';
  const { database, clock } = service;
  await appendAudit(
    database,
    { ...entry, action: 'account.mail_password_link', after: { address } },
    clock.seconds,
  );
  // Not the address of a client.
  await appendAudit(database, { ...entry, action: 'account.test', after: { address } }, clock.seconds);
  service.clock.seconds += 10 * day;
  await signIn(service, account);
  const cleared = (rows: readonly Row[], days: number) =>
    rows.map((row) =>
      Number(row['at']) < clock.seconds - days * day && row['action'] !== 'account.test'
        ? withoutAddress(row)
        : row,
    );
  const at = (rows: readonly Row[], days: number) =>
    rows.filter((row) => Number(row['at']) === clock.seconds - days * day);
  const actionsOf = (rows: readonly Row[]) =>
    [...new Set(rows.filter((row) => withoutAddress(row) !== row).map(({ action }) => action))].sort();
  const everyAction = [
    ...['account.mail_password_link', 'account.test', 'deed.refuse', 'sign_in.accept', 'sign_in.refuse'],
  ];
  assert.deepEqual(actionsOf(at(await auditRows(), 10)), everyAction);

  const before = await auditRows();
  await housekeeping('retention');
  assert.deepEqual(await auditRows(), before, 'at first for good');
  for (const days of [11, 10]) {
    await keep({ audit_address_days: days });
    await housekeeping('retention');
    const rows = await auditRows();
    assert.deepEqual(
      rows.slice(0, before.length),
      cleared(before, days),
      'older entries alone, nothing else of them',
    );
    assert.deepEqual(actionsOf(at(rows, 10)), everyAction, 'not before its time');
  }
  await keep({ audit_address_days: 9 });
  await housekeeping('retention');
  const rows = await auditRows();
  assert.deepEqual(rows.slice(0, before.length), cleared(before, 9));
  assert.deepEqual(actionsOf(at(rows, 10)), ['account.test']);
  assert.deepEqual(actionsOf(at(rows, 0)), ['sign_in.accept'], 'the newest has it');
  assert.deepEqual(await verify(service), { ok: true, problems: [] });

  service.clock.seconds += 10 * day;
  await housekeeping('retention');
  assert.deepEqual(actionsOf(await auditRows()), ['account.test']);
  await assert.rejects(sql("update audit_log set after = after - 'address'"), /append-only/);
  await keep({ audit_address_days: null });
});

/** The row itself if it has none. */
function withoutAddress(row: Row): Row {
  const { after: is } = row;
  if (!isJsonObject(is) || !('address' in is)) return row;
  const { address: _, ...rest } = is;
  return { ...row, after: rest };
}

describe('the customers of a closed account', () => {
  let closed: TestAccount;
  let open: TestAccount;
  let tests: TestAccount;
  const names = ['ada@example.com', 'grace@example.com'];
  const renewing = 'renews-itself@example.com';
  const everyone = [...names, renewing];

  async function ended(account: TestAccount, customer: string) {
    const { order } = await placeOrder(service, account, { customer, months: 1 });
    expectStatus(await account.post(`/customers/${order.customer.id}/cancel`, { at: 'now' }), 200);
    return order as { readonly id: number };
  }

  async function references({ id }: TestAccount) {
    const rows = await sqlOf(
      service,
      { id },
      `select reference from customers where account_id = ${id} order by number`,
    );
    return rows.map(({ reference }) => reference);
  }

  async function money({ id }: TestAccount) {
    const orders = await sqlOf(
      service,
      { id },
      `select number, price_cents::text as price from orders where account_id = ${id} order by number`,
    );
    const entries = await sqlOf(
      service,
      { id },
      `select number, amount_cents::text as amount, balance_after_cents::text as balance from ledger_entries where account_id = ${id} order by number`,
    );
    return { orders, entries };
  }

  const erasedLines = () =>
    service.logLines.filter(({ msg }) => msg === 'customer erased').map((line) => line['customer']);

  before(async () => {
    closed = await service.createReseller({ credit: '100.00' });
    open = await service.createReseller({ credit: '100.00' });
    tests = await testModeOf(service, closed);
    for (const name of names) {
      await ended(closed, name);
      await ended(open, `open-${name}`);
    }
    // Its plan ends without being renewed, because no job runs meanwhile.
    const { order } = await placeOrder(service, closed, { customer: renewing, months: 1 });
    expectStatus(await closed.send('PUT', `/customers/${order.customer.id}/auto-renew`, { months: 1 }), 200);
    // Its plan still runs when the account is closed.
    await placeOrder(service, tests, { customer: 'tester@example.com' });
    service.clock.seconds += 32 * day;
    const body = { balance: 'paid_out', memo: 'Moved away' };
    expectStatus(await service.admin.post(`${admin}/accounts/${closed.id}/close`, body), 200);
  });

  test('stay for good at first, and until the days are over', async () => {
    service.clock.seconds += 400 * day;
    await housekeeping('retention');
    assert.deepEqual(await references(closed), everyone);
    await keep({ closed_account_days: 401 });
    service.clock.seconds += day - 60;
    await housekeeping('retention');
    assert.deepEqual(await references(closed), everyone);
    assert.deepEqual(erasedLines(), []);
  });

  test('are erased then, as by a request: names go everywhere, orders and money stay', async () => {
    const before = await money(closed);
    service.clock.seconds += 60;
    await housekeeping('retention');
    const ids = everyone.map((_, index) => publicId(closed.id, index + 1));
    assert.deepEqual(
      await references(closed),
      ids.map((id) => `erased-${id}`),
    );
    assert.deepEqual(await references(tests), [`erased-${publicId(tests.id, 1)}`]);
    assert.deepEqual(
      await references(open),
      names.map((name) => `open-${name}`),
    );
    assert.deepEqual(erasedLines(), ids, 'for a restore, without the test’s');
    assert.deepEqual(await money(closed), before);
    const entries = (await auditRows()).filter(({ action }) => action === 'customer.erase');
    assert.deepEqual(
      entries.map(({ subject }) => subject),
      ids.map((id) => `customer ${id}`),
    );

    await housekeeping('erasures');
    const audit = JSON.stringify(await auditRows());
    const events = JSON.stringify(
      await sqlOf(service, closed, `select data from events where account_id = ${closed.id}`),
    );
    for (const name of everyone) assert.ok(!new RegExp(`(?<!open-)${name}`).test(audit + events), name);
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
  });

  test('are looked for once, and those of an account that is closed later have their own time', async () => {
    const count = (await auditRows()).length;
    await housekeeping('retention');
    assert.equal((await auditRows()).length, count);
    expectStatus(
      await service.admin.post(`${admin}/accounts/${open.id}/close`, { balance: 'paid_out', memo: 'Too' }),
      200,
    );
    service.clock.seconds += 400 * day;
    await housekeeping('retention');
    assert.deepEqual(
      await references(open),
      names.map((name) => `open-${name}`),
    );
    await keep({ closed_account_days: 1 });
    await housekeeping('retention');
    assert.deepEqual(
      await references(open),
      names.map((_, index) => `erased-${publicId(open.id, index + 1)}`),
    );
    await keep({ closed_account_days: null });
  });

  test('are erased a hundred at a time, each hundred after no log names the last', async () => {
    const many = await service.createReseller({ credit: '2000.00' });
    const orders = Array.from({ length: 101 }, (_, index) => ({
      ...{ package_id: service.packages.basic, customer: `many-${index}@example.com`, months: 1 },
      idempotency_key: `many-${index}`,
    }));
    expectStatus(await many.post('/orders/bulk', { orders }), 200);
    service.clock.seconds += 32 * day;
    const body = { balance: 'paid_out', memo: 'Moved away' };
    expectStatus(await service.admin.post(`${admin}/accounts/${many.id}/close`, body), 200);
    await keep({ closed_account_days: 1 });
    service.clock.seconds += day;
    const left = async () =>
      (await references(many)).filter((reference) => !String(reference).startsWith('erased-')).length;
    const backlog = async () =>
      (await service.service.jobs.list()).find(({ kind }) => kind === 'retention')?.backlog;
    for (let runs = 0; runs < 2; runs += 1) {
      await housekeeping('retention');
      assert.deepEqual([await left(), await backlog()], [1, 1]);
    }
    await housekeeping('erasures');
    await housekeeping('retention');
    assert.deepEqual([await left(), await backlog()], [0, 0]);
  });
});
