// One batch: the orders of one lane that arrived together, decided and written in one transaction of two
// round trips. First lock the accounts and load what their orders ask about; then write everything and
// commit. Called by order-engine.ts; previews read and decide the same way. The only writer of customers,
// customer_references, orders, order_handoffs, plan_changes and ledger_entries, and of the balance and the counters of
// accounts. The calls to the product are written with them (records/product-call-rows.ts).
//
// The locks come in a statement of their own, before the loads: in READ COMMITTED all parts of one
// statement share a snapshot taken before it waits for a lock, and would read what the holder has since
// changed.

import { appendAudits } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import { bySharding } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { type Write, writeRows } from '../../platform/database/table.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { productModes } from '../../shared/product-states.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { writeEvents } from '../events/event-log.ts';
import {
  type AccountHashes,
  accountHashes,
  accountStates,
  movedAccounts,
  postdatedOrders,
} from '../identity/account-table.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { CustomerState } from './decisions/customer-state.ts';
import { type Decision, decideOrders } from './decisions/decide-orders.ts';
import { afterOrder } from './decisions/execute-order.ts';
import {
  bindsPlanKey,
  type GrantTrial,
  type MoveTestClock,
  type OrderCommand,
  type OrderOutcome,
  type RenewCustomer,
} from './decisions/order-commands.ts';
import type { OrderEventData } from './decisions/order-events.ts';
import type { TrialHad } from './decisions/order-state.ts';
import { productCall } from './decisions/product-calls.ts';
import {
  customerLives,
  customerPlaces,
  customerReferences,
  customers,
  customersWithoutLives,
  lifeOf,
  lifeRow,
  testCustomerReferences,
  wholeCustomers,
} from './records/customer-table.ts';
import { ledgerEntries } from './records/ledger-entry.ts';
import { writeLoginLinks } from './records/login-link-rows.ts';
import { newHandoffs, settledHandoffs } from './records/order-handoff.ts';
import {
  hashedOrders,
  orderColumns,
  orderJoins,
  orderPlaces,
  orderStatus,
  orders,
  parseOrder,
} from './records/order-table.ts';
import { hashedPlanChanges, planChanges } from './records/plan-change.ts';
import type { CancelRefund } from './records/plan-life.ts';
import {
  closeProductCalls,
  holdBackCalls,
  insertProductCalls,
  loadOrderCalls,
  type NewProductCall,
  supersedeEarlierCalls,
} from './records/product-call-rows.ts';
import {
  type DueSteps,
  dropTestMoves,
  loadDueSteps,
  loadTestMoves,
  parseDueSteps,
  putTestMoves,
  type TestMove,
  testMoves,
} from './records/test-move-table.ts';
import {
  addTestUsage,
  loadTestSpace,
  type TestBudget,
  type TestUsage,
  testRowBytes,
} from './records/test-usage.ts';
import { hashRows } from './row-hashes.ts';

/** The tables whose statistics the plans of a batch hang on. */
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
  readonly cancelRefund: CancelRefund;
  readonly testBudget: TestBudget;
  readonly orderEventData: OrderEventData;
  /** Hears what was decided before it is written: what a COMMIT without an answer may have made true. */
  readonly onDecided?: (outcomes: readonly OrderOutcome[]) => void;
}

export type PreviewDependencies = Pick<
  BatchDependencies,
  'database' | 'currency' | 'now' | 'packages' | 'testBudget'
>;

export interface BatchResult {
  /** In the order of the commands. */
  readonly outcomes: readonly OrderOutcome[];
  /** Accounts that the batch wrote events for. */
  readonly accountsWithEvents: ReadonlySet<number>;
  /** Calls of the product that were written. */
  readonly productCalls: number;
}

/** The database's packages are not those in memory: read them, then run the batch again. */
export class PackagesChanged extends Error {
  override readonly name = 'PackagesChanged';
}

/**
 * Runs the commands in one transaction. When it resolves, what it says is durable.
 * @throws DatabaseUnavailable whether the batch committed is then unknown
 * @throws StatementFailed, TransactionRolledBack, PackagesChanged nothing was written
 */
