// The panel's views of a ledger: months, statements and charts that add up, CSV, and ending plans.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { logCreditsUpTo } from '../harness/logged-by-hand.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { credit } from '../harness/shop.ts';

const hour = 3_600;
const day = 86_400;
/** 2026-01-15T12:00:00Z */
const start = 1_768_478_400;

interface Entry {
  readonly number: number;
  readonly kind: string;
  readonly amount: string;
  readonly balance_after: string;
  readonly created_at: string;
}

let service: TestService;
let account: TestAccount;
let panel: PanelClient;
let ledger: Entry[];
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '900.00' });
  const random = createRandom(7);
  const { basic, plus } = service.packages;
  for (let step = 0; step < 150; step += 1) {
    service.clock.seconds += random.pick([0, hour, 9 * hour, day, 3 * day]);
    const roll = random.below(10);
    if (roll === 0) await credit(service, account, random.pick(['150.00', '-0.01', '60.50']));
    const body = { package_id: random.pick([basic, plus]), customer: `ledger-${random.below(9)}` };
    await account.post('/orders', body);
  }
  const admin = `/api/admin/v1/accounts/${account.id}/ledger?limit=100`;
  const pages = [];
  for (let page = 1; page <= 4; page += 1)
    pages.push(...(await service.admin.get(`${admin}&page=${page}`)).body.data);
  ledger = pages.reverse();
  assert.ok(ledger.length > 120, `${ledger.length} entries`);
  panel = await signIn(service, account);
});
after(() => service.close());

const cents = (text: string) => BigInt(text.replace('.', ''));
const monthsOf = (entries: readonly Entry[]) => [
  ...new Set(entries.map((each) => each.created_at.slice(0, 7))),
];
const sumOf = (entries: readonly Entry[], kind: string) =>
  entries.filter((entry) => entry.kind === kind).reduce((sum, { amount }) => sum + cents(amount), 0n);
const absolute = (value: bigint) => (value < 0n ? -value : value);

test('statements add up with the ledger: each month opens with what the one before closed with', async () => {
  const { data } = (await panel.get('/v1/statements')).body;
  assert.deepEqual(
    data.map(({ month }: { month: string }) => month),
    monthsOf(ledger).reverse(),
  );
  assert.ok(data.length >= 4);
  let opening = '0.00';
  for (const statement of data.toReversed()) {
    const entries = ledger.filter(({ created_at }) => created_at.startsWith(statement.month));
    assert.equal(statement.opening, opening, statement.month);
    assert.equal(statement.entry_count, entries.length);
    for (const [field, kind] of [
      ['credits', 'credit'],
      ['debits', 'debit'],
      ['charges', 'charge'],
      ['refunds', 'refund'],
    ] as const) {
      assert.equal(cents(statement[field]), absolute(sumOf(entries, kind)), `${statement.month} ${field}`);
    }
    const { credits, debits, charges, refunds } = statement;
    const closing = cents(opening) + cents(credits) - cents(debits) - cents(charges) + cents(refunds);
    assert.equal(cents(statement.closing), closing);
    assert.equal(statement.closing, entries.at(-1)?.balance_after, 'what the last entry says');
    opening = statement.closing;
  }
  assert.equal(opening, (await account.get('/balance')).body.balance);
});

test('the sums are made once of each entry, by any number of processes at the same time, in any steps', async () => {
  const other = createDailyTotals(service.database);
  const sql = (text: string) => service.database.query({ name: '', text });
  const before = (await panel.get('/v1/statements')).text;
  await sqlOfAll(service, 'delete from ledger_days');
  await sqlOfAll(service, 'update ledger_day_marks set entry_number = 0');
  await Promise.all([
    panel.get('/v1/statements'),
    panel.get('/overview'),
    other.bringAllUpToDate(),
    other.bringAllUpToDate(),
    other.sums(account.id, 'day', '2026-01-01'),
  ]);
  assert.equal((await panel.get('/v1/statements')).text, before);
  await other.bringAllUpToDate();
  const [row] = await sql(`select sum(entry_count)::int as entries, sum(charged_cents)::bigint as charged,
      (select count(*)::int from ledger_entries) as all_entries,
      (select -sum(amount_cents)::bigint from ledger_entries where kind = 'charge') as all_charged from ledger_days`);
  assert.equal(row?.['entries'], row?.['all_entries']);
  assert.equal(row?.['charged'], row?.['all_charged']);
});

