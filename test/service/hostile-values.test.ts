// Every kind of JSON value in every field of both order bodies, and odd Idempotency-Key headers.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wantedProxy } from '../../scripts/throwaway/front-proxy.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal, expectSomeRefusal } from '../harness/refusals.ts';

let service: TestService;
let reseller: TestAccount;
let orderId: number;
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '100.00' });
  const body = { package_id: service.packages.basic, customer: 'of-hostile-values' };
  orderId = (await reseller.post('/orders', body)).body.order.id;
});
after(() => service.close());

const brackets = (count: number) => '['.repeat(count / 2) + ']'.repeat(count / 2);

/** Literal texts, some of which JSON.stringify would not write. */
const values: Record<string, string> = {
  null: 'null',
  true: 'true',
  false: 'false',
  zero: '0',
  'minus one': '-1',
  seven: '7',
  fraction: '1.5',
  '1e400': '1e400',
  '2^53 + 1': '9007199254740993',
  'beyond bigint': '9223372036854775808',
  'sixty digits': '9'.repeat(60),
  'a string': '"not valid!"',
  'a number in a string': '"1"',
  'an empty string': '""',
  'blanks alone': '"   "',
  'an array': '[1]',
  'an empty array': '[]',
  'an object': '{"months": 1}',
  'an object with a prototype': '{"__proto__": {"length": 1}}',
  'a lone surrogate': '"a\\ud800"',
  'a NUL': '"a\\u0000b"',
  'a right-to-left mark inside': '"a\\u202eb"',
  'a Kelvin sign': '"\\u212a"',
  '50,000 nested brackets': brackets(50_000),
  '60,000 characters': `"${'x'.repeat(60_000)}"`,
};

/** The code of each field, with exceptions by value. "+" means that the value is accepted. */
const fields: Record<string, { code: string; except?: Record<string, string> }> = {
  package_id: { code: '422 invalid_package' },
  customer: { code: '422 invalid_customer', except: { 'a number in a string': '+' } },
  months: { code: '422 invalid_months' },
  period: { code: '422 invalid_months' },
  customer_name: {
    code: '400 invalid_json',
    except: {
      'a string': '+',
      'a number in a string': '+',
      'an empty string': '+',
      'blanks alone': '+',
      'a right-to-left mark inside': '+',
      'a Kelvin sign': '+',
      'a lone surrogate': '422 invalid_customer',
      'a NUL': '422 invalid_customer',
      '60,000 characters': '422 invalid_customer',
    },
  },
  return_login: { code: '400 invalid_json', except: { true: '+', false: '+' } },
  idempotency_key: { code: '422 invalid_idempotency_key', except: { 'a number in a string': '+' } },
};

function bodyWith(field: string, value: string, others: Record<string, unknown>): string {
  const rest = Object.entries(others).filter(([name]) => name !== field);
  const parts = [
    ...rest.map(([name, other]) => `"${name}": ${JSON.stringify(other)}`),
    `"${field}": ${value}`,
  ];
  return `{${parts.join(', ')}}`;
}

for (const [field, { code, except }] of Object.entries(fields)) {
  test(`POST /orders: every kind of value in ${field} is answered by its code and creates nothing`, async () => {
    for (const [kind, value] of Object.entries(values)) {
      const expected = except?.[kind] ?? code;
      // Each accepted order gets its own account, so that it is the customer's first order.
      const account = expected === '+' ? await service.createReseller({ credit: '10.00' }) : reseller;
      const others = { package_id: service.packages.basic, customer: `values-${account.id}` };
      const before = await booksOf(service, account);
      const answer = await account.post('/orders', bodyWith(field, value, others));
      const why = `${field}: ${kind}`;
      if (expected === '+') {
        assert.equal(answer.status, 201, `${why} ${answer.text}`);
        continue;
      }
      expectRefusal(answer, expected, undefined, why);
      assert.equal(answer.body.error.details.field, field, why);
      assert.deepEqual(await booksOf(service, account), before, why);
    }
  });
}

test('POST /orders/{id}/renew: every kind of value in its fields is answered by its code and renews nothing', async () => {
  const before = await booksOf(service, reseller);
  for (const [field, code] of Object.entries({
    months: '422 invalid_months',
    period: '422 invalid_months',
    idempotency_key: '422 invalid_idempotency_key',
  })) {
    for (const [kind, value] of Object.entries(values)) {
      if (field === 'idempotency_key' && kind === 'a number in a string') continue;
      const answer = await reseller.post(`/orders/${orderId}/renew`, bodyWith(field, value, {}));
      expectRefusal(answer, code, undefined, `${field}: ${kind}`);
      assert.equal(answer.body.error.details.field, field, kind);
    }
  }
  assert.deepEqual(await booksOf(service, reseller), before);
});