export function runBatch(
  {
    database,
    currency,
    cancelRefund,
    now,
    packages,
    testBudget,
    orderEventData,
    onDecided,
  }: BatchDependencies,
  commands: readonly OrderCommand[],
): Promise<BatchResult> {
  const isTest = isTestBatch(commands);
  return database.transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands, testBudget);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();

      const at = now();
      const decision = decideOrders(
        { ...loaded, packages: catalog.byId, currency, cancelRefund },
        commands,
        at,
      );
      onDecided?.(decision.outcomes);
      const { events } = decision.changes;
      const newEvents = events.map(({ accountId, number, at: createdAt, event }) => ({
        accountId,
        number,
        type: event.type,
        createdAt,
        data: JSON.stringify(orderEventData(event, { packages: catalog, currency, now: createdAt })),
      }));
      const calls = decision.changes.productCalls.map((call) =>
        productCall(call, { incarnation: loaded.incarnation, now: at }),
      );
      const wait = isTest ? writeTests(transaction, decision) : [];
      if (isTest) wait.push(addTestUsage(transaction, usageOf(decision, calls, newEvents)));
      const written = [
        ...wait,
        ...write(transaction, decision, calls, { hashes: loaded.hashes, isTest, now: at }),
        ...writeEvents(transaction, newEvents, at),
      ];
      const committed = transaction.commit();
      await Promise.all([...written, committed]);
      return {
        outcomes: decision.outcomes,
        accountsWithEvents: new Set(events.map(({ accountId }) => accountId)),
        productCalls: calls.length,
      };
    },
    // Those of tests go beside the orders of real accounts, not before them.
    { rank: isTest ? 'changes' : 'orders' },
  );
}

/** A batch is of real accounts or of tests, never of both. */
function isTestBatch(commands: readonly OrderCommand[]): boolean {
  const [first] = commands;
  const isTest = first !== undefined && isTestAccount(first.accountId);
  if (commands.some(({ accountId }) => isTestAccount(accountId) !== isTest)) {
    throw new Error('A batch mixes orders of real accounts with those of tests.');
  }
  return isTest;
}

/** `startsAt`: of the plan, after an order. */
export interface OrderPreview {
  readonly outcome: OrderOutcome;
  readonly startsAt: EpochSeconds;
  /** Before the order. */
  readonly balanceCents: bigint;
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
    testBudget,
    cancelRefund = 'none',
  }: PreviewDependencies & {
    /** Of a cancel; orders have nothing to do with it. */
    readonly cancelRefund?: CancelRefund;
  },
  command: OrderCommand,
): Promise<OrderPreview> {
  return database.ofAccount(command.accountId).transaction(
    async (transaction) => {
      const loaded = await load(transaction, [command], testBudget, toRead);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();
      const state = { ...loaded, packages: catalog.byId, currency, cancelRefund };
      const { outcomes, changes } = decideOrders(state, [command], now());
      const [outcome] = outcomes;
      if (outcome === undefined) throw new Error('A preview was answered without an outcome.');
      const [customer] = [...changes.newCustomers, ...changes.changedCustomers, ...loaded.customers];
      // A pending order leaves the plan as it is; nothing changes for an order that was placed before.
      const [order] = changes.orders;
      const isPending = order !== undefined && customer !== undefined && orderStatus(order) === 'pending';
      const plan = isPending ? afterOrder(customer, order).plan : customer?.plan;
      return { outcome, startsAt: plan?.anchorAt ?? 0, balanceCents: loaded.accounts[0]?.balanceCents ?? 0n };
    },
    { rank: 'lookups' },
  );
}

/** More than all of them together can cost. */
const enoughCents = 1_000_000_000_000_000n;

/**
 * The same of many renewals of different customers of one account, whatever its balance is: what each costs is asked, not
 * how far the balance reaches. In the order of the commands.
 */
