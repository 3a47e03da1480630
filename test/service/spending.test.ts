// Spending by package and kind agrees with the ledger by day and sums each entry once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createSpendingReads } from '../../src/features/ledger/spending-totals.ts';
import { parseOwnedId } from '../../src/shared/identifiers.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { logCreditsUpTo } from '../harness/logged-by-hand.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { credit, placeOrder, secondsOf } from '../harness/shop.ts';
import { createTestAccounts } from '../harness/test-mode.ts';

const day = 86_400;

interface Row {
  readonly package: { readonly id: number; readonly name: string };
  readonly kind: string;
  readonly orders: number;
  readonly charged: string;
  readonly refunded: string;
  readonly spent: string;
  readonly previous: { readonly orders: number; readonly charged: string; readonly refunded: string };
}

let service: TestService;
let account: TestAccount;
let panel: PanelClient;
before(async () => {
  service = await startTestService();
  service.clock.seconds = secondsOf('2026-02-01T12:00:00Z');
  account = await service.createReseller({ credit: '900.00' });
  await business();
  panel = await signIn(service, account);
});
after(() => service.close());

const cents = (text: string) => Math.round(Number(text) * 100);
const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0);
const rowsOf = async (query: string): Promise<Row[]> => (await panel.get(`/overview${query}`)).body.spending;
const short = ({ package: { name }, kind, orders, charged, refunded }: Row) =>
  `${name} ${kind} ${orders} ${charged} ${refunded}`;

