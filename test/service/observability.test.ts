// What operators see: health, readiness, correct metrics, one JSON log line per request with its id, and no secrets.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { sqlOfAll } from '../harness/group-sql.ts';
import { sendRaw } from '../harness/raw-socket.ts';
import { readMetrics } from '../harness/read-metrics.ts';

let service: TestService;
let isAway = false;
before(async () => {
  service = await startTestService({
    wrapDatabase: (database) => ({
      ...database,
      query: (statement, values) => {
        if (isAway) return Promise.reject(new DatabaseUnavailable('The test took it away.'));
        return database.query(statement, values);
      },
    }),
  });
});
after(() => service.close());

describe('health', () => {
  test('/healthz says ok and /readyz says ready, without a key', async () => {
    const [health, ready] = await Promise.all([get('/healthz'), get('/readyz')]);
    assert.deepEqual([health.status, health.body], [200, { status: 'ok' }]);
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ready' }]);
  });

  test('HEAD is answered as GET is, without the body', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const request = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const { answers } = await sendRaw(service.address, request, { finalAnswers: Infinity, head: true });
      const like = await get(path);
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('content-type')]),
        [[like.status, like.headers.get('content-type')]],
        path,
      );
      assert.ok(Number(answers[0]?.headers.get('content-length')) > 0, 'the length of what GET would send');
    }
  });

  test('a database that is away makes /readyz 503 and names it; /healthz stays ok', async () => {
    isAway = true;
    try {
      const ready = await get('/readyz');
      assert.equal(ready.status, 503);
      assert.match(ready.body.problems.join(), /database/);
      assert.match(ready.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal((await get('/healthz')).status, 200);
    } finally {
      isAway = false;
    }
    assert.equal((await get('/readyz')).status, 200, 'it is ready again');
  });

  test('a schema that is not this version makes /readyz 503 and says so', async () => {
    const sql = (text: string) => service.database.query({ name: '', text });
    await sql("insert into schema_migrations values (9999, '9999-future.sql', 'x', now())");
    const ready = await get('/readyz');
    await sql('delete from schema_migrations where number = 9999');
    assert.equal(ready.status, 503);
    assert.match(ready.body.problems.join(), /schema/);
    assert.equal((await get('/readyz')).status, 200);
  });
});