export function previewRenewals(
  { database, currency, now, packages, testBudget }: PreviewDependencies,
  accountId: number,
  commands: readonly RenewCustomer[],
): Promise<readonly OrderOutcome[]> {
  return database.ofAccount(accountId).transaction(
    async (transaction) => {
      const loaded = await load(transaction, commands, testBudget, toRead);
      const catalog = packages();
      if (catalog.version !== loaded.packagesVersion) throw new PackagesChanged();
      const accounts = loaded.accounts.map((account) => ({ ...account, balanceCents: enoughCents }));
      const state = {
        ...loaded,
        accounts,
        packages: catalog.byId,
        currency,
        cancelRefund: 'none' as const,
      };
      return decideOrders(state, commands, now()).outcomes;
    },
    { rank: 'lookups' },
  );
}

// ---------------------------------------------------------------------------------------------- load

const accountsInOrder = `select ${accountStates.list('a')}, ${accountHashes.without('id').list('a')} from accounts a where a.id = any($1::int[]) order by a.id`;

const lockAccounts: SqlStatement = { name: 'lock_accounts', text: `${accountsInOrder} for no key update` };
const readAccounts: SqlStatement = { name: 'read_accounts', text: accountsInOrder };

const ofService = `s.packages_version, s.product_mode, s.product_test_url is not null as has_test_product, s.incarnation`;

export const loadPackagesVersion: SqlStatement = {
  name: 'load_packages_version',
  text: `select ${ofService} from service_state s`,
};

/** A customer's columns, beside those of what they are joined to: what parseCustomerState reads. */
export const customerColumns = wholeCustomers.list('c', 'c_');

/** What is the service's is in every row, or in one without a reference where none of them is known: one statement less. */
const customersOf = (
  references: string,
  claims = '',
) => `select ${ofService}, r.reference, r.account_id, ${customerColumns}
    from service_state s left join (
      unnest($1::text[]) wanted (reference)
      join ${references} r on r.reference = wanted.reference ${claims}
      left join customers c on c.account_id = r.account_id and c.number = r.customer_number
        and r.account_id = any($2::int[])) on true`;

const loadCustomers: SqlStatement = { name: 'load_customers', text: customersOf('customer_references') };
const loadTestCustomers: SqlStatement = {
  name: 'load_test_customers',
  // What a test claimed that was reset is free.
  text: customersOf('test_customer_references', 'join tests_in_use o on o.id = r.account_id'),
};

/** Where the claims are on other servers: first the account's own, then who holds what none of them is. */
const loadOwnCustomers: SqlStatement = {
  name: 'load_own_customers',
  text: `select ${customerColumns} from unnest($1::int[], $2::text[]) wanted (account_id, reference)
    join customers c on c.account_id = wanted.account_id and c.reference = wanted.reference`,
};
const holdersOf = (references: string, claims = '') =>
  `select r.reference, r.account_id from ${references} r ${claims} where r.reference = any($1::text[])`;
const loadHolders: SqlStatement = { name: 'load_holders', text: holdersOf('customer_references') };
/**
 * Before a batch that claims those that nobody holds. The update changes no row. Citus 13.2 takes a connection that has only read
 * a shard for one that only reads, also when the rows of an insert were copied over it: it commits it without having prepared
 * it, behind the order, and a server that crashes between the two loses the claim alone. An update it notices.
 */
const loadHoldersToClaim: SqlStatement = {
  name: 'load_holders_to_claim',
  text: `with announced as (
      update customer_references set customer_number = customer_number
      where reference = any($1::text[]) and account_id < 0 returning reference
    ) ${holdersOf('customer_references')}`,
};
const loadTestHolders: SqlStatement = {
  name: 'load_test_holders',
  text: holdersOf('test_customer_references', 'join tests_in_use o on o.id = r.account_id'),
};

/** The service's row, and the customers of the references; of a reference that another account holds, who holds it. */
interface Claimed {
  readonly service: Row;
  readonly customers: readonly Row[];
}

async function loadClaimed(
  database: Queryable,
  references: readonly string[],
  accountIds: string,
  isTest: boolean,
): Promise<Claimed> {
  const rows = await (references.length === 0
    ? database.query(loadPackagesVersion)
    : database.query(isTest ? loadTestCustomers : loadCustomers, [textArray(references), accountIds]));
  const [service = {}] = rows;
  return { service, customers: rows.filter(({ reference = null }) => reference !== null) };
}

