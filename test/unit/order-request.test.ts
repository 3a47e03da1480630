// The bodies of the two order endpoints: what is refused, with which code and in which order, and what others mean.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toText } from '../../proof/oracle/history-report.ts';
import { readPlaceRequest, readRenewRequest } from '../../proof/oracle/oracle-request.ts';
import {
  parseCustomerName,
  parseOrderRequest,
  parseRenewRequest,
} from '../../src/features/orders/parse-order-request.ts';
import { parseCustomerReference } from '../../src/shared/customer-references.ts';
import { sentIdempotencyHeader } from '../../src/shared/idempotency-keys.ts';
import '../harness/fixed-seed.ts';

type Body = Record<string, unknown>;

const good: Body = { package_id: 3, customer: 'ada' };

describe('the first fault in the documented order is the answer', () => {
  const table: [name: string, body: Body, header: string | undefined, code: string, field: string][] = [
    [
      'everything at once',
      { customer_name: 5, return_login: 1, idempotency_key: '', months: 2 },
      ' ',
      'invalid_json',
      'customer_name',
    ],
    [
      'the login flag before the key',
      { return_login: 'yes', idempotency_key: '' },
      undefined,
      'invalid_json',
      'return_login',
    ],
    [
      'null is of the wrong type',
      { ...good, customer_name: null },
      undefined,
      'invalid_json',
      'customer_name',
    ],
    ['so is a null flag', { ...good, return_login: null }, undefined, 'invalid_json', 'return_login'],
    [
      'the key before the package',
      { idempotency_key: 'two words' },
      undefined,
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    [
      'an empty key',
      { ...good, idempotency_key: '' },
      undefined,
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    ['an empty header', good, '', 'invalid_idempotency_key', 'idempotency_key'],
    ['a key of 81 characters', good, 'k'.repeat(81), 'invalid_idempotency_key', 'idempotency_key'],
    [
      'a key that is no string',
      { ...good, idempotency_key: 7 },
      'k',
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    [
      'a null key',
      { ...good, idempotency_key: null },
      undefined,
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    [
      'keys that differ',
      { ...good, idempotency_key: 'K' },
      'k',
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    ['a key beyond ASCII', good, 'ké', 'invalid_idempotency_key', 'idempotency_key'],
    [
      'a key with a line feed',
      { ...good, idempotency_key: 'k\n' },
      undefined,
      'invalid_idempotency_key',
      'idempotency_key',
    ],
    ['the package before the customer', { customer: '' }, undefined, 'invalid_package', 'package_id'],
    ['a package as text', { package_id: '3', customer: 'ada' }, undefined, 'invalid_package', 'package_id'],
    ['a broken package', { package_id: 3.5, customer: 'ada' }, undefined, 'invalid_package', 'package_id'],
    ['no package', { package_id: null, customer: 'ada' }, undefined, 'invalid_package', 'package_id'],
    [
      'an infinite package',
      { package_id: Number.POSITIVE_INFINITY, customer: 'ada' },
      undefined,
      'invalid_package',
      'package_id',
    ],
    [
      'the customer before the name',
      { package_id: -1, customer: 'a b', customer_name: '\u0000' },
      undefined,
      'invalid_customer',
      'customer',
    ],
    ['no customer', { package_id: 3 }, undefined, 'invalid_customer', 'customer'],
    [
      'a customer that is a number',
      { package_id: 3, customer: 12 },
      undefined,
      'invalid_customer',
      'customer',
    ],
    [
      'the name before the months',
      { ...good, customer_name: 'a\u0085b', months: 2 },
      undefined,
      'invalid_customer',
      'customer_name',
    ],
    [
      'a name of 121 characters',
      { ...good, customer_name: '🦆'.repeat(121) },
      undefined,
      'invalid_customer',
      'customer_name',
    ],
    [
      'half a character',
      { ...good, customer_name: 'duck \ud83e' },
      undefined,
      'invalid_customer',
      'customer_name',
    ],
    ['two months', { ...good, months: 2 }, undefined, 'invalid_months', 'months'],
    ['months as text', { ...good, months: '1' }, undefined, 'invalid_months', 'months'],
    ['null months', { ...good, months: null }, undefined, 'invalid_months', 'months'],
    [
      'bad months and a bad period',
      { ...good, months: 0, period: 'weekly' },
      undefined,
      'invalid_months',
      'months',
    ],
    ['a period in capitals', { ...good, period: 'Monthly' }, undefined, 'invalid_months', 'period'],
    [
      'a period that every object has',
      { ...good, period: 'constructor' },
      undefined,
      'invalid_months',
      'period',
    ],
    ['a null period', { ...good, months: 1, period: null }, undefined, 'invalid_months', 'period'],
    [
      'months and period that disagree',
      { ...good, months: 1, period: 'yearly' },
      undefined,
      'invalid_months',
      'months',
    ],
    [
      'fields of the prototype',
      JSON.parse('{"__proto__":{"package_id":3,"customer":"ada"}}'),
      undefined,
      'invalid_package',
      'package_id',
    ],
  ];
  for (const [name, body, header, code, field] of table) {
    test(`${name}: ${code}`, () => {
      const refusal = parseOrderRequest(body, header);
      assert.ok('code' in refusal, JSON.stringify(refusal));
      assert.deepEqual([refusal.code, refusal.details['field']], [code, field]);
      assert.ok(String(refusal.details['reason']).length > 0);
    });
  }
});

describe('what a good body says', () => {
  const plain = {
    idempotencyKey: null,
    packageId: 3,
    customerReference: 'ada',
    customerName: null,
    months: 1,
    maxChargeCents: null,
    returnLogin: false,
  };
  const table: [name: string, body: Body, header: string | undefined, meaning: object][] = [
    ['the least', good, undefined, plain],
    ['unknown fields', { ...good, price: '0.00', toString: 1, __proto__: { months: 12 } }, undefined, plain],
    ['a customer to be trimmed and lower-cased', { ...good, customer: '\t ADA\u00a0' }, undefined, plain],
    ['three months', { ...good, months: 3 }, undefined, { ...plain, months: 3 }],
    ['a year by name', { ...good, period: 'yearly' }, undefined, { ...plain, months: 12 }],
    ['a quarter twice', { ...good, months: 3, period: 'quarterly' }, undefined, { ...plain, months: 3 }],
    ['a key in the header', good, 'k', { ...plain, idempotencyKey: 'k' }],
    ['a key in the body', { ...good, idempotency_key: 'k' }, undefined, { ...plain, idempotencyKey: 'k' }],
    ['the key in both', { ...good, idempotency_key: 'k' }, 'k', { ...plain, idempotencyKey: 'k' }],
    ['the longest key', good, '~'.repeat(80), { ...plain, idempotencyKey: '~'.repeat(80) }],
    ['a name', { ...good, customer_name: ' Ada 🦆 ' }, undefined, { ...plain, customerName: 'Ada 🦆' }],
    [
      'the longest name',
      { ...good, customer_name: '🦆'.repeat(120) },
      undefined,
      { ...plain, customerName: '🦆'.repeat(120) },
    ],
    ['a blank name is no name', { ...good, customer_name: ' \n ' }, undefined, plain],
    ['a guard', { ...good, max_charge: '12.5' }, undefined, { ...plain, maxChargeCents: 1250n }],
    ['what must come back', { ...good, max_charge: '-3' }, undefined, { ...plain, maxChargeCents: -300n }],
    ['a login link', { ...good, return_login: true }, undefined, { ...plain, returnLogin: true }],
    ['a package beyond every id', { ...good, package_id: 2 ** 31 }, undefined, { ...plain, packageId: 0 }],
    ['a package below every id', { ...good, package_id: -3 }, undefined, { ...plain, packageId: 0 }],
    ['a package beyond 2^53', { ...good, package_id: 1e300 }, undefined, { ...plain, packageId: 0 }],
    ['the largest id', { ...good, package_id: 2 ** 31 - 1 }, undefined, { ...plain, packageId: 2 ** 31 - 1 }],
  ];
  for (const [name, body, header, meaning] of table) {
    test(name, () => assert.deepEqual(parseOrderRequest(body, header), meaning));
  }
});

describe('a customer is an e-mail address or a username', () => {
  const table: [customer: string, reference: string | null][] = [
    ['ada', 'ada'],
    ['A.d_a-1', 'a.d_a-1'],
    ['7', '7'],
    ['.', '.'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), null],
    ['Ada@Example.com', 'ada@example.com'],
    ["o'neil+box@mail.example.co.uk", "o'neil+box@mail.example.co.uk"],
    [
      `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
      `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
    ],
    [`${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(62)}`, null],
    ['', null],
    ['   ', null],
    ['a b', null],
    ['a\u0000b', null],
    ['ada\u200b', null],
    ['zoë', null],
    ['\u212Aelvin', null], // the Kelvin sign lower-cases to an ASCII k
    ['\uff41da', null],
    ['a/b', null],
    ['@', null],
    ['@example.com', null],
    ['ada@', null],
    ['a@b@example.com', null],
    ['ada@-example.com', null],
    ['ada@example..com', null],
    ['ada@exam_ple.com', null],
    ['ada@[192.0.2.1]', null],
    ['"ada"@example.com', null],
  ];
  for (const [customer, reference] of table) {
    test(`${JSON.stringify(customer)} is ${reference === null ? 'none' : JSON.stringify(reference)}`, () => {
      const parsed = parseCustomerReference(customer);
      if (reference !== null) assert.equal(parsed, reference);
      else assert.ok(typeof parsed === 'object' && parsed.code === 'invalid_customer');
    });
  }
});

describe('a renewal', () => {
  const nothing = { idempotencyKey: null, months: null, maxChargeCents: null };
  const table: [name: string, body: Body, header: string | undefined, result: object][] = [
    ['without anything', {}, undefined, nothing],
    ['of a quarter', { period: 'quarterly' }, 'k', { ...nothing, idempotencyKey: 'k', months: 3 }],
    ['with a guard', { max_charge: '10' }, undefined, { ...nothing, maxChargeCents: 1000n }],
    [
      'ignores what orders have',
      { package_id: 'x', customer: 5, customer_name: 5, return_login: 5 },
      undefined,
      nothing,
    ],
  ];
  for (const [name, body, header, result] of table) {
    test(name, () => assert.deepEqual(parseRenewRequest(body, header), result));
  }

  test('refuses its key before its months', () => {
    const codeOf = (body: Body) => {
      const result = parseRenewRequest(body, undefined);
      return 'code' in result ? result.code : null;
    };
    assert.equal(codeOf({ idempotency_key: '', months: 2 }), 'invalid_idempotency_key');
    assert.equal(codeOf({ months: 2 }), 'invalid_months');
    assert.equal(codeOf({ months: 12, period: 'monthly' }), 'invalid_months');
  });
});

test('a null in place of what is not set is refused, and the reason says to leave it out', () => {
  for (const field of [
    'customer_name',
    'return_login',
    'idempotency_key',
    'months',
    'period',
    'max_charge',
  ]) {
    const refused = parseOrderRequest({ ...good, [field]: null }, undefined);
    assert.ok('code' in refused, field);
    assert.equal(refused.details['field'], field);
    assert.match(String(refused.details['reason']), /null.* leave it out$/);
  }
});

test('the header is what was sent under its name', () => {
  assert.equal(sentIdempotencyHeader({}), undefined);
  assert.equal(sentIdempotencyHeader({ 'idempotency-key': 'k' }), 'k');
  assert.equal(sentIdempotencyHeader({ 'idempotency-key': ['k', 'l'] }), 'k');
});

describe('random bodies are read as the oracle reads them', () => {
  const odd: unknown[] = [null, true, 0, 1, 3, 12, -1, 1.5, 1e20, '', ' ', '1', [], {}, ['1']];
  const keys = [...odd, 'k', 'K', 'k'.repeat(80), 'k'.repeat(81), 'a b', 'ü', '\u007f', '!'];
  const customers = [
    ...odd,
    'ada',
    ' ADA ',
    'a@b.co',
    'A@B.co',
    'a@',
    '\u212Ab',
    'a'.repeat(64),
    'a'.repeat(65),
    '\ufeffada',
    'x\u0000',
  ];
  const names = [
    ...odd,
    'Ada',
    ' Ada\n',
    'A\nda',
    '\u0085',
    'x'.repeat(120),
    'x'.repeat(121),
    '🦆'.repeat(120),
    '\u202eada',
  ];
  const monthsSent = [...odd, 1, 3, 12, 2];
  const periods = [...odd, 'monthly', 'quarterly', 'yearly', 'Yearly', 'monthly '];
  const from = (values: readonly unknown[]) => fc.constantFrom(...values);
  // Most values are valid, so that no fault, one fault and many faults all occur.
  const mostly =
    (...good: unknown[]) =>
    (rest: readonly unknown[]) =>
      fc.oneof({ weight: 6, arbitrary: from(good) }, { weight: 1, arbitrary: from(rest) });
  const body = fc.record(
    {
      package_id: mostly(3, 10, 1e1)([...odd, 2 ** 31]),
      customer: mostly('ada', ' ADA ', 'a@b.co')(customers),
      months: mostly(3)(monthsSent),
      period: mostly('quarterly')(periods),
      customer_name: mostly('Ada', ' Ada ', '')(names),
      return_login: mostly(true, false)(odd),
      max_charge: mostly('12.50', '3', '-0.5')([...odd, '1.234', '1e2', '.5', '5.', '٣', '1'.repeat(13)]),
      idempotency_key: mostly('k')(keys),
      other: from(odd),
    },
    { requiredKeys: [] },
  );
  const header = mostly(
    undefined,
    'k',
  )(keys.filter((key) => typeof key === 'string')).map((key) =>
    key === undefined ? undefined : String(key),
  );

  test('of orders', () => {
    let accepted = 0;
    fc.assert(
      fc.property(body, header, (sent, key) => {
        const [found, expected] = [parseOrderRequest(sent, key), readPlaceRequest(sent, key)];
        if ('code' in expected) {
          assert.ok('code' in found, `read as ${toText(found)}`);
          assert.deepEqual([found.code, found.details['field']], [expected.code, expected.details['field']]);
          return;
        }
        assert.ok(!('code' in found), `refused with ${toText(found)}`);
        accepted += 1;
        const isId = expected.packageId > 0 && expected.packageId < 2 ** 31;
        assert.deepEqual(
          {
            key: found.idempotencyKey,
            packageId: found.packageId,
            customerReference: found.customerReference,
            customerName: found.customerName ?? '',
            months: found.months,
            maxChargeCents: found.maxChargeCents,
          },
          { ...expected, packageId: isId ? expected.packageId : 0 },
        );
        assert.equal(found.returnLogin, sent.return_login ?? false);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(accepted > 3000, `only ${accepted} were accepted`);
  });

  test('of renewals', () => {
    fc.assert(
      fc.property(body, header, (sent, key) => {
        const [found, expected] = [parseRenewRequest(sent, key), readRenewRequest(sent, key)];
        if ('code' in expected) {
          assert.ok('code' in found);
          assert.deepEqual([found.code, found.details['field']], [expected.code, expected.details['field']]);
        } else {
          const { key: idempotencyKey, ...others } = expected;
          assert.deepEqual(found, { idempotencyKey, ...others });
        }
      }),
      { numRuns: 10_000 },
    );
  });

  test('of names, in any Unicode that is whole', () => {
    const unicode = fc.string({ unit: 'binary', maxLength: 140, size: 'max' });
    fc.assert(
      fc.property(unicode, (name) => {
        const found = parseCustomerName(name);
        const expected = readPlaceRequest({ ...good, customer_name: name }, undefined);
        if ('code' in expected) assert.ok(typeof found === 'object' && found !== null);
        else assert.equal(found ?? '', expected.customerName);
      }),
      { numRuns: 3000 },
    );
  });
});
