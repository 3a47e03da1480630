// One batch: the orders of one lane that arrived together, decided and written in one transaction of two
// round trips. First lock the accounts and load what their orders ask about; then write everything and
// commit. Called by order-engine.ts; previews read and decide the same way. The only writer of customers,
// customer_references, orders and ledger_entries, and of the balance and the counters of accounts.
//
// The locks come in a statement of their own, before the loads: in READ COMMITTED all parts of one
// statement share a snapshot taken before it waits for a lock, and would read what the holder has since
// changed.

import type { PackageCatalog } from '../catalog/package-catalog.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Row, Statement } from '../database/database.ts';
import { nullableNumberArray, numberArray, textArray } from '../database/sql-arrays.ts';
import { writeLoginLinks } from '../identity/login-link-store.ts';
import { type AuditEntry, appendAudit } from '../journal/audit-log.ts';
import { entryColumns, parseEntry } from '../ledger/ledger-entry.ts';
import { type Decision, decideOrders } from './decide-orders.ts';
import type { OrderCommand, OrderOutcome } from './order-commands.ts';
import { orderColumns, parseAccountState, parseCustomerState, parseOrder } from './order-rows.ts';
import type { AccountState, CustomerState, OrderChanges } from './order-state.ts';

/** What a batch looks up and writes. */
export const orderTables = [
  'accounts',
  'customers',
  'customer_references',
  'orders',
  'ledger_entries',
] as const;

export interface BatchDependencies {
  readonly database: Database;
  readonly currency: string;
  readonly now: () => EpochSeconds;
  readonly packages: () => PackageCatalog;
  /** Hears what was decided before it is written: what a COMMIT without an answer may have made true. */
  readonly onDecided?: (outcomes: readonly OrderOutcome[]) => void;
}

/** The database's packages are newer than those in memory: read them, then run the batch again. */
export class PackagesChanged extends Error {
  override readonly name = 'PackagesChanged';
}

/**
 * Runs the commands in one transaction and returns their outcomes in order. When it resolves, they are durable.
 * @throws DatabaseUnavailable whether the batch committed is then unknown
 * @throws StatementFailed, TransactionRolledBack, PackagesChanged nothing was written
 */
export function runBatch(
  { database, currency, now, packages, onDecided }: BatchDependencies,
  commands: readonly OrderCommand[],
): Promise<readonly OrderOutcome[]> {
  return database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();

      const at = now();
      const decision = decideOrders({ ...loaded, packages: catalog.byId, currency }, commands, at);
      onDecided?.(decision.outcomes);
      const written = write(transaction, decision, at);
      const committed = transaction.commit();
      await Promise.all([...written, committed]);
      return decision.outcomes;
    },
    { rank: 'orders' },
  );
}

/**
 * What becomes of the command if it is sent now: the same load and the same decision as a batch of one, but no
 * lock, and nothing is written.
 * @throws DatabaseUnavailable, PackagesChanged
 */
export function previewOrder(
  {
    database,
    currency,
    now,
    packages,
  }: Pick<BatchDependencies, 'database' | 'currency' | 'now' | 'packages'>,
  command: OrderCommand,
): Promise<OrderOutcome> {
  return database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, [command], readAccounts);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();
      const { outcomes } = decideOrders({ ...loaded, packages: catalog.byId, currency }, [command], now());
      const [outcome] = outcomes;
      if (outcome === undefined) throw new Error('A preview was answered without an outcome.');
      return outcome;
    },
    { rank: 'lookups' },
  );
}

// ---------------------------------------------------------------------------------------------- load

const accountsInOrder = `select id, group_name, access_version, halted_at is not null as is_halted, balance_cents, order_count,
      customer_count, entry_count
    from accounts where id = any($1::int[]) order by id`;

const lockAccounts: Statement = { name: 'lock_accounts', text: `${accountsInOrder} for no key update` };
const readAccounts: Statement = { name: 'read_accounts', text: accountsInOrder };

const loadPackagesVersion: Statement = {
  name: 'load_packages_version',
  text: 'select packages_version from service_state',
};

const loadCustomers: Statement = {
  name: 'load_customers',
  text: `select r.reference, r.account_id, r.customer_number as number, c.name, c.created_at, c.package_id,
      c.anchor_at, c.months_run, c.expires_at, c.paid_periods
    from unnest($1::text[]) wanted (reference)
    join customer_references r on r.reference = wanted.reference
    left join customers c on c.account_id = r.account_id and c.number = r.customer_number
      and r.account_id = any($2::int[])`,
};