async function loadClaimedApart(
  database: Queryable,
  wanted: readonly { readonly accountId: number; readonly reference: string }[],
  holders: SqlStatement,
): Promise<Claimed> {
  const [[service = {}], customers] = await Promise.all([
    database.query(loadPackagesVersion),
    loadClaims(database, wanted, holders),
  ]);
  return { service, customers };
}

async function loadClaims(
  database: Queryable,
  wanted: readonly { readonly accountId: number; readonly reference: string }[],
  holders: SqlStatement,
): Promise<readonly Row[]> {
  if (wanted.length === 0) return [];
  const own = await database.query(loadOwnCustomers, [
    numberArray(wanted.map(({ accountId }) => accountId)),
    textArray(wanted.map(({ reference }) => reference)),
  ]);
  const found = new Set(own.map((row) => `${row['c_account_id']} ${row['c_reference']}`));
  const unknown = wanted.filter(({ accountId, reference }) => !found.has(`${accountId} ${reference}`));
  if (unknown.length === 0) return own;
  const references = textArray([...new Set(unknown.map(({ reference }) => reference))]);
  const held = await database.query(holders, [references]);
  return [...own, ...held.map((row) => ({ ...row, c_number: null }))];
}

const loadCustomersByNumber: SqlStatement = {
  name: 'load_customers_by_number',
  text: `select ${customerColumns} from ${customerPlaces.sent('wanted')}
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`,
};

const orderKeys = orders.pick('accountId', 'idempotencyKey');

const loadOrdersByKey: SqlStatement = {
  name: 'load_orders_by_key',
  text: `select ${orderColumns} from ${orderKeys.sent('wanted')}
    join orders o on o.account_id = wanted.account_id and o.idempotency_key = wanted.idempotency_key
    ${orderJoins}`,
};

/** Those that are renewed or settled, and whose they are. */
const loadNamedOrders: SqlStatement = {
  name: 'load_named_orders',
  text: `select ${orderColumns}, ${customerColumns} from ${orderPlaces.sent('wanted')}
    join orders o on o.account_id = wanted.account_id and o.number = wanted.number
    ${orderJoins}`,
};

/** What the renewal of a customer goes by: the order that made their present plan. */
const lastOrdersOf = (wanted: string) => `select ${orderColumns} from ${wanted}
    join orders o on o.account_id = c.account_id and o.number = c.last_order
    left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number`;
const loadLastOrders: SqlStatement = {
  name: 'load_last_orders',
  text: lastOrdersOf(`${customerPlaces.sent('wanted')}
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`),
};
const ofReferences = 'unnest($1::int[], $2::text[]) wanted (account_id, reference)';
const lastOrdersByReference = (references: string) =>
  lastOrdersOf(`${ofReferences}
    join ${references} r on r.reference = wanted.reference and r.account_id = wanted.account_id
    join customers c on c.account_id = r.account_id and c.number = r.customer_number`);
const loadLastOrdersByReference: SqlStatement = {
  name: 'load_last_orders_by_reference',
  text: lastOrdersByReference('customer_references'),
};
const loadLastTestOrdersByReference: SqlStatement = {
  name: 'load_last_test_orders_by_reference',
  text: lastOrdersByReference('test_customer_references'),
};
/** Where the claims are on other servers. */
const loadLastOrdersApart: SqlStatement = {
  name: 'load_last_orders_apart',
  text: lastOrdersOf(`${ofReferences}
    join customers c on c.account_id = wanted.account_id and c.reference = wanted.reference`),
};

const creditKeys = ledgerEntries.pick('accountId', 'idempotencyKey');

const loadCreditsByKey: SqlStatement = {
  name: 'load_credits_by_key',
  text: `select ${ledgerEntries.list('e')} from ${creditKeys.sent('wanted')}
    join ledger_entries e on e.account_id = wanted.account_id and e.idempotency_key = wanted.idempotency_key`,
};

const changeKeys = planChanges.pick('accountId', 'idempotencyKey');

