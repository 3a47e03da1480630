// Verification of falsified ledgers, one falsification per account. Each is named, halts only that account, and is gone once
// repaired. All accounts share a database, so their findings must not depend on each other.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import type { VerifyReportView } from '../../src/features/verification/verification-schemas.ts';
import {
  aDay,
  aDayOff,
  falsifyAll,
  forgetDays,
  isHalted,
  keepBooks,
  order,
  verify,
} from '../harness/falsified-books.ts';

/** `$id` is the falsification's own account (keepBooks). `undo` restores exactly what was there. */
interface Falsification {
  readonly what: string;
  readonly sql: string;
  readonly undo: string;
  /** Only a rule is broken. This is reported, but the ledger is right, so no account is halted. */
  readonly breaksRule?: true;
  readonly hasTwoPeriods?: true;
  readonly subjects: readonly string[];
  readonly says: RegExp;
}

const account = 'account $id';

function off(
  table: 'accounts' | 'orders' | 'ledger_entries' | 'customers' | 'plan_changes',
  column: string,
  number: number | null,
  subjects: readonly string[],
  says: RegExp,
  by = '1',
): Falsification {
  const row = table === 'accounts' ? 'id = $id' : `account_id = $id and number = ${number}`;
  const change = (sign: '+' | '-') =>
    `update ${table} set ${column} = ${by === aDay ? aDayOff(column, sign) : `${column} ${sign} ${by}`} where ${row}`;
  const subject = number === null ? '' : ` ${number}`;
  return {
    what: `${table}${subject}: ${column} + ${by}`,
    sql: change('+'),
    undo: change('-'),
    subjects,
    says,
  };
}

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

function chargeLess(cents: number): string {
  const row = (number: number) => `where account_id = $id and number = ${number}`;
  return `update orders set price_cents = price_cents - ${cents}, balance_after_cents = balance_after_cents + ${cents} ${row(4)};
    update ledger_entries set amount_cents = amount_cents + ${cents}, balance_after_cents = balance_after_cents + ${cents} ${row(6)};
    update ledger_entries set balance_after_cents = balance_after_cents + ${cents} where account_id = $id and number > 6;
    update accounts set balance_cents = balance_cents + ${cents} where id = $id;
    update orders set balance_after_cents = balance_after_cents + ${cents} where account_id = $id and number > 4;
    update customers set paid_periods[3] = paid_periods[3] - ${cents} ${row(2)}`;
}

/** Changes the two paid periods of customer 4 and restores them. Only refunds use them. */
function periods(what: string, change: string, says: RegExp): Falsification {
  const customer = 'where account_id = $id and number = 4';
  return {
    what: `customers: of two paid periods ${what}`,
    hasTwoPeriods: true,
    breaksRule: true,
    sql: `create table taken_$id as select paid_periods from customers ${customer};
      update customers set ${change} ${customer}`,
    undo: `update customers set paid_periods = taken_$id.paid_periods from taken_$id ${customer}; drop table taken_$id`,
    subjects: ['customer 4'],
    says,
  };
}

/** Changes the daily sums, which are repaired by summing the entries again. */
function days(what: string, sql: string, subject: string, says: RegExp): Falsification {
  return { what: `ledger_days: ${what}`, sql, undo: '', subjects: [subject], says };
}

function missing(table: string, where: string, subjects: readonly string[], says: RegExp): Falsification {
  return {
    what: `${table}: the row with ${where} is missing`,
    sql: `create table taken_$id as select * from ${table} where account_id = $id and ${where};
      delete from ${table} where account_id = $id and ${where}`,
    undo: `insert into ${table} select * from taken_$id; drop table taken_$id`,
    subjects,
    says,
  };
}

function breaksRule(falsification: Falsification): Falsification {
  return { ...falsification, breaksRule: true };
}

