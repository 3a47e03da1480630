// How a real proxy in front of the service behaves. Run by `npm run test:proxies`.
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestTls } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  type FrontProxy,
  proxySource,
  reachesService,
  startFrontProxy,
  wantedProxy,
} from '../../scripts/throwaway/front-proxy.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { isSellthroughError, Sellthrough } from '../../sdk/src/index.ts';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { signIn } from '../harness/panel-client.ts';
import { openPanelStream } from '../harness/panel-stream.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal } from '../harness/refusals.ts';

const kind = wantedProxy();
assert.ok(kind, 'run by npm run test:proxies');
let service: TestService;
let reseller: TestAccount;
before(async () => {
  service = await startTestService({ limits: { rates: { failuresPerMinute: 3 } } });
  reseller = await service.createReseller({ credit: '1000.00' });
});
after(() => service.close());

interface From {
  readonly localAddress: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly address?: string;
}

async function balanceStatus({
  localAddress,
  key = reseller.key,
  headers = {},
  address,
}: From): Promise<number> {
  const { protocol, hostname, port } = new URL(address ?? service.address);
  const send = protocol === 'https:' ? requestTls : (await import('node:http')).request;
  return new Promise((resolve, reject) => {
    const request = send({
      hostname,
      port,
      path: '/api/v1/balance',
      localAddress,
      agent: false,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    request.on('response', (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject).end();
  });
}

async function allow(...allowed_ips: readonly string[]): Promise<void> {
  const answer = await service.admin.patch(`/api/admin/v1/accounts/${reseller.id}`, { allowed_ips });
  assert.equal(answer.status, 200, answer.text);
}

describe('the allow-list sees the client’s address', () => {
  after(() => allow());

  test('through the proxy: who is on it passes, and no one else', async () => {
    await allow('127.0.0.7');
    assert.equal(await balanceStatus({ localAddress: '127.0.0.7' }), 200);
    assert.equal(await balanceStatus({ localAddress: '127.0.0.8' }), 403);
    await allow(proxySource);
    assert.equal(
      await balanceStatus({ localAddress: '127.0.0.7' }),
      403,
      'the proxy’s own address belongs to no account',
    );
  });

  test('what a client claims in X-Forwarded-For does not reach the service', async () => {
    await allow('192.0.2.7');
    for (const claim of [
      '192.0.2.7',
      '192.0.2.7, 127.0.0.7',
      `192.0.2.7, ${proxySource}`,
      `, ${proxySource}`,
    ]) {
      const headers = { 'x-forwarded-for': claim };
      assert.equal(await balanceStatus({ localAddress: '127.0.0.7', headers }), 403, claim);
    }
    await allow('127.0.0.7');
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    assert.equal(await balanceStatus({ localAddress: '127.0.0.7', headers }), 200, 'nor does it hurt');
  });

  test('past the proxy: only TRUST_PROXY is believed', async () => {
    await allow('192.0.2.7');
    const address = service.directAddress;
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    assert.equal(
      await balanceStatus({ localAddress: '127.0.0.7', headers, address }),
      403,
      'an untrusted peer',
    );
    assert.equal(
      await balanceStatus({ localAddress: proxySource, headers, address }),
      200,
      'the trusted one',
    );
    assert.equal(await balanceStatus({ localAddress: proxySource, address }), 403);
  });

  test('failed authentications are counted for each client, not for the proxy', async () => {
    const from = (localAddress: string) => balanceStatus({ localAddress, key: 'sk_live_wrong' });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push(await from('127.0.0.20'));
    assert.deepEqual(statuses, [401, 401, 401, 429]);
    assert.equal(await from('127.0.0.21'), 401);
  });
});

describe('bodies and heads', () => {
  const padded = (bytes: number, customer: string) => {
    const start = `{"package_id": ${service.packages.basic}, "customer": "${customer}", "padding": "`;
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  };

  test('64 KiB are taken; more is refused in JSON, however much more', async () => {
    const whole = await reseller.post('/orders', padded(65_536, 'whole-body'));
    assert.equal(whole.status, 201, whole.text);
    for (const bytes of [65_537, 500_000, 1_500_000]) {
      const answer = await reseller.post('/orders', padded(bytes, 'large-body'));
      assert.equal(
        `${answer.status} ${answer.body?.error?.code}`,
        '413 payload_too_large',
        `${bytes} ${answer.text}`,
      );
    }
  });

  test('chunked bodies arrive', async () => {
    const order = padded(300, 'chunked-body');
    const chunks = `${order.length.toString(16)}\r\n${order}\r\n0\r\n\r\n`;
    const head = ['POST /api/v1/orders HTTP/1.1', 'Host: x', `Authorization: Bearer ${reseller.key}`];
    const { answers } = await sendRaw(
      service.address,
      rawRequest([...head, 'Transfer-Encoding: chunked'], chunks),
    );
    assert.equal(answers[0]?.status, 201, answers[0]?.text);
  });

  test('heads of 12 KiB pass; those of 40 KiB are refused', async () => {
    assert.equal((await reseller.get('/balance', { 'x-long': 'x'.repeat(12_000) })).status, 200);
    const { answers, closed } = await sendRaw(
      service.address,
      rawRequest(['GET /api/v1/balance HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(40_000)}`]),
    );
    assert.ok(closed || answers.length > 0);
    for (const { status, body } of answers) {
      assert.equal(status, 400);
      // HAProxy cannot answer in our format what it cannot parse: see haproxy.cfg.
      if (kind === 'nginx') assert.equal(body?.error?.code, 'invalid_json');
    }
  });

  test('a key of 80 characters with every visible one, and header names in any case, come through', async () => {
    const key = Array.from({ length: 80 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    const body = JSON.stringify({ package_id: service.packages.basic, customer: 'odd-key' });
    const lines = [
      'POST /api/v1/orders HTTP/1.1',
      'HOST: x',
      `aUTHORIZATION: Bearer ${reseller.key}`,
      `IDEMPOTENCY-KEY: ${key}`,
      `content-LENGTH: ${body.length}`,
    ];
    const { answers } = await sendRaw(service.address, rawRequest(lines, body));
    assert.equal(answers[0]?.status, 201, answers[0]?.text);
    assert.equal(answers[0]?.body.order.idempotency_key, key);
  });

  test('two Authorization or Idempotency-Key headers place no order', async () => {
    const body = JSON.stringify({ package_id: service.packages.basic, customer: 'doubled' });
    const own = `Authorization: Bearer ${reseller.key}`;
    for (const doubled of [
      [own, own],
      [own, 'Idempotency-Key: a', 'Idempotency-Key: b'],
    ]) {
      const lines = ['POST /api/v1/orders HTTP/1.1', 'Host: x', ...doubled, `Content-Length: ${body.length}`];
      const { answers } = await sendRaw(service.address, rawRequest(lines, body));
      assert.equal(answers[0]?.status, 400, answers[0]?.text);
      assert.equal(answers[0]?.body.error.code, 'invalid_json');
    }
  });

  test('a request line in absolute form, and one of HTTP/1.0, are understood', async () => {
    const own = `Authorization: Bearer ${reseller.key}`;
    for (const lines of [
      ['GET http://sell.example.com/api/v1/balance HTTP/1.1', 'Host: sell.example.com', own],
      ['GET /api/v1/balance HTTP/1.0', 'Host: sell.example.com', own],
    ]) {
      const { answers } = await sendRaw(service.address, rawRequest([...lines, 'Connection: close']));
      assert.equal(answers[0]?.status, 200, `${lines[0]} ${answers[0]?.text}`);
    }
  });

  test('a path is passed on as it was written', async () => {
    for (const path of ['/orders/%31', '/orders//1', '/orders/../balance/', '/orders/1%2f', '/orders/%']) {
      const { answers } = await sendRaw(
        service.address,
        rawRequest([`GET /api/v1${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${reseller.key}`]),
      );
      const [answer] = answers;
      assert.ok(answer && answer.status >= 400 && answer.status < 500, `${path} ${answer?.status}`);
      // Caddy cannot answer in our format what it cannot parse.
      if (kind !== 'caddy' || reachesService(path))
        assert.ok(answer.body?.error?.code, `${path}: in the envelope`);
    }
  });
});

test('HTTP/2 works: many orders at once over one connection, each charged once', async () => {
  const session = connectHttp2(service.address, { ca: undefined });
  const place = (number: number) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/v1/orders',
        authorization: `Bearer ${reseller.key}`,
        'idempotency-key': `h2-${number % 25}`,
      });
      let body = '';
      let status = 0;
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      stream.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      stream.on('end', () => resolve({ status, body })).on('error', reject);
      stream.end(JSON.stringify({ package_id: service.packages.basic, customer: `h2-${number % 25}` }));
    });
  const before = Number((await reseller.get('/balance')).body.balance);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, number) => place(number)));
  session.close();
  assert.deepEqual(
    answers.filter(({ status }) => status !== 201),
    [],
  );
  assert.equal(Number((await reseller.get('/balance')).body.balance), before - 250);
});

