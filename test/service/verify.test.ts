// The auditor against books that were falsified by SQL, one falsification at a time: each is named by
// account and subject, stops that account's writes and no other's, and is forgotten once it is mended.
// The tests switch the append-only triggers off to get at history; one test holds that they are on.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { publicId } from '../../src/contract/identifiers.ts';
import { type Database, type Row, type Statement, StatementFailed } from '../../src/database/database.ts';
import { createLedgerDays } from '../../src/ledger/ledger-days.ts';
import { verifyLedger } from '../../src/verify/verify-ledger.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Problem {
  readonly account_id: number;
  readonly subject: string;
  readonly problem: string;
}

/** `$id` stands for the account; `undo` puts back exactly what was there. */
interface Falsification {
  readonly what: string;
  readonly sql: string;
  readonly undo: string;
  /** The books are right, but they break a rule: that is reported, and halts nobody. */
  readonly breaksRule?: true;
  /** Subjects that must be named, and what is said of the first of them. */
  readonly subjects: readonly string[];
  readonly says: RegExp;
}

/*
 * The account that each test falsifies (see keepBooks):
 *   customer 1: order 1 basic, order 2 renews it, order 3 changes it to plus with a refund
 *   customer 2: order 4, a year of basic          customer 3: a free trial (plan change 1), suspended (2)
 *   entries: 1 credit, 2 and 3 charges, 4 refund, 5 charge, 6 charge (order 4), 7 debit
 */
const account = 'account $id';

/** Adds to a column of one row and takes it away again. */
function off(
  table: 'accounts' | 'orders' | 'ledger_entries' | 'customers' | 'plan_changes',
  column: string,
  number: number | null,
  subjects: readonly string[],
  says: RegExp,
  by = '1',
): Falsification {
  const row = table === 'accounts' ? 'id = $id' : `account_id = $id and number = ${number}`;
  const change = (sign: '+' | '-') => `update ${table} set ${column} = ${column} ${sign} ${by} where ${row}`;
  const subject = number === null ? '' : ` ${number}`;
  return {
    what: `${table}${subject}: ${column} + ${by}`,
    sql: change('+'),
    undo: change('-'),
    subjects,
    says,
  };
}

/** Sets a column of one row and sets it back. */
function replaced(
  table: 'orders' | 'ledger_entries' | 'customers' | 'plan_changes',
  column: string,
  number: number,
  [falsified, right]: readonly [string, string],
  subjects: readonly string[],
  says: RegExp,
): Falsification {
  const set = (value: string) =>
    `update ${table} set ${column} = ${value} where account_id = $id and number = ${number}`;
  return {
    what: `${table} ${number}: ${column} is ${falsified}`,
    sql: set(falsified),
    undo: set(right),
    subjects,
    says,
  };
}

/** Order 4 costs so much less, wherever its price went. */
function chargeLess(cents: number): string {
  const row = (number: number) => `where account_id = $id and number = ${number}`;
  return `update orders set price_cents = price_cents - ${cents}, balance_after_cents = balance_after_cents + ${cents} ${row(4)};
    update ledger_entries set amount_cents = amount_cents + ${cents}, balance_after_cents = balance_after_cents + ${cents} ${row(6)};
    update ledger_entries set balance_after_cents = balance_after_cents + ${cents} where account_id = $id and number > 6;
    update accounts set balance_cents = balance_cents + ${cents} where id = $id;
    update orders set balance_after_cents = balance_after_cents + ${cents} where account_id = $id and number > 4;
    update customers set paid_periods[3] = paid_periods[3] - ${cents} ${row(2)}`;
}

/** Takes a row away and puts it back. */
function missing(table: string, where: string, subjects: readonly string[], says: RegExp): Falsification {
  return {
    what: `${table}: the row with ${where} is missing`,
    sql: `create table taken as select * from ${table} where account_id = $id and ${where};
      delete from ${table} where account_id = $id and ${where}`,
    undo: `insert into ${table} select * from taken; drop table taken`,
    subjects,
    says,
  };
}

function breaksRule(falsification: Falsification): Falsification {
  return { ...falsification, breaksRule: true };
}