async function setMode(mode: 'none' | 'confirm'): Promise<void> {
  const product = { mode, url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', product), 200);
}

async function settle(orderId: number, outcome: 'completed' | 'failed'): Promise<void> {
  const id = parseOwnedId(String(orderId));
  assert.ok(id);
  const { accountId, number: orderNumber } = id;
  const settled = { type: 'settle_order', accountId, orderNumber, outcome, reason: null, by: null } as const;
  assert.equal((await service.service.engine.submit(settled)).type, 'settled');
}

async function business(): Promise<void> {
  const { basic, plus } = service.packages;
  const ada = await placeOrder(service, account, { customer: 'ada', package_id: plus, months: 3 });
  await placeOrder(service, account, { customer: 'ada', package_id: plus });
  await placeOrder(service, account, { customer: 'ben' });
  service.clock.seconds += day;
  // 28 of 30 days of Basic are refunded.
  await placeOrder(service, account, { customer: 'ben', package_id: plus });
  await credit(service, account, '10.00');
  await credit(service, account, '-4.00');
  const cancelled = `/customers/${ada.order.customer.id}/cancel`;
  expectStatus(await account.post(cancelled, { at: 'now' }), 200);
  await setMode('confirm');
  const failing = await placeOrder(service, account, { customer: 'cleo' });
  // A year of Plus becomes a month of Basic in the same second: 250.00 come back, 10.00 of them at once.
  const year = await placeOrder(service, account, { customer: 'dan', package_id: plus, months: 12 });
  await settle(year.order.id, 'completed');
  const down = await placeOrder(service, account, { customer: 'dan', package_id: basic });
  const undone = await placeOrder(service, account, { customer: 'ben', package_id: basic });
  service.clock.seconds += day;
  await settle(failing.order.id, 'failed');
  await settle(down.order.id, 'completed');
  await settle(undone.order.id, 'failed');
  await setMode('none');
}

test('each package and kind has what its orders cost and gave back, and a cancelled plan what came back of it', async () => {
  const lastDay = (await rowsOf('?days=1')).filter(({ refunded }) => refunded !== '0.00');
  assert.deepEqual(lastDay.map(short).sort(), [
    'Basic activate 0 0.00 10.00',
    // 240.00 were held back for Dan and 10.00 is Ben's price. The 10.00 refunded with Ben's order are charged again.
    'Basic change 0 10.00 250.00',
  ]);
  const kinds = new Map((await rowsOf('?days=3')).map((row) => [`${row.package.name} ${row.kind}`, row]));
  assert.deepEqual([...kinds.keys()].sort(), [
    'Basic activate',
    'Basic change',
    'Plus activate',
    'Plus cancel',
    'Plus change',
    'Plus renew',
  ]);
  const failed = kinds.get('Basic activate');
  assert.ok(failed);
  assert.deepEqual([failed.orders, failed.charged, failed.refunded], [2, '20.00', '10.00']);
  const cancel = kinds.get('Plus cancel');
  assert.deepEqual([cancel?.orders, cancel?.charged], [0, '0.00']);
  assert.ok(cents(cancel?.refunded ?? '0') > 0);
});

test('the sums by package and kind are those of the ledger, day by day', async () => {
  const sql = (text: string) => sqlOf(service, account, text);
  await panel.get('/overview');
  const byDay =
    await sql(`select since, sum(order_count)::int as orders, sum(charged_cents)::bigint as charged,
      sum(refunded_cents)::bigint as refunded
    from spending_sums where account_id = ${account.id} and step = 'day' group by since order by since`);
  const days =
    await sql(`select day as since, order_count as orders, charged_cents as charged, refunded_cents as refunded
    from ledger_days where account_id = ${account.id} order by day`);
  assert.equal(byDay.length, 3);
  assert.deepEqual(byDay, days);
  const [ledger] = await sql(`select -sum(amount_cents) filter (where kind = 'charge')::bigint as charged,
      sum(amount_cents) filter (where kind = 'refund')::bigint as refunded
    from ledger_entries where account_id = ${account.id}`);
  const { totals, spending } = (await panel.get('/overview?months=2')).body;
  assert.deepEqual(
    [BigInt(cents(totals.charged)), BigInt(cents(totals.refunded))],
    [ledger?.['charged'], ledger?.['refunded']],
  );
  for (const figure of ['charged', 'refunded', 'spent'] as const)
    assert.equal(
      sum<Row>(spending, (row) => cents(row[figure])),
      cents(totals[figure]),
      figure,
    );
  assert.equal(
    sum<Row>(spending, ({ orders }) => orders),
    totals.orders,
  );
});

test('each entry is summed once, by any number of processes at the same time', async () => {
  const other = createSpendingReads(service.database);
  const whole = await rowsOf('?days=3');
  await sqlOfAll(service, 'delete from spending_sums');
  await sqlOfAll(service, 'update spending_marks set entry_number = 0');
  await Promise.all([
    panel.get('/overview'),
    other.bringAllUpToDate(),
    other.bringAllUpToDate(),
    service.service.jobs.look(),
  ]);
  await service.service.jobs.idle();
  assert.deepEqual(await rowsOf('?days=3'), whole);
  await sqlOfAll(service, 'delete from spending_sums');
  await sqlOfAll(service, 'delete from spending_marks');
  assert.deepEqual(await rowsOf('?days=3'), whole, 'a table that was empty is filled again');
});

test('the period before stands beside it, of the same length, and the last bar is running', async () => {
  const today = (await panel.get('/overview?days=1')).body;
  assert.deepEqual(today.span, {
    from: '2026-02-03T00:00:00Z',
    to: '2026-02-03T23:59:59Z',
    previous_from: '2026-02-02T00:00:00Z',
    previous_to: '2026-02-02T23:59:59Z',
  });
  const yesterday = (await panel.get('/overview?days=2')).body.series[0];
  assert.deepEqual(
    [today.totals.previous.orders, today.totals.previous.spent],
    [yesterday.orders, yesterday.spent],
  );
  assert.equal(
    sum<Row>(today.spending, ({ previous }) => previous.orders),
    yesterday.orders,
  );
  const { series } = (await panel.get('/overview?months=3')).body;
  assert.deepEqual(
    series.map(({ date, running }: { date: string; running: boolean }) => [date, running]),
    [
      ['2025-12', false],
      ['2026-01', false],
      ['2026-02', true],
    ],
  );
  const months = (await panel.get('/overview?months=3')).body;
  assert.equal(months.span.previous_from, '2025-09-01T00:00:00Z');
});

test('more than a look can wait for is left to the job, and until then nothing is said', async () => {
  const long = await service.createReseller();
  const sql = (text: string) => sqlOf(service, long, text);
  await sql(`insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, actor_id)
    select ${long.id}, n, 'credit', 1, n, to_timestamp(${service.clock.seconds}), ${service.admin.id}
    from generate_series(1, 25000) n`);
  await sql(`update accounts set entry_count = 25000, balance_cents = 25000 where id = ${long.id}`);
  await logCreditsUpTo(service, long, service.clock.seconds);
  const client = await signIn(service, long);
  const console = await signIn(service, service.admin);
  assert.equal((await console.get('/admin/overview')).body.spending, null);
  assert.equal((await client.get('/overview')).body.spending, null);
  assert.ok((await createSpendingReads(service.database).bringAllUpToDate(AbortSignal.abort())) >= 5_000);
  await createSpendingReads(service.database).bringAllUpToDate();
  assert.deepEqual((await client.get('/overview')).body.spending, []);
});

test('the operator sees the real accounts together, and no tests', async () => {
  const console = await signIn(service, service.admin);
  const before = (await console.get('/admin/overview?days=3')).body;
  assert.deepEqual(before.spending.map(short), (await rowsOf('?days=3')).map(short));
  const { live, tests } = await createTestAccounts(service);
  await placeOrder(service, live, { customer: 'real' });
  expectStatus(await tests.post('/orders', { package_id: service.packages.plus, customer: 'try' }), 201);
  const { spending, totals } = (await console.get('/admin/overview?days=3')).body;
  const spent = (rows: readonly Row[]) => sum(rows, (row) => cents(row.spent));
  assert.equal(spent(spending) - spent(before.spending), 1_000);
  assert.equal(spent(spending), cents(totals.spent));
  const test = (await (await signIn(service, live)).get('/overview', { 'sellthrough-mode': 'test' })).body;
  assert.deepEqual(test.spending.map(short), ['Plus activate 1 25.00 0.00']);
});

test('the operator sees what each account spent, and it adds up to the figures', async () => {
  const console = await signIn(service, service.admin);
  const other = await service.createReseller({ credit: '100.00' });
  await placeOrder(service, other, { customer: 'elsewhere' });
  await placeOrder(service, other, { customer: 'elsewhere' });
  const { totals, span } = (await console.get('/admin/overview?days=3')).body;
  const { previous: _previous, ...figures } = totals;
  const days = `from=${span.from.slice(0, 10)}&to=${span.to.slice(0, 10)}`;
  const all = (await console.get(`/admin/spending?${days}`)).body;
  assert.deepEqual(all.totals, figures);
  for (const figure of ['charged', 'refunded', 'spent'] as const)
    assert.equal(
      sum<Row>(all.data, (row) => cents(row[figure])),
      cents(totals[figure]),
      figure,
    );
  assert.equal(all.count_of_accounts, all.data.length);
  const file = await console.get(`/admin/spending?${days}&format=csv`);
  assert.match(file.headers.get('content-type') ?? '', /^text\/csv/);
  const [header, first, ...others] = file.text.trim().split('\n');
  assert.equal(header, 'account_id,username,display_name,orders,charged,refunded,spent,currency');
  assert.ok(first?.startsWith(`${all.data[0].account.id},`) && first.endsWith(`,${all.data[0].spent},USD`));
  assert.equal(others.length, all.data.length - 1);
  const spent = all.data.map((row: Row) => cents(row.spent));
  assert.deepEqual(
    spent,
    spent.toSorted((one: number, next: number) => next - one),
  );
  const whose = (query: string) =>
    console
      .get(`/admin/spending?${query}`)
      .then(({ body }) => body.data.map((row: { account: { id: number } }) => row.account.id));
  assert.deepEqual(await whose(`${days}&kind=cancel`), [account.id]);
  assert.deepEqual(await whose(`${days}&kind=renew&package_id=${service.packages.basic}`), [other.id]);
  assert.deepEqual(await whose('from=2025-01-01&to=2025-12-31'), []);
  // Whole months are read from other rows than days.
  const month = (await console.get('/admin/spending?from=2026-02-01&to=2026-02-28')).body;
  assert.deepEqual(month, { ...all, from: '2026-02-01', to: '2026-02-28' });
  const goingOn = (await console.get('/admin/spending?from=2026-01-01&to=2026-02-03')).body;
  assert.deepEqual(goingOn.data, all.data);
  for (const query of ['from=2026-02-02&to=2026-02-01', 'from=2020-01-01&to=2026-02-01', 'kind=none'])
    assert.equal((await console.get(`/admin/spending?${query}`)).status, 422, query);
});

test('orders that wait or failed, renewals that failed and customers are counted', async () => {
  const { orders, customers, renewals_failed } = (await panel.get('/overview?days=3')).body;
  assert.deepEqual(orders, { pending: { count: 0, more: false }, failed: { count: 2, more: false } });
  assert.deepEqual(customers, {
    total: 4,
    // Ada was canceled, and Cleo's first order failed.
    running: { count: 2, more: false },
    ended: { count: 2, more: false },
    suspended: { count: 0, more: false },
  });
  assert.deepEqual(renewals_failed, { days: 7, count: 0, more: false, customers: [] });
});