const day = 'day 2026-01-15';
const floodRows = 3_000;
const allFalsifications: readonly Falsification[] = [
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
    what: 'ledger_entries 6: dated a month earlier, before its days were summed',
    sql: `delete from ledger_days where account_id = $id; delete from ledger_day_marks where account_id = $id;
      update ledger_entries set created_at = ((created_at at time zone 'utc') - interval '1 month') at time zone 'utc'
      where account_id = $id and number = 6`,
    undo: `update ledger_entries set created_at = ((created_at at time zone 'utc') + interval '1 month') at time zone 'utc'
      where account_id = $id and number = 6`,
    subjects: ['ledger entry 6'],
    says: /it is dated 2025-12-15T12:00:00Z, its order 2026-01-15T12:00:00Z/,
  },
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
  breaksRule(off('orders', 'expires_at', 2, ['order 2'], /it ends at .*, but its terms end at/, aDay)),
  breaksRule(off('orders', 'expires_at', 4, ['order 4'], /it ends at .*, but its terms end at/, aDay)),
  off('orders', 'created_at', 4, ['ledger entry 6', 'customer 2'], /it is dated .*, its order/, aDay),
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
    sql: `create table taken_$id as select paid_periods from customers where account_id = $id and number = 2;
      update customers set paid_periods = '{}' where account_id = $id and number = 2`,
    undo: `update customers set paid_periods = taken_$id.paid_periods from taken_$id where account_id = $id and number = 2;
      drop table taken_$id`,
    subjects: ['customer 2'],
    says: /a paid plan has no paid period/,
  },
  {
    what: 'customers 2: the same paid period stands there twice',
    breaksRule: true,
    sql: `create table taken_$id as select paid_periods from customers where account_id = $id and number = 2;
      update customers set paid_periods = paid_periods || paid_periods where account_id = $id and number = 2`,
    undo: `update customers set paid_periods = taken_$id.paid_periods from taken_$id where account_id = $id and number = 2;
      drop table taken_$id`,
    subjects: ['customer 2'],
    says: /2 paid periods do not fit the orders/,
  },
  {
    what: 'customers 3: a trial with a paid period, worth a refund',
    breaksRule: true,
    sql: `update customers set paid_periods = array[extract(epoch from anchor_at at time zone 'utc')::bigint,
      extract(epoch from expires_at at time zone 'utc')::bigint, 99900] where account_id = $id and number = 3`,
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
      /lasts 15 days, but the package's 14/,
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
    // A cent less was charged, in every sum, so the ledger is right.
    what: 'orders 4: a price that the package never had',
    breaksRule: true,
    sql: chargeLess(1),
    // Hashes of later orders depend on this one, so remove them.
    undo: `${chargeLess(-1)}; update orders set row_hash = null where account_id = $id and number > 4;
      update accounts set order_hash = (select row_hash from orders where account_id = $id and number = 4) where id = $id`,
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
    /its row and the claim on its reference disagree/,
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
  {
    what: 'customer_references: more of them than a report can show',
    sql: `insert into customer_references
      select 'flood-$id-' || n, $id, 1000 + n from generate_series(1, ${floodRows}) n`,
    undo: "delete from customer_references where reference like 'flood-$id-%'",
    subjects: ['customer 1001'],
    says: /the claim on its reference/,
  },

  periods(
    'a link that is still unused is missing',
    // Citus 13.2 and its server crash on an array slice in an update.
    'paid_periods = array[paid_periods[4], paid_periods[5], paid_periods[6]]',
    /1 paid periods do not fit the orders, which make 2/,
  ),
  periods(
    'the first starts later',
    'paid_periods[1] = paid_periods[1] + 864000',
    /paid period 1 does not fit/,
  ),
  periods(
    'the border between them is moved',
    'paid_periods[2] = paid_periods[2] + 864000, paid_periods[4] = paid_periods[4] + 864000',
    /paid period 1 does not fit/,
  ),

  days(
    'another sum',
    'update ledger_days set charged_cents = charged_cents + 1 where account_id = $id',
    day,
    /its sums are 4, 7, 14101, .* but the entries make them 4, 7, 14100, /,
  ),
  days(
    'another last entry',
    'update ledger_days set last_entry = last_entry + 1 where account_id = $id',
    day,
    /its sums are/,
  ),
  days('a missing day', 'delete from ledger_days where account_id = $id', day, /are not summed/),
  days(
    'a day too many',
    "insert into ledger_days select account_id, '2026-01-16', 0, 0, 0, 0, 0, 0, 1, 1 from ledger_days where account_id = $id",
    'day 2026-01-16',
    /no ledger entry up to the mark/,
  ),
  days(
    'a mark that stands before entries that are in the sums',
    'update ledger_day_marks set entry_number = 6 where account_id = $id',
    day,
    /its sums are/,
  ),
  days(
    'a mark beyond the entries',
    'update ledger_day_marks set entry_number = 8 where account_id = $id',
    account,
    /days are summed to entry 8 of 7/,
  ),
];

/**
 * On the embedded database the gate runs only these: one for each type of column and for each query that only a problem
 * causes. The night runs all.
 */
const onEmbeddedInGate: ReadonlySet<string> = new Set([
  'accounts: balance_cents + 1',
  'ledger_entries 6: dated a month earlier, before its days were summed',
  'ledger_entries 6: order_number is null',
  'orders: the row with number = 4 is missing',
  "customers 1: expires_at + interval '1 day'",
  'customers 2: paid_periods[3] + 1',
  "plan_changes 2: kind is 'resume'",
  'customer_references: the claim belongs to another account',
  'customer_references: more of them than a report can show',
  'ledger_days: another sum',
]);
const isBrief = process.env['TEST_GATE'] === '1' && !isPostgres;
const falsifications = allFalsifications.filter(({ what }) => !isBrief || onEmbeddedInGate.has(what));
if (isBrief) assert.equal(falsifications.length, onEmbeddedInGate.size);

interface Case extends Falsification {
  readonly reseller: TestAccount;
  readonly other: TestAccount;
}

