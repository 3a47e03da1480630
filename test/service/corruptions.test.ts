// Rows changed by SQL, each so that the books of the account still add up: verify names them all the same, because the
// audit log or the rows beside them say something else. They stop no account: either side may be the false one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createSpendingReads } from '../../src/ledger/spending-sums.ts';
import { falsify, keepBooks, order, verify } from '../harness/falsified-books.ts';
import { sqlAtOnce } from '../harness/group-sql.ts';
import { createPackage, schedulePrices } from '../harness/shop.ts';

interface Corruption {
  readonly what: string;
  /** `$id`, `$package`: of the account and the package. */
  readonly sql: string;
  readonly undo: string;
  readonly finds: RegExp;
  /** On a table of the whole service. */
  readonly isGlobal?: true;
}

const setEntry = (number: number, change: string) =>
  `update ledger_entries set ${change} where account_id = $id and number = ${number}`;
const lastAudit = `(select max(number) from audit_log where action = 'account.debit' and subject = 'account $id')`;
const keep = (table: string, where: string) => `create table kept as select * from ${table} where ${where}`;
const putBack = (table: string) => `insert into ${table} select * from kept; drop table kept`;

const corruptions: readonly Corruption[] = [
  {
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
    what: 'the last debit is cut off, with the right balance and counters',
    sql: `${keep('ledger_entries', 'account_id = $id and number = 7')};
      delete from ledger_entries where account_id = $id and number = 7;
      update accounts set entry_count = 6, balance_cents = balance_cents + 500 where id = $id`,
    undo: `${putBack('ledger_entries')};
      update accounts set entry_count = 7, balance_cents = balance_cents - 500 where id = $id`,
    finds: /ledger entry 7: the audit log has it as a debit, but it does not exist/,
  },
  {
    what: 'the idempotency key and the fingerprint of a credit are removed',
    sql: `${keep('ledger_entries', 'account_id = $id and number = 1')};
      ${setEntry(1, 'idempotency_key = null, fingerprint = null')}`,
    undo: `delete from ledger_entries where account_id = $id and number = 1; ${putBack('ledger_entries')}`,
    finds: /ledger entry 1: its idempotency key is missing/,
  },
  {
    what: 'the memo of a credit is another',
    sql: setEntry(1, "memo = 'other'"),
    undo: setEntry(1, 'memo = null'),
    finds: /ledger entry 1: its memo is not the one/,
  },
  {
    what: 'a credit was made by another account',
    sql: setEntry(1, 'actor_id = 4711'),
    undo: setEntry(1, 'actor_id = $admin'),
    finds: /ledger entry 1: it was made by account 4711, the audit log says/,
  },
  {
    what: 'a credit is dated a month earlier, before its days were summed',
    sql: setEntry(
      1,
      "created_at = ((created_at at time zone 'utc') - interval '1 month') at time zone 'utc'",
    ),
    undo: setEntry(
      1,
      "created_at = ((created_at at time zone 'utc') + interval '1 month') at time zone 'utc'",
    ),
    finds:
      /ledger entry 1: it is dated 2025-12-15T12:00:00Z, its entry in the audit log 2026-01-15T12:00:00Z/,
  },
  {
    what: 'the key of a plan change is removed',
    sql: `${keep('plan_changes', 'account_id = $id and number = 3')};
      update plan_changes set idempotency_key = null where account_id = $id and number = 3`,
    undo: `delete from plan_changes where account_id = $id and number = 3; ${putBack('plan_changes')}`,
    finds: /plan change 3: not by the rules: its idempotency key or its fingerprint is missing/,
  },
  {
    what: 'a customer was made earlier',
    sql: `${keep('customers', 'account_id = $id and number = 2')};
      update customers set created_at = to_timestamp(0) where account_id = $id and number = 2`,
    undo: `delete from customers where account_id = $id and number = 2; ${putBack('customers')}`,
    finds: /customer 2: not by the rules: the customer was made 1970-01-01T00:00:00Z/,
  },
  {
    what: 'an account is in another price group',
    sql: "update accounts set group_name = 'distributor' where id = $id",
    undo: "update accounts set group_name = 'reseller' where id = $id",
    finds: /account \d+: its price group is distributor, the audit log says reseller/,
  },
  {
    what: 'an account is an administrator',
    sql: 'update accounts set is_admin = true where id = $id',
    undo: 'update accounts set is_admin = false where id = $id',
    finds: /account \d+: it is an administrator, the audit log says otherwise/,
  },
  {
    what: 'an event is deleted',
    sql: `${keep('events', 'account_id = $id and number = 3')}; delete from events where account_id = $id and number = 3`,
    undo: putBack('events'),
    finds: /events: number 3 is missing/,
  },
  {
    what: 'the account counts more events than there are',
    sql: 'update accounts set event_count = event_count + 5 where id = $id',
    undo: 'update accounts set event_count = event_count - 5 where id = $id',
    finds: /the last event is number \d+, the counter says \d+/,
  },
  {
    what: 'a sum of what was spent is larger',
    sql: "update spending_sums set charged_cents = charged_cents + 100000 where account_id = $id and step = 'day' and kind = 'renew'",
    undo: "update spending_sums set charged_cents = charged_cents - 100000 where account_id = $id and step = 'day' and kind = 'renew'",
    finds: /its spending by days adds up to 4, 114100, 2000, its ledger entries to 4, 14100, 2000/,
  },
  {
    what: 'the sums of what was spent are deleted, and their mark is kept',
    sql: `${keep('spending_sums', 'account_id = $id')}; delete from spending_sums where account_id = $id`,
    undo: putBack('spending_sums'),
    finds: /its spending by months adds up to 0, 0, 0, its ledger entries to 4, 14100, 2000/,
  },
  {
    what: 'the entry of a debit in the audit log is deleted',
    isGlobal: true,
    sql: `${keep('audit_log', `number = ${lastAudit}`)}; delete from audit_log where number = ${lastAudit}`,
    undo: putBack('audit_log'),
    finds: /ledger entry 7: the audit log does not have it/,
  },
  {
    what: 'the entry of a debit in the audit log is rewritten',
    isGlobal: true,
    sql: `${keep('audit_log', `number = ${lastAudit}`)};
      update audit_log set after = jsonb_set(after, '{memo}', '"other"') where number = ${lastAudit}`,
    undo: `delete from audit_log where number = (select number from kept); ${putBack('audit_log')}`,
    finds: /ledger entry 7: its memo is not the one that the audit log has/,
  },
  {
    what: 'the audit log counts more entries than there are',
    isGlobal: true,
    sql: 'update service_state set audit_count = audit_count + 7',
    undo: 'update service_state set audit_count = audit_count - 7',
    finds: /audit log: the last entry is number \d+, the counter says \d+/,
  },
  {
    what: 'a price is another than the audit log has',
    isGlobal: true,
    sql: 'update package_prices set price_cents = 1 where package_id = $package and months = 1',
    undo: 'update package_prices set price_cents = 900 where package_id = $package and months = 1',
    finds: /package \d+: its prices are not those that the audit log has/,
  },
  {
    what: 'a price is scheduled that the audit log does not have',
    isGlobal: true,
    sql: `insert into scheduled_prices (package_id, starts_at, group_name, months, price_cents)
      values ($package, to_timestamp(1893456000), 'reseller', 1, 1)`,
    undo: 'delete from scheduled_prices where package_id = $package and price_cents = 1',
    finds: /package \d+: its prices scheduled for 2030-01-01T00:00:00Z are not those/,
  },
  {
    what: 'a scheduled price is gone',
    isGlobal: true,
    sql: `${keep('scheduled_prices', 'package_id = $package')}; delete from scheduled_prices where package_id = $package`,
    undo: putBack('scheduled_prices'),
    finds: /package \d+: its prices scheduled for 2027-01-01T00:00:00Z are not those/,
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

for (const corruption of corruptions) {
  test(corruption.what, async () => {
    await run(corruption, corruption.sql);
    const { ok, problems } = await verify(service);
    await run(corruption, corruption.undo);
    assert.equal(ok, false);
    assert.match(
      problems.map(({ subject, problem }) => `${subject}: ${problem}`).join('\n'),
      corruption.finds,
    );
    assert.deepEqual(await verify(service), { ok: true, problems: [] }, 'nothing is left of it');
  });
}

test('the account was not halted by any of them', async () => {
  const { status, text } = await order(service, reseller, 'afterwards@example.com');
  assert.equal(status, 201, text);
});
