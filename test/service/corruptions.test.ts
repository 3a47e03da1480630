// 43 ways to change rows by SQL. Verification finds each, or a reason says why it cannot.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { createSpendingReads } from '../../src/features/ledger/spending-totals.ts';
import { repairLastOrders } from '../../src/features/orders/repair-last-orders.ts';
import { parseOwnedId } from '../../src/shared/identifiers.ts';
import { aDayOff, falsify, forgetDays, keepBooks, order, verify } from '../harness/falsified-books.ts';
import { sqlAtOnce, sqlOf } from '../harness/group-sql.ts';
import { createPackage, schedulePrices } from '../harness/shop.ts';

interface Corruption {
  readonly number: number;
  readonly what: string;
  /** `$id` and `$package` stand for the account and the package. */
  readonly sql: string;
  readonly undo: string;
  readonly finds?: RegExp;
  readonly notFound?: string;
  /** The ledger no longer adds up, so the account halts. Other findings halt none: either side may be wrong. */
  readonly halts?: true;
  readonly isGlobal?: true;
  readonly isSummed?: true;
}

const setEntry = (number: number, change: string) =>
  `update ledger_entries set ${change} where account_id = $id and number = ${number}`;
const lastAudit = `(select max(number) from audit_log where action = 'account.debit' and subject = 'account $id')`;
const keep = (table: string, where: string) => `create table kept as select * from ${table} where ${where}`;
const putBack = (table: string) => `insert into ${table} select * from kept; drop table kept`;
const aMonthEarlier =
  "created_at = ((created_at at time zone 'utc') - interval '1 month') at time zone 'utc'";

function changed(table: string, number: number, change: string): Pick<Corruption, 'sql' | 'undo'> {
  const where = `account_id = $id and number = ${number}`;
  return {
    sql: `${keep(table, where)}; update ${table} set ${change} where ${where}`,
    undo: `delete from ${table} where ${where}; ${putBack(table)}`,
  };
}

function deleted(table: string, number: number): Pick<Corruption, 'sql' | 'undo'> {
  const where = `account_id = $id and number = ${number}`;
  return { sql: `${keep(table, where)}; delete from ${table} where ${where}`, undo: putBack(table) };
}

