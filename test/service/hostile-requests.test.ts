// Requests that no HTTP client sends. Each gets an error envelope with a known code or a closed connection.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type Books, booksOf } from '../harness/books.ts';
import { type RawOptions, rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal, expectSomeRefusal } from '../harness/refusals.ts';

let service: TestService;
let reseller: TestAccount;
let books: Books;
let head: string[];
let order: string;

before(async () => {
  // Slow heads time out within the test, but a normal one has enough time even on a busy machine.
  service = await startTestService({
    limits: { http: { headersMilliseconds: 5_000, lingerMilliseconds: 20_000 } },
  });
});
after(() => service.close());
beforeEach(async () => {
  reseller = await service.createReseller({ credit: '100.00' });
  head = ['Host: x', `Authorization: Bearer ${reseller.key}`];
  order = JSON.stringify({ package_id: service.packages.basic, customer: `hostile-${reseller.id}` });
  books = await booksOf(service, reseller);
});
afterEach(async () => {
  const alive = await reseller.get('/balance');
  assert.equal(alive.status, 200, 'the service lives on');
});

const post = (lines: readonly string[], body = '') =>
  rawRequest(['POST /api/v1/orders HTTP/1.1', ...head, ...lines], body);
const withLength = (body: string | Uint8Array, lines: readonly string[] = []) =>
  Buffer.concat([
    Buffer.from(post([`Content-Length: ${Buffer.byteLength(body)}`, ...lines])),
    Buffer.from(body as string),
  ]);
const chunked = (body: string, lines: readonly string[] = []) => {
  const size = 10_000;
  const parts = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.slice(index * size, (index + 1) * size),
  );
  const chunks = parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  return post(['Transfer-Encoding: chunked', ...lines], `${chunks}0\r\n\r\n`);
};
const padded = (bytes: number) => {
  const start = `${order.slice(0, -1)}, "padding": "`;
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
};

async function answerTo(bytes: string | Uint8Array, options?: RawOptions): Promise<Answer> {
  const { answers } = await sendRaw(service.address, bytes, options);
  const final = answers.find(({ status }) => status >= 200);
  assert.ok(final, 'there is an answer');
  return final;
}

async function expectNothingHappened(): Promise<void> {
  assert.deepEqual(await booksOf(service, reseller), books, 'the books are as they were');
}

/** Each request must be refused in an error envelope, or the connection closed. */
async function expectRefused(requests: Record<string, string | Uint8Array>, options?: RawOptions) {
  for (const [why, bytes] of Object.entries(requests)) {
    const { answers, closed } = await sendRaw(service.address, bytes, options);
    assert.ok(answers.length > 0 || closed, why);
    for (const answer of answers) if (answer.status >= 200) expectSomeRefusal(answer, why);
  }
  await expectNothingHappened();
}

test('a body of 65,536 bytes is taken and one of 65,537 refused, with a length and in chunks', async () => {
  for (const encode of [withLength, chunked]) {
    const { status, text } = await answerTo(encode(padded(65_536)));
    assert.equal(status, 201, text);
  }
  books = await booksOf(service, reseller);
  for (const encode of [withLength, chunked]) {
    expectRefusal(await answerTo(encode(padded(65_537))), '413 payload_too_large');
    expectRefusal(await answerTo(encode('x'.repeat(200_000))), '413 payload_too_large');
  }
  const characters = `${order.slice(0, -1)}, "padding": "${'é'.repeat(33_000)}"}`;
  expectRefusal(await answerTo(withLength(characters)), '413 payload_too_large');
  await expectNothingHappened();
});

test('an order inside a body that is too large is not read as a request', async () => {
  const inner = withLength(order).toString();
  const large = `${'x'.repeat(70_000)}${inner}`;
  for (const encode of [withLength, chunked]) {
    const { answers, closed } = await sendRaw(service.address, encode(large), { finalAnswers: Infinity });
    assert.equal(closed, true, 'the connection is closed');
    assert.equal(answers.length, 1);
    if (answers[0] !== undefined) expectRefusal(answers[0], '413 payload_too_large');
  }
  await expectNothingHappened();
});

