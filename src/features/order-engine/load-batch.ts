// Loads the data of a batch or preview in one round trip: the accounts, locked or not, and what their commands need.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable, oneOf } from '../../platform/database/row-values.ts';
import { bySharding } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { periods } from '../../shared/periods.ts';
import { productModes } from '../../shared/product-states.ts';
import { type AccountState, accountHashes, accountStates } from '../identity/account-table.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { noHeldSteps } from '../packages/price-lines.ts';
import type { CustomerState } from './decisions/customer-state.ts';
import {
  bindsPlanKey,
  type CreditAccount,
  type GrantTrial,
  isPaymentCommand,
  type MoveTestClock,
  type OrderCommand,
  type PaymentCommand,
} from './decisions/order-commands.ts';
import { type PaidOrder, paidKey, type TrialHad } from './decisions/order-state.ts';
import { loadPayments } from './payment-rows.ts';
import { customerPlaces, lifeOf, wholeCustomers } from './records/customer-table.ts';
import { ledgerEntries } from './records/ledger-entry.ts';
import { joinedHandoff } from './records/order-handoff.ts';
import {
  type OrderRecord,
  orderColumns,
  orderJoins,
  orderPlaces,
  orders,
  parseOrder,
} from './records/order-table.ts';
import { planChanges } from './records/plan-change.ts';
import { loadOrderCalls } from './records/product-call-rows.ts';
import {
  type DueSteps,
  loadDueSteps,
  loadTestMoves,
  parseDueSteps,
  type TestMove,
  testMoves,
} from './records/test-move-table.ts';
import { loadTestSpace, type TestBudget } from './records/test-usage.ts';

const accountsInOrder = `select ${accountStates.list('a')}, ${accountHashes.without('id').list('a')} from accounts a where a.id = any($1::int[]) order by a.id`;

const lockAccounts: SqlStatement = { name: 'lock_accounts', text: `${accountsInOrder} for no key update` };
const readAccounts: SqlStatement = { name: 'read_accounts', text: accountsInOrder };

const ofService = `s.packages_version, s.product_mode, s.product_test_url is not null as has_test_product, s.incarnation`;

export const loadPackagesVersion: SqlStatement = {
  name: 'load_packages_version',
  text: `select ${ofService} from service_state s`,
};

export const customerColumns = wholeCustomers.list('c', 'c_');

/** Returns service_state with each row, or in a row of its own if no reference is found. This saves a query. */
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
  // References that a reset test claimed are free.
  text: customersOf('test_customer_references', 'join tests_in_use o on o.id = r.account_id'),
};

const loadCustomersByNumber: SqlStatement = {
  name: 'load_customers_by_number',
  text: `select ${customerColumns} from ${customerPlaces.sent('wanted')}
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number`,
};

/** On several servers, loads the account's own customers first and then the holders of the other references. */
const loadOwnCustomers: SqlStatement = {
  name: 'load_own_customers',
  text: `select ${customerColumns} from unnest($1::int[], $2::text[]) wanted (account_id, reference)
    join customers c on c.account_id = wanted.account_id and c.reference = wanted.reference`,
};
const holdersOf = (references: string, claims = '') =>
  `select r.reference, r.account_id, r.customer_number from ${references} r ${claims} where r.reference = any($1::text[])`;
const loadHolders: SqlStatement = { name: 'load_holders', text: holdersOf('customer_references') };
/**
 * Run before claiming references. The update changes no row but marks the connection as writing. Without it, Citus 13.2
 * overlooks rows copied by an insert and commits that shard unprepared, after the order, so a crash in between would lose
 * only the claim.
 */
export const loadHoldersToClaim: SqlStatement = {
  name: 'load_holders_to_claim',
  text: `with announced as (
      update customer_references set customer_number = customer_number
      where reference = any($1::text[]) and account_id < 0 returning reference
    ) ${holdersOf('customer_references')}`,
};
export const loadTestHolders: SqlStatement = {
  name: 'load_test_holders',
  text: holdersOf('test_customer_references', 'join tests_in_use o on o.id = r.account_id'),
};

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
  const accountIds = new Set(wanted.map(({ accountId }) => accountId));
  const former = held.filter((row) => accountIds.has(Number(row['account_id'])));
  const foreign = held.filter((row) => !former.includes(row)).map((row) => ({ ...row, c_number: null }));
  if (former.length === 0) return [...own, ...foreign];
  // The account has the reference, but none of its customers has it now: it is a former one.
  const places = former.map((row) => ({
    accountId: Number(row['account_id']),
    number: Number(row['customer_number']),
  }));
  const named = new Map(
    former.map((row) => [`${row['account_id']} ${row['customer_number']}`, row['reference']]),
  );
  const renamed = await database.query(loadCustomersByNumber, customerPlaces.values(places));
  return [
    ...own,
    ...foreign,
    ...renamed.map((row) => ({ ...row, reference: named.get(`${row['c_account_id']} ${row['c_number']}`) })),
  ];
}

const orderKeys = orders.pick('accountId', 'idempotencyKey');