const shortRanges = { entries: 2, customers: 1, events: 1 };
const aDay = "interval '1 day'";
const falsifications: readonly Falsification[] = [
  off('accounts', 'balance_cents', null, [account], /the balance is \d+ cents, the entries add up to \d+/),
  off('accounts', 'entry_count', null, [account], /the last entry is number 7, the counter says 8/),
  off('accounts', 'order_count', null, [account], /the last order is number 4, the counter says 5/),
  off('accounts', 'customer_count', null, [account], /the last customer is number 3, the counter says 4/),

  off('ledger_entries', 'amount_cents', 1, ['ledger entry 1', account], /is not \d+ cents/),
  off('ledger_entries', 'amount_cents', 2, ['order 1', 'ledger entry 2', account], /charged 999 cents/),
  off('ledger_entries', 'amount_cents', 4, ['order 3', 'ledger entry 4', account], /given back 2001 cents/),
  off(
    'ledger_entries',
    'balance_after_cents',
    3,
    ['ledger entry 3', 'ledger entry 4', 'order 2'],
    /balance \d+/,
  ),
  off('ledger_entries', 'balance_after_cents', 7, ['ledger entry 7', account], /balance \d+ \+ amount/),
  {
    what: 'ledger_entries: a gap in the numbers',
    sql: 'update ledger_entries set number = 8 where account_id = $id and number = 7',
    undo: 'update ledger_entries set number = 7 where account_id = $id and number = 8',
    subjects: [account],
    says: /the last entry is number 8, the counter says 7/,
  },
  missing('ledger_entries', 'number = 7', [account], /the entries add up/),
  missing('ledger_entries', 'number = 3', ['order 2', 'ledger entry 4', account], /it has no ledger entry/),
  missing('ledger_entries', 'number = 4', ['order 3', 'ledger entry 5', account], /given back 0 cents/),
  {
    what: 'ledger_entries: an order is charged twice, the second time for nothing',
    sql: `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number)
      select account_id, 8, 'charge', 0, balance_after_cents, created_at, 4 from ledger_entries
      where account_id = $id and number = 7;
      update accounts set entry_count = 8 where id = $id`,
    undo: `delete from ledger_entries where account_id = $id and number = 8;
      update accounts set entry_count = 7 where id = $id`,
    subjects: ['order 4'],
    says: /it was charged 2 times/,
  },
  replaced('ledger_entries', 'kind', 1, ["'refund'", "'credit'"], ['ledger entry 1'], /does not fit/),
  replaced('ledger_entries', 'kind', 7, ["'charge'", "'debit'"], ['ledger entry 7'], /does not fit/),
  replaced('ledger_entries', 'actor_id', 1, ['null', '$admin'], ['ledger entry 1'], /does not fit/),
  replaced('ledger_entries', 'order_number', 6, ['99', '4'], ['order 99', 'order 4'], /does not exist/),
  replaced(
    'ledger_entries',
    'order_number',
    6,
    ['null', '4'],
    ['order 4', 'ledger entry 6'],
    /no ledger entry/,
  ),

  off('orders', 'price_cents', 1, ['order 1'], /price 1001, charged 1000 cents/),
  off('orders', 'refund_cents', 3, ['order 3'], /refund 2001, given back 2000 cents/),
  off('orders', 'balance_after_cents', 2, ['order 2'], /it says \d+ cents were left, the ledger says \d+/),
  breaksRule(off('orders', 'expires_at', 2, ['order 2'], /it ends at .*, its terms end at/, aDay)),
  breaksRule(off('orders', 'expires_at', 4, ['order 4'], /it ends at .*, its terms end at/, aDay)),
  breaksRule(off('orders', 'created_at', 4, ['customer 2'], /not what the orders make of it/, aDay)),
  breaksRule(replaced('orders', 'months', 1, ['3', '1'], ['order 1', 'order 2'], /its terms end at/)),
  replaced('orders', 'customer_number', 4, ['99', '2'], ['order 4', 'customer 2'], /does not exist/),
  breaksRule(replaced('orders', 'customer_number', 4, ['1', '2'], ['customer 1', 'customer 2'], /./)),
  replaced('orders', 'package_id', 4, ['99', '$basic'], ['order 4', 'customer 2'], /does not exist/),
  breaksRule(
    replaced(
      'orders',
      'package_id',
      4,
      ['$plus', '$basic'],
      ['customer 2'],
      /not what the orders make of it/,
    ),
  ),
  missing(
    'orders',
    'number = 4',
    ['order 4', account, 'customer 2'],
    /the ledger names it, but it does not exist/,
  ),

  breaksRule(off('customers', 'expires_at', 1, ['customer 1'], /not what the orders make of it/, aDay)),
  breaksRule(off('customers', 'anchor_at', 1, ['customer 1'], /not what the orders make of it/, aDay)),
  breaksRule(off('customers', 'months_run', 2, ['customer 2'], /not what the orders make of it/)),
  breaksRule(
    replaced(
      'customers',
      'package_id',
      2,
      ['$plus', '$basic'],
      ['customer 2'],
      /not what the orders make of it/,
    ),
  ),
  breaksRule(off('customers', 'paid_periods[3]', 2, ['customer 2'], /paid period 1 does not fit the orders/)),
  breaksRule(off('customers', 'paid_periods[2]', 2, ['customer 2'], /paid period 1 does not fit the orders/)),
  {
    what: 'customers 2: its paid period is gone',
    breaksRule: true,
    sql: `create table taken as select paid_periods from customers where account_id = $id and number = 2;
      update customers set paid_periods = '{}' where account_id = $id and number = 2`,
    undo: `update customers set paid_periods = taken.paid_periods from taken where account_id = $id and number = 2;
      drop table taken`,
    subjects: ['customer 2'],
    says: /a paid plan has no paid period/,
  },
  {
    what: 'customers 2: the same paid period stands there twice',
    breaksRule: true,
    sql: `create table taken as select paid_periods from customers where account_id = $id and number = 2;
      update customers set paid_periods = paid_periods || paid_periods where account_id = $id and number = 2`,
    undo: `update customers set paid_periods = taken.paid_periods from taken where account_id = $id and number = 2;
      drop table taken`,
    subjects: ['customer 2'],
    says: /2 paid periods do not fit the orders/,
  },
  {
    what: 'customers 3: a trial with a paid period, worth a refund',
    breaksRule: true,
    sql: `update customers set paid_periods = array[extract(epoch from anchor_at)::bigint,
      extract(epoch from expires_at)::bigint, 99900] where account_id = $id and number = 3`,
    undo: "update customers set paid_periods = '{}' where account_id = $id and number = 3",
    subjects: ['customer 3'],
    says: /1 paid periods do not fit the orders/,
  },
  breaksRule(
    off(
      'plan_changes',
      'expires_at',
      1,
      ['plan change 1', 'customer 3'],
      /lasts 15 days, the package's 14/,
      aDay,
    ),
  ),
  breaksRule(
    replaced(
      'plan_changes',
      'kind',
      2,
      ["'resume'", "'suspend'"],
      ['plan change 2', 'customer 3'],
      /active already/,
    ),
  ),
  breaksRule(
    replaced('plan_changes', 'package_id', 1, ['$plus', '$trial'], ['plan change 1'], /not_a_trial/),
  ),
  replaced(
    'plan_changes',
    'customer_number',
    2,
    ['99', '3'],
    ['plan change 2'],
    /its customer, or its place/,
  ),
  replaced('plan_changes', 'after_order', 2, ['5', '4'], ['plan change 2'], /its place among the orders/),
  replaced('plan_changes', 'after_order', 1, ['9', '4'], ['plan change 1'], /its place among the orders/),
  off(
    'accounts',
    'plan_change_count',
    null,
    [account],
    /the last plan change is number 2, the counter says 3/,
  ),
  missing('plan_changes', 'number = 1', [account, 'customer 3'], /1 plan changes are numbered 1 to 2/),
  {
    // A cent less was charged, and every sum says so: the books are right.
    what: 'orders 4: a price that the package never had',
    breaksRule: true,
    sql: chargeLess(1),
    undo: chargeLess(-1),
    subjects: ['order 4'],
    says: /9599 cents were never the price/,
  },
  {
    what: 'customers 3: a trial of a package that is not one',
    breaksRule: true,
    sql: 'update customers set package_id = $plus where account_id = $id and number = 3',
    undo: 'update customers set package_id = $trial where account_id = $id and number = 3',
    subjects: ['customer 3'],
    says: /not what the orders make of it/,
  },
  missing('customers', 'number = 2', ['customer 2', 'order 4', account], /disagree/),
  replaced(
    'customers',
    'reference',
    2,
    ["'nobody-$id'", "'two-$id'"],
    ['customer 2'],
    /the claim on its reference/,
  ),

  missing(
    'customer_references',
    'customer_number = 1',
    ['customer 1'],
    /the claim on its reference and its row disagree/,
  ),
  {
    what: 'customer_references: the claim belongs to another account',
    sql: 'update customer_references set account_id = $other where account_id = $id and customer_number = 2',
    undo: "update customer_references set account_id = $id where reference = 'two-$id'",
    subjects: ['customer 2'],
    says: /the claim on its reference/,
  },
  {
    what: 'customer_references: the claim leads to another customer',
    sql: "update customer_references set customer_number = 3 where reference = 'two-$id'",
    undo: "update customer_references set customer_number = 2 where reference = 'two-$id'",
    subjects: ['customer 2', 'customer 3'],
    says: /the claim on its reference/,
  },
  {
    what: 'customer_references: a claim without a customer',
    sql: "insert into customer_references values ('ghost-$id', $id, 4)",
    undo: "delete from customer_references where reference = 'ghost-$id'",
    subjects: ['customer 4'],
    says: /the claim on its reference/,
  },
];