const loadChangesByKey: SqlStatement = {
  name: 'load_plan_changes_by_key',
  text: `select ${planChanges.list('p')} from ${changeKeys.sent('wanted')}
    join plan_changes p on p.account_id = wanted.account_id and p.idempotency_key = wanted.idempotency_key`,
};

/** Which of these customers have had these packages as free trials. */
const trialsOf = (
  customer: string,
  number: string,
) => `select distinct p.account_id, p.customer_number, p.package_id
    from unnest($1::int[], $2::text[], $3::int[]) wanted (account_id, reference, package_id)
    join ${customer} c on c.account_id = wanted.account_id and c.reference = wanted.reference
    join plan_changes p on p.account_id = c.account_id and p.customer_number = c.${number}
    where p.kind = 'trial' and p.package_id = wanted.package_id and not p.is_empty`;
const loadTrials: SqlStatement = {
  name: 'load_trials',
  text: trialsOf('customer_references', 'customer_number'),
};
/** Where the claims are on other servers; no test is given a trial. */
const loadTrialsApart: SqlStatement = { name: 'load_trials_apart', text: trialsOf('customers', 'number') };

const toWrite = { accounts: lockAccounts, holders: loadHoldersToClaim };
const toRead = { accounts: readAccounts, holders: loadHolders };

async function load(
  database: Queryable,
  commands: readonly OrderCommand[],
  testBudget: TestBudget,
  statements: { readonly accounts: SqlStatement; readonly holders: SqlStatement } = toWrite,
) {
  const ids = [...new Set(commands.map(({ accountId }) => accountId))].sort((a, b) => a - b);
  const accountIds = numberArray(ids);
  const references = new Set<string>();
  const ordered: { accountId: number; reference: string }[] = [];
  const numbered: { accountId: number; number: number }[] = [];
  const keyed: { accountId: number; idempotencyKey: string }[] = [];
  const named: { accountId: number; number: number }[] = [];
  const credits: { accountId: number; idempotencyKey: string }[] = [];
  const changes: { accountId: number; idempotencyKey: string }[] = [];
  const lastOf: { accountId: number; number: number }[] = [];
  const lastOfReferences: { accountId: number; reference: string }[] = [];
  const settled: { accountId: number; orderNumber: number }[] = [];
  const clocks: MoveTestClock[] = [];
  const trials: GrantTrial[] = [];
  for (const command of commands) {
    const { accountId } = command;
    if ('customerReference' in command) {
      references.add(command.customerReference);
      ordered.push({ accountId, reference: command.customerReference });
    }
    if ('customerNumber' in command) numbered.push({ accountId, number: command.customerNumber });
    if ('orderNumber' in command) named.push({ accountId, number: command.orderNumber });
    if (command.type === 'renew_customer') {
      if ('customerNumber' in command) lastOf.push({ accountId, number: command.customerNumber });
      else lastOfReferences.push({ accountId, reference: command.customerReference });
    }
    if (command.type === 'settle_order') settled.push(command);
    if (command.type === 'credit') credits.push(command);
    if (command.type === 'move_test_clock') clocks.push(command);
    if (command.type === 'grant_trial') trials.push(command);
    const isOfPlan = bindsPlanKey(command);
    if (!isOfPlan && !('accessVersion' in command)) continue;
    if (command.keyIsMinted && !command.mayStand) continue;
    (isOfPlan ? changes : keyed).push(command);
  }
  const isTest = isTestBatch(commands);
  const lastOrdersOfReferences = isTest ? loadLastTestOrdersByReference : loadLastOrdersByReference;
  const rowsFor = (
    asked: { readonly length: number },
    statement: SqlStatement,
    values: readonly unknown[],
  ) => (asked.length === 0 ? noRows : database.query(statement, values));

  // All of these leave in one round trip, behind BEGIN, and are carried out in this order.
  const [
    accounts,
    { service, customers },
    numberedRows,
    ordersByKey,
    namedRows,
    creditRows,
    changeRows,
    trialRows,
    lastRows,
    lastRowsByReference,
    orderCalls,
    dueSteps,
    testSpace,
  ] = await Promise.all([
    database.query(statements.accounts, [accountIds]),
    bySharding(database, {
      together: () => loadClaimed(database, [...references], accountIds, isTest),
      apart: () => loadClaimedApart(database, ordered, isTest ? loadTestHolders : statements.holders),
    }),
    rowsFor(numbered, loadCustomersByNumber, customerPlaces.values(numbered)),
    rowsFor(keyed, loadOrdersByKey, orderKeys.values(keyed)),
    rowsFor(named, loadNamedOrders, orderPlaces.values(named)),
    rowsFor(credits, loadCreditsByKey, creditKeys.values(credits)),
    rowsFor(changes, loadChangesByKey, changeKeys.values(changes)),
    rowsFor(trials, bySharding(database, { together: () => loadTrials, apart: () => loadTrialsApart }), [
      numberArray(trials.map((one) => one.accountId)),
      textArray(trials.map((one) => one.customerReference)),
      numberArray(trials.map((one) => one.packageId)),
    ]),
    rowsFor(lastOf, loadLastOrders, customerPlaces.values(lastOf)),
    rowsFor(
      lastOfReferences,
      bySharding(database, { together: () => lastOrdersOfReferences, apart: () => loadLastOrdersApart }),
      [
        numberArray(lastOfReferences.map((one) => one.accountId)),
        textArray(lastOfReferences.map((one) => one.reference)),
      ],
    ),
    loadOrderCalls(database, settled),
    clocks.length === 0 ? noDueSteps : loadClocks(database, clocks),
    isTest ? loadTestSpace(database, ids, testBudget) : null,
  ]);

  const isForeign = (row: Row) => row['c_number'] === null;
  const loadedCustomers = new Map<string, CustomerState>();
  for (const row of [...customers, ...numberedRows, ...namedRows, ...dueSteps.rows]) {
    if (isForeign(row)) continue;
    const customer = parseCustomerState(row);
    loadedCustomers.set(customer.reference, customer);
  }
  return {
    packagesVersion: Number(service['packages_version']),
    incarnation: nullable(String, service['incarnation']),
    productMode:
      isTest && service['has_test_product'] !== true
        ? ('none' as const)
        : oneOf(productModes, service['product_mode']),
    accounts: accounts.map((row) => accountStates.parse(row)),
    hashes: accounts.map((row) => accountHashes.parse(row)),
    customers: [...loadedCustomers.values()],
    foreignReferences: customers.filter(isForeign).map((row) => ({
      reference: String(row['reference']),
      accountId: Number(row['account_id']),
    })),
    orders: [...ordersByKey, ...namedRows, ...lastRows, ...lastRowsByReference].map(parseOrder),
    credits: creditRows.map((row) => ledgerEntries.parse(row)),
    planChanges: changeRows.map((row) => planChanges.parse(row)),
    trials: trialRows.map(parseTrial),
    orderCalls,
    dueSteps: dueSteps.ofAccounts,
    testSpace,
  };
}