test('an answer that is lost between service and proxy: HAProxy asks again where there is a key, the others only another process; charged once', async () => {
  const cutting = await startCuttingProxy(service.directAddress);
  const front = await startFrontProxy(kind, cutting.address);
  try {
    const before = Number((await reseller.get('/balance')).body.balance);
    const client = new Sellthrough({ baseUrl: front.address, apiKey: reseller.key, backoffMs: 1 });
    const wish = { package_id: service.packages.basic, customer: 'cut-behind' };
    const options = { idempotencyKey: 'cut-behind', retries: 0 };
    cutting.cutAnswers(1, 'before');
    const first = await client.placeOrder(wish, options).catch((reason: unknown) => reason);
    if (kind !== 'haproxy') {
      assert.ok(isSellthroughError(first, 'service_unavailable'), String(first));
      assert.equal(first.mayHaveHappened, true);
    } else {
      assert.equal(isSellthroughError(first), false, String(first));
    }
    assert.equal(cutting.cuts(), 1);
    // After a failure, Caddy avoids its only process for a second and answers itself.
    const placed = await client.placeOrder(wish, { ...options, retries: kind === 'caddy' ? 1 : 0 });
    assert.deepEqual([placed.replayed, Number(placed.balance)], [true, before - 10]);

    // Without a key, only the client knows whether the request may be repeated.
    cutting.cutAnswers(1, 'before');
    const keyless = createApiClient(front.address, reseller.key).post('/orders', {
      package_id: service.packages.basic,
      customer: 'cut-without-a-key',
    });
    const answer = await keyless.catch(() => null);
    assert.ok(answer === null || answer.body?.error?.code === 'service_unavailable', answer?.text);
    assert.equal(cutting.cuts(), 2);
    assert.equal(Number((await reseller.get('/balance')).body.balance), before - 20);
  } finally {
    await front.close();
    await cutting.close();
  }
});