describe('falsified books are named by account and subject, and the account is halted until they are mended', () => {
  let service: TestService;
  let cases: readonly Case[];
  let sound: readonly TestAccount[];
  let report: Pick<VerifyReportView, 'ok' | 'problems'>;
  const falsified = new Set<Case>();

  before(async () => {
    service = await startTestService();
    const other = await service.createReseller();
    sound = await Promise.all([1, 2, 3].map(() => keepBooks(service)));
    cases = await Promise.all(
      falsifications.map(async (falsification) => {
        const reseller = await keepBooks(service);
        if (falsification.hasTwoPeriods) await payForTwoPeriods(reseller);
        return { ...falsification, reseller, other };
      }),
    );
    await createDailyTotals(service.database).bringAllUpToDate();
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
    for (const one of cases) falsified.add(one);
    await falsifyAll(
      service,
      cases.map((one) => ({ account: one.reseller, sql: `${filled(one.sql, one)}; ${withoutDays(one)}` })),
    );
    report = await verify(service);
  });
  after(async () => {
    await mend([...falsified]);
    await service.close();
  });

  for (const [index, { what }] of falsifications.entries()) {
    test(what, async () => {
      const one = caseAt(index);
      const named = problemsOf(report, one.reseller);
      for (const [place, subject] of one.subjects.map((text) => filled(text, one)).entries()) {
        const about = named.filter((problem) => problem.subject === subject);
        assert.ok(about.length > 0, `${subject} is named: ${JSON.stringify(named)}`);
        if (place > 0) continue;
        assert.match(about.map(({ problem }) => problem).join('; '), one.says);
      }
      if (one.breaksRule !== true) return isHalted(service, one.reseller);
      for (const { problem } of named)
        assert.match(problem, /^not by the rules: |the audit log|its row and its hash/);
      const placed = await order(service, one.reseller, `rule-${one.reseller.id}`);
      assert.equal(placed.status, 201, 'no account is halted');
    });
  }

  test('no other account is named, nor halted', async () => {
    assert.equal(report.ok, false);
    const named = new Set(report.problems.map(({ account_id }) => account_id));
    const expected = cases.flatMap(({ sql, reseller, other }) =>
      sql.includes('$other') ? [reseller.id, other.id] : [reseller.id],
    );
    assert.deepEqual([...named].sort(), expected.sort());
    for (const account of sound) {
      assert.equal((await order(service, account, `beside-${account.id}`)).status, 201);
    }
  });

  test('the report stays readable, however much there is to say of one account', () => {
    assert.ok(report.problems.length < floodRows);
  });

  test('where every second one is mended, those order again, and of the rest the same is said', async () => {
    const [mended, rest] = [0, 1].map((remainder) => cases.filter((_, index) => index % 2 === remainder));
    assert.ok(mended !== undefined && rest !== undefined);
    await mend(mended);
    const now = await verify(service);
    for (const { what, reseller } of mended) {
      assert.deepEqual(problemsOf(now, reseller), [], what);
      assert.equal((await order(service, reseller, `after-${reseller.id}`)).status, 201, what);
    }
    for (const { what, reseller, breaksRule: isRule } of rest) {
      assert.deepEqual(problemsOf(now, reseller), problemsOf(report, reseller), what);
      const { status } = await order(service, reseller, `meanwhile-${reseller.id}`);
      assert.equal(status, isRule === true ? 201 : 422, what);
    }
  });

  test('when all are mended nothing is left to say, and all order again', async () => {
    await mend([...falsified]);
    assert.deepEqual(await verify(service), { ok: true, problems: [] });
    for (const { what, reseller } of cases) {
      assert.equal((await order(service, reseller, `at-last-${reseller.id}`)).status, 201, what);
    }
  });

  function caseAt(index: number): Case {
    const found = cases[index];
    assert.ok(found);
    return found;
  }

  function filled(text: string, { reseller, other }: Case): string {
    return text
      .replaceAll('$id', String(reseller.id))
      .replaceAll('$admin', String(service.admin.id))
      .replaceAll('$other', String(other.id))
      .replaceAll('$basic', String(service.packages.basic))
      .replaceAll('$plus', String(service.packages.plus))
      .replaceAll('$trial', String(service.packages.trial));
  }

  /** Days of a falsified ledger would be summed to the same result, so forget them. */
  function withoutDays({ sql, reseller }: Case): string {
    return sql.includes('ledger_day') ? '' : forgetDays(reseller);
  }

  async function mend(those: readonly Case[]): Promise<void> {
    if (those.length === 0) return;
    await falsifyAll(
      service,
      those.map((one) => ({
        account: one.reseller,
        sql: `${filled(one.undo, one)}; ${forgetDays(one.reseller)}`,
      })),
    );
    for (const one of those) falsified.delete(one);
  }

  async function payForTwoPeriods(reseller: TestAccount): Promise<void> {
    for (const key of ['four', 'four-again']) {
      const body = {
        package_id: service.packages.basic,
        customer: `four-${reseller.id}`,
        idempotency_key: key,
      };
      const { status, text } = await reseller.post('/orders', body);
      assert.equal(status, 201, text);
    }
  }
});

function problemsOf({ problems }: Pick<VerifyReportView, 'problems'>, { id }: TestAccount) {
  return problems.filter(({ account_id }) => account_id === id);
}