interface LoadedClocks {
  readonly rows: readonly Row[];
  readonly ofAccounts: ReadonlyMap<number, DueSteps>;
}

async function loadClocks(database: Queryable, clocks: readonly MoveTestClock[]): Promise<LoadedClocks> {
  const loaded = await Promise.all(
    clocks.map(async ({ accountId, idempotencyKey, stepsMax }) => {
      // Sent together.
      const [moves, rows] = await Promise.all([
        database.query(loadTestMoves, [accountId, idempotencyKey]),
        database.query(loadDueSteps, [accountId, stepsMax]),
      ]);
      const parsed = moves.map((row) => testMoves.parse(row));
      return { accountId, rows, due: parseDueSteps(rows, parsed, stepsMax) };
    }),
  );
  const ofAccounts = new Map<number, DueSteps>();
  for (const { accountId, due } of loaded) {
    const earlier = ofAccounts.get(accountId);
    // Of one account in one batch all saw the same customers, and each its own moves.
    ofAccounts.set(
      accountId,
      earlier === undefined ? due : { ...due, moves: distinct([...earlier.moves, ...due.moves]) },
    );
  }
  return {
    rows: loaded.flatMap(({ rows }) => rows.filter((row) => row['c_number'] !== null)),
    ofAccounts,
  };
}