test('a ledger longer than one step is summed whole', async () => {
  const long = await service.createReseller();
  const sql = (text: string) => sqlOf(service, long, text);
  await sql(`insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, actor_id)
    select ${long.id}, n, 'credit', 1, n, to_timestamp(${start} + n * 600), ${service.admin.id}
    from generate_series(1, 12500) n`);
  await sql(`update accounts set entry_count = 12500, balance_cents = 12500 where id = ${long.id}`);
  await logCreditsUpTo(service, long, start + 12_500 * 600);
  const client = await signIn(service, long);
  const { data } = (await client.get('/v1/statements')).body;
  assert.equal(data[0].closing, '125.00');
  assert.equal(
    data.reduce((sum: number, { entry_count }: { entry_count: number }) => sum + entry_count, 0),
    12_500,
  );
  const csv = await client.get('/v1/ledger?format=csv');
  const lines = csv.text.trimEnd().split('\n');
  assert.equal(lines.length, 12_501);
  assert.deepEqual(
    lines.slice(1).map((line) => Number(line.split(',')[0])),
    Array.from({ length: 12_500 }, (_, index) => 12_500 - index),
  );
});

test('the chart has a point for every day or month, empty ones too, and sums the ledger', async () => {
  const today = new Date(service.clock.seconds * 1000).toISOString();
  for (const [query, count, length] of [
    ['', 30, 10],
    ['?days=90', 90, 10],
    ['?days=366', 366, 10],
    ['?months=12', 12, 7],
    ['?months=1', 1, 7],
    ['?days=0', 1, 10],
    ['?days=100000', 366, 10],
    ['?months=100000', 36, 7],
    ['?days=x', 30, 10],
  ] as const) {
    const { series } = (await panel.get(`/overview${query}`)).body;
    assert.equal(series.length, count, query);
    assert.equal(series.at(-1).date, today.slice(0, length));
    const dates = series.map(({ date }: { date: string }) => date);
    assert.deepEqual(dates, [...new Set(dates)].sort(), 'oldest first, each once');
    for (const point of series) {
      const entries = ledger.filter(({ created_at }) => created_at.startsWith(point.date));
      const charged = -sumOf(entries, 'charge');
      const refunded = sumOf(entries, 'refund');
      assert.equal(cents(point.charged), charged, point.date);
      assert.equal(cents(point.refunded), refunded);
      assert.equal(cents(point.spent), charged - refunded);
      assert.equal(point.orders, entries.filter(({ kind }) => kind === 'charge').length);
    }
  }
  const whole = (await panel.get('/overview?days=366')).body.series;
  assert.ok(whole.some(({ orders }: { orders: number }) => orders === 0));
  assert.equal(
    whole.reduce((sum: number, { orders }: { orders: number }) => sum + orders, 0),
    ledger.filter(({ kind }) => kind === 'charge').length,
  );
});