describe('falsified books are named by account and subject, and the account is halted until they are mended', () => {
  let neighbour: TestAccount;
  before(async () => {
    neighbour = await service.createReseller({ credit: '9000.00' });
  });

  for (const { what, sql, undo, subjects, says, breaksRule: isRule } of falsifications) {
    test(what, async () => {
      const reseller = await keepBooks();
      assert.deepEqual(await verify(), { ok: true, problems: [] });
      const fill = (text: string) =>
        text
          .replaceAll('$id', String(reseller.id))
          .replaceAll('$admin', String(service.admin.id))
          .replaceAll('$other', String(neighbour.id))
          .replaceAll('$basic', String(service.packages.basic))
          .replaceAll('$plus', String(service.packages.plus))
          .replaceAll('$trial', String(service.packages.trial));

      await falsify(fill(sql));
      try {
        const report = await verify();
        assert.equal(report.ok, false, 'it is seen');
        const named = report.problems.filter((problem: Problem) => problem.account_id === reseller.id);
        for (const [index, subject] of subjects.map(fill).entries()) {
          const about = named.filter((problem: Problem) => problem.subject === subject);
          assert.ok(about.length > 0, `${subject} is named: ${JSON.stringify(report.problems)}`);
          if (index > 0) continue;
          const texts = about.map(({ problem }: Problem) => problem).join('; ');
          assert.match(texts, says);
        }
        if (isRule === true) {
          for (const { problem } of named) assert.match(problem, /^not by the rules: /);
          assert.equal((await order(reseller, `rule-${reseller.id}`)).status, 201, 'nobody is halted');
        } else {
          await isHalted(reseller);
        }
        if (!sql.includes('$other')) {
          assert.equal(named.length, report.problems.length, 'no other account is named');
          assert.equal((await order(neighbour, `beside-${reseller.id}`)).status, 201, 'nor halted');
        }
      } finally {
        await falsify(fill(undo));
      }
      assert.deepEqual(await verify(), { ok: true, problems: [] });
      assert.equal((await order(reseller, `after-${reseller.id}`)).status, 201, 'it may order again');
    });
  }

  // A refund is computed from the paid periods alone: whoever moves one moves money.
  const ofFour = 'where account_id = $id and number = 4';
  const kept = `create table taken as select paid_periods from customers ${ofFour}`;
  for (const [what, sql] of [
    [
      'one that is still unused is missing',
      `update customers set paid_periods = paid_periods[4:6] ${ofFour}`,
    ],
    ['the first starts later', `update customers set paid_periods[1] = paid_periods[1] + 864000 ${ofFour}`],
    [
      'the border between two is moved',
      `update customers set paid_periods[2] = paid_periods[2] + 864000,
      paid_periods[4] = paid_periods[4] + 864000 ${ofFour}`,
    ],
  ] as const) {
    test(`customers: of two paid periods ${what}`, async () => {
      const reseller = await keepBooks();
      for (const key of ['four', 'four again']) {
        const placed = await reseller.post('/orders', {
          package_id: service.packages.basic,
          customer: `four-${reseller.id}`,
          idempotency_key: key.replace(' ', '-'),
        });
        assert.equal(placed.status, 201, placed.text);
      }
      const fill = (text: string) => text.replaceAll('$id', String(reseller.id));
      await falsify(fill(`${kept}; ${sql}`));
      try {
        const { problems } = await verify();
        const subjects = problems.map(({ account_id, subject }) => [account_id, subject]);
        assert.deepEqual(subjects[0], [reseller.id, 'customer 4'], 'it is named');
        assert.equal((await order(reseller, `rule-${reseller.id}`)).status, 201, 'nobody is halted');
      } finally {
        const undo = `update customers set paid_periods = taken.paid_periods from taken ${ofFour}; drop table taken`;
        await falsify(fill(undo));
        await verify();
      }
    });
  }

  test('more problems than a report can show let no account slip', async () => {
    const flood = 3_000;
    const [flooded, quiet] = [await keepBooks(), await keepBooks()];
    const spent = (sign: string) =>
      `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${quiet.id}`;
    await falsify(spent('+'));
    await verify();
    await isHalted(quiet);
    await falsify(`insert into customer_references
      select 'flood-' || n, ${flooded.id}, 1000 + n from generate_series(1, ${flood}) n`);
    try {
      const { problems } = await verify();
      assert.ok(problems.length < flood, 'the report stays readable');
      await isHalted(flooded);
      await isHalted(quiet);
    } finally {
      await falsify(`delete from customer_references where reference like 'flood-%'`);
      await falsify(spent('-'));
    }
    assert.equal((await verify()).ok, true);
  });
});