function distinct(moves: readonly TestMove[]): TestMove[] {
  return [...new Map(moves.map((move) => [move.idempotencyKey, move])).values()];
}

const noDueSteps: Promise<LoadedClocks> = Promise.resolve({ rows: [], ofAccounts: new Map() });

function parseTrial(row: Row): TrialHad {
  return {
    accountId: Number(row['account_id']),
    customerNumber: Number(row['customer_number']),
    packageId: Number(row['package_id']),
  };
}

/** From columns that begin with `c_`. */
export function parseCustomerState(row: Row): CustomerState {
  const parsed = wholeCustomers.parse(row, 'c_');
  const { accountId, number, reference, name, status, createdAt, externalRef } = parsed;
  const { packageId, anchorAt, monthsRun, expiresAt, paidPeriods, lastOrder } = parsed;
  const plan = { packageId, anchorAt, monthsRun, expiresAt, paidPeriods, lastOrder };
  const life = lifeOf(parsed);
  return { accountId, number, reference, name, status, createdAt, externalRef, plan, life };
}

const noRows: Promise<readonly Row[]> = Promise.resolve([]);

// --------------------------------------------------------------------------------------------- write

const insertReferences = customerReferences.insert('insert_customer_references');
const insertTestReferences = testCustomerReferences.insert('insert_test_customer_references');
const freeTestReferences: SqlStatement = {
  name: 'free_test_customer_references',
  text: `delete from test_customer_references r
    where r.reference = any($1::text[]) and not exists (select 1 from tests_in_use o where o.id = r.account_id)`,
};
const insertCustomers = customersWithoutLives.insert('insert_customers');
const insertOrders = hashedOrders.insert('insert_orders');
const insertEntries = ledgerEntries.insert('insert_ledger_entries');
const insertPlanChanges = hashedPlanChanges.insert('insert_plan_changes');
const insertHandoffs = newHandoffs.insert('insert_order_handoffs');
const settleHandoffs = settledHandoffs.update('settle_order_handoffs', ['accountId', 'orderNumber']);

// All that may change about a customer, and about an account.
const updateCustomers = customersWithoutLives
  .without('reference', 'name', 'createdAt')
  .update('update_customers', ['accountId', 'number']);
const updateWholeCustomers = customers
  .without('reference', 'name', 'createdAt')
  .update('update_whole_customers', ['accountId', 'number']);
const updateLives = customerLives.update('update_customer_lives', ['accountId', 'number']);
const updateAccounts = movedAccounts.update('update_account_balances', ['id']);

const updatePostdatedOrders = postdatedOrders.update('update_postdated_orders', ['id']);
const updateClocks = accountStates.pick('id', 'testClock').update('update_test_clocks', ['id']);

/** What tests alone have. */
function writeTests(database: Queryable, { changes }: Decision): Promise<unknown>[] {
  const { movedClocks, testMoves: moves } = changes;
  const sent: Promise<unknown>[] = [];
  if (movedClocks.length > 0) sent.push(writeRows(database, updateClocks, movedClocks));
  const kept = moves.filter(({ isForgotten }) => !isForgotten).map(({ move }) => move);
  const forgotten = moves.filter(({ isForgotten }) => isForgotten).map(({ move }) => move);
  if (kept.length > 0) sent.push(writeRows(database, putTestMoves, kept));
  if (forgotten.length > 0) sent.push(writeRows(database, dropTestMoves, forgotten));
  return sent;
}