test('the ledger of a month, and all of it, are read by the cursor without gap or double', async () => {
  const readAll = async (query: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/v1/ledger?${query}&limit=50&cursor=${cursor}`;
      const { body, status }: Awaited<ReturnType<PanelClient['get']>> = await panel.get(path);
      assert.equal(status, 200);
      entries.push(...body.data);
      cursor = body.next_cursor;
    }
    return entries;
  };
  const bare = (entries: readonly Entry[]) =>
    entries.map((entry) => {
      const panels = { customer: null, customer_name: null, customer_id: null };
      const { customer: _, customer_name: __, customer_id: ___, ...rest } = { ...panels, ...entry };
      return rest;
    });
  const all = await readAll('');
  assert.deepEqual(bare(all), ledger.toReversed());
  for (const month of monthsOf(ledger)) {
    const expected = ledger.filter(({ created_at }) => created_at.startsWith(month)).reverse();
    const days = `created_from=${month}-01&created_to=${lastDayOf(month)}`;
    assert.deepEqual(bare(await readAll(days)), expected, month);
  }
  assert.deepEqual(await readAll('created_from=2020-02-01&created_to=2020-02-29'), []);
  const charge = all.find(({ kind }) => kind === 'charge') as Entry & {
    customer: string;
    customer_id: number;
    order_id: number;
  };
  const { order } = (await panel.get(`/orders/${charge.order_id}`)).body;
  assert.deepEqual([order.customer.reference, order.customer.id], [charge.customer, charge.customer_id]);
  assert.deepEqual(await readAll(`words=${charge.number}`), [charge], 'by its number');
  const ofOrder = all.filter((entry) => 'order_id' in entry && entry.order_id === charge.order_id);
  assert.deepEqual(await readAll(`words=${charge.order_id}`), ofOrder, 'by its order');
  const isOfCustomer = (entry: Entry) => 'customer' in entry && entry['customer'] === charge.customer;
  const charges = all.filter((entry) => entry.kind === 'charge' && isOfCustomer(entry));
  assert.deepEqual(await readAll(`words=${charge.customer}&kind=charge`), charges, 'by its customer');
  for (const odd of ['created_from=2026-13-01', 'created_to=2026', 'format=pdf', 'kind=gift']) {
    expectRefusal(await panel.get(`/v1/ledger?${odd}`), '422 invalid_filter');
  }
});

test('the file holds the ledger, and no cell that a spreadsheet would compute', async () => {
  const owner = await service.createReseller();
  const dangerous = [
    '=HYPERLINK("https://evil.example","x")',
    '+1+1',
    '-2+3',
    '@SUM(A1)',
    ' =1+1',
    '|calc',
    '%0A=1',
    '\uFF1D1+1',
    '\u200b=1+1',
    'plain, "quoted"',
    'a=b',
    "'already",
  ];
  for (const memo of dangerous) {
    const body = { amount: '1.00', memo };
    const answer = await service.admin.post(`/api/admin/v1/accounts/${owner.id}/credit`, body);
    assert.equal(answer.status, 201, answer.text);
  }
  await credit(service, owner, '-2.00');
  const order = { package_id: service.packages.basic, customer: '-dash@example.com' };
  await credit(service, owner, '20.00');
  assert.equal((await owner.post('/orders', order)).status, 201);
  const client = await signIn(service, owner);
  const file = await client.get('/v1/ledger?format=csv');
  assert.equal(file.status, 200);
  assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(
    file.headers.get('content-disposition') ?? '',
    /^attachment; filename="ledger-[a-z0-9.-]+\.csv"$/,
  );
  const rows = parseCsv(file.text);
  const [header = [], ...body] = rows;
  const column = (name: string) => body.map((row) => row[header.indexOf(name)] ?? '');
  assert.deepEqual(
    column('memo').slice(-dangerous.length).reverse(),
    dangerous.map((memo) => (/^[\s\u200b]*[=+\-@|%\uFF1D]/.test(memo) ? `'${memo}` : memo)),
  );
  assert.equal(column('customer').at(0), "'-dash@example.com");
  assert.equal(column('amount').at(0), '-10.00', 'a number is a number');
  assert.ok(column('amount').includes('-2.00'));
  assert.deepEqual(new Set(column('actor')), new Set(['admin', '']));
  for (const row of body) {
    for (const [index, cell] of row.entries()) {
      if (header[index] === 'amount') assert.match(cell, /^-?\d+\.\d{2}$/);
      else assert.doesNotMatch(cell, /^\s*[=+\-@]/);
    }
  }
  const before = await client.get('/v1/ledger?format=csv&created_to=2026-01-31');
  assert.deepEqual(parseCsv(before.text), [header], 'of a time without entries');
});

test('plans that end within two weeks are counted, priced for their last months, and held against the balance', async () => {
  const owner = await service.createReseller({ credit: '200.00' });
  const { basic, plus, trial } = service.packages;
  const began = service.clock.seconds;
  const place = (customer: string, package_id: number, months: number) =>
    owner.post('/orders', { customer, package_id, months });
  await place('ends-later', basic, 3);
  await place('ends-first', plus, 1);
  service.clock.seconds = began + 2 * day;
  await place('ends-second', basic, 1);
  service.clock.seconds = began + 20 * day;
  await service.admin.post(`/api/admin/v1/accounts/${owner.id}/trials`, {
    package_id: trial,
    customer: 'tries',
  });
  await place('just-bought', basic, 1);
  const client = await signIn(service, owner);
  const { expiring } = (await client.get('/overview')).body;
  assert.deepEqual(
    expiring.customers.map(({ reference }: { reference: string }) => reference),
    ['ends-first', 'ends-second', 'tries'],
  );
  const { customers: _, from, to, ...figures } = expiring;
  assert.equal(Date.parse(to) - Date.parse(from), (14 * day - 1) * 1_000);
  assert.deepEqual(figures, { days: 14, count: 3, renewable: 2, renewal_cost: '35.00', covered: true });
  const left = (await client.get('/v1/balance')).body.balance;
  await credit(service, owner, `-${(Number(left) - 34.99).toFixed(2)}`);
  assert.equal((await client.get('/overview')).body.expiring.covered, false);
  await credit(service, owner, '0.01');
  assert.equal((await client.get('/overview')).body.expiring.covered, true);
  service.clock.seconds = began + 40 * day;
  const later = await signIn(service, owner, { setPassword: false });
  assert.equal((await later.get('/overview')).body.expiring.count, 1, 'only the plan that was just bought');
});