test('an account that was halted answers replays, and reads, as before', async () => {
  const reseller = await keepBooks();
  const first = await order(reseller, `replayed-${reseller.id}`);
  const id = `where id = ${reseller.id}`;
  await falsify(`update accounts set balance_cents = balance_cents + 1 ${id}`);
  await verify();
  const replay = await order(reseller, `replayed-${reseller.id}`);
  assert.equal(replay.status, 201);
  assert.deepEqual(replay.body, first.body);
  for (const path of ['/balance', '/orders', '/customers', '/packages']) {
    assert.equal((await reseller.get(path)).status, 200);
  }
  await falsify(`update accounts set balance_cents = balance_cents - 1 ${id}`);
  assert.equal((await verify()).ok, true);
});

test('an audit beside a stream of orders finds nothing and halts nobody', async (context) => {
  // Of its own: an audit of every account that the tests above have left would not end before the orders do.
  const busy = await startTestService();
  context.after(() => busy.close());
  const resellers = await Promise.all([1, 2, 3].map(() => busy.createReseller({ credit: '400.00' })));
  const ordersEach = 40;
  let isOver = false;
  const adminsDeed = async (reseller: TestAccount, index: number) => {
    const path = `/api/admin/v1/accounts/${reseller.id}`;
    const customer = `trial-${reseller.id}-${index}`;
    for (const { status, text } of [
      await busy.admin.post(`${path}/trials`, { package_id: busy.packages.trial, customer }),
      await busy.admin.post(`${path}/credit`, { amount: index % 8 === 3 ? '1.00' : '-0.50' }),
      await busy.admin.patch(`/api/admin/v1/customers/${publicId(reseller.id, 1)}`, {
        status: index % 8 === 3 ? 'suspended' : 'active',
      }),
    ]) {
      assert.ok(status === 200 || status === 201 || text.includes('insufficient_credit'), text);
    }
  };
  const streams = resellers.flatMap((reseller) =>
    [0, 1, 2].map(async (client) => {
      for (let index = 0; index < ordersEach; index += 1) {
        if (client === 0 && index % 4 === 3) await adminsDeed(reseller, index);
        // Every third order changes the plan of the one before it.
        const packageId = index % 3 === 2 ? busy.packages.plus : busy.packages.basic;
        const customer = `busy-${reseller.id}-${client}-${Math.floor(index / 3)}`;
        const { status, text } = await reseller.post('/orders', { package_id: packageId, customer });
        assert.ok(status === 201 || text.includes('insufficient_credit'), text);
      }
    }),
  );
  const ended = Promise.all(streams).finally(() => {
    isOver = true;
  });
  const days = createLedgerDays(busy.database);
  for (let round = 0; round < 2 || !isOver; round += 1) {
    await days.bringAllUpToDate();
    // One in ranges so short that many orders come between them.
    const options = round === 1 ? { ranges: shortRanges } : {};
    const report = await verifyLedger(busy.database, 0, options);
    assert.deepEqual(report.problems, []);
  }
  await ended;
});