const corruptions: readonly Corruption[] = [
  {
    number: 1,
    what: 'the balance is higher',
    sql: 'update accounts set balance_cents = balance_cents + 100 where id = $id',
    undo: 'update accounts set balance_cents = balance_cents - 100 where id = $id',
    finds: /account \d+: the balance is \d+ cents, the last entry says \d+/,
    halts: true,
  },
  {
    number: 2,
    what: 'a charge is smaller',
    ...changed('ledger_entries', 2, 'amount_cents = amount_cents + 1'),
    finds: /order 1: price 1000, charged 999 cents/,
    halts: true,
  },
  {
    number: 3,
    what: 'the price of an order is higher',
    ...changed('orders', 1, 'price_cents = price_cents + 1'),
    finds: /order 1: price 1001, charged 1000 cents/,
    halts: true,
  },
  {
    number: 4,
    what: 'an order is deleted',
    ...deleted('orders', 2),
    finds: /order 2: the ledger names it, but it does not exist/,
    halts: true,
  },
  {
    number: 5,
    what: 'a plan ends a year later',
    ...changed(
      'customers',
      2,
      "expires_at = ((expires_at at time zone 'utc') + interval '1 year') at time zone 'utc'",
    ),
    finds: /customer 2: not by the rules: the plan is not what the orders make of it: its end/,
  },
  {
    number: 6,
    what: 'a customer is suspended',
    ...changed('customers', 2, 'suspended = true'),
    finds: /customer 2: not by the rules: what is set about the plan/,
  },
  {
    number: 7,
    what: 'a plan renews itself',
    ...changed('customers', 2, 'renew_months = 1, renew_hours_before = 24, renew_at = expires_at'),
    finds: /customer 2: not by the rules: what is set about the plan/,
  },
  {
    number: 8,
    what: 'a plan is canceled',
    ...changed('customers', 2, 'cancelled = true'),
    finds: /customer 2: not by the rules: what is set about the plan/,
  },
  {
    number: 9,
    what: 'ten times as much was paid for a period',
    ...changed(
      'customers',
      2,
      'paid_periods = array[paid_periods[1], paid_periods[2], paid_periods[3] * 10]',
    ),
    finds: /customer 2: not by the rules: paid period 1 does not fit the orders/,
  },
  {
    number: 10,
    what: 'a plan change is deleted',
    ...deleted('plan_changes', 3),
    finds: /account \d+: the last plan change is number 2, the counter says 3/,
    halts: true,
  },
  {
    number: 11,
    what: 'a reference leads to another customer',
    sql: "update customer_references set customer_number = 2 where reference = 'one-$id'",
    undo: "update customer_references set customer_number = 1 where reference = 'one-$id'",
    finds: /customer 1: its row and the claim on its reference disagree/,
    halts: true,
  },
  {
    number: 12,
    what: 'an entry is dated a month earlier, after its days were summed',
    ...changed('ledger_entries', 1, aMonthEarlier),
    finds: /day 2025-12-15: its ledger entries are not summed, but the mark is past them/,
    halts: true,
    isSummed: true,
  },
  {
    number: 13,
    what: 'a completed order was handed over',
    sql: `insert into order_handoffs (account_id, order_number, customer_number, status, settled_at)
      values ($id, 1, 1, 'completed', to_timestamp(0))`,
    undo: 'delete from order_handoffs where account_id = $id and order_number = 1',
    finds: /order 1: it is completed, but no change of a plan says so/,
    halts: true,
  },
  {
    number: 14,
    what: 'a credit is dated a month earlier, before its days were summed',
    ...changed('ledger_entries', 1, aMonthEarlier),
    finds:
      /ledger entry 1: it is dated 2025-12-15T12:00:00Z, its entry in the audit log 2026-01-15T12:00:00Z/,
  },
  {
    number: 15,
    what: 'a credit is forged at the end, with the right balance and counters',
    sql: `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at, actor_id,
        memo, idempotency_key, fingerprint)
      select account_id, 8, 'credit', 100000, balance_after_cents + 100000, created_at, actor_id, 'forged', 'forged',
        fingerprint from ledger_entries where account_id = $id and number = 7;
      update accounts set entry_count = 8, balance_cents = balance_cents + 100000 where id = $id`,
    undo: `delete from ledger_entries where account_id = $id and number = 8;
      update accounts set entry_count = 7, balance_cents = balance_cents - 100000 where id = $id`,
    finds: /ledger entry 8: the audit log does not have it/,
  },
  {
    number: 16,
    what: 'the last debit is cut off, with the right balance and counters',
    sql: `${keep('ledger_entries', 'account_id = $id and number = 7')};
      delete from ledger_entries where account_id = $id and number = 7;
      update accounts set entry_count = 6, balance_cents = balance_cents + 500 where id = $id`,
    undo: `${putBack('ledger_entries')};
      update accounts set entry_count = 7, balance_cents = balance_cents - 500 where id = $id`,
    finds: /ledger entry 7: the audit log has it as a debit, but it does not exist/,
  },
  {
    number: 17,
    what: 'the idempotency key and the fingerprint of a credit are removed',
    sql: `${keep('ledger_entries', 'account_id = $id and number = 1')};
      ${setEntry(1, 'idempotency_key = null, fingerprint = null')}`,
    undo: `delete from ledger_entries where account_id = $id and number = 1; ${putBack('ledger_entries')}`,
    finds: /ledger entry 1: its idempotency key is missing/,
  },
  {
    number: 18,
    what: 'the idempotency key of an order is another',
    ...changed('orders', 2, "idempotency_key = 'other'"),
    finds: /order 2: its row and its hash do not fit/,
  },
  {
    number: 18,
    what: 'the idempotency key of an order is another, and its hash is gone',
    ...changed('orders', 2, "idempotency_key = 'other', row_hash = null"),
    finds: /order 3: its row and its hash do not fit/,
  },
  {
    number: 18,
    what: 'the idempotency key of the last order is another, and its hash is gone',
    ...changed('orders', 4, "idempotency_key = 'other', row_hash = null"),
    finds: /account \d+: the last hash of an order is not the one that the account has/,
  },
  {
    number: 19,
    what: 'the fingerprint of an order is another',
    ...changed('orders', 4, "fingerprint = 'other'"),
    finds: /order 4: its row and its hash do not fit/,
  },
  {
    number: 20,
    what: 'the key of a plan change is removed',
    sql: `${keep('plan_changes', 'account_id = $id and number = 3')};
      update plan_changes set idempotency_key = null where account_id = $id and number = 3`,
    undo: `delete from plan_changes where account_id = $id and number = 3; ${putBack('plan_changes')}`,
    finds: /plan change 3: not by the rules: its idempotency key or its fingerprint is missing/,
  },
  {
    number: 21,
    what: 'a price is another than the audit log has',
    isGlobal: true,
    sql: 'update package_prices set price_cents = 1 where package_id = $package and months = 1',
    undo: 'update package_prices set price_cents = 900 where package_id = $package and months = 1',
    finds: /package \d+: its prices are not those that the audit log has/,
  },
  {
    number: 22,
    what: 'a price is scheduled that the audit log does not have',
    isGlobal: true,
    sql: `insert into scheduled_prices (package_id, starts_at, group_name, months, price_cents)
      values ($package, to_timestamp(1893456000), 'reseller', 1, 1)`,
    undo: 'delete from scheduled_prices where package_id = $package and price_cents = 1',
    finds: /package \d+: its prices scheduled for 2030-01-01T00:00:00Z are not those/,
  },
  {
    number: 22,
    what: 'a scheduled price is gone',
    isGlobal: true,
    sql: `${keep('scheduled_prices', 'package_id = $package')}; delete from scheduled_prices where package_id = $package`,
    undo: putBack('scheduled_prices'),
    finds: /package \d+: its prices scheduled for 2027-01-01T00:00:00Z are not those/,
  },
  {
    number: 23,
    what: 'the version of the packages is an earlier one',
    sql: 'update service_state set packages_version = packages_version - 1',
    undo: 'update service_state set packages_version = packages_version + 1',
    finds: /packages: their version is \d+, the audit log has version \d+/,
    isGlobal: true,
  },
  {
    number: 24,
    what: 'an account is in another price group',
    sql: "update accounts set group_name = 'distributor' where id = $id",
    undo: "update accounts set group_name = 'reseller' where id = $id",
    finds: /account \d+: its price group is distributor, the audit log says reseller/,
  },
  {
    number: 25,
    what: 'the memo of a credit is another',
    sql: setEntry(1, "memo = 'other'"),
    undo: setEntry(1, 'memo = null'),
    finds: /ledger entry 1: its memo is not the one/,
  },
  {
    number: 26,
    what: 'a credit was made by another account',
    sql: setEntry(1, 'actor_id = 4711'),
    undo: setEntry(1, 'actor_id = $admin'),
    finds: /ledger entry 1: it was made by account 4711, the audit log says/,
  },
  {
    number: 27,
    what: 'the entry of a debit in the audit log is deleted',
    isGlobal: true,
    sql: `${keep('audit_log', `number = ${lastAudit}`)}; delete from audit_log where number = ${lastAudit}`,
    undo: putBack('audit_log'),
    finds: /ledger entry 7: the audit log does not have it/,
  },
  {
    number: 28,
    what: 'the entry of a debit in the audit log is rewritten',
    isGlobal: true,
    sql: `${keep('audit_log', `number = ${lastAudit}`)};
      update audit_log set after = jsonb_set(after, '{memo}', '"other"') where number = ${lastAudit}`,
    undo: `delete from audit_log where number = (select number from kept); ${putBack('audit_log')}`,
    finds: /ledger entry 7: its memo is not the one that the audit log has/,
  },
  {
    number: 29,
    what: 'the audit log counts more entries than there are',
    isGlobal: true,
    sql: 'update service_state set audit_count = audit_count + 7',
    undo: 'update service_state set audit_count = audit_count - 7',
    finds: /audit log: the last entry is number \d+, the counter says \d+/,
  },
  {
    number: 30,
    what: 'a sum of what was spent is larger',
    sql: "update spending_sums set charged_cents = charged_cents + 100000 where account_id = $id and step = 'day' and kind = 'renew'",
    undo: "update spending_sums set charged_cents = charged_cents - 100000 where account_id = $id and step = 'day' and kind = 'renew'",
    finds: /its spending by days adds up to 4, 114100, 2000, its ledger entries to 4, 14100, 2000/,
  },
  {
    number: 31,
    what: 'the sums of what was spent are deleted, and their mark is kept',
    sql: `${keep('spending_sums', 'account_id = $id')}; delete from spending_sums where account_id = $id`,
    undo: putBack('spending_sums'),
    finds: /its spending by months adds up to 0, 0, 0, its ledger entries to 4, 14100, 2000/,
  },
  {
    number: 32,
    what: 'an event is deleted',
    sql: `${keep('events', 'account_id = $id and number = 3')}; delete from events where account_id = $id and number = 3`,
    undo: putBack('events'),
    finds: /events: number 3 is missing/,
  },
  {
    number: 33,
    what: 'the account counts more events than there are',
    sql: 'update accounts set event_count = event_count + 5 where id = $id',
    undo: 'update accounts set event_count = event_count - 5 where id = $id',
    finds: /the last event is number \d+, the counter says \d+/,
  },
  {
    number: 34,
    what: 'the end of a plan is marked as announced',
    ...changed('customers', 2, 'end_notice_days = 0'),
    finds: /customer 2: not by the rules: the notice of 0 days before the plan's end is marked as given/,
  },
  {
    number: 35,
    what: 'a plan change happened a day later',
    ...changed('plan_changes', 2, `created_at = ${aDayOff('created_at', '+')}`),
    finds: /plan change 2: its row and its hash do not fit/,
  },
  {
    number: 36,
    what: 'a customer has another name',
    ...changed('customers', 2, "name = 'other'"),
    finds: /customer 2: not by the rules: the name is not the one that the first order was sent with/,
  },
  {
    number: 36,
    what: 'a customer has another external id',
    ...changed('customers', 2, "external_ref = 'other'"),
    finds: /customer 2: not by the rules: the external id is not the one that the audit log has/,
  },
  {
    number: 36,
    what: 'a customer who was renamed has another name',
    ...changed('customers', 1, "name = 'other'"),
    finds: /customer 1: not by the rules: the name is not the one that the audit log has/,
  },
  {
    number: 37,
    what: 'a customer was made earlier',
    sql: `${keep('customers', 'account_id = $id and number = 2')};
      update customers set created_at = to_timestamp(0) where account_id = $id and number = 2`,
    undo: `delete from customers where account_id = $id and number = 2; ${putBack('customers')}`,
    finds: /customer 2: not by the rules: the customer was made 1970-01-01T00:00:00Z/,
  },
  {
    number: 38,
    what: 'an account is an administrator',
    sql: 'update accounts set is_admin = true where id = $id',
    undo: 'update accounts set is_admin = false where id = $id',
    finds: /account \d+: it is an administrator, the audit log says otherwise/,
  },
  {
    number: 39,
    what: 'an account has another API key',
    sql: `insert into api_keys (lookup_hash, account_id, last_four, created_at, name, is_first)
      values ('forged', $id, 'abcd', to_timestamp(1800000000), 'Forged', false)`,
    undo: "delete from api_keys where lookup_hash = 'forged'",
    finds: /key \d+ of account \d+: the audit log does not have its secret …abcd/,
  },
  {
    number: 39,
    what: 'an account has another first API key',
    sql: `insert into api_keys (lookup_hash, account_id, sealed_key, last_four, created_at, revoked_at)
      values ('forged', $id, 'forged', 'abcd', to_timestamp(1800000000), to_timestamp(1800000000))`,
    undo: "delete from api_keys where lookup_hash = 'forged'",
    finds: /key \d+ of account \d+: the audit log does not have its secret …abcd/,
  },
  {
    number: 40,
    what: 'a person has another password',
    sql: "update people set password_hash = 'other' where id = $id",
    undo: "update people set password_hash = 'none' where id = $id",
    notFound:
      'a sign-in hashes a password again when the cost has changed, without an entry in the audit log',
  },
  {
    number: 41,
    what: 'a session is added',
    sql: `insert into sessions (person_id, token_hash, password_version, created_at, last_seen_at, address, user_agent)
      values ($id, 'forged', 1, to_timestamp(0), to_timestamp(0), '192.0.2.1', '')`,
    undo: "delete from sessions where token_hash = 'forged'",
    notFound: 'of many sign-ins within an hour the audit log has a few',
  },
  {
    number: 42,
    what: 'a login link is added',
    sql: `insert into login_links (token_hash, account_id, customer_number, order_number, created_at, expires_at)
      values ('forged', $id, 1, 1, to_timestamp(0), to_timestamp(0))`,
    undo: "delete from login_links where token_hash = 'forged'",
    notFound: 'an account makes login links without an entry in the audit log, and they end within minutes',
  },
  {
    number: 43,
    what: 'the requests of an account are deleted',
    sql: `${keep('api_requests', 'account_id = $id')}; delete from api_requests where account_id = $id`,
    undo: putBack('api_requests'),
    notFound: 'the log of requests keeps the last ones alone, and moves no money',
  },
];

