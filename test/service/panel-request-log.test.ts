// An account's request log: what it contains and never contains, and that it is bounded and delays nothing.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { loggablePath, type RequestLine } from '../../src/features/request-log/request-lines.ts';
import { createRequestLog } from '../../src/features/request-log/request-log.ts';
import { inEachGroup } from '../../src/platform/database/database.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { resetKey } from '../harness/shop.ts';

const day = 86_400;

let service: TestService;
let account: TestAccount;
let panel: PanelClient;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '100.00' });
  panel = await signIn(service, account);
});
after(() => service.close());

type Line = Record<string, unknown>;
const linesOf = async (query = ''): Promise<Line[]> => (await panel.get(`/requests${query}`)).body.data;

test('every request with the key is in its account’s log, refused ones and unknown paths too', async () => {
  const body = { package_id: service.packages.basic, customer: 'logged' };
  const placed = await account.post('/orders', body, { 'x-request-id': 'mine-1' });
  await account.post('/orders', { ...body, customer: 'not valid' });
  await account.get(`/orders/${placed.body.order.id}`);
  await account.get('/nowhere/at-all');
  await account.send('DELETE', '/orders');
  const outsider = await service.createReseller();
  await outsider.get('/balance');
  await panel.get('/v1/balance');
  const lines = await linesOf();
  assert.deepEqual(
    lines.map(({ method, path, status, code }) => `${method} ${path} ${status} ${code}`),
    [
      'DELETE /api/v1/orders 405 method_not_allowed',
      'GET /api/v1/nowhere/at-all 404 not_found',
      `GET /api/v1/orders/${placed.body.order.id} 200 null`,
      'POST /api/v1/orders 422 invalid_customer',
      'POST /api/v1/orders 201 null',
    ],
  );
  const first = lines.at(-1);
  assert.deepEqual(
    { ...first, milliseconds: 0, key: null },
    {
      key: null,
      id: 1,
      at: '2026-01-15T12:00:00Z',
      method: 'POST',
      path: '/api/v1/orders',
      status: 201,
      code: null,
      request_id: 'mine-1',
      milliseconds: 0,
      address: '127.0.0.1',
    },
  );
  assert.ok(Number.isInteger(first?.['milliseconds']));
});

test('each key’s requests and refusals of the last days are counted, test keys included, older ones not', async () => {
  const used = await service.createReseller({ credit: '10.00' });
  const pages = await signIn(service, used);
  const made = await pages.post('/connect/test-key');
  const testKey = createApiClient(service.address, made.body.api_key);
  service.clock.seconds -= 8 * day;
  await used.get('/balance');
  service.clock.seconds += 8 * day;
  for (let count = 0; count < 3; count += 1) await used.get('/balance');
  await used.get('/orders/4711');
  await testKey.get('/balance');
  const keys: Line[] = (await pages.get('/keys')).body.data;
  const { days, data } = (await pages.get('/key-requests')).body;
  const countOf = (name: string) => {
    const id = keys.find((key) => key['name'] === name)?.['id'];
    const { requests, refused } = data.find((one: Line) => one['key_id'] === id);
    return { requests, refused };
  };
  assert.equal(days, 7);
  assert.deepEqual(countOf('First key'), { requests: 4, refused: 1 });
  assert.deepEqual(countOf('Connect'), { requests: 1, refused: 0 });
});

test('requests are counted by outcome and day, with the filters of the list', async () => {
  const counted = await service.createReseller({ credit: '10.00' });
  const pages = await signIn(service, counted);
  service.clock.seconds -= 2 * day;
  await counted.get('/balance');
  service.clock.seconds += 2 * day;
  for (let count = 0; count < 3; count += 1) await counted.get('/balance');
  await counted.get('/orders/4711');
  const { days, ...sums } = (await pages.get('/request-figures')).body;
  assert.deepEqual(sums, { requests: 5, succeeded: 4, refused: 1, failed: 0 });
  const outcomes = days.map(({ succeeded, refused, failed }: Line) => [succeeded, refused, failed].join(' '));
  assert.deepEqual(outcomes.slice(-3), ['1 0 0', '0 0 0', '3 1 0']);
  assert.equal(days.length, 8);
  const { days: ofDay, requests } = (
    await pages.get('/request-figures?path=/balance&from=2026-01-13&to=2026-01-13')
  ).body;
  assert.equal(requests, 1);
  assert.deepEqual(ofDay, [{ date: '2026-01-13', succeeded: 1, refused: 0, failed: 0 }]);
  expectRefusal(await pages.get('/request-figures?key=none'), '422 invalid_filter');
});