const loadOrdersByKey: Statement = {
  name: 'load_orders_by_key',
  text: `select ${orderColumns('o')}, c.reference
    from unnest($1::int[], $2::text[]) wanted (account_id, idempotency_key)
    join orders o on o.account_id = wanted.account_id and o.idempotency_key = wanted.idempotency_key
    join customers c on c.account_id = o.account_id and c.number = o.customer_number`,
};

const loadRenewals: Statement = {
  name: 'load_renewals',
  text: `select ${orderColumns('o')}, c.reference, c.name, c.created_at as customer_created_at,
      c.package_id as plan_package_id, c.anchor_at, c.months_run, c.expires_at as plan_expires_at, c.paid_periods
    from unnest($1::int[], $2::int[]) wanted (account_id, number)
    join orders o on o.account_id = wanted.account_id and o.number = wanted.number
    join customers c on c.account_id = o.account_id and c.number = o.customer_number`,
};

const loadCreditsByKey: Statement = {
  name: 'load_credits_by_key',
  text: `select ${entryColumns('e')}
    from unnest($1::int[], $2::text[]) wanted (account_id, idempotency_key)
    join ledger_entries e on e.account_id = wanted.account_id and e.idempotency_key = wanted.idempotency_key`,
};

async function load(
  database: Queryable,
  commands: readonly OrderCommand[],
  accountsStatement: Statement = lockAccounts,
) {
  const accountIds = numberArray(
    [...new Set(commands.map(({ accountId }) => accountId))].sort((a, b) => a - b),
  );
  const references = new Set<string>();
  const keyed: OrderCommand[] = [];
  const renewals: { accountId: number; orderNumber: number }[] = [];
  const credits: { accountId: number; idempotencyKey: string }[] = [];
  for (const command of commands) {
    if ('customerReference' in command) references.add(command.customerReference);
    if (command.type === 'renew') renewals.push(command);
    if (command.type === 'credit') credits.push(command);
    else if (command.type !== 'grant_trial' && (command.mayStand || !command.keyIsMinted))
      keyed.push(command);
  }
  const rowsFor = (wanted: { readonly length: number }, statement: Statement, ...values: unknown[]) =>
    wanted.length === 0 ? noRows : database.query(statement, values);

  // All of these leave in one round trip, behind BEGIN, and are carried out in this order.
  const [accounts, versions, customers, ordersByKey, renewalRows, creditRows] = await Promise.all([
    database.query(accountsStatement, [accountIds]),
    database.query(loadPackagesVersion),
    rowsFor([...references], loadCustomers, textArray([...references]), accountIds),
    rowsFor(keyed, loadOrdersByKey, ...keyColumns(keyed)),
    rowsFor(
      renewals,
      loadRenewals,
      numberArray(renewals.map(({ accountId }) => accountId)),
      numberArray(renewals.map(({ orderNumber }) => orderNumber)),
    ),
    rowsFor(credits, loadCreditsByKey, ...keyColumns(credits)),
  ]);

  const own = customers.filter((row) => row['name'] !== null);
  const foreign = customers.filter((row) => row['name'] === null);
  const loadedCustomers = new Map<string, CustomerState>();
  for (const row of own) {
    const customer = parseCustomerState(row);
    loadedCustomers.set(customer.reference, customer);
  }
  for (const row of renewalRows) {
    const customer = parseCustomerState({
      ...row,
      number: row['customer_number'],
      created_at: row['customer_created_at'],
      package_id: row['plan_package_id'],
      expires_at: row['plan_expires_at'],
    });
    loadedCustomers.set(customer.reference, customer);
  }
  return {
    packagesVersion: Number(versions[0]?.['packages_version']),
    accounts: accounts.map(parseAccountState),
    customers: [...loadedCustomers.values()],
    foreignReferences: foreign.map((row) => ({
      reference: String(row['reference']),
      accountId: Number(row['account_id']),
    })),
    orders: [...ordersByKey, ...renewalRows].map(parseOrder),
    credits: creditRows.map(parseEntry),
  };
}

const noRows: Promise<readonly Row[]> = Promise.resolve([]);