test('anyone who sends on after the answer to a body that is too large is not cut off: a reset would take the answer back', async () => {
  const { hostname, port } = new URL(service.address);
  const socket = connect({ host: hostname, port: Number(port) });
  const request = withLength('x'.repeat(5_000_000));
  socket.write(request.subarray(0, 70_000));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 413 /);
  socket.end(request.subarray(70_000));
  // The error may be ECONNRESET or EPIPE.
  await once(socket, 'close');
  assert.equal(socket.bytesWritten, request.length);
  await expectNothingHappened();
});

test('a length that lies is refused, whichever way it lies', async () => {
  await expectRefused(
    { 'too long, then the end': post(['Content-Length: 500'], order) },
    { halfClose: true },
  );
  await expectRefused({
    negative: post(['Content-Length: -1'], order),
    signed: post(['Content-Length: +100'], order),
    hexadecimal: post(['Content-Length: 0x40'], order),
    'a fraction': post([`Content-Length: ${order.length}.0`], order),
    'beyond 2^64': post(['Content-Length: 99999999999999999999999'], order),
    'beyond 2^53': post(['Content-Length: 9007199254740993'], order),
    'two that differ': post([`Content-Length: ${order.length}`, 'Content-Length: 3'], order),
    'a length and chunks': chunked(order, [`Content-Length: ${order.length}`]),
  });
  const short = await sendRaw(service.address, post(['Content-Length: 10'], order), {
    finalAnswers: Infinity,
  });
  assert.ok(short.closed, 'nothing is read behind a length that is too short');
  for (const answer of short.answers) expectSomeRefusal(answer, 'too short');
  await expectNothingHappened();
});

test('chunks that are broken are refused', async () => {
  const te = 'Transfer-Encoding: chunked';
  await expectRefused({
    'no size': post([te], `zz\r\n${order}\r\n0\r\n\r\n`),
    'a size too small': post([te], `5\r\n${order}\r\n0\r\n\r\n`),
    'a huge size': post([te], `ffffffffffffffffffff\r\n${order}\r\n0\r\n\r\n`),
    'an unknown coding last': post(['Transfer-Encoding: chunked, gzip'], order),
    'no chunks': post(['Transfer-Encoding: identity'], order),
  });
  await expectRefused({ 'cut off': post([te], `ff\r\n${order}`) }, { halfClose: true });
});

test('a doubled Host, Authorization or Idempotency-Key is 400 and the connection is closed', async () => {
  const doubled = ['Host: y', `authorization: Bearer ${reseller.key}`, 'Idempotency-Key: a'];
  for (const line of doubled) {
    const lines = line.startsWith('Idem') ? [line, 'idempotency-key: a'] : [line];
    const exchange = await sendRaw(service.address, withLength(order, lines), { finalAnswers: Infinity });
    assert.equal(exchange.closed, true, line);
    assert.equal(exchange.answers.length, 1, line);
    const [answer] = exchange.answers;
    if (answer !== undefined) expectRefusal(answer, '400 invalid_json', undefined, line);
  }
  await expectNothingHappened();
});

test('a missing Host is 400, but HTTP/1.0 needs none and gets its answer and the end', async () => {
  const [, authorization = ''] = head;
  expectRefusal(
    await answerTo(rawRequest(['GET /api/v1/balance HTTP/1.1', authorization])),
    '400 invalid_json',
  );
  const old = rawRequest(['GET /api/v1/balance HTTP/1.0', authorization]);
  const { answers, closed } = await sendRaw(service.address, old, { finalAnswers: Infinity });
  assert.deepEqual(
    [answers.length, answers[0]?.status, answers[0]?.body.balance, closed],
    [1, 200, '100.00', true],
  );
});

test('methods that no one knows are refused in the envelope', async () => {
  const requests: Record<string, string> = {};
  for (const method of ['FOO', 'get', 'PRI', 'CONNECT', 'QUERY', 'PROPFIND', 'M-SEARCH', 'TRACE', 'PATCH']) {
    for (const path of ['/api/v1/orders', '/api/v1/nowhere', '/', '*', '/login/x', 'x:443']) {
      requests[`${method} ${path}`] = rawRequest([`${method} ${path} HTTP/1.1`, ...head]);
    }
  }
  await expectRefused(requests);
  const connecting = await answerTo(rawRequest(['CONNECT x:443 HTTP/1.1', ...head]));
  expectRefusal(connecting, '405 method_not_allowed');
  assert.notEqual(connecting.headers.get('allow'), null, 'a 405 has Allow');
});