test('the log is filtered by status and read by the cursor', async () => {
  for (let count = 0; count < 60; count += 1) await account.get(count % 3 === 0 ? '/orders/1' : '/balance');
  const classOf = (status: unknown) => Math.floor(Number(status) / 100);
  assert.ok((await linesOf('?status=4xx')).every(({ status }) => classOf(status) === 4));
  assert.ok((await linesOf('?status=2xx')).every(({ status }) => classOf(status) === 2));
  assert.deepEqual(await linesOf('?status=5xx'), []);
  assert.ok((await linesOf('?status=404')).every(({ status }) => status === 404));
  assert.deepEqual(await linesOf('?status=999'), []);
  const first = (await panel.get('/requests?limit=50')).body;
  assert.equal(first.data.length, 50);
  const second = (await panel.get(`/requests?cursor=${first.next_cursor}&limit=50`)).body;
  assert.equal(second.next_cursor, null);
  const ids = [...first.data, ...second.data].map(({ id }: { id: number }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: ids.length }, (_, index) => ids.length - index),
  );
  for (const odd of ['status=3x', 'status=0', 'status=-1', 'status=4xx&status=5xx']) {
    expectRefusal(await panel.get(`/requests?${odd}`), '422 invalid_filter');
  }
});

test('neither a query’s values nor a key in a path is in it', async () => {
  const { key } = account;
  await account.get(`/orders?page=1&api_key=${key}&limit=secret-value`);
  await account.get(`/orders/${key}?x=${key}`);
  await account.get(`/customers/Ada%20Lovelace`);
  await account.get(`/${'deep/'.repeat(20)}${key}`);
  const lines = await linesOf();
  assert.deepEqual(
    lines.slice(0, 4).map(({ path }) => path),
    [`/api/v1${'/deep'.repeat(6)}`, '/api/v1/customers/…', '/api/v1/orders/…', '/api/v1/orders'],
  );
  const rows = await service.database.query({ name: '', text: 'select r::text as line from api_requests r' });
  for (const { line } of rows) assert.doesNotMatch(String(line), /sk_live|secret-value|limit|Ada/);
});

test('paths are kept as far as they are words and numbers', () => {
  for (const [sent, kept] of [
    ['/api/v1/orders', '/api/v1/orders'],
    ['/api/v1/orders/2000000001/renew?a=b', '/api/v1/orders/2000000001/renew'],
    ['/api/v1/orders/', '/api/v1/orders/'],
    ['/', '/'],
    ['/api/v1/orders/..%2f', '/api/v1/orders/…'],
    ['/api/v1/0123456789abcdef0123', '/api/v1/…'],
    ['/api/v1/12345678901234567', '/api/v1/…'],
    ['/API/V1', '/…/…'],
  ] as const) {
    assert.equal(loggablePath(sent), kept, sent);
  }
});

test('a key that was replaced is logged for its account, and is no use of the new key', async () => {
  const owner = await service.createReseller();
  const client = await signIn(service, owner);
  await resetKey(service, owner);
  expectRefusal(await owner.get('/balance'), '401 revoked_api_key');
  const { data } = (await client.get('/requests')).body;
  assert.deepEqual([data.length, data[0].code], [1, 'revoked_api_key']);
  assert.equal((await client.get('/api-key')).body.last_used_at, null);
});

test('refusals are counted by day for the console, of unknown keys too', async () => {
  const console = await signIn(service, service.admin);
  const count = async (code: string): Promise<number> => {
    const { refusals } = (await console.get('/admin/overview?days=2')).body;
    return refusals.find((each: { code: string }) => each.code === code)?.count ?? 0;
  };
  const before = await count('missing_api_key');
  const anonymous = createApiClient(service.address, null);
  for (let times = 0; times < 3; times += 1) await anonymous.get('/balance');
  assert.equal(await count('missing_api_key'), before + 3);
  service.clock.seconds += 3 * day;
  const later = await signIn(service, service.admin, { setPassword: false });
  assert.deepEqual((await later.get('/admin/overview?days=2')).body.refusals, []);
  panel = await signIn(service, account, { setPassword: false });
});

