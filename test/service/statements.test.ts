// Monthly statements: every month adds up and continues the previous one, in each format. A finished month never changes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { credit } from '../harness/shop.ts';

const environment = { STATEMENT_ISSUER: 'Beispiel GmbH | Hauptstraße 1 | Łódź' };
const start = Date.UTC(2026, 0, 30, 12) / 1000;

interface World {
  readonly service: TestService;
  readonly account: TestAccount;
}

const pdfEntriesMax = 33;

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.service.close());

/** January has orders, February nothing, March one credit, and now it is April. */
async function startWorld(): Promise<World> {
  const service = await startTestService({ environment, limits: { pdfEntriesMax } });
  service.clock.seconds = start;
  const account = await service.createReseller({ credit: '500.00' });
  const place = async (customer: string, packageId: number) => {
    const answer = await account.post('/orders', {
      package_id: packageId,
      customer,
      customer_name: 'Żółw 東京',
      idempotency_key: `${customer}-${packageId}`,
    });
    assert.equal(answer.status, 201, answer.text);
  };
  const { basic, plus } = service.packages;
  for (let index = 0; index < 30; index += 1) await place(`=cmd-${index}@example.com`, basic);
  service.clock.seconds += 3_600;
  await place('=cmd-1@example.com', plus);
  service.clock.seconds = Date.UTC(2026, 2, 1) / 1000;
  await credit(service, account, '12.50');
  service.clock.seconds = Date.UTC(2026, 3, 2) / 1000;
  return { service, account };
}