function keyColumns(
  commands: readonly OrderCommand[] | readonly { accountId: number; idempotencyKey: string }[],
) {
  const keys: string[] = [];
  const accountIds: number[] = [];
  for (const command of commands) {
    if (!('idempotencyKey' in command)) continue;
    accountIds.push(command.accountId);
    keys.push(command.idempotencyKey);
  }
  return [numberArray(accountIds), textArray(keys)];
}

// --------------------------------------------------------------------------------------------- write

const insertReferences: Statement = {
  name: 'insert_customer_references',
  text: `insert into customer_references (reference, account_id, customer_number)
    select * from unnest($1::text[], $2::int[], $3::int[])`,
};

const insertCustomers: Statement = {
  name: 'insert_customers',
  text: `insert into customers (account_id, number, reference, name, created_at, package_id, anchor_at, months_run,
      expires_at, paid_periods)
    select account_id, number, reference, name, to_timestamp(created_at), package_id, to_timestamp(anchor_at),
      months_run, to_timestamp(expires_at), paid_periods::bigint[]
    from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::bigint[], $8::int[],
      $9::bigint[], $10::text[])
      row (account_id, number, reference, name, created_at, package_id, anchor_at, months_run, expires_at, paid_periods)`,
};

const updateCustomers: Statement = {
  name: 'update_customers',
  text: `update customers c set package_id = row.package_id, anchor_at = to_timestamp(row.anchor_at),
      months_run = row.months_run, expires_at = to_timestamp(row.expires_at),
      paid_periods = row.paid_periods::bigint[]
    from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::int[], $6::bigint[], $7::text[])
      row (account_id, number, package_id, anchor_at, months_run, expires_at, paid_periods)
    where c.account_id = row.account_id and c.number = row.number`,
};

const insertOrders: Statement = {
  name: 'insert_orders',
  text: `insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
      balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
    select account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
      balance_after_cents, to_timestamp(created_at), to_timestamp(expires_at), idempotency_key, fingerprint
    from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::text[], $7::bigint[], $8::bigint[],
      $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[])
      row (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
        balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)`,
};

const insertEntries: Statement = {
  name: 'insert_ledger_entries',
  text: `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at,
      order_number, actor_id, memo, idempotency_key, fingerprint)
    select account_id, number, kind, amount_cents, balance_after_cents, to_timestamp(created_at), order_number,
      actor_id, memo, idempotency_key, fingerprint
    from unnest($1::int[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::int[],
      $9::text[], $10::text[], $11::text[])
      row (account_id, number, kind, amount_cents, balance_after_cents, created_at, order_number, actor_id, memo,
        idempotency_key, fingerprint)`,
};

const updateAccounts: Statement = {
  name: 'update_account_balances',
  text: `update accounts a set balance_cents = row.balance_cents, order_count = row.order_count,
      customer_count = row.customer_count, entry_count = row.entry_count
    from unnest($1::int[], $2::bigint[], $3::int[], $4::int[], $5::int[])
      row (id, balance_cents, order_count, customer_count, entry_count)
    where a.id = row.id`,
};