describe('without the service', () => {
  let alone: FrontProxy;
  before(async () => {
    alone = await startFrontProxy(kind, 'http://127.0.0.1:1');
  });
  after(() => alone.close());

  test('the proxy answers 503 in the envelope with Retry-After, and the client takes it for what it is', async () => {
    const caller = createApiClient(alone.address, 'k');
    // nginx has a separate location for orders with a key.
    const key = { 'idempotency-key': 'alone' };
    for (const answer of [
      await caller.get('/balance'),
      await caller.post('/orders', {}),
      await caller.post('/orders', {}, key),
    ]) {
      assert.equal(`${answer.status} ${answer.body?.error?.code}`, '503 service_unavailable', answer.text);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    const client = new Sellthrough({ baseUrl: alone.address, apiKey: 'k', retries: 0 });
    const error = await client.getBalance().catch((reason: unknown) => reason);
    assert.ok(isSellthroughError(error, 'service_unavailable'));
    assert.deepEqual([error.retryable, error.retryAfterSeconds], [true, 2]);
  });

  test('the API is not answered without TLS, and pages are led to it', async () => {
    const plain = await createApiClient(alone.plainAddress, 'k').get('/balance');
    assert.equal(`${plain.status} ${plain.body?.error?.code}`, '404 not_found');
    const page = await createApiClient(alone.plainAddress, null).get('/panel/');
    assert.equal(page.status, 308);
    assert.match(page.headers.get('location') ?? '', /^https:\/\//);
  });
});

test('a page’s event stream passes as it is written, and is closed when the page leaves', async () => {
  const openStreams = async () =>
    (await readMetrics({ address: service.directAddress })).get('sellthrough_panel_streams');
  const stream = await openPanelStream(service.address, await signIn(service, reseller));
  assert.equal(stream.headers.get('content-encoding'), null);
  assert.equal(await openStreams(), 1);
  // The service sends little: a proxy that buffers would hold it until the stream ends after 15 minutes.
  const body = { package_id: service.packages.basic, customer: 'followed', idempotency_key: 'followed' };
  assert.equal((await reseller.post('/orders', body)).status, 201);
  await stream.until('orders');
  stream.leave();
  while ((await openStreams()) !== 0);
});

test('the inside of the service stays inside', async () => {
  for (const path of ['/metrics', '/healthz', '/readyz', '/somewhere']) {
    const { answers } = await sendRaw(service.address, rawRequest([`GET ${path} HTTP/1.1`, 'Host: x']));
    assert.equal(answers[0]?.status, 404, path);
    assert.equal(answers[0]?.body?.error?.code, 'not_found', path);
  }
});

test('a client that goes away in the middle of its body orders nothing', async () => {
  const { hostname, port } = new URL(service.address);
  const body = JSON.stringify({ package_id: service.packages.basic, customer: 'went-away' });
  const lines = ['POST /api/v1/orders HTTP/1.1', 'Host: x', `Authorization: Bearer ${reseller.key}`];
  const before = (await reseller.get('/orders')).body.total;
  await new Promise<void>((resolve) => {
    const socket = connectTls({ host: hostname, port: Number(port) }, () => {
      const text = rawRequest([...lines, `Content-Length: ${body.length}`], body.slice(0, -5));
      socket.write(text, () => socket.destroy());
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  expectRefusal(await reseller.post('/orders', '{'), '400 invalid_json');
  assert.equal((await reseller.get('/orders')).body.total, before);
});