describe('/metrics', () => {
  test('counts requests by route and status, orders by kind, replays, refusals by code, and batches', async () => {
    const reseller = await service.createReseller({ credit: '60.00' });
    const earlier = await readMetrics(service);
    const place = (customer: string, packageId: number, key: string) =>
      reseller.post('/orders', { package_id: packageId, customer }, { 'idempotency-key': key });
    const { basic, plus } = service.packages;
    const first = await place('counted-1', basic, 'm1');
    await place('counted-1', basic, 'm2'); // renew
    await place('counted-2', basic, 'm3');
    await place('counted-2', basic, 'm3'); // replay
    await place('counted-2', plus, 'm3'); // idempotency_conflict
    await place('counted-2', plus, 'm4'); // change: 25.00 for 10.00 back
    await place('counted-3', plus, 'm5'); // insufficient_credit
    await reseller.get(`/orders/${first.body.order.id}`);
    await reseller.get('/orders/1');
    await reseller.get('/nowhere/sk_live_in_a_path');
    await reseller.send('DELETE', '/orders');
    await get('/api/v1/balance'); // missing_api_key
    const now = await readMetrics(service);
    const grown = (name: string) => (now.get(name) ?? 0) - (earlier.get(name) ?? 0);
    const requests = (method: string, route: string, status: number) =>
      grown(`sellthrough_http_requests_total{route="${route}",method="${method}",status="${status}"}`);

    assert.equal(requests('POST', '/api/v1/orders', 201), 5);
    assert.equal(requests('POST', '/api/v1/orders', 402), 1);
    assert.equal(requests('POST', '/api/v1/orders', 409), 1);
    assert.equal(requests('GET', '/api/v1/orders/:id', 200), 1);
    assert.equal(requests('GET', '/api/v1/orders/:id', 404), 1);
    assert.equal(requests('GET', 'none', 404), 1, 'a path that was made up is no label');
    assert.equal(requests('GET', '/api/v1/balance', 401), 1);
    assert.equal(requests('DELETE', 'none', 405) + requests('DELETE', '/api/v1/orders', 405), 1);
    assert.equal(grown('sellthrough_http_request_seconds_count{route="/api/v1/orders"}'), 7);
    assert.equal(grown('sellthrough_http_request_seconds_bucket{le="+Inf",route="/api/v1/orders"}'), 7);

    assert.equal(grown('sellthrough_orders_total{kind="activate"}'), 2);
    assert.equal(grown('sellthrough_orders_total{kind="renew"}'), 1);
    assert.equal(grown('sellthrough_orders_total{kind="change"}'), 1);
    assert.equal(grown('sellthrough_replays_total'), 1);
    for (const code of [
      'idempotency_conflict',
      'insufficient_credit',
      'order_not_found',
      'not_found',
      'method_not_allowed',
      'missing_api_key',
    ]) {
      assert.equal(grown(`sellthrough_refusals_total{code="${code}"}`), 1, code);
    }
    assert.equal(grown('sellthrough_batch_orders_count'), 7, 'one after another: each a batch');
    assert.equal(grown('sellthrough_batch_orders_sum'), 7);
    assert.equal(grown('sellthrough_batch_orders_bucket{le="1"}'), 7);
    assert.equal(grown('sellthrough_batches_broken_total'), 0);
    assert.equal(now.get('sellthrough_queue_depth'), 0);
    assert.equal(now.get('sellthrough_lanes_busy'), 0);
    assert.ok(grown('sellthrough_database_round_trips') >= 14);
    assert.ok(now.has('process_resident_memory_bytes'), 'the process is described as well');
  });

  test('is text for Prometheus, each family with help and type', async () => {
    const answer = await get('/metrics');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=/);
    const families = new Set(
      [...answer.text.matchAll(/^# TYPE (sellthrough_\w+) /gm)].map(([, name]) => name),
    );
    for (const family of families) assert.match(answer.text, new RegExp(`^# HELP ${family} \\S`, 'm'));
    assert.deepEqual([...families].sort(), [
      'sellthrough_batch_orders',
      'sellthrough_batches_broken_total',
      'sellthrough_database_round_trips',
      'sellthrough_http_request_seconds',
      'sellthrough_http_requests_total',
      'sellthrough_job_backlog',
      'sellthrough_job_failures_total',
      'sellthrough_job_last_success_timestamp_seconds',
      'sellthrough_lanes_busy',
      'sellthrough_orders_needing_attention',
      'sellthrough_orders_total',
      'sellthrough_panel_streams',
      'sellthrough_product_call_oldest_seconds',
      'sellthrough_product_calls_failing',
      'sellthrough_product_calls_total',
      'sellthrough_product_calls_waiting',
      'sellthrough_queue_depth',
      'sellthrough_refusals_total',
      'sellthrough_renewals_total',
      'sellthrough_replays_total',
      'sellthrough_request_log_dropped_total',
      'sellthrough_webhook_attempts_total',
      'sellthrough_webhook_backlog',
      'sellthrough_webhook_in_flight',
      'sellthrough_webhook_oldest_seconds',
    ]);
  });

  test('cannot be made larger by asking for many paths, methods or ids', async () => {
    // Leave out the process's own series: the first garbage collection of a kind adds one.
    const series = async () =>
      [...(await readMetrics(service)).keys()].filter((name) => name.startsWith('sellthrough_')).sort();
    const ask = async (round: number) => {
      for (let index = 0; index < 20; index += 1) {
        await get(`/made-up-${round}-${index}`);
        await service.admin.get(`/orders/${round}${index}`);
        await service.admin.get(`/customers/${round}${index}?q=${index}`);
        await get(`/login/${'a'.repeat(42)}${index % 10}`);
      }
    };
    await ask(1);
    await series(); // /metrics is a route too, and it is counted after its answer
    const earlier = await series();
    await ask(2);
    assert.deepEqual(await series(), earlier);
  });
});

describe('the log', () => {
  test('knows the address of a peer that hung up before its line was written', async () => {
    const { hostname: host, port } = new URL(service.address);
    const accepted = once(service.service.app.server, 'connection');
    const socket = connect({ host, port: Number(port) });
    const [peer] = await accepted;
    const closed = new Promise((resolve) => peer.once('close', resolve));
    peer.once('error', () => undefined);
    socket.resetAndDestroy();
    await closed;
    // Node forgets the address that request.ip reads unless it was read while the connection was open.
    assert.equal(peer.remoteAddress, '127.0.0.1');
  });

  test('has one line for each request, with id, route, status, time, address and account', async () => {
    const reseller = await service.createReseller({ credit: '10.00' });
    const from = service.logLines.length;
    const body = { package_id: service.packages.basic, customer: 'logged' };
    const answer = await reseller.post('/orders', body, { 'x-request-id': 'my-request-1' });
    assert.equal(answer.status, 201);
    const refused = await reseller.post('/orders', body, { 'x-request-id': 'my-request-2' });
    assert.equal(refused.status, 402);
    const lines = await requestLinesSince(from, 2);
    assert.equal(lines.length, 2);
    for (const [index, line] of lines.entries()) {
      assert.equal(line['msg'], 'request');
      assert.equal(line['reqId'], `my-request-${index + 1}`);
      assert.equal(line['method'], 'POST');
      assert.equal(line['route'], '/api/v1/orders');
      assert.equal(line['address'], '127.0.0.1');
      assert.equal(line['account'], reseller.id);
      assert.ok(Number(line['milliseconds']) > 0);
    }
    assert.deepEqual(
      lines.map(({ status, code }) => [status, code]),
      [
        [201, undefined],
        [402, 'insufficient_credit'],
      ],
    );
  });

  for (const [sent, isHarmless] of [
    ['a', true],
    ['A-z_0.9', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['with space', false],
    ['"},{"forged":"line', false],
    ['<script>', false],
    ['', false],
  ] as const) {
    test(`X-Request-Id ${JSON.stringify(sent.slice(0, 20))} is ${isHarmless ? 'kept' : 'replaced'}`, async () => {
      const from = service.logLines.length;
      for (const [index, path] of ['/api/v1/balance', '/healthz', '/nowhere'].entries()) {
        const answer = await get(path, { 'x-request-id': sent });
        const id = answer.headers.get('x-request-id');
        if (isHarmless) assert.equal(id, sent);
        else assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
        const lines = await requestLinesSince(from, index + 1);
        assert.equal(lines.length, index + 1, 'one line for each request');
        assert.deepEqual([lines[index]?.['reqId'], lines[index]?.['status']], [id, answer.status], path);
      }
    });
  }

  const refusedBytes: Record<string, readonly [bytes: string, status: number, code: string]> = {
    'no HTTP': ['\u0000\u0001\r\n\r\n', 400, 'invalid_json'],
    'the greeting of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_json'],
    'an unknown method': ['FOO /api/v1/orders HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    CONNECT: ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    'a head of more than 16 KiB': [
      `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
      400,
      'invalid_json',
    ],
    'an end in the middle of the head': ['GET / HTTP/1.1\r\nHost:', 400, 'invalid_json'],
    'broken chunks': [
      'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'invalid_json',
    ],
  };
  for (const [what, [bytes, status, code]] of Object.entries(refusedBytes)) {
    test(`has one line, and the metrics one count, for what the parser refuses: ${what}`, async () => {
      const from = service.logLines.length;
      const counted = `sellthrough_refusals_total{code="${code}"}`;
      const earlier = (await readMetrics(service)).get(counted) ?? 0;
      const { answers } = await sendRaw(service.address, bytes, { halfClose: true, finalAnswers: Infinity });
      assert.deepEqual(
        answers.map((answer) => `${answer.status} ${answer.body.error.code}`),
        [`${status} ${code}`],
      );
      assert.equal((await readMetrics(service)).get(counted), earlier + 1);
      const lines = await requestLinesSince(from, 3);
      const [line, ...more] = lines.filter(({ route }) => route !== '/metrics');
      assert.deepEqual(more, []);
      assert.deepEqual(
        [line?.['status'], line?.['code'], line?.['address'], line?.['reqId']],
        [status, code, '127.0.0.1', answers[0]?.headers.get('x-request-id')],
      );
    });
  }

  test('logs a failure of ours with its reason and the id that the caller was given', async () => {
    const reseller = await service.createReseller({ credit: '10.00' });
    const sql = (text: string) => service.database.query({ name: '', text });
    await sql(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'deep trouble'; end $$`,
    );
    await sqlOfAll(
      service,
      'create trigger fail before insert on orders for each row execute function fail()',
    );
    const body = { package_id: service.packages.basic, customer: 'unlucky' };
    const answer = await reseller.post('/orders', body, { 'x-request-id': 'unlucky-1' });
    await sqlOfAll(service, 'drop trigger fail on orders');
    await sql('drop function fail');
    assert.equal(answer.status, 500);
    assert.doesNotMatch(answer.text, /deep trouble/);
    const [line] = service.logLines.filter(({ reqId, level }) => reqId === 'unlucky-1' && level === 50);
    assert.match(JSON.stringify(line), /deep trouble/);
  });
});