const loadOrdersByKey: SqlStatement = {
  name: 'load_orders_by_key',
  text: `select ${orderColumns} from ${orderKeys.sent('wanted')}
    join orders o on o.account_id = wanted.account_id and o.idempotency_key = wanted.idempotency_key
    ${orderJoins}`,
};

const loadNamedOrders: SqlStatement = {
  name: 'load_named_orders',
  text: `select ${orderColumns}, ${customerColumns} from ${orderPlaces.sent('wanted')}
    join orders o on o.account_id = wanted.account_id and o.number = wanted.number
    ${orderJoins}`,
};

/** Loads the order that made the current plan, because renewing a customer repeats it. */
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
const loadLastOrdersApart: SqlStatement = {
  name: 'load_last_orders_apart',
  text: lastOrdersOf(`${ofReferences}
    left join former_references f on f.account_id = wanted.account_id and f.reference = wanted.reference
    join customers c on c.account_id = wanted.account_id
      and (c.reference = wanted.reference or c.number = f.customer_number)`),
};

const creditKeys = ledgerEntries.pick('accountId', 'idempotencyKey');

/** The settlements right after a credit are its own. */
const settledBy = (credit: string) => `(select coalesce(-sum(s.amount_cents), 0)::bigint from ledger_entries s
      where s.account_id = ${credit}.account_id and s.number > ${credit}.number and s.kind = 'settlement'
        and s.number < coalesce((select n.number from ledger_entries n where n.account_id = ${credit}.account_id
          and n.number > ${credit}.number and n.kind <> 'settlement' order by n.number limit 1), 2147483647))`;

const loadCreditsByKey: SqlStatement = {
  name: 'load_credits_by_key',
  text: `select ${ledgerEntries.list('e')}, ${settledBy('e')} as settled_cents from ${creditKeys.sent('wanted')}
    join ledger_entries e on e.account_id = wanted.account_id and e.idempotency_key = wanted.idempotency_key`,
};

const changeKeys = planChanges.pick('accountId', 'idempotencyKey');

const loadChangesByKey: SqlStatement = {
  name: 'load_plan_changes_by_key',
  text: `select ${planChanges.list('p')} from ${changeKeys.sent('wanted')}
    join plan_changes p on p.account_id = wanted.account_id and p.idempotency_key = wanted.idempotency_key`,
};

const trialsOf = (customer: string) => `select distinct p.account_id, p.customer_number, p.package_id
    from unnest($1::int[], $2::text[], $3::int[]) wanted (account_id, reference, package_id)
    ${customer}
    join plan_changes p on p.account_id = wanted.account_id and p.customer_number = c.number
    where p.kind = 'trial' and p.package_id = wanted.package_id and not p.is_empty`;
const loadTrials: SqlStatement = {
  name: 'load_trials',
  text: trialsOf(`join (select account_id, reference, customer_number as number from customer_references) c
      on c.account_id = wanted.account_id and c.reference = wanted.reference`),
};
/** Used on several servers. Test accounts need no statement of their own, because they get no trials. */
const loadTrialsApart: SqlStatement = {
  name: 'load_trials_apart',
  text: trialsOf(`left join former_references f on f.account_id = wanted.account_id and f.reference = wanted.reference
    join customers c on c.account_id = wanted.account_id
      and (c.reference = wanted.reference or c.number = f.customer_number)`),
};

const toWrite = { accounts: lockAccounts, holders: loadHoldersToClaim };
export const toRead = { accounts: readAccounts, holders: loadHolders };

/**
 * Loads all that `decideOrders` needs, except the currency and the refunds.
 * @throws PackagesChanged
 */
export async function load(
  database: Queryable,
  commands: readonly OrderCommand[],
  { packages, testBudget }: { readonly packages: () => PackageCatalog; readonly testBudget: TestBudget },
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
  const moved: (CreditAccount | PaymentCommand)[] = [];
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
    if (command.type === 'credit' || isPaymentCommand(command)) moved.push(command);
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

  // The next queries follow BEGIN in one round trip and run in this order.
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
    payments,
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
    moved.length === 0 ? undefined : loadPayments(database, moved),
    clocks.length === 0 ? noDueSteps : loadClocks(database, clocks),
    isTest ? loadTestSpace(database, ids, testBudget) : null,
  ]);

  const catalog = packages();
  if (catalog.version !== Number(service['packages_version'])) throw new PackagesChanged();

  const isForeign = (row: Row) => row['c_number'] === null;
  const loadedCustomers = new Map<string, CustomerState>();
  for (const row of [...customers, ...numberedRows, ...namedRows, ...dueSteps.rows]) {
    if (isForeign(row)) continue;
    const customer = parseCustomerState(row);
    loadedCustomers.set(customer.reference, customer);
  }
  const formerReferences = new Map<string, string>();
  for (const { reference = null, c_reference: current = null } of customers)
    if (reference !== null && current !== null && reference !== current)
      formerReferences.set(String(reference), String(current));
  const states = accounts.map((row) => accountStates.parse(row));
  const loadedOrders = [...ordersByKey, ...namedRows, ...lastRows, ...lastRowsByReference].map(parseOrder);
  return {
    catalog,
    packages: catalog.byId,
    accountPrices: catalog.accountPrices,
    paidOrders: await loadPaidOrders(database, catalog, {
      accounts: states,
      customers: [...loadedCustomers.values()],
      orders: loadedOrders,
    }),
    incarnation: nullable(String, service['incarnation']),
    productMode:
      isTest && service['has_test_product'] !== true
        ? ('none' as const)
        : oneOf(productModes, service['product_mode']),
    accounts: states,
    hashes: accounts.map((row) => accountHashes.parse(row)),
    customers: [...loadedCustomers.values()],
    formerReferences,
    foreignReferences: customers.filter(isForeign).map((row) => ({
      reference: String(row['reference']),
      accountId: Number(row['account_id']),
    })),
    orders: loadedOrders,
    credits: creditRows.map((row) => ({
      entry: ledgerEntries.parse(row),
      settledCents: bigint(row['settled_cents']),
    })),
    planChanges: changeRows.map((row) => planChanges.parse(row)),
    trials: trialRows.map(parseTrial),
    orderCalls,
    ...(payments === undefined ? {} : { payments }),
    dueSteps: dueSteps.ofAccounts,
    testSpace,
  };
}