function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') {
        cell += '"';
        index += 1;
      } else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      rows.at(-1)?.push(cell);
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  return rows.slice(0, -1);
}

test('entries are found by kind, order and time, with totals that add up, for the account and for the operator', async () => {
  const operator = await signIn(service, service.admin);
  panel = await signIn(service, account, { setPassword: false });
  const ledger: Entry[] = [];
  for (let page = 1; page <= 5; page += 1) {
    const path = `/api/admin/v1/accounts/${account.id}/ledger?limit=100&page=${page}`;
    ledger.push(...(await service.admin.get(path)).body.data);
  }
  ledger.reverse();
  const middle = ledger[60]?.created_at ?? '';
  const last = ledger[100]?.created_at ?? '';
  const orderId = (await account.get('/orders')).body.data[0].id;
  const sum = (entries: readonly Entry[], kind: string) => {
    const of = entries.filter((each) => each.kind === kind).map(({ amount }) => cents(amount));
    const total = of.reduce((all, each) => all + each, 0n);
    return total < 0n ? -total : total;
  };
  const inTime = ledger.filter(({ created_at: at }) => at >= middle && at <= last);
  const fullDays = ledger.filter(({ created_at: at }) => at >= middle.slice(0, 10));
  for (const [query, time, fits] of [
    ['', ledger, () => true],
    [`kind=refund`, ledger, ({ kind }: Entry) => kind === 'refund'],
    [`created_from=${middle}&created_to=${last}`, inTime, () => true],
    [`created_from=${middle}&created_to=${last}&kind=charge`, inTime, ({ kind }: Entry) => kind === 'charge'],
    [`created_from=${middle.slice(0, 10)}`, fullDays, () => true],
  ] as const) {
    for (const [client, path] of [
      [panel, '/v1/ledger'],
      [operator, `/admin/v1/accounts/${account.id}/ledger`],
    ] as const) {
      const found: Entry[] = [];
      let totals: Record<string, string> = {};
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body }: Awaited<ReturnType<PanelClient['get']>> = await client.get(
          `${path}?${query}&cursor=${cursor}`,
        );
        found.push(...body.data);
        totals = body.totals;
        cursor = body.next_cursor;
      }
      const wanted = time.filter(fits);
      assert.deepEqual(
        found.map(({ number }) => number),
        wanted.map(({ number }) => number).reverse(),
        `${path} ${query}`,
      );
      for (const [name, kind] of [
        ['credits', 'credit'],
        ['debits', 'debit'],
        ['charges', 'charge'],
        ['refunds', 'refund'],
      ] as const) {
        assert.equal(cents(totals[name] ?? ''), sum(time, kind), `${query} ${name}`);
      }
      assert.equal(totals['entries'], time.length);
      const csv = (await client.get(`${path}?${query}&format=csv`)).text.trim().split('\n').slice(1);
      assert.deepEqual(
        csv.map((line) => Number(line.split(',')[0])),
        wanted.map(({ number }) => number).reverse(),
      );
    }
  }
  const ofOrder = (await panel.get(`/v1/ledger?order_id=${orderId}`)).body;
  assert.ok(ofOrder.data.length > 0);
  assert.ok(ofOrder.data.every(({ order_id }: { order_id: number }) => order_id === orderId));
  assert.equal(ofOrder.totals.entries, ofOrder.data.length);
  expectRefusal(await panel.get(`/admin/v1/accounts/${account.id}/ledger`), '403 forbidden');
});