test('no key, password, token, cookie or code stands in any log line, metric, audit entry or table', async () => {
  const { admin, packages } = service;
  const from = service.logLines.length;
  const secrets = new Map<string, string>();
  const keep = (name: string, secret: string | undefined) => {
    assert.ok(secret !== undefined && secret.length >= 12, `${name} was handed out: ${secret}`);
    secrets.set(name, secret);
  };

  keep('administrator key', admin.key);
  keep('chosen password', 'Marked-Password-1');
  keep('changed password', 'Marked-Password-2');
  const created = await admin.post('/api/admin/v1/accounts', {
    username: 'secretive',
    group: 'reseller',
    password: 'Marked-Password-1',
    rate_limit_per_minute: 100_000,
  });
  assert.equal(created.status, 201, created.text);
  const path = `/api/admin/v1/accounts/${created.body.account.id}`;
  keep('first key', created.body.api_key);
  const other = await admin.post('/api/admin/v1/accounts', { username: 'generated', group: 'reseller' });
  keep('generated password', other.body.password);
  assert.equal((await admin.patch(path, { password: 'Marked-Password-2' })).status, 200);
  const reset = await admin.post(`${path}/api-key`);
  keep('second key', reset.body.api_key);
  await admin.post(`${path}/credit`, { amount: '100.00', memo: 'for a test' });

  const asReseller = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    admin.send('POST', '/api/v1/orders', body, { authorization: `Bearer ${key}`, ...headers });
  const key = secrets.get('second key');
  const placed = await asReseller(key, {
    package_id: packages.basic,
    customer: 'linked',
    return_login: true,
  });
  assert.equal(placed.status, 201, placed.text);
  const { pathname } = new URL(placed.body.login_url);
  keep('login token', pathname.split('/').at(-1));
  const replay = await asReseller(key, {
    package_id: packages.basic,
    customer: 'linked',
    return_login: true,
    idempotency_key: placed.body.order.idempotency_key,
  });
  const fresh = new URL(replay.body.login_url).pathname;
  keep('fresh login token', fresh.split('/').at(-1));

  await get(pathname);
  assert.equal((await get(fresh)).status, 200);
  const opened = await fetch(service.address + fresh, { method: 'POST', redirect: 'manual' });
  assert.equal(opened.status, 303);
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  keep('session', cookie.split('=')[1]);
  const home = new URL(opened.headers.get('location') ?? '', service.address).pathname;
  assert.equal((await get(home, { cookie })).status, 200);

  // Places where secrets end up by mistake: the wrong header, the query, the path, a body that is not JSON.
  for (const secret of [...secrets.values()]) {
    await get(`/api/v1/balance?api_key=${secret}`);
    await get(`/api/v1/${secret}`);
    await get(`/login/${secret}`);
    await get('/api/v1/balance', { authorization: `Basic ${secret}` });
    await get('/api/v1/balance', { authorization: `Bearer ${secret}x`, cookie: `session=${secret}` });
    await asReseller(secrets.get('second key'), `{"password": "${secret}"`);
    await asReseller(secrets.get('first key'), { package_id: secret });
    await admin.post('/api/admin/v1/login-codes/exchange', { code: secret });
    await admin.post(path, { password: secret });
  }
  // Also causes an internal failure, whose error is logged completely.
  const sql = (text: string) => service.database.query({ name: '', text });
  await sql(`create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
    create trigger fail before insert or update on api_keys for each row execute function fail()`);
  await sqlOfAll(
    service,
    'create trigger fail before insert on login_links for each row execute function fail()',
  );
  const failed = [
    await asReseller(key, { package_id: packages.basic, customer: 'failing', return_login: true }),
    await admin.post(`${path}/api-key`),
  ];
  await sqlOfAll(service, 'drop trigger fail on login_links');
  await sql('drop trigger fail on api_keys; drop function fail');
  for (const { status } of failed) assert.equal(status, 500);

  const places = new Map<string, string>();
  const lines = service.logLines.slice(from);
  assert.ok(lines.length > 80);
  places.set('the log', JSON.stringify(lines));
  places.set('/metrics', (await get('/metrics')).text);
  const audit = await admin.get('/api/admin/v1/audit?limit=100');
  assert.ok(audit.body.data.length >= 5);
  places.set('the audit log', audit.text);
  const tables = await sql(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  for (const { name } of tables) {
    const [row] = await sql(`select coalesce(json_agg(t)::text, '') as text from ${String(name)} t`);
    places.set(`the table ${String(name)}`, String(row?.['text']));
  }
  for (const [place, text] of places) {
    for (const [name, secret] of secrets) assert.ok(!text.includes(secret), `${place} holds the ${name}`);
  }
});

/** Request lines after this number. Waits until there are at least `least`. */
async function requestLinesSince(from: number, least: number): Promise<Record<string, unknown>[]> {
  const lines = () => service.logLines.slice(from).filter(({ msg }) => msg === 'request');
  for (let turn = 0; turn < 1_000 && lines().length < least; turn += 1) await nextTurn();
  return lines();
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(service.address + path, { headers, redirect: 'manual' });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}