/** What the batch of tests writes, account by account. A call's payload is made later: it counts as large as it can be. */
function usageOf(
  { changes }: Decision,
  calls: readonly NewProductCall[],
  newEvents: readonly { readonly accountId: number; readonly data: string }[],
): readonly (TestUsage & { readonly accountId: number })[] {
  const added = new Map<number, { rows: number; bytes: number }>();
  const add = (accountId: number, ...texts: readonly (string | null)[]) => {
    const sum = added.get(accountId) ?? { rows: 0, bytes: 0 };
    added.set(accountId, sum);
    sum.rows += 1;
    sum.bytes += testRowBytes + texts.reduce((total, each) => total + Buffer.byteLength(each ?? ''), 0);
  };
  const { newCustomers, orders: placed, entries, planChanges: changed, loginLinks } = changes;
  for (const { accountId, reference, name } of newCustomers) add(accountId, reference, reference, name, name);
  for (const { accountId } of placed) add(accountId);
  for (const { accountId, memo } of entries) add(accountId, memo);
  for (const { accountId, reason } of changed) add(accountId, reason);
  for (const { order } of loginLinks) add(order.accountId);
  for (const { accountId, data } of newEvents) add(accountId, data);
  for (const { accountId } of calls) add(accountId, largestPayload);
  for (const { move, isForgotten } of changes.testMoves) if (!isForgotten) add(move.accountId);
  return [...added].map(([accountId, sum]) => ({ accountId, ...sum }));
}

const largestPayload = ' '.repeat(1_024);

/** Sends every write of the decision; the caller sends COMMIT behind them before awaiting any. */
function write(
  database: Queryable,
  { changes }: Decision,
  calls: readonly NewProductCall[],
  {
    hashes,
    isTest,
    now,
  }: { readonly hashes: readonly AccountHashes[]; readonly isTest: boolean; readonly now: EpochSeconds },
): Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = <Item>({ statement, values }: Write<Item>, rows: readonly Item[]) => {
    if (rows.length > 0) sent.push(database.query(statement, values(rows)));
  };

  // Two accounts may claim one new customer at the same moment from different lanes or processes. In
  // sorted order the later claim waits without a deadlock, fails, and its batch is decided afresh.
  const claims = changes.newCustomers.toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
  if (isTest && claims.length > 0) {
    sent.push(database.query(freeTestReferences, [textArray(claims.map(({ reference }) => reference))]));
  }
  send(isTest ? insertTestReferences : insertReferences, claims);
  send(insertCustomers, changes.newCustomers.map(customerRow));
  // A clock that moves changes both of thousands: each row is written once.
  const whole = isTest ? inBoth(changes.changedCustomers, changes.changedLives) : none;
  const isPart = (customer: CustomerState) => !whole.has(customer);
  send(updateWholeCustomers, [...whole].map(wholeRow));
  send(updateCustomers, changes.changedCustomers.filter(isPart).map(customerRow));
  send(updateLives, changes.changedLives.filter(isPart).map(lifeRowOf));
  const hashed = hashRows(hashes, changes);
  send(insertOrders, hashed.orders);
  send(insertEntries, changes.entries);
  send(insertPlanChanges, hashed.planChanges);
  send(insertHandoffs, changes.newHandoffs);
  send(settleHandoffs, changes.settledHandoffs);
  send(insertProductCalls, calls);
  send(holdBackCalls, changes.heldBackCalls);
  send(closeProductCalls, changes.settledHandoffs);
  send(supersedeEarlierCalls, changes.settledHandoffs);
  send(
    updateAccounts,
    changes.accounts.flatMap((account) => {
      const moved = hashed.accounts.get(account.id);
      return moved === undefined ? [] : [{ ...account, ...moved }];
    }),
  );
  send(updatePostdatedOrders, changes.postdatedOrders);
  if (changes.loginLinks.length > 0) {
    sent.push(writeLoginLinks(database, changes.loginLinks, now));
  }
  // Last: every administrator's change takes the audit log's lock, and none may wait for an account behind it.
  // What is done in tests is nobody's but their account's.
  if (changes.audits.length > 0 && !isTest) sent.push(appendAudits(database, changes.audits, now));
  return sent;
}

function customerRow({ plan, life: _life, ...customer }: CustomerState) {
  return { ...customer, ...plan };
}

const none: ReadonlySet<CustomerState> = new Set();

function inBoth(
  some: readonly CustomerState[],
  others: readonly CustomerState[],
): ReadonlySet<CustomerState> {
  const wanted = new Set(others);
  return new Set(some.filter((customer) => wanted.has(customer)));
}

function wholeRow(customer: CustomerState) {
  return { ...customerRow(customer), ...lifeRow(customer.life) };
}

function lifeRowOf({ accountId, number, life }: CustomerState) {
  return { accountId, number, ...lifeRow(life) };
}