test('a body that is JSON but no object, or no JSON at all, is invalid_json on both routes', async () => {
  const before = await booksOf(service, reseller);
  const bodies = [
    ...Object.values(values).filter((value) => !value.startsWith('{')),
    '['.repeat(50_000),
    '{"a":'.repeat(10_000),
    '{',
    '}',
    '{}{}',
    "{'package_id': 1}",
    '{"package_id": 01}',
    '{"package_id": 1,}',
    '{"package_id": NaN}',
    '{"package_id": 1} // comment',
    '\ufeff{"package_id": 1}',
    'package_id=1&customer=a',
    '<order/>',
    ' ',
    '\u0000',
  ];
  for (const body of bodies) {
    for (const path of ['/orders', `/orders/${orderId}/renew`]) {
      expectRefusal(await reseller.post(path, body), '400 invalid_json', undefined, body.slice(0, 40));
    }
  }
  for (const body of ['', undefined]) expectRefusal(await reseller.post('/orders', body), '400 invalid_json');
  const huge = await reseller.post('/orders', brackets(100_000));
  expectRefusal(huge, '413 payload_too_large');
  assert.deepEqual(await booksOf(service, reseller), before);
});

test('JSON spellings of one integer are that integer, and the last of doubled names counts', async () => {
  const { basic } = service.packages;
  const account = await service.createReseller({ credit: '1000.00' });
  for (const [index, months] of ['3', '3.0', '3e0', '30e-1', '0.3e1'].entries()) {
    const text = `{"package_id": ${basic}.0, "package_id": ${basic}, "customer": "spelled-${index}", "months": ${months}}`;
    const answer = await account.post('/orders', text);
    assert.equal(answer.body.order?.months, 3, answer.text);
  }
});

test('a key is 1 to 80 visible ASCII characters, in the header as in the body', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const place = (headers: Record<string, string>, body: object = {}) =>
    account.post('/orders', { package_id: service.packages.basic, customer: 'of-keys', ...body }, headers);
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));
  const valid = [
    'a',
    'x'.repeat(80),
    visible.slice(0, 47),
    visible.slice(47),
    'auto_x',
    '"quoted"',
    '__proto__',
  ];
  for (const key of valid) {
    const sent = await place({ 'idempotency-key': key });
    assert.equal(sent.body.order?.idempotency_key, key, sent.text);
    const replayed = await place({ 'idempotency-key': key }, { idempotency_key: key });
    assert.deepEqual(replayed.body, sent.body, 'the same in header and body is one key');
  }
  const before = await booksOf(service, account);
  const invalid = { field: 'idempotency_key' };
  for (const key of ['', 'x'.repeat(81), 'a b', 'a\tb', 'é', 'clé', '\u00a0', 'a,\u00ff']) {
    for (const answer of [
      await place({ 'idempotency-key': key }),
      await place({}, { idempotency_key: key }),
    ]) {
      expectRefusal(answer, '422 invalid_idempotency_key', undefined, key);
      assert.equal(answer.body.error.details.field, invalid.field);
    }
  }
  for (const key of ['🦊', 'a\u0000', 'a\u007f', ' a', 'a ', 'a\n']) {
    expectRefusal(await place({}, { idempotency_key: key }), '422 invalid_idempotency_key', undefined, key);
  }
  const differing = await place({ 'idempotency-key': 'Key' }, { idempotency_key: 'key' });
  expectRefusal(differing, '422 invalid_idempotency_key');
  for (const [header, body] of [
    ['good', ''],
    ['', 'good'],
    ['good', null],
  ]) {
    const answer = await place({ 'idempotency-key': header ?? '' }, { idempotency_key: body });
    expectRefusal(answer, '422 invalid_idempotency_key');
  }
  assert.deepEqual(await booksOf(service, account), before);
});

test('a header with control characters is no request, and places no order', async () => {
  const before = await booksOf(service, reseller);
  const body = JSON.stringify({ package_id: service.packages.basic, customer: 'of-header-bytes' });
  for (const byte of ['\u0000', '\u0001', '\u007f', '\u001b[31m']) {
    const request = rawRequest(
      [
        'POST /api/v1/orders HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${reseller.key}`,
        `Idempotency-Key: a${byte}b`,
        `Content-Length: ${body.length}`,
        'Connection: close',
      ],
      body,
    );
    const { answers } = await sendRaw(service.address, request);
    const [answer] = answers;
    assert.ok(answer, 'there is an answer');
    // Caddy answers itself, in plain text.
    if (wantedProxy() === 'caddy') assert.equal(answer.status, 400, answer.text);
    else expectSomeRefusal(answer, JSON.stringify(byte));
  }
  assert.deepEqual(await booksOf(service, reseller), before);
});
