// Rows that no account's audit would look at: claims on references that lead to no customer, and rows of accounts that
// do not exist. Read in ranges over all accounts; one statement sees a row together with what it belongs to, or
// neither, so there is no false alarm while customers and accounts are made.

import type { Database, Row, Statement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { claimProblem } from './account-books.ts';
import type { Findings } from './audit-findings.ts';
import type { AuditLimits } from './audit-limits.ts';

const accountsPerRange = 500;
const problemsMax = 20;

type OwnedTable = 'orders' | 'ledger_entries' | 'customers' | 'plan_changes' | 'order_handoffs';

// A row without an account says where the range ends: null when there was nothing left.
const readClaimsOf = (name: string, references: string): Statement => ({
  name,
  text: `with range as materialized (
      select reference, account_id, customer_number from ${references}
      where reference > $1::text order by reference limit $2::int)
    select max(reference) as reference, null::int as account_id, null::int as customer_number from range
    union all
    select null, account_id, customer_number from range r
    where not exists (select from customers c where c.account_id = r.account_id and c.number = r.customer_number
      and c.reference = r.reference)`,
});

const readClaims = [
  readClaimsOf('verify_claims', 'customer_references'),
  readClaimsOf('verify_test_claims', 'test_customer_references'),
];

/** The next account ids that rows of the table name, by a step through its index for each; null at the end. */
const readOwners = (table: OwnedTable): Statement => ({
  name: `verify_owners_of_${table}`,
  text: `with recursive owners (place, id) as (
      select 1, (select account_id from ${table} where account_id > $1::int order by account_id limit 1)
      union all
      select place + 1, (select account_id from ${table} where account_id > owners.id order by account_id limit 1)
      from owners where id is not null and place < ${accountsPerRange})
    select o.id, o.id is not null and not exists (select from accounts a where a.id = o.id) as is_stray
    from owners o order by o.place`,
});

const listStrays = (table: OwnedTable): Statement => ({
  name: `verify_strays_of_${table}`,
  text: `select ${numberOf(table)} as number from ${table} where account_id = $1::int
    order by ${numberOf(table)} limit ${problemsMax}`,
});

function numberOf(table: OwnedTable): string {
  return table === 'order_handoffs' ? 'order_number' : 'number';
}

const owned = [
  ['orders', 'order', readOwners('orders'), listStrays('orders')],
  ['ledger_entries', 'ledger entry', readOwners('ledger_entries'), listStrays('ledger_entries')],
  ['customers', 'customer', readOwners('customers'), listStrays('customers')],
  ['plan_changes', 'plan change', readOwners('plan_changes'), listStrays('plan_changes')],
  ['order_handoffs', 'handed-over order', readOwners('order_handoffs'), listStrays('order_handoffs')],
] as const;

export async function findStrayRows(
  database: Database,
  findings: Findings,
  limits: AuditLimits,
): Promise<void> {
  for (const statement of readClaims) await findStrayClaims(database, statement, findings, limits);
  for (const [, what, owners, strays] of owned) {
    for (let after: number | null = 0; after !== null; ) {
      limits.signal.throwIfAborted();
      const rows = await database.query(owners, [after]);
      const last = rows.at(-1)?.['id'];
      after = last === null || last === undefined ? null : Number(last);
      for (const row of rows) {
        if (row['is_stray'] !== true) continue;
        const accountId = Number(row['id']);
        for (const stray of await database.query(strays, [accountId])) {
          await findings.add('owners', accountId, `${what} ${stray['number']}`, 'its account does not exist');
        }
      }
    }
  }
}

async function findStrayClaims(
  database: Database,
  statement: Statement,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted();
    const rows: readonly Row[] = await database.query(statement, [after, ranges.customers]);
    for (const row of rows) {
      if (row['account_id'] === null) continue;
      const subject = `customer ${row['customer_number']}`;
      await findings.add('references', Number(row['account_id']), subject, claimProblem);
    }
    after = nullable(String, rows.find((row) => row['account_id'] === null)?.['reference']);
  }
}