describe('the sums by day are what the entries make of them', () => {
  const falsified: readonly (readonly [what: string, sql: string, subject: string, says: RegExp])[] = [
    [
      'another sum',
      'update ledger_days set charged_cents = charged_cents + 1 where account_id = $id',
      'day 2026-01-15',
      /its sums are 4, 7, 14101, .* the entries make 4, 7, 14100, /,
    ],
    [
      'another last entry',
      'update ledger_days set last_entry = last_entry + 1 where account_id = $id',
      'day 2026-01-15',
      /its sums are/,
    ],
    ['a missing day', 'delete from ledger_days where account_id = $id', 'day 2026-01-15', /are not summed/],
    [
      'a day too many',
      "insert into ledger_days select account_id, '2026-01-16', 0, 0, 0, 0, 0, 0, 1, 1 from ledger_days where account_id = $id",
      'day 2026-01-16',
      /no ledger entry up to the mark/,
    ],
    [
      'a mark that stands before entries that are in the sums',
      'update ledger_day_marks set entry_number = 6 where account_id = $id',
      'day 2026-01-15',
      /its sums are/,
    ],
    [
      'a mark beyond the entries',
      'update ledger_day_marks set entry_number = 8 where account_id = $id',
      'account $id',
      /days are summed to entry 8 of 7/,
    ],
  ];
  for (const [what, sql, subject, says] of falsified) {
    test(`${what} is seen and halts the account`, async () => {
      const reseller = await keepBooks();
      await createLedgerDays(service.database).bringAllUpToDate();
      assert.deepEqual(await verify(), { ok: true, problems: [] });
      const fill = (text: string) => text.replaceAll('$id', String(reseller.id));
      await falsify(fill(sql));
      try {
        const { problems } = await verify();
        const named = problems.find((problem) => problem.subject === fill(subject));
        assert.equal(named?.account_id, reseller.id, JSON.stringify(problems));
        assert.match(named.problem, says);
        await isHalted(reseller);
      } finally {
        await falsify('delete from ledger_days; delete from ledger_day_marks');
      }
      assert.equal((await verify()).ok, true);
    });
  }
});

