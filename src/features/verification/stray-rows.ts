// Finds rows that no account's verification covers: claims without a customer, rows of missing accounts, rows in the wrong
// shard. One statement sees a row and its parent or neither, so there are no false alarms.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { bySharding, queryShards } from '../../platform/database/shards/query-shards.ts';
import { accountReferences } from '../../platform/database/shards/sharded-tables.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { claimProblem } from './account-books.ts';
import { recheckInDoubt } from './recheck-in-doubt.ts';
import type { Findings } from './verification-findings.ts';
import type { AuditLimits } from './verification-limits.ts';

const accountsPerRange = 500;
const problemsMax = 20;

const numberColumns = {
  orders: 'number',
  ledger_entries: 'number',
  customers: 'number',
  plan_changes: 'number',
  order_handoffs: 'order_number',
  topups: 'number',
  payments: 'topup_number',
  reversals: 'number',
  payment_entries: 'entry_number',
  write_offs: 'reversal_number',
  topup_refunds: 'topup_number',
  auto_topups: 'failures',
} as const;
type OwnedTable = keyof typeof numberColumns;

// A row without an account marks where the range ends. Returns null at the end of the table.
const readClaimsOf = (name: string, references: string): SqlStatement => ({
  name,
  text: `with range as materialized (
      select reference, account_id, customer_number from ${references}
      where reference > $1::text order by reference limit $2::int)
    select max(reference) as reference, null::int as account_id, null::int as customer_number from range
    union all
    select null, account_id, customer_number from range r
    where not exists (select 1 from customers c where c.account_id = r.account_id and c.number = r.customer_number
      and c.reference = r.reference)
      and not exists (select 1 from former_references f where f.account_id = r.account_id
        and f.reference = r.reference and f.customer_number = r.customer_number)`,
});

const readClaims = [
  readClaimsOf('verify_claims', 'customer_references'),
  readClaimsOf('verify_test_claims', 'test_customer_references'),
];

// On several servers, claims are read before customers, so that a new claim already has its customer.
const listClaimsOf = (name: string, references: string): SqlStatement => ({
  name,
  text: `select reference, account_id, customer_number from ${references}
    where reference > $1::text order by reference limit $2::int`,
});
const listClaims = [
  listClaimsOf('verify_list_claims', 'customer_references'),
  listClaimsOf('verify_list_test_claims', 'test_customer_references'),
];
const findUnclaimable: SqlStatement = {
  name: 'verify_claimed_customers',
  text: `select r.account_id, r.customer_number from unnest($1::int[], $2::int[], $3::text[]) r (account_id, customer_number, reference)
    where not exists (select 1 from customers c where c.account_id = r.account_id and c.number = r.customer_number
      and c.reference = r.reference)
      and not exists (select 1 from former_references f where f.account_id = r.account_id
        and f.reference = r.reference and f.customer_number = r.customer_number)`,
};

/** The next account ids in the table, found by jumping through its index. null at the end. */
const readOwners = (table: OwnedTable): SqlStatement => ({
  name: `verify_owners_of_${table}`,
  text: `with recursive owners (place, id) as (
      select 1, (select account_id from ${table} where account_id > $1::int order by account_id limit 1)
      union all
      select place + 1, (select account_id from ${table} where account_id > owners.id order by account_id limit 1)
      from owners where id is not null and place < ${accountsPerRange})
    select o.id, o.id is not null and not exists (select 1 from accounts a where a.id = o.id) as is_stray
    from owners o order by o.place`,
});

const listStrays = (table: OwnedTable): SqlStatement => ({
  name: `verify_strays_of_${table}`,
  text: `select ${numberColumns[table]} as number from ${table} where account_id = $1::int
    order by ${numberColumns[table]} limit ${problemsMax}`,
});

const owned = [
  ['orders', 'order', readOwners('orders'), listStrays('orders')],
  ['ledger_entries', 'ledger entry', readOwners('ledger_entries'), listStrays('ledger_entries')],
  ['customers', 'customer', readOwners('customers'), listStrays('customers')],
  ['plan_changes', 'plan change', readOwners('plan_changes'), listStrays('plan_changes')],
  ['order_handoffs', 'handed-over order', readOwners('order_handoffs'), listStrays('order_handoffs')],
  ['topups', 'top-up', readOwners('topups'), listStrays('topups')],
  ['payments', 'payment of top-up', readOwners('payments'), listStrays('payments')],
  ['reversals', 'reversal', readOwners('reversals'), listStrays('reversals')],
  ['payment_entries', 'payment of entry', readOwners('payment_entries'), listStrays('payment_entries')],
  ['write_offs', 'write-off of reversal', readOwners('write_offs'), listStrays('write_offs')],
  ['topup_refunds', 'refund of top-up', readOwners('topup_refunds'), listStrays('topup_refunds')],
  ['auto_topups', 'automatic top-up', readOwners('auto_topups'), listStrays('auto_topups')],
] as const;