test('bytes that are no HTTP at all are refused', async () => {
  await expectRefused({
    'control bytes': '\u0000\u0001\u0002\r\n\r\n',
    'a TLS greeting': Buffer.from('16030100c8010000c40303', 'hex'),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an unknown version': rawRequest(['GET /api/v1/balance HTTP/1.2', ...head]),
    'bare line feeds': `POST /api/v1/orders HTTP/1.1\n${head.join('\n')}\nContent-Length: ${order.length}\n\n${order}`,
    'a folded header': rawRequest(['GET /api/v1/balance HTTP/1.1', 'Host: x', 'Authorization: Bearer', ' x']),
    'a header without a colon': rawRequest(['GET /api/v1/balance HTTP/1.1', ...head, 'nonsense']),
    'a blank before the colon': rawRequest(['GET /api/v1/balance HTTP/1.1', ...head, 'X-A : b']),
    'a blank in the path': rawRequest(['GET /api/v1/orders/a b HTTP/1.1', ...head]),
    'a letter beyond ASCII in the path': rawRequest(['GET /api/v1/orders/é HTTP/1.1', ...head]),
  });
});

test('a head of more than 16 KiB is refused, one below is read', async () => {
  const long = (bytes: number) => [`X-Long: ${'x'.repeat(bytes)}`];
  await expectRefused({
    'one long header': withLength(order, long(17_000)),
    'many headers': withLength(
      order,
      Array.from({ length: 3_000 }, (_, index) => `X-${index}: a`),
    ),
    'a long path': rawRequest([`GET /api/v1/orders?q=${'x'.repeat(17_000)} HTTP/1.1`, ...head]),
  });
  assert.equal((await answerTo(withLength(order, long(10_000)))).status, 201);
});

test('what is wrong before there is a body is named in the message', async () => {
  const [host = '', authorization = ''] = head;
  const wrongs: readonly (readonly [reason: string, bytes: string])[] = [
    ['the Host header is missing', rawRequest(['GET /api/v1/balance HTTP/1.1', authorization])],
    ['the header host was sent twice', rawRequest(['GET /api/v1/balance HTTP/1.1', ...head, host])],
    [
      'its address and headers are larger than 16 KiB',
      rawRequest(['GET /api/v1/balance HTTP/1.1', ...head, `X-Long: ${'x'.repeat(17_000)}`]),
    ],
    ['it is not well-formed HTTP/1.1', rawRequest(['GET /api/v1/balance HTTP/9.9', ...head])],
  ];
  await Promise.all(
    wrongs.map(async ([reason, bytes]) => {
      const answer = await answerTo(bytes);
      expectRefusal(answer, '400 invalid_json', { reason });
      assert.equal(answer.body.error.message, `The request could not be read: ${reason}.`);
    }),
  );
});

test('a head that never ends is cut off', async () => {
  await expectRefused({ 'half a head': `POST /api/v1/orders HTTP/1.1\r\n${head.join('\r\n')}\r\n` });
});

test('bodies in other encodings are 400 and never decompressed', async () => {
  const utf16 = Buffer.from(order, 'utf16le');
  const bodies: Record<string, Uint8Array> = {
    'invalid UTF-8': Buffer.concat([
      Buffer.from(`${order.slice(0, -1)}, "x": "`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]),
    'overlong UTF-8': Buffer.concat([
      Buffer.from(`${order.slice(0, -1)}, "x": "`),
      Buffer.from([0xc0, 0xaf]),
      Buffer.from('"}'),
    ]),
    'a surrogate in UTF-8': Buffer.concat([
      Buffer.from(`${order.slice(0, -1)}, "x": "`),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]),
    'UTF-16': utf16,
    'a byte order mark': Buffer.from(`\ufeff${order}`),
    'gzip without a word': gzipSync(order),
  };
  for (const [why, body] of Object.entries(bodies)) {
    expectRefusal(await answerTo(withLength(body)), '400 invalid_json', undefined, why);
  }
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x', 'GZIP']) {
    const answer = await answerTo(withLength(gzipSync(order), [`Content-Encoding: ${encoding}`]));
    expectRefusal(answer, '400 invalid_json', undefined, encoding);
    const plain = await answerTo(withLength(order, [`Content-Encoding: ${encoding}`]));
    expectRefusal(plain, '400 invalid_json', undefined, encoding);
  }
  await expectNothingHappened();
  assert.equal((await answerTo(withLength(order, ['Content-Encoding: Identity']))).status, 201);
});