const paidOrders = orders.pick(
  'accountId',
  'customerNumber',
  'number',
  'months',
  'priceCents',
  'createdAt',
  'expiresAt',
);

const selectPaidOrders: SqlStatement = {
  name: 'load_paid_orders',
  text: `select ${paidOrders.list('o')}, ${joinedHandoff.columns} from ${customerPlaces.sent('wanted')}
    join customers c on c.account_id = wanted.account_id and c.number = wanted.number
    join orders o on o.account_id = c.account_id and o.customer_number = c.number and o.created_at >= c.anchor_at
    left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number
    order by o.number desc`,
};

/** Needs a second round trip only if a plan began before a price change that running plans do not follow. */
async function loadPaidOrders(
  database: Queryable,
  { byId }: PackageCatalog,
  {
    accounts,
    customers,
    orders: named,
  }: {
    readonly accounts: readonly AccountState[];
    readonly customers: readonly CustomerState[];
    readonly orders: readonly OrderRecord[];
  },
): Promise<ReadonlyMap<string, readonly PaidOrder[]>> {
  const groups = new Map(accounts.map(({ id, group }) => [id, group]));
  // An order that this batch settles can move the plan to another package before the next command renews it.
  const pending = Map.groupBy(
    named.filter(({ handoff }) => handoff === 'pending'),
    paidKey,
  );
  const mayBeHeld = ({ accountId, number: customerNumber, plan }: CustomerState) => {
    const group = groups.get(accountId);
    if (group === undefined) return false;
    const ordered = pending.get(paidKey({ accountId, customerNumber })) ?? [];
    return [plan, ...ordered].some(({ packageId }) => {
      const heldSteps = byId.get(packageId)?.heldSteps;
      if (heldSteps === undefined || heldSteps === noHeldSteps) return false;
      return periods.some(({ months }) => heldSteps[group][months].some(({ from }) => from > plan.anchorAt));
    });
  };
  const held = customers.filter(mayBeHeld);
  if (held.length === 0) return noPaidOrders;
  const rows = await database.query(selectPaidOrders, customerPlaces.values(held));
  const paid = rows.map((row) => ({ ...paidOrders.parse(row), ...joinedHandoff.parse(row) }));
  return Map.groupBy(paid, paidKey);
}

const noPaidOrders: ReadonlyMap<string, readonly PaidOrder[]> = new Map();

interface LoadedClocks {
  readonly rows: readonly Row[];
  readonly ofAccounts: ReadonlyMap<number, DueSteps>;
}

async function loadClocks(database: Queryable, clocks: readonly MoveTestClock[]): Promise<LoadedClocks> {
  const loaded = await Promise.all(
    clocks.map(async ({ accountId, idempotencyKey, stepsMax }) => {
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
    // All commands of one account loaded the same customers, but each loaded its own moves.
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

export function parseCustomerState(row: Row): CustomerState {
  const parsed = wholeCustomers.parse(row, 'c_');
  const { accountId, number, reference, name, status, createdAt, externalRef } = parsed;
  const { packageId, anchorAt, monthsRun, expiresAt, paidPeriods, lastOrder } = parsed;
  const plan = { packageId, anchorAt, monthsRun, expiresAt, paidPeriods, lastOrder };
  const life = lifeOf(parsed);
  return { accountId, number, reference, name, status, createdAt, externalRef, plan, life };
}

const noRows: Promise<readonly Row[]> = Promise.resolve([]);

/** The packages in memory are outdated. Reload them and run the batch again. */
export class PackagesChanged extends Error {
  override readonly name = 'PackagesChanged';
}

/** A batch contains commands of real accounts or of tests, never of both. */
export function isTestBatch(commands: readonly OrderCommand[]): boolean {
  const [first] = commands;
  const isTest = first !== undefined && isTestAccount(first.accountId);
  if (commands.some(({ accountId }) => isTestAccount(accountId) !== isTest)) {
    throw new Error('A batch mixes orders of real accounts with those of tests.');
  }
  return isTest;
}