let service: TestService;
let reseller: TestAccount;
let packageId: number;
before(async () => {
  service = await startTestService();
  reseller = await keepBooks(service);
  const suspended = await reseller.post(`/customers/${await firstCustomer()}/suspend`, {});
  assert.equal(suspended.status, 200, suspended.text);
  const renamed = await reseller.patch(`/customers/${await firstCustomer()}`, {
    name: 'Ada',
    external_ref: 'a1',
  });
  assert.equal(renamed.status, 200, renamed.text);
  await createSpendingReads(service.database).bringAllUpToDate();
  packageId = await createPackage(service, 'Watched', ['9.00', '25.00', '90.00']);
  await schedulePrices(service, packageId, '2027-01-01T00:00:00Z', { reseller: { monthly: '11.00' } });
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});
after(() => service.close());

async function firstCustomer(): Promise<number> {
  return (await reseller.get('/customers')).body.data.at(-1).id;
}

function filled(text: string): string {
  return text
    .replaceAll('$id', String(reseller.id))
    .replaceAll('$admin', String(service.admin.id))
    .replaceAll('$package', String(packageId));
}

async function run({ isGlobal }: Corruption, text: string): Promise<void> {
  if (isGlobal !== true) return falsify(service, reseller, filled(text));
  const triggers = (what: string) =>
    ['audit_log', 'scheduled_prices'].map((table) => `alter table ${table} ${what} trigger user`);
  await sqlAtOnce(service.database, [...triggers('disable'), filled(text), ...triggers('enable')]);
}