test('percent-encodings that do not decode are paths like any other', async () => {
  const get = (path: string, lines = head) => answerTo(rawRequest([`GET /api/v1${path} HTTP/1.1`, ...lines]));
  for (const id of ['%', '%z', '%zz', '%ff%fe', '%00', '%c0%ae', '%2', '1%']) {
    expectRefusal(await get(`/orders/${id}`), '404 order_not_found', {}, id);
    expectRefusal(await get(`/customers/${id}`), '404 customer_not_found', {}, id);
    expectRefusal(await get(`/${id}`), '404 not_found', {}, id);
    expectRefusal(await get(`/orders/${id}`, ['Host: x']), '401 missing_api_key', {}, id);
    assert.equal((await get(`/orders?page=${id}&limit=${id}`)).status, 200, id);
  }
  assert.equal((await get('/b%61lance')).status, 200);
});

test('an absolute address is answered like its path', async () => {
  const send = (method: string, path: string, lines = head) =>
    answerTo(rawRequest([`${method} http://elsewhere.example/api/v1${path} HTTP/1.1`, ...lines]));
  assert.equal((await send('GET', '/balance')).body.balance, '100.00');
  expectRefusal(await send('GET', '/balance', ['Host: x']), '401 missing_api_key');
  expectRefusal(await send('GET', '/nowhere', ['Host: x']), '401 missing_api_key');
  expectRefusal(await send('GET', '/nowhere'), '404 not_found');
  expectRefusal(await send('DELETE', '/balance'), '405 method_not_allowed');
});

test('Expect is met or ignored', async () => {
  const { answers } = await sendRaw(service.address, withLength(order, ['Expect: 100-continue']));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [100, 201],
  );
  assert.equal((await answerTo(withLength(order, ['Expect: the-unexpected']))).status, 201);
});

test('requests that are pipelined behind a refusal are answered in their turn, or not at all', async () => {
  const balance = rawRequest(['GET /api/v1/balance HTTP/1.1', ...head]);
  const several = `${withLength('{')}${balance}${rawRequest(['GET /api/v1/no HTTP/1.1', ...head])}${balance}`;
  const { answers } = await sendRaw(service.address, several, { finalAnswers: 4 });
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses, [400, 200, 404, 200].slice(0, statuses.length));
  assert.ok(statuses.length >= 1);
});

test('garbage behind an order is never answered in the order’s place', async () => {
  const bytes = Buffer.concat([withLength(order), Buffer.from('\u0000garbage\r\n\r\n')]);
  const { answers, closed } = await sendRaw(service.address, bytes, { finalAnswers: 2 });
  assert.equal(closed, true);
  // The order may be executed. Then it must be answered as such, or not at all.
  if (answers[0] !== undefined) assert.equal(answers[0].status, 201, answers[0].text);
  if (answers[1] !== undefined) expectSomeRefusal(answers[1], 'garbage');
});

test('an unknown path outside the API is 404 with any body', async () => {
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/json', '{"__proto__": {}}'],
    ['text/xml', '<a/>'],
    ['application/x-www-form-urlencoded', 'a=%zz'],
  ]) {
    const lines = ['Host: x', `Content-Type: ${type}`, `Content-Length: ${body?.length}`];
    const answer = await answerTo(rawRequest(['POST /nowhere HTTP/1.1', ...lines], body));
    expectRefusal(answer, '404 not_found', {}, `${type} ${body}`);
  }
});

test('a client that hangs up in the middle of its body is no failure of the service', async () => {
  const { hostname, port } = new URL(service.address);
  for (const hangUp of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((written) => socket.write(post(['Content-Length: 500'], order), () => written()));
    await reseller.get('/balance');
    socket[hangUp]();
    for (let others = 0; others < 20; others += 1) await reseller.get('/balance');
  }
  await expectNothingHappened();
});

test('nothing of all this was logged as a failure of the service', () => {
  const failures = service.logLines.filter(({ level }) => Number(level) >= 50);
  assert.deepEqual(
    failures.map(({ err }) => err),
    [],
  );
});