describe('an audit in ranges', () => {
  // What is found in one range is found where a range ends too, and nothing else is.
  test('sees the same problems, whatever its ranges are', async () => {
    const [sound, broken, unruly] = [await keepBooks(), await keepBooks(), await keepBooks()];
    await createLedgerDays(service.database).bringAllUpToDate();
    const reports = async () =>
      Promise.all(
        [2, 1_000].map(async (rows) => {
          const ranges = { entries: rows, customers: rows - 1, events: rows - 1 };
          return (await verifyLedger(service.database, service.clock.seconds, { ranges })).problems;
        }),
      );
    for (const problems of await reports()) assert.deepEqual(problems, []);
    for (const entry of [1, 4, 7]) {
      const change = (sign: string) =>
        `update ledger_entries set amount_cents = amount_cents ${sign} 1 where account_id = ${broken.id} and number = ${entry};
        update orders set expires_at = expires_at ${sign} ${aDay} where account_id = ${unruly.id} and number = ${Math.min(entry, 4)}`;
      const days = `delete from ledger_days where account_id = ${broken.id};
        delete from ledger_day_marks where account_id = ${broken.id}`;
      await falsify(`${change('+')}; ${days}`);
      try {
        const [first, ...others] = await reports();
        const subjects = first?.map(({ account_id, subject }) => `${account_id} ${subject}`) ?? [];
        assert.ok(subjects.includes(`${broken.id} ledger entry ${entry}`), subjects.join());
        assert.ok(subjects.includes(`${unruly.id} order ${Math.min(entry, 4)}`), subjects.join());
        assert.ok(!subjects.some((subject) => subject.startsWith(`${sound.id} `)));
        for (const other of others) assert.deepEqual(other, first);
      } finally {
        await falsify(`${change('-')}; ${days}`);
      }
    }
    assert.equal((await verify()).ok, true);
  });

  test('can be cancelled between any two of them', async () => {
    const reason = new Error('enough');
    for (let statements = 0; statements < 12; statements += 1) {
      const controller = new AbortController();
      let left = statements;
      const counting = withQuery(service.database, async (send) => {
        if (left === 0) controller.abort(reason);
        left -= 1;
        return send();
      });
      const audit = verifyLedger(counting, 0, { signal: controller.signal, ranges: shortRanges });
      await assert.rejects(audit, reason);
      assert.ok(left >= -2, `it went on for ${-left} statements`);
    }
  });
});