test('lines are dropped and counted rather than waited for', async () => {
  let dropped = 0;
  let isAway = false;
  const log = createRequestLog({
    database: inEachGroup(service.database, (each) => ({
      ...each,
      query: (statement, values) =>
        isAway ? Promise.reject(new Error('away')) : each.query(statement, values),
    })),
    limits: {
      ...roomy,
      linesMax: 10,
      linesPerStatement: 4,
      keptPerAccountMax: 50,
      exchangesMax: 100,
      exchangesPerAccountMax: 1_000,
      refusalsKeptDays: 400,
    },
    onKeysUsed: async () => undefined,
    onDropped: (lines) => {
      dropped += lines;
    },
  });
  const owner = await service.createReseller();
  const note = (times: number) => {
    for (let count = 0; count < times; count += 1) log.note(lineOf(owner.id, count));
  };
  const rows = async () =>
    service.database.query(
      { name: '', text: 'select number, path from api_requests where account_id = $1::int order by number' },
      [owner.id],
    );
  note(25);
  assert.equal(dropped, 15);
  await log.flush();
  assert.deepEqual(
    (await rows()).map(({ number, path }) => [Number(number), path]),
    Array.from({ length: 10 }, (_, index) => [index + 1, `/${index}`]),
  );
  isAway = true;
  note(9);
  await log.flush();
  assert.equal(dropped, 24, 'what could not be written is not kept');
  isAway = false;

  // More lines than the limit. The oldest are deleted while new ones are written.
  for (let times = 0; times < 30; times += 1) {
    note(10);
    await log.flush();
    assert.ok((await rows()).length <= 55 + 10, `${(await rows()).length} lines`);
  }
  await log.prune(prunedAt(service.clock.seconds));
  const kept = await rows();
  assert.equal(kept.length, 50);
  assert.equal(Number(kept.at(-1)?.['number']), 310, 'the newest stay');
  await log.prune(prunedAt(service.clock.seconds + 8 * day));
  assert.equal((await rows()).length, 0);
  note(1);
  await log.close();
  assert.deepEqual(
    (await rows()).map(({ number }) => Number(number)),
    [311],
    'numbers go on',
  );
});

const prunedAt = (now: number) => ({ now, before: now - 7 * day });

const roomy = {
  linesMax: 1_000,
  refusedLinesMax: 1_000,
  linesPerStatement: 500,
  flushMilliseconds: 1e9,
  keptPerAccountMax: 1_000,
  exchangesMax: 100,
  exchangesPerAccountMax: 1_000,
  refusalsKeptDays: 400,
};

test('a busy account loses only its own lines, and so does an account that the guard refuses', async () => {
  let dropped = 0;
  const log = createRequestLog({
    database: service.database,
    limits: { ...roomy, linesMax: 20, refusedLinesMax: 6 },
    onKeysUsed: async () => undefined,
    onDropped: (lines) => {
      dropped += lines;
    },
  });
  const [busy, quiet, refused, late] = [
    await service.createReseller(),
    await service.createReseller(),
    await service.createReseller(),
    await service.createReseller(),
  ];
  const note = (accountId: number, times: number, code: string | null = null) => {
    for (let count = 0; count < times; count += 1) log.note({ ...lineOf(accountId, count), code });
  };
  note(busy.id, 30);
  note(quiet.id, 5);
  note(refused.id, 50, 'account_blocked');
  note(busy.id, 30, 'rate_limited');
  note(late.id, 5);
  note(busy.id, 30);
  await log.close();
  const written = await service.database.query(
    {
      name: '',
      text: `select account_id as id, count(*) filter (where code is null)::int as let_in,
          count(code)::int as refused, max(number)::int as newest,
          bool_and(path = '/' || (number - 1)) filter (where code is null) as in_order
        from api_requests where account_id = any($1::int[]) group by account_id order by account_id`,
    },
    [`{${[busy.id, quiet.id, refused.id, late.id].join(',')}}`],
  );
  const rows = written.map((row) => [
    row['id'],
    row['let_in'],
    row['refused'],
    row['newest'],
    row['in_order'],
  ]);
  assert.deepEqual(rows, [
    [busy.id, 10, 3, 13, true],
    [quiet.id, 5, 0, 5, true],
    [refused.id, 0, 3, 3, null],
    [late.id, 5, 0, 5, true],
  ]);
  assert.equal(dropped, 150 - 26, 'every line that was not written is counted');
});

