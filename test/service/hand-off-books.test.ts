// Verification of falsified pending orders, one falsification per account. Each must be named, and gone once repaired.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { usualRanges } from '../../src/features/verification/verification-limits.ts';
import { verifyLedger } from '../../src/features/verification/verify-ledger.ts';
import { falsify, falsifyAll, forgetDays, verify } from '../harness/falsified-books.ts';
import { expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';

interface Falsification {
  readonly sql: string;
  readonly undo: string;
  /** All subjects that must be named, and the message of the first one. */
  readonly subjects: readonly string[];
  readonly says: RegExp;
  /** This is only reported: the ledger is right, so no account is halted. */
  readonly breaksRule?: true;
}

const row = (table: string, number: number) =>
  `account_id = $id and ${table === 'order_handoffs' ? 'order_number' : 'number'} = ${number}`;

function replaced(
  table: 'order_handoffs' | 'ledger_entries' | 'customers' | 'plan_changes' | 'orders',
  number: number,
  [falsified, right]: readonly [string, string],
  subjects: readonly string[],
  says: RegExp,
): Falsification {
  const set = (values: string) => `update ${table} set ${values} where ${row(table, number)}`;
  return { sql: set(falsified), undo: set(right), subjects, says };
}

function missing(
  table: 'order_handoffs' | 'plan_changes' | 'product_calls',
  where: string,
  subjects: readonly string[],
  says: RegExp,
): Falsification {
  return {
    sql: `create table taken_$id as select * from ${table} where account_id = $id and ${where};
      delete from ${table} where account_id = $id and ${where}`,
    undo: `insert into ${table} overriding system value select * from taken_$id;
      drop table taken_$id`,
    subjects,
    says,
  };
}

const settledNow = "settled_at = '2026-01-15T12:00:00Z'";
const falsifications: readonly Falsification[] = [
  replaced(
    'order_handoffs',
    2,
    ["status = 'failed'", "status = 'completed'"],
    ['plan change 2'],
    /what became/,
  ),
  replaced(
    'order_handoffs',
    3,
    ["status = 'completed'", "status = 'failed'"],
    ['plan change 3', 'order 3'],
    /what became of its order/,
  ),
  replaced(
    'order_handoffs',
    4,
    [`status = 'completed', ${settledNow}`, "status = 'pending', settled_at = null"],
    ['order 4', 'customer 2'],
    /it is completed, but no change of a plan says so/,
  ),
  replaced(
    'order_handoffs',
    1,
    ["status = 'pending', settled_at = null", `status = 'completed', ${settledNow}`],
    ['order 1', 'plan change 1'],
    /it waits for the product, but change 1 has settled it/,
  ),
  replaced(
    'order_handoffs',
    2,
    ['entry_number = null', 'entry_number = 5'],
    ['plan change 2', 'order 2'],
    /what became of its order/,
  ),
  replaced(
    'order_handoffs',
    4,
    ['customer_number = 3', 'customer_number = 2'],
    ['order 4', 'customer 2'],
    /handed over for another customer/,
  ),
  {
    sql: 'update order_handoffs set order_number = 9 where account_id = $id and order_number = 4',
    undo: 'update order_handoffs set order_number = 4 where account_id = $id and order_number = 9',
    subjects: ['account $id', 'customer 2'],
    says: /order 9 was handed over, but the last order is 4/,
  },
  missing('order_handoffs', 'order_number = 4', ['customer 2'], /no order of theirs waits/),
  missing('order_handoffs', 'order_number = 3', ['order 3', 'plan change 3'], /./),
  missing('order_handoffs', 'order_number = 2', ['plan change 2'], /what became of its order/),
  {
    ...missing('product_calls', "status = 'waiting'", ['order 4'], /which nothing asks/),
    breaksRule: true,
  },

  replaced(
    'customers',
    2,
    ['pending_order = null', 'pending_order = 4'],
    ['order 4'],
    /does not hold its customer's plan/,
  ),
  replaced('customers', 1, ['pending_order = 3', 'pending_order = null'], ['customer 1'], /number 3 holds/),

  missing('plan_changes', 'number = 3', ['account $id', 'order 3'], /./),
  replaced(
    'plan_changes',
    2,
    ["kind = 'order_failed'", "kind = 'order_completed'"],
    ['plan change 2'],
    /what became of its order/,
  ),
  replaced(
    'plan_changes',
    3,
    ['order_number = null', 'order_number = 3'],
    ['plan change 3', 'order 3'],
    /settles no order of its customer/,
  ),
  replaced(
    'plan_changes',
    1,
    ['customer_number = 2', 'customer_number = 1'],
    ['plan change 1'],
    /settles no order of its customer/,
  ),
  replaced(
    'plan_changes',
    2,
    ['refund_cents = 24001', 'refund_cents = 24000'],
    ['plan change 2'],
    /the ledger does not have what it gave back/,
  ),
  {
    ...replaced(
      'plan_changes',
      2,
      ["expires_at = expires_at + interval '1 day'", "expires_at = expires_at - interval '1 day'"],
      ['plan change 2'],
      /it left another plan than the order makes of it/,
    ),
    breaksRule: true,
  },

  replaced(
    'ledger_entries',
    8,
    ['amount_cents = 2501', 'amount_cents = 2500'],
    ['plan change 3', 'ledger entry 8'],
    /the ledger does not have what it gave back/,
  ),
  replaced(
    'ledger_entries',
    9,
    ['order_number = 2', 'order_number = 3'],
    ['plan change 3', 'order 2'],
    /did not take the 1000 cents back/,
  ),
  {
    // A second refund of the failed order. Everything else adds up.
    sql: `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number)
        select account_id, 11, 'refund', 2500, balance_after_cents + 2500, created_at, 3 from ledger_entries
        where account_id = $id and number = 10;
      update accounts set entry_count = 11, balance_cents = balance_cents + 2500 where id = $id`,
    undo: `delete from ledger_entries where account_id = $id and number = 11;
      update accounts set entry_count = 10, balance_cents = balance_cents - 2500 where id = $id`,
    subjects: ['order 3'],
    says: /refund 1000, given back 3500 cents/,
  },
];

/**
 * customer 1: order 1 a year of plus, order 2 changes it to basic and is owed 240.00 more, order 3 back to plus failed;
 * customer 2: order 4 waits. Entries: 1 credit, 2 charge, 3 refund, 4 charge, 5 refund of the rest, 6 refund, 7 charge, 8
 * the price back, 9 the refund taken, 10 charge.
 */
async function keepBooks(service: TestService): Promise<TestAccount> {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { plus } = service.packages;
  const settle = async (body: object, what: 'accept' | 'fail') => {
    const { order } = await placeOrder(service, reseller, body);
    expectStatus(await service.admin.post(`/api/admin/v1/orders/${order.id}/${what}`, { reason: 'No' }), 200);
  };
  await settle({ package_id: plus, months: 12 }, 'accept');
  await settle({}, 'accept');
  await settle({ package_id: plus }, 'fail');
  await placeOrder(service, reseller, { customer: `two-${reseller.id}` });
  return reseller;
}

let service: TestService;
before(async () => {
  service = await startTestService();
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', product), 200);
});
after(() => service.close());

test('books with orders that were taken, refused and are waiting are right, also in the smallest ranges', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => keepBooks(service)));
  await createDailyTotals(service.database).bringAllUpToDate();
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
  for (const entries of [2, 3, 4, 5]) {
    const ranges = { entries, customers: 1, events: entries };
    const { problems } = await verifyLedger(service.database, service.clock.seconds, { ranges });
    assert.deepEqual(problems, [], `${entries} entries at once`);
  }
  const { balance } = (await service.admin.get(`/api/admin/v1/accounts/${accounts[0]?.id}`)).body.account;
  // 1000 − 250 − 10 + 250 − 10
  assert.equal(balance, '980.00');
});