/** Checks what foreign keys enforce on an undivided database. */
const readReferences = accountReferences.map(({ table, column, refersTo }) => ({
  table,
  statement: {
    name: `verify_references_of_${table}`,
    text: `with range as materialized (
        select id, ${column} as account_id from ${table} where id > $1::int order by id limit $2::int)
      select max(id) as id, null::int as account_id from range
      union all
      select id, account_id from range r where not exists (select 1 from ${refersTo} a where a.id = r.account_id)`,
  },
}));

const listMisplaced: SqlStatement = {
  name: 'verify_misplaced_accounts',
  text: `select id from accounts where id % $1::int <> $2::int order by id limit ${problemsMax}`,
};

export async function findStrayRows(
  database: Database,
  findings: Findings,
  limits: AuditLimits,
): Promise<void> {
  await bySharding(database, {
    together: async () => {
      for (const statement of readClaims) await findStrayClaims(database, statement, findings, limits);
    },
    apart: async () => {
      for (const statement of listClaims) await findClaimsApart(database, statement, findings, limits);
    },
  });
  const groups = database.accountGroups();
  for (const [number, group] of groups.entries()) {
    const isElsewhere = (accountId: number) => accountId % groups.length !== number;
    const problem = `it is in account group ${number}, which is not its account's`;
    for (const accountId of await misplacedAccounts(group, groups.length, number))
      await findings.add('owners', accountId, `account ${accountId}`, problem);
    await findStrayRowsOf(
      group,
      (accountId) => (isElsewhere(accountId) ? problem : noAccount),
      findings,
      limits,
    );
  }
  if (groups.length > 1) await findStrayReferences(database, findings, limits);
}

const noAccount = 'its account does not exist';

async function findStrayRowsOf(
  group: Database,
  problemOf: (accountId: number) => string,
  findings: Findings,
  { signal }: AuditLimits,
): Promise<void> {
  for (const [, what, owners, strays] of owned) {
    for (let after: number | null = 0; after !== null; ) {
      signal.throwIfAborted();
      const rows = await group.query(owners, [after]);
      const last = rows.at(-1)?.['id'];
      after = last === null || last === undefined ? null : Number(last);
      for (const row of rows) {
        if (row['is_stray'] !== true) continue;
        const accountId = Number(row['id']);
        for (const stray of await group.query(strays, [accountId]))
          await findings.add('owners', accountId, `${what} ${stray['number']}`, problemOf(accountId));
      }
    }
  }
}

async function misplacedAccounts(group: Database, count: number, number: number): Promise<number[]> {
  if (count === 1) return [];
  const rows = await group.query(listMisplaced, [count, number]);
  return rows.map((row) => Number(row['id']));
}

async function findStrayReferences(
  database: Database,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<void> {
  for (const { table, statement } of readReferences) {
    for (let after: number | null = 0; after !== null; ) {
      signal.throwIfAborted();
      const rows: readonly Row[] = await database.query(statement, [after, ranges.customers]);
      for (const row of rows) {
        if (row['account_id'] === null) continue;
        const subject = `${table.replaceAll('_', ' ')} ${row['id']}`;
        await findings.add('owners', Number(row['account_id']), subject, noAccount);
      }
      after = nullable(Number, rows.find((row) => row['account_id'] === null)?.['id']);
    }
  }
}

async function findStrayClaims(
  database: Database,
  statement: SqlStatement,
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

async function findClaimsApart(
  database: Database,
  statement: SqlStatement,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted();
    const claims: readonly Row[] = await database.query(statement, [after, ranges.customers]);
    const strays = await recheckInDoubt(database, () => strayAmong(database, claims), signal);
    for (const stray of strays) {
      const [accountId, number] = stray.split(' ');
      await findings.add('references', Number(accountId), `customer ${number}`, claimProblem);
    }
    after = nullable(String, claims.at(-1)?.['reference']);
  }
}

async function strayAmong(database: Database, claims: readonly Row[]): Promise<string[]> {
  const rows = await queryShards(database, findUnclaimable, [], {
    of: claims,
    accountOf: (row) => Number(row['account_id']),
    columns: (some) => [
      numberArray(some.map((row) => Number(row['account_id']))),
      numberArray(some.map((row) => Number(row['customer_number']))),
      textArray(some.map((row) => String(row['reference']))),
    ],
  });
  return rows.map((row) => `${row['account_id']} ${row['customer_number']}`);
}