/** Sends every write of the decision; the caller sends COMMIT behind them before awaiting any. */
function write(database: Queryable, { changes }: Decision, now: EpochSeconds): Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = <Item>(
    statement: Statement,
    rows: readonly Item[],
    columns: (rows: readonly Item[]) => unknown[],
  ) => {
    if (rows.length > 0) sent.push(database.query(statement, columns(rows)));
  };

  // Two accounts may claim one new customer at the same moment from different lanes or processes. In
  // sorted order the later claim waits without a deadlock, fails, and its batch is decided afresh.
  const claims = changes.newCustomers.toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
  send(insertReferences, claims, (rows) => [
    textArray(rows.map(({ reference }) => reference)),
    numberArray(rows.map(({ accountId }) => accountId)),
    numberArray(rows.map(({ number }) => number)),
  ]);
  send(insertCustomers, changes.newCustomers, (rows) => [
    numberArray(rows.map(({ accountId }) => accountId)),
    numberArray(rows.map(({ number }) => number)),
    textArray(rows.map(({ reference }) => reference)),
    textArray(rows.map(({ name }) => name)),
    numberArray(rows.map(({ createdAt }) => createdAt)),
    ...planColumns(rows),
  ]);
  send(updateCustomers, changes.changedCustomers, (rows) => [
    numberArray(rows.map(({ accountId }) => accountId)),
    numberArray(rows.map(({ number }) => number)),
    ...planColumns(rows),
  ]);
  send(insertOrders, changes.orders, (rows) => [
    numberArray(rows.map(({ accountId }) => accountId)),
    numberArray(rows.map(({ number }) => number)),
    numberArray(rows.map(({ customerNumber }) => customerNumber)),
    numberArray(rows.map(({ packageId }) => packageId)),
    numberArray(rows.map(({ months }) => months)),
    textArray(rows.map(({ kind }) => kind)),
    numberArray(rows.map(({ priceCents }) => priceCents)),
    numberArray(rows.map(({ refundCents }) => refundCents)),
    numberArray(rows.map(({ balanceAfterCents }) => balanceAfterCents)),
    numberArray(rows.map(({ createdAt }) => createdAt)),
    numberArray(rows.map(({ expiresAt }) => expiresAt)),
    textArray(rows.map(({ idempotencyKey }) => idempotencyKey)),
    textArray(rows.map(({ fingerprint }) => fingerprint)),
  ]);
  send(insertEntries, changes.entries, (rows) => [
    numberArray(rows.map(({ accountId }) => accountId)),
    numberArray(rows.map(({ number }) => number)),
    textArray(rows.map(({ kind }) => kind)),
    numberArray(rows.map(({ amountCents }) => amountCents)),
    numberArray(rows.map(({ balanceAfterCents }) => balanceAfterCents)),
    numberArray(rows.map(({ createdAt }) => createdAt)),
    nullableNumberArray(rows.map(({ orderNumber }) => orderNumber)),
    nullableNumberArray(rows.map(({ actorId }) => actorId)),
    textArray(rows.map(({ memo }) => memo)),
    textArray(rows.map(({ idempotencyKey }) => idempotencyKey)),
    textArray(rows.map(({ fingerprint }) => fingerprint)),
  ]);
  send(updateAccounts, changes.accounts, (rows: readonly AccountState[]) => [
    numberArray(rows.map(({ id }) => id)),
    numberArray(rows.map(({ balanceCents }) => balanceCents)),
    numberArray(rows.map(({ orderCount }) => orderCount)),
    numberArray(rows.map(({ customerCount }) => customerCount)),
    numberArray(rows.map(({ entryCount }) => entryCount)),
  ]);
  if (changes.loginLinks.length > 0) sent.push(...writeLoginLinks(database, changes.loginLinks, now));
  // Last: every administrator's change takes the audit log's lock, and none may wait for an account behind it.
  sent.push(...auditEntries(changes).map((entry) => appendAudit(database, entry, now)));
  return sent;
}

/** The plan's five columns, as insertCustomers and updateCustomers both take them. */
function planColumns(rows: readonly CustomerState[]): unknown[] {
  return [
    numberArray(rows.map(({ plan }) => plan.packageId)),
    numberArray(rows.map(({ plan }) => plan.anchorAt)),
    numberArray(rows.map(({ plan }) => plan.monthsRun)),
    numberArray(rows.map(({ plan }) => plan.expiresAt)),
    textArray(
      rows.map(({ plan }) =>
        numberArray(
          plan.paidPeriods.flatMap(({ startsAt, endsAt, paidCents }) => [startsAt, endsAt, paidCents]),
        ),
      ),
    ),
  ];
}

function auditEntries(changes: OrderChanges): AuditEntry[] {
  const credits = changes.entries.flatMap(
    ({ accountId, actorId, kind, amountCents, balanceAfterCents, number, memo }) =>
      actorId === null
        ? []
        : [
            {
              actorId,
              action: `account.${kind}`,
              subject: `account ${accountId}`,
              before: { balance_cents: (balanceAfterCents - amountCents).toString() },
              after: { balance_cents: balanceAfterCents.toString(), entry: number, memo },
            },
          ],
  );
  const grants = changes.grants.map(({ actorId, customer }) => ({
    actorId,
    action: 'customer.grant_trial',
    subject: `customer ${customer.reference}`,
    before: null,
    after: {
      account_id: customer.accountId,
      package_id: customer.plan.packageId,
      expires_at: customer.plan.expiresAt,
    },
  }));
  return [...credits, ...grants];
}