async function halted(): Promise<boolean> {
  const [row] = await sqlOf(service, reseller, 'select halted_at from accounts where id = $1::int', [
    reseller.id,
  ]);
  return row?.['halted_at'] !== null;
}

for (const corruption of corruptions) {
  const { number, what, finds, notFound, halts = false, isSummed = false } = corruption;
  test(`${number}: ${what}${notFound === undefined ? '' : ` (not found: ${notFound})`}`, async () => {
    if (isSummed) await createDailyTotals(service.database).bringAllUpToDate();
    await run(corruption, corruption.sql);
    const { problems } = await verify(service);
    const isHalted = await halted();
    await run(corruption, corruption.undo);
    if (isSummed) await falsify(service, reseller, forgetDays(reseller));
    if (finds === undefined) assert.deepEqual(problems, []);
    else assert.match(problems.map(({ subject, problem }) => `${subject}: ${problem}`).join('\n'), finds);
    assert.equal(isHalted, halts);
    if (halts) assert.deepEqual(await verify(service), { ok: true, problems: [] });
  });
}

test('nothing is left of any of them, and the account orders again', async () => {
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
  const { status, text } = await order(service, reseller, 'afterwards@example.com');
  assert.equal(status, 201, text);
});

test('orders of a process of the previous version have no hash: the next one follows the last before them', async () => {
  const before = await lastOrderHash();
  const old = await order(service, reseller, 'old-process@example.com');
  assert.equal(old.status, 201, old.text);
  const number = parseOwnedId(String(old.body.order.id))?.number;
  // Such a process leaves these rows.
  await falsify(
    service,
    reseller,
    `update orders set row_hash = null where account_id = ${reseller.id} and number = ${number};
      update accounts set order_hash = '${before}' where id = ${reseller.id};
      ${forgetLastOrder(number)}`,
  );
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
  await repairLastOrders(service.database);
  const [repaired] = await sqlOf(
    service,
    reseller,
    `select last_order from customers where account_id = $1::int and reference = 'old-process@example.com'`,
    [reseller.id],
  );
  assert.equal(repaired?.['last_order'], number);
  // From here on, this is an ordinary difference.
  await falsify(service, reseller, forgetLastOrder(number));
  const { problems } = await verify(service);
  assert.match(JSON.stringify(problems), new RegExp(`its last order is missing, not ${number}`));
  await falsify(
    service,
    reseller,
    `update customers set last_order = ${number} where account_id = ${reseller.id} and reference = 'old-process@example.com'`,
  );
  const next = await order(service, reseller, 'new-process@example.com');
  assert.equal(next.status, 201, next.text);
  assert.notEqual(await lastOrderHash(), before);
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});

function forgetLastOrder(number: number | undefined): string {
  return `update customers set last_order = null where account_id = ${reseller.id} and last_order = ${number}`;
}

async function lastOrderHash(): Promise<unknown> {
  const [row] = await sqlOf(service, reseller, 'select order_hash from accounts where id = $1::int', [
    reseller.id,
  ]);
  return row?.['order_hash'];
}

test('at most five of the 43 are not found', () => {
  const numbers = new Set(corruptions.map(({ number }) => number));
  assert.deepEqual(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: 43 }, (_, index) => index + 1),
  );
  const notFound = corruptions.filter(({ finds }) => finds === undefined);
  assert.ok(new Set(notFound.map(({ number }) => number)).size <= 5);
});