describe('halting', () => {
  const spent = (id: number, sign: string) =>
    `update accounts set balance_cents = balance_cents ${sign} 1 where id = ${id}`;

  test('an account is halted when its problem is found, not when the audit ends', async () => {
    const reseller = await keepBooks();
    await falsify(spent(reseller.id, '+'));
    let halted: unknown = null;
    const watching = withQuery(service.database, async (send, { name }, values) => {
      if (name === 'verify_history' && values?.[0] === reseller.id) {
        const [row] = await service.database.query({
          name: '',
          text: `select halted_at is not null as halted from accounts where id = ${reseller.id}`,
        });
        halted = row?.['halted'];
      }
      return send();
    });
    await verifyLedger(watching, service.clock.seconds);
    assert.equal(halted, true);
    await falsify(spent(reseller.id, '-'));
    assert.equal((await verify()).ok, true);
  });

  test('an older, slower audit never lifts a newer halt', async () => {
    const reseller = await keepBooks();
    await falsify(spent(reseller.id, '+'));
    await verify();
    await isHalted(reseller);
    await falsify(spent(reseller.id, '-'));
    // It finds the account sound, and while it is about to say so the account breaks and another audit sees it.
    const slow = withQuery(service.database, async (send, { name }, values) => {
      if (name === 'lift_halt' && values?.[0] === reseller.id) {
        await falsify(spent(reseller.id, '+'));
        assert.equal((await verify()).ok, false);
      }
      return send();
    });
    assert.deepEqual(
      (await verifyLedger(slow, service.clock.seconds)).problems,
      [],
      'the older one saw nothing',
    );
    await isHalted(reseller);
    await falsify(spent(reseller.id, '-'));
    assert.equal((await verify()).ok, true);
    assert.equal((await order(reseller, `free-${reseller.id}`)).status, 201);
  });
});