async function fetched(
  { service, account }: World,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ type: string | null; name: string | null; bytes: Buffer; status: number }> {
  const answer = await fetch(`${service.address}/api/v1${path}`, {
    headers: { authorization: `Bearer ${account.key}`, ...headers },
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    name: answer.headers.get('content-disposition'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

const centsOf = (amount: string) => Math.round(Number(amount) * 100);

test('there is a statement for each month from the first entry to now; each adds up and opens as the last one closed', async () => {
  const { account } = world;
  const { data } = (await account.get('/statements')).body;
  assert.deepEqual(
    data.map(({ month, final, entry_count: entries }: Answer['body']) => [month, final, entries]),
    [
      ['2026-04', false, 0],
      ['2026-03', true, 1],
      ['2026-02', true, 0],
      ['2026-01', true, 33],
    ],
  );
  const ledger = (await account.get('/ledger?limit=100')).body.data.reverse();
  let opening = 0;
  for (const listed of data.toReversed()) {
    const answer = await account.get(`/statements/${listed.month}`);
    assert.equal(answer.status, 200, answer.text);
    const { entries, ...statement } = answer.body.statement;
    assert.deepEqual(statement, listed);
    const ofMonth = ledger.filter(({ created_at: at }: Answer['body']) => at.startsWith(listed.month));
    assert.deepEqual(entries, ofMonth, 'oldest first, as the ledger has them');
    assert.equal(centsOf(listed.opening), opening);
    const moved = entries.reduce((sum: number, { amount }: Answer['body']) => sum + centsOf(amount), 0);
    opening += moved;
    assert.equal(centsOf(listed.closing), opening);
    for (const kind of ['credit', 'debit', 'charge', 'refund']) {
      const ofKind = entries.filter((entry: Answer['body']) => entry.kind === kind);
      const sum = ofKind.reduce((all: number, { amount }: Answer['body']) => all + centsOf(amount), 0);
      assert.equal(centsOf(listed[`${kind}s`]), Math.abs(sum), `${listed.month} ${kind}`);
    }
  }
  assert.equal((await account.get('/balance')).body.balance, data[0].closing);
});

test('the format is that of ?format=, or else of Accept, or JSON', async () => {
  const table = `
    format   accept                                      type
    -        -                                           application/json; charset=utf-8
    -        */*                                         application/json; charset=utf-8
    -        text/html                                   application/json; charset=utf-8
    csv      -                                           text/csv; charset=utf-8
    pdf      text/csv                                    application/pdf
    json     application/pdf                             application/json; charset=utf-8
    -        text/csv                                    text/csv; charset=utf-8
    -        application/pdf;q=0.5,text/csv;q=0.9        text/csv; charset=utf-8
    -        text/csv;q=0,application/pdf                application/pdf`;
  for (const line of table.trim().split('\n').slice(1)) {
    const [format, accept = '-', ...type] = line.trim().split(/ +/);
    const query = format === '-' ? '' : `?format=${format}`;
    const answer = await fetched(world, `/statements/2026-01${query}`, accept === '-' ? {} : { accept });
    assert.deepEqual([answer.status, answer.type], [200, type.join(' ')], line);
  }
});

test('a statement as CSV holds its entries, and nothing that a spreadsheet would compute', async () => {
  const { bytes, name } = await fetched(world, '/statements/2026-01?format=csv');
  const lines = bytes.toString().trim().split('\n');
  assert.match(lines[0] ?? '', /^number,created_at,kind,amount,balance_after,/);
  assert.equal(lines.length, 1 + 33);
  assert.ok(
    lines.some((line) => line.includes(`,"'=cmd-1@example.com",`)) &&
      !lines.some((line) => line.includes(',=')),
  );
  assert.equal(name, 'attachment; filename="statement-account-1-2026-01.csv"');
});

test('a finished month is the same PDF whenever and in whichever service it is asked for', async () => {
  const first = await fetched(world, '/statements/2026-01?format=pdf');
  assert.match(first.bytes.toString('latin1'), /^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
  world.service.clock.seconds += 86_400;
  assert.deepEqual((await fetched(world, '/statements/2026-01?format=pdf')).bytes, first.bytes);
  const other = await startWorld();
  try {
    other.service.clock.seconds += 1_000_000;
    assert.deepEqual((await fetched(other, '/statements/2026-01?format=pdf')).bytes, first.bytes);
  } finally {
    await other.service.close();
  }
  const march = await fetched(world, '/statements/2026-03?format=pdf');
  assert.notDeepEqual(march.bytes, first.bytes);
});

test('a month that is not there is said so, and so is a format that is not', async () => {
  const { account } = world;
  for (const month of ['2025-12', '2026-05', '2026-13', '2026-1', '0000-00', 'now', '2026-01-01', '%00']) {
    expectRefusal(await account.get(`/statements/${month}`), '404 statement_not_found', {});
  }
  const reason = 'must be json, csv, pdf';
  expectRefusal(await account.get('/statements/2026-01?format=doc'), '422 invalid_filter', {
    field: 'format',
    reason,
  });
  const fresh = await world.service.createReseller();
  assert.deepEqual((await fresh.get('/statements')).body, { data: [] });
  expectRefusal(await fresh.get('/statements/2026-04'), '404 statement_not_found', {});
});

test('orders, customers and the ledger are files, too: all that fit, with the values of the lists', async () => {
  const { account } = world;
  for (const [list, query, key] of [
    ['orders', '', 'id'],
    ['orders', 'kind=change', 'id'],
    ['customers', '', 'id'],
    ['customers', 'q=%3Dcmd-1', 'id'],
    ['ledger', '', 'number'],
    ['ledger', 'kind=refund', 'number'],
  ] as const) {
    const { data } = (await account.get(`/${list}?limit=100${query === '' ? '' : `&${query}`}`)).body;
    const { bytes, type, name } = await fetched(world, `/${list}?${query}`, { accept: 'text/csv' });
    assert.deepEqual(
      [type, name],
      ['text/csv; charset=utf-8', `attachment; filename="${list}-account-1.csv"`],
    );
    const [header = '', ...lines] = bytes.toString().trim().split('\n');
    assert.equal(header.split(',')[0], key);
    const ids = lines.map((line) => Number(line.split(',')[0]));
    const byNumber = (a: number, b: number) => b - a;
    assert.deepEqual(ids.sort(byNumber), data.map((item: Answer['body']) => item[key]).sort(byNumber), list);
    assert.ok(!lines.some((line) => line.includes(',=')), 'no formulas');
  }
  expectRefusal(await account.get('/orders?format=pdf'), '422 invalid_filter', {
    field: 'format',
    reason: 'must be json, csv',
  });
  assert.equal((await account.get('/orders?format=json')).body.total, 31);
});

test('a month that was read as final never changes, even if the clock jumps', async (t) => {
  const service = await startTestService();
  t.after(() => service.close());
  const { clock, packages } = service;
  clock.seconds = Date.UTC(2026, 2, 10) / 1000;
  const account = await service.createReseller({ credit: '290.00' });
  const place = async (customer: string) => {
    const { status, text, body } = await account.post('/orders', { package_id: packages.basic, customer });
    assert.equal(status, 201, text);
    return body.order;
  };
  const readMonth = async (month: string) => (await account.get(`/statements/${month}`)).body.statement;
  clock.seconds = Date.UTC(2026, 3, 2, 12) / 1000;
  const march = await readMonth('2026-03');
  assert.deepEqual([march.final, march.charges, march.closing], [true, '0.00', '290.00']);

  // The clock is set back before April has any entry. Only reading the statement has closed March.
  clock.seconds = Date.UTC(2026, 2, 20) / 1000;
  const order = await place('late@example.com');
  assert.equal(
    order.created_at,
    '2026-03-20T00:00:00Z',
    'the order, and its plan, have the time of the clock',
  );
  assert.equal(await dateOfLastEntry(account), '2026-04-01T00:00:00Z');
  clock.seconds = Date.UTC(2026, 3, 2, 12) / 1000;
  assert.deepEqual(await readMonth('2026-03'), march);
  assert.equal((await readMonth('2026-04')).charges, '10.00');

  clock.seconds = Date.UTC(2026, 4, 1) / 1000;
  await place('first@example.com');
  const april = await readMonth('2026-04');
  clock.seconds -= 3;
  await credit(service, account, '5.00');
  const early = await place('early@example.com');
  clock.seconds += 60;
  assert.deepEqual(await readMonth('2026-04'), april);
  assert.equal(await dateOfLastEntry(account), '2026-05-01T00:00:00Z');
  const ofTheDay = await account.get('/orders?created_from=2026-04-30&created_to=2026-04-30');
  assert.deepEqual(
    ofTheDay.body.data.map(({ id }: Answer['body']) => id),
    [early.id],
    'lists of orders go by the dates of the orders',
  );
  const { ok, problems } = (await service.admin.get('/api/admin/v1/verify')).body;
  assert.deepEqual({ ok, problems }, { ok: true, problems: [] });
});

async function dateOfLastEntry(account: TestAccount): Promise<string> {
  return (await account.get('/ledger?limit=1')).body.data[0].created_at;
}

test('a month with more entries than a PDF holds is refused as PDF, says what to do, and is whole as CSV', async () => {
  const { service, account } = world;
  const { data } = (await account.get('/statements')).body;
  const january = data.find(({ month }: { month: string }) => month === '2026-01');
  assert.equal(january.entry_count, pdfEntriesMax);
  assert.equal((await fetched(world, '/statements/2026-01?format=pdf')).status, 200);
  for (let index = 0; index <= pdfEntriesMax; index += 1) await credit(service, account, '0.01');
  const { status, bytes } = await fetched(world, '/statements/2026-04?format=pdf');
  const { error } = JSON.parse(bytes.toString());
  assert.deepEqual([status, error.code], [422, 'too_many_entries']);
  assert.deepEqual(error.details, { entries: pdfEntriesMax + 1, entries_max: pdfEntriesMax });
  assert.match(error.message, /CSV/);
  const csv = await fetched(world, '/statements/2026-04?format=csv');
  assert.equal(csv.bytes.toString().trim().split('\n').length, pdfEntriesMax + 2);
});