test('lines that were written are not counted as dropped when shortening the log fails', async () => {
  let dropped = 0;
  let prunes = 0;
  const owner = await service.createReseller();
  const log = createRequestLog({
    database: inEachGroup(service.database, (each) => ({
      ...each,
      query(statement, values) {
        if (!statement.name.startsWith('delete')) return each.query(statement, values);
        prunes += 1;
        if (prunes === 1) return Promise.reject(new Error('away'));
        return each.query(statement, values);
      },
    })),
    limits: { ...roomy, linesPerStatement: 30, keptPerAccountMax: 20 },
    onKeysUsed: async () => undefined,
    onDropped: (lines) => {
      dropped += lines;
    },
  });
  for (let count = 0; count < 90; count += 1) log.note(lineOf(owner.id, count));
  await log.flush();
  const lines = await service.database.query(
    {
      name: '',
      text: 'select max(number)::int as newest, count(*)::int as lines from api_requests where account_id = $1::int',
    },
    [owner.id],
  );
  assert.deepEqual([dropped, { ...lines[0] }], [0, { newest: 90, lines: 20 }]);
  assert.ok(prunes > 1, 'the next lines shorten it');
  await log.close();
});

test('the use of a key is noted also when its line is dropped, and again when it could not be noted', async () => {
  const noted: [number, number][] = [];
  let isAway = false;
  const log = createRequestLog({
    database: service.database,
    limits: { ...roomy, linesMax: 4, linesPerStatement: 8 },
    async onKeysUsed(uses) {
      if (isAway) throw new Error('away');
      noted.push(...uses);
    },
    onDropped: () => undefined,
  });
  const { id } = await service.createReseller();
  const at = service.clock.seconds - (service.clock.seconds % 60);
  const use = (keyId: number) => log.note({ ...lineOf(id, keyId), secretId: keyId, at: at + 30 });
  for (let keyId = 1; keyId <= 20; keyId += 1) use(keyId);
  await log.flush();
  const expected = Array.from({ length: 20 }, (_, index) => [index + 1, at]);
  assert.deepEqual(noted.splice(0), expected);
  isAway = true;
  use(21);
  await log.flush();
  isAway = false;
  use(1);
  await log.close();
  assert.deepEqual(noted, [[21, at]], 'once a minute for each key');
});

test('a request with the former key, written after the reset, is a use of the former key', async () => {
  const owner = await service.createReseller();
  const client = await signIn(service, owner);
  assert.equal((await owner.get('/balance')).status, 200);
  await resetKey(service, owner);
  assert.equal((await client.get('/api-key')).body.last_used_at, null);
  const keys = await service.database.query(
    {
      name: '',
      text: 'select last_used_at is not null as used from api_keys where account_id = $1::int order by id',
    },
    [owner.id],
  );
  assert.deepEqual(
    keys.map(({ used }) => used),
    [true, false],
  );
});

test('two processes write one account’s lines at the same time without a gap', async () => {
  const owners = [
    await service.createReseller(),
    await service.createReseller(),
    await service.createReseller(),
  ];
  const logs = Array.from({ length: 3 }, () =>
    createRequestLog({
      database: service.database,
      limits: { ...roomy, linesPerStatement: 20 },
      onKeysUsed: async () => undefined,
      onDropped: () => assert.fail('nothing is dropped'),
    }),
  );
  for (const [index, log] of logs.entries()) {
    for (let count = 0; count < 90; count += 1) log.note(lineOf(owners[(count + index) % 3]?.id ?? 0, count));
  }
  await Promise.all(logs.map((log) => log.flush()));
  await Promise.all(logs.map((log) => log.close()));
  for (const { id } of owners) {
    const [row] = await service.database.query(
      {
        name: '',
        text: 'select count(*)::int as lines, min(number)::int as first, max(number)::int as last from api_requests where account_id = $1::int',
      },
      [id],
    );
    assert.deepEqual({ ...row }, { lines: 90, first: 1, last: 90 });
  }
});

test('the service writes its log every second, and what is left when it ends', async () => {
  const quick = await startTestService({ limits: { requestLog: { flushMilliseconds: 5 } } });
  try {
    const owner = await quick.createReseller();
    await owner.get('/balance');
    for (;;) {
      const rows = await quick.database.query(
        { name: '', text: 'select 1 from api_requests where account_id = $1::int' },
        [owner.id],
      );
      if (rows.length === 1) break;
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await quick.close();
  }
});

test('nothing older than the seven days of the page is on it, whether it was deleted by then or not', async () => {
  const owner = await service.createReseller();
  await owner.get('/balance');
  const lines = async () => (await (await signIn(service, owner)).get('/requests')).body.data;
  assert.equal((await lines()).length, 1);
  service.clock.seconds += 7 * day + 3_601;
  assert.deepEqual(await lines(), []);
});

function lineOf(accountId: number, index: number): RequestLine {
  return {
    accountId,
    keyId: null,
    secretId: null,
    at: service.clock.seconds,
    method: 'GET',
    path: `/${index}`,
    status: 200,
    code: null,
    requestId: 'r',
    milliseconds: 1,
    address: '127.0.0.1',
  };
}