test('an audit beside a stream of orders, answers and refusals finds nothing', async () => {
  const resellers = await Promise.all([1, 2].map(() => service.createReseller({ credit: '5000.00' })));
  let isOver = false;
  const streams = resellers.flatMap((reseller) =>
    [0, 1, 2].map(async (client) => {
      for (let index = 0; index < 25; index += 1) {
        // Changes a plan back and forth, but not each time.
        const { basic, plus } = service.packages;
        const body = { package_id: index % 2 ? basic : plus, months: index % 2 ? 1 : 12 };
        const { order } = await placeOrder(service, reseller, {
          ...body,
          customer: `s-${reseller.id}-${client}`,
        });
        const what = index % 3 === 1 ? 'fail' : 'accept';
        await service.admin.post(`/api/admin/v1/orders/${order.id}/${what}`, { reason: 'No' });
      }
    }),
  );
  const ended = Promise.all(streams).finally(() => {
    isOver = true;
  });
  const days = createDailyTotals(service.database);
  for (let round = 0; round < 2 || !isOver; round += 1) {
    await days.bringAllUpToDate();
    const ranges = round % 2 ? { entries: 3, customers: 2, events: 3 } : usualRanges;
    assert.deepEqual((await verifyLedger(service.database, 0, { ranges })).problems, []);
  }
  await ended;
});

test('every falsification is named, halts its account unless it breaks a rule alone, and is forgotten when mended', async () => {
  const cases = await Promise.all(
    falsifications.map(async (one) => ({ ...one, reseller: await keepBooks(service) })),
  );
  await createDailyTotals(service.database).bringAllUpToDate();
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
  const filled = (text: string, { id }: TestAccount) => text.replaceAll('$id', String(id));
  const all = (which: 'sql' | 'undo') =>
    cases.map((one) => ({
      account: one.reseller,
      sql: `${filled(one[which], one.reseller)}; ${forgetDays(one.reseller)}`,
    }));
  await falsifyAll(service, all('sql'));
  const { problems } = await verify(service);
  const halted = await service.database.query({
    name: '',
    text: 'select id from accounts where halted_at is not null',
  });
  const isHalted = new Set(halted.map((each) => Number(each['id'])));
  for (const one of cases) {
    const { reseller, sql, subjects, says, breaksRule = false } = one;
    const named = problems.filter(({ account_id }) => account_id === reseller.id);
    for (const [place, text] of subjects.entries()) {
      const about = named.filter(({ subject }) => subject === filled(text, reseller));
      assert.ok(about.length > 0, `${sql}: ${text} is named: ${JSON.stringify(named)}`);
      if (place === 0) assert.match(about.map(({ problem }) => problem).join('; '), says, sql);
    }
    assert.equal(isHalted.has(reseller.id), !breaksRule, `${sql}: ${JSON.stringify(named)}`);
  }
  await falsifyAll(service, all('undo'));
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});

test('rows of an account that does not exist are named', async () => {
  const stray =
    "insert into order_handoffs (account_id, order_number, customer_number, status) values (77, 1, 1, 'pending')";
  await falsify(service, { id: 77 }, stray);
  const { problems } = await verify(service);
  assert.deepEqual(
    problems.map(({ account_id, subject, problem }) => [account_id, subject, problem]),
    [[77, 'handed-over order 1', 'its account does not exist']],
  );
  await falsify(service, { id: 77 }, 'delete from order_handoffs where account_id = 77');
});