describe('GET /verify while an audit runs', () => {
  let held: TestService;
  /** What the audits of that service wait for before they look at an account. */
  let gate = Promise.resolve();
  let audits = 0;
  const waitMilliseconds = 300;
  before(async () => {
    held = await startTestService({
      limits: { verify: { waitMilliseconds } },
      wrapDatabase: (database) =>
        withQuery(database, async (send, { name }) => {
          if (name === 'read_halt_count') audits += 1;
          if (name === 'verify_list_accounts') await gate;
          return send();
        }),
    });
  });
  after(() => held.close());

  test('many who ask share one audit, and one that takes too long answers whoever asks next', async (context) => {
    const opened = Promise.withResolvers<void>();
    gate = opened.promise;
    context.after(() => opened.resolve());
    audits = 0;
    const path = '/api/admin/v1/verify';
    const asked = await Promise.all(Array.from({ length: 12 }, () => held.admin.get(path)));
    for (const { status, headers, body } of asked) {
      assert.equal(status, 503);
      assert.equal(body.error.code, 'service_unavailable');
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    assert.equal((await held.admin.get('/api/admin/v1/audit')).status, 200, 'others are served meanwhile');
    opened.resolve();
    let answer = await held.admin.get(path);
    while (answer.status === 503) answer = await held.admin.get(path);
    assert.equal(answer.body.ok, true);
    assert.equal(audits, 1);
  });
});

/** The same database, with a word before each statement that no transaction sends. */
function withQuery(
  database: Database,
  before: (
    send: () => Promise<readonly Row[]>,
    statement: Statement,
    values: readonly unknown[] | undefined,
  ) => Promise<readonly Row[]>,
): Database {
  return {
    ...database,
    query: (statement, values, rank) =>
      before(() => database.query(statement, values, rank), statement, values),
  };
}

describe('history is append-only, also for whoever holds a psql', () => {
  before(() => keepBooks());
  for (const table of ['orders', 'ledger_entries', 'plan_changes', 'audit_log']) {
    for (const statement of [
      `update ${table} set number = number`,
      `update ${table} set number = number where false`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      test(`${statement} is refused`, async () => {
        const [counted] = await service.database.query({ name: '', text: `select count(*) from ${table}` });
        assert.ok(Number(counted?.['count']) > 0);
        await assert.rejects(
          () => service.database.query({ name: '', text: statement }),
          (error) =>
            error instanceof StatementFailed &&
            error.code === '55000' &&
            /is append-only: \w+ refused/.test(error.message),
        );
        assert.deepEqual(await service.database.query({ name: '', text: `select count(*) from ${table}` }), [
          counted,
        ]);
      });
    }
  }
});

/** An account with every kind of entry: see the table above. */
async function keepBooks(): Promise<TestAccount> {
  const { packages, admin } = service;
  const reseller = await service.createReseller({ credit: '1000.00' });
  const path = `/api/admin/v1/accounts/${reseller.id}`;
  const [one, two, three] = [`one-${reseller.id}`, `two-${reseller.id}`, `three-${reseller.id}`];
  const first = await reseller.post('/orders', { package_id: packages.basic, customer: one });
  const answers = [
    first,
    await reseller.post(`/orders/${first.body.order.id}/renew`, {}),
    await reseller.post('/orders', { package_id: packages.plus, customer: one }),
    await reseller.post('/orders', { package_id: packages.basic, customer: two, months: 12 }),
    await admin.post(`${path}/trials`, { package_id: packages.trial, customer: three }),
    await admin.post(`${path}/credit`, { amount: '-5.00' }),
  ];
  for (const { status, text } of answers) assert.equal(status, 201, text);
  const suspended = await admin.patch(`/api/admin/v1/customers/${publicId(reseller.id, 3)}`, {
    status: 'suspended',
  });
  assert.equal(suspended.status, 200, suspended.text);
  assert.equal(answers[2]?.body.order.refund, '20.00');
  return reseller;
}

async function verify(): Promise<{ ok: boolean; problems: Problem[] }> {
  const { status, body, text } = await service.admin.get('/api/admin/v1/verify');
  assert.equal(status, 200, text);
  return { ok: body.ok, problems: body.problems };
}

/** Runs it with the append-only triggers off. Days that were summed from what was false meanwhile are summed again. */
async function falsify(sql: string): Promise<void> {
  const triggers = (what: 'enable' | 'disable') =>
    ['orders', 'ledger_entries', 'plan_changes']
      .map((table) => `alter table ${table} ${what} trigger user`)
      .join('; ');
  const days = sql.includes('ledger_day') ? '' : 'delete from ledger_days; delete from ledger_day_marks;';
  await service.database.query({
    name: '',
    text: `${triggers('disable')}; ${sql}; ${days} ${triggers('enable')}`,
  });
}

function order(reseller: TestAccount, customer: string): Promise<Answer> {
  const headers = { 'idempotency-key': customer };
  return reseller.post('/orders', { package_id: service.packages.basic, customer }, headers);
}

/** Every way to write is refused, and nothing moves. */
async function isHalted(reseller: TestAccount): Promise<void> {
  const path = `/api/admin/v1/accounts/${reseller.id}`;
  const { packages, admin } = service;
  const state = async () => (await admin.get(path)).body.account;
  const earlier = await state();
  for (const write of [
    () => order(reseller, `halted-${reseller.id}`),
    () => reseller.post(`/orders/${publicId(reseller.id, 3)}/renew`, {}),
    () => admin.post(`${path}/credit`, { amount: '1.00' }),
    () => admin.post(`${path}/trials`, { package_id: packages.trial, customer: `trial-${reseller.id}` }),
  ]) {
    const { status, body, text } = await write();
    assert.equal(status, 422, text);
    assert.equal(body.error.code, 'order_failed');
    assert.deepEqual(body.error.details, { reason: 'account_halted' });
  }
  assert.deepEqual(await state(), earlier);
}
