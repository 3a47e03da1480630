// A history through the pure heart of the service: bodies by order-request.ts, decisions by decideOrders,
// and between them a state keeper that stands for the database: it loads what order-batch.ts would load
// and writes what it would write, and refuses what a constraint would refuse. Compared answer by answer
// with the oracle, and the state at the end as well; once with every command in a batch of its own, and
// again with the commands cut into batches at random. Used by the unit test and by long-core.ts.

import fc from 'fast-check';
import type { AccountState } from '../../src/accounts/account-table.ts';
import { parseOrderRequest, parseRenewRequest } from '../../src/api/shapes/order-request.ts';
import type { Package } from '../../src/catalog/package-catalog.ts';
import { namedPrices, priceLine, priceTable, type SomePrices } from '../../src/catalog/price-lines.ts';
import { errorCatalogue, isRefusal, type Refusal } from '../../src/contract/error-catalogue.ts';
import { parseOwnNumber, publicId } from '../../src/contract/identifiers.ts';
import type { Group } from '../../src/contract/periods.ts';
import { daysLeft } from '../../src/contract/times.ts';
import type { LedgerEntry } from '../../src/ledger/ledger-entry.ts';
import { decideOrders } from '../../src/orders/decide-orders.ts';
import type { OrderCommand, OrderOutcome } from '../../src/orders/order-commands.ts';
import type { CustomerState, OrderChanges, OrderState } from '../../src/orders/order-state.ts';
import type { OrderRecord } from '../../src/orders/order-table.ts';
import type { PlanChange } from '../../src/plans/plan-change.ts';
import { isRunning } from '../../src/plans/plan-terms.ts';
import {
  countLabels,
  createRandom,
  type Distribution,
  formatHistory,
  groups,
  type History,
  historyArbitrary,
  isCommand,
  type Naming,
  packageMoulds,
  type Request,
  type Step,
  type Told,
  tellHistory,
  toText,
} from './histories.ts';
import type { LedgerEntry as OracleEntry } from './oracle.ts';
import type { RefusalCode, Refusal as RefusalOfOracle } from './oracle-request.ts';

/** Accounts and packages as they are called in the core: nothing is at its own index, on purpose. */
const coreNaming: Naming = {
  accountIds: groups.map((_group, account) => account + 11),
  packageIds: packageMoulds.map((_mould, slot) => slot + 21),
  customerSuffix: '',
};

/** The documents' status for each code (decisions "Which status for which code"; specification "Errors"). */
const documentedStatus: Readonly<Record<RefusalCode, number>> = {
  account_blocked: 403,
  api_disabled: 403,
  invalid_json: 400,
  invalid_idempotency_key: 422,
  invalid_package: 422,
  invalid_customer: 422,
  invalid_months: 422,
  idempotency_conflict: 409,
  package_unavailable: 422,
  order_not_found: 404,
  customer_not_found: 404,
  customer_not_yours: 409,
  invalid_max_charge: 422,
  order_failed: 422,
  price_changed: 409,
  insufficient_credit: 402,
};

export interface Divergence {
  readonly told: Told;
  /** What came instead of the oracle's answer, by step; the step count stands for the state at the end. */
  readonly problems: ReadonlyMap<number, string>;
}

export interface CoreRun {
  readonly told: Told;
  readonly divergence: Divergence | null;
  /** Decisions made by the core, over all runs of this history. */
  readonly decided: number;
}

/**
 * Tells the history and runs it through the core: one after another, then once for each way to cut it.
 * A cut says before each command whether a new batch begins.
 */
export function runHistory(history: History, randomCuts: number): CoreRun {
  const told = tellHistory(history, coreNaming);
  const single = runCore(told, () => true);
  const problems = new Map<number, string>();
  for (const [index, step] of told.steps.entries()) {
    const answer = single.answers[index] ?? null;
    const problem = answerProblem(step, answer);
    if (problem !== null) problems.set(index, `${problem}; the core answered ${toText(answer)}`);
  }
  const atTheEnd = stateProblem(told, single.keeper);
  if (atTheEnd !== null) problems.set(told.steps.length, atTheEnd);
  let { decided } = single;

  const cutSeed = history.world.reduce((sum, gene) => (sum * 31 + gene) | 0, history.operations.length);
  for (let cut = 0; problems.size === 0 && cut < 1 + randomCuts; cut += 1) {
    const random = createRandom(cutSeed, cut);
    // The first cut is none at all: everything between two moves of the world is one batch.
    const isCut = cut === 0 ? () => false : () => random() < 0.3;
    const split = runCore(told, isCut);
    decided += split.decided;
    for (const index of told.steps.keys()) {
      const [apart, together] = [single.answers[index] ?? null, split.answers[index] ?? null];
      if (sameAnswer(apart, together)) continue;
      problems.set(index, `alone: ${toText(apart)}; in a batch: ${toText(together)} (cut ${cut})`);
    }
    const [apart, together] = [single.keeper.fingerprint(), split.keeper.fingerprint()];
    if (problems.size === 0 && apart !== together) {
      problems.set(told.steps.length, `state after single orders:\n${apart}\nafter batches:\n${together}`);
    }
  }
  return { told, decided, divergence: problems.size === 0 ? null : { told, problems } };
}

// ----------------------------------------------------------------------------------------- searching

/** Operations of the longest histories; fast-check draws all lengths up to it. */
const operationsMax = 120;
const historiesPerSearch = 100;
const cutsPerHistory = 2;

export interface Search {
  readonly operations: number;
  readonly decided: number;
  /** The shrunk history on which the core and the oracle part, or on which one of them throws. */
  readonly failing: History | null;
}

/** A hundred histories of this seed. */
export function searchCore(seed: number, distribution: Distribution): Search {
  let operations = 0;
  let decided = 0;
  const agrees = fc.property(historyArbitrary(operationsMax), (history) => {
    const run = runHistory(history, cutsPerHistory);
    countLabels(run.told.steps, distribution);
    operations += run.told.steps.length;
    decided += run.decided;
    return run.divergence === null;
  });
  const result = fc.check(agrees, { seed, numRuns: historiesPerSearch });
  return { operations, decided, failing: result.counterexample?.[0] ?? null };
}

/** The smallest history fast-check finds on the way down from this one, which fails. */
export function shrinkHistory(history: History): History {
  const agrees = fc.property(
    historyArbitrary(history.operations.length),
    (one) => runHistory(one, cutsPerHistory).divergence === null,
  );
  const result = fc.check(agrees, { examples: [[history]], numRuns: 1, interruptAfterTimeLimit: 60_000 });
  return result.counterexample?.[0] ?? history;
}

export function describeFailure(history: History, seed: number): string {
  const head = `The core and the oracle part (again: MODEL_SEED=${seed}).`;
  try {
    const { told, divergence } = runHistory(history, cutsPerHistory);
    if (divergence === null) return `${head} But not when told again: something is not deterministic.`;
    const atTheEnd = divergence.problems.get(told.steps.length);
    return `${head}\n${formatHistory(told, divergence.problems)}${atTheEnd === undefined ? '' : `\nat the end: ${atTheEnd}`}`;
  } catch (error) {
    const told = tellHistory(history, coreNaming);
    const thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `${head}\n${formatHistory(told, new Map())}\nthrown: ${thrown}`;
  }
}

// -------------------------------------------------------------------------------------------- the run

type Answer = OrderOutcome | null;

interface RunResult {
  /** By step; null for what is no command. */
  readonly answers: readonly Answer[];
  readonly keeper: StateKeeper;
  readonly decided: number;
}

function runCore({ steps, naming }: Told, isCut: () => boolean): RunResult {
  const keeper = createStateKeeper(naming.accountIds);
  const shelf = createShelf(naming.packageIds);
  const answers = new Array<Answer>(steps.length).fill(null);
  let waiting: { index: number; command: OrderCommand }[] = [];
  let waitingSince = 0;
  let decided = 0;

  function flush(): void {
    if (waiting.length === 0) return;
    const commands = waiting.map(({ command }) => command);
    const { outcomes, changes } = decideOrders(
      keeper.load(commands, shelf.packages()),
      commands,
      waitingSince,
    );
    keeper.apply(changes);
    for (const [place, { index }] of waiting.entries()) answers[index] = outcomes[place] ?? null;
    decided += waiting.length;
    waiting = [];
  }

  for (const [index, { at, request, expected }] of steps.entries()) {
    if (!isCommand(request)) {
      flush();
      if (request.type === 'group') {
        const { account, group } = request;
        keeper.setGroup(naming.accountIds[account] ?? 0, group);
      } else if (request.type === 'prices') {
        shelf.setPrices(request.packageId, request.prices, at);
      } else if (request.type === 'retire') {
        shelf.retire(request.packageId);
      } else if (expected.type === 'schedule' && !('code' in expected.outcome)) {
        // What is refused is a question to the store: the service's model test asks it.
        if (request.type === 'schedule') shelf.schedule(request.packageId, request.from, request.prices);
        if (request.type === 'unschedule') shelf.schedule(request.packageId, request.from, {});
      }
      continue;
    }
    if (isCut()) flush();
    const command = commandOf(request, index, naming, (id) => keeper.accessVersion(id));
    if (isRefusal(command)) {
      answers[index] = { type: 'refused', refusal: command };
      continue;
    }
    waiting.push({ index, command });
    waitingSince = at;
  }
  flush();
  return { answers, keeper, decided };
}

/** What the routes make of a request; what they refuse is refused before any batch. */
function commandOf(
  request: Request,
  index: number,
  naming: Naming,
  accessVersion: (accountId: number) => number,
): OrderCommand | Refusal {
  switch (request.type) {
    case 'place': {
      const { account, body, headerKey, mintedBy } = request;
      const wanted = parseOrderRequest(body, mintedBy === null ? headerKey : mintedKey(mintedBy));
      if (isRefusal(wanted)) return wanted;
      const accountId = naming.accountIds[account] ?? 0;
      const { packageId, customerReference, customerName, months, maxChargeCents, returnLogin } = wanted;
      const loginLink = returnLogin ? { tokenHash: `link ${index}`, validSeconds: 900 } : null;
      return {
        type: 'place',
        accountId,
        accessVersion: accessVersion(accountId),
        ...keyed(wanted.idempotencyKey, index),
        packageId,
        customerReference,
        customerName,
        months,
        maxChargeCents,
        loginLink,
      };
    }
    case 'renew': {
      const { account, body, headerKey, mintedBy, order } = request;
      const wanted = parseRenewRequest(body ?? {}, mintedBy === null ? headerKey : mintedKey(mintedBy));
      if (isRefusal(wanted)) return wanted;
      const accountId = naming.accountIds[account] ?? 0;
      const owner = order.kind === 'foreign' ? order.account : account;
      const path =
        order.kind === 'text' ? order.text : String(publicId(naming.accountIds[owner] ?? 0, order.number));
      const orderNumber = parseOwnNumber(path, accountId) ?? 0;
      return {
        type: 'renew',
        accountId,
        accessVersion: accessVersion(accountId),
        ...keyed(wanted.idempotencyKey, index),
        orderNumber,
        months: wanted.months,
        maxChargeCents: wanted.maxChargeCents,
      };
    }
    case 'credit':
      return {
        type: 'credit',
        accountId: naming.accountIds[request.account] ?? 0,
        actorId: naming.accountIds.at(-1) ?? 0,
        amountCents: request.amountCents,
        memo: request.memo ?? null,
        ...keyed(request.key ?? null, index),
      };
    case 'trial':
      return {
        type: 'grant_trial',
        accountId: naming.accountIds[request.account] ?? 0,
        actorId: naming.accountIds.at(-1) ?? 0,
        packageId: request.packageId,
        customerReference: request.customer,
        customerName: null,
      };
    default:
      throw new Error(`${request.type} is no command`);
  }
}

function keyed(sentKey: string | null, index: number) {
  return sentKey === null
    ? { idempotencyKey: mintedKey(index), keyIsMinted: true }
    : { idempotencyKey: sentKey, keyIsMinted: false };
}

function mintedKey(index: number): string {
  return `auto_${index}`;
}

/** Stands for the tables of packages and prices: what package-catalog.ts would make of them. */
function createShelf(packageIds: readonly number[]) {
  const rows = new Map(
    packageMoulds.map(({ trial: isTrial, prices, ...rest }, slot) => {
      const limits = { accounts: 1, postsPerDay: 1, aiImagesPerMonth: 1 };
      const id = packageIds[slot] ?? 0;
      const base = new Map(namedPrices(prices).map((cell) => [cellOf(cell), { ...cell, changedAt: 0 }]));
      const scheduled = new Map<number, SomePrices>();
      return [id, { ...rest, id, isTrial, features: [], limits, createdAt: 0, base, scheduled }] as const;
    }),
  );
  const get = (id: number) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`no package ${id}`);
    return row;
  };
  return {
    packages(): ReadonlyMap<number, Package> {
      const all = [...rows.values()].map(({ base, scheduled, ...row }): Package => {
        const priceLines = priceTable((group, months) => {
          const steps = [...scheduled].flatMap(([from, prices]) => {
            const cents = prices[group]?.[months];
            return cents === undefined ? [] : [{ from, cents }];
          });
          const { priceCents = 0n, changedAt = 0 } = base.get(cellOf({ group, months })) ?? {};
          return priceLine(priceCents, changedAt, steps);
        });
        return { ...row, priceLines };
      });
      return new Map(all.map((one) => [one.id, one]));
    },
    setPrices(id: number, prices: SomePrices, at: number): void {
      for (const cell of namedPrices(prices)) get(id).base.set(cellOf(cell), { ...cell, changedAt: at });
    },
    /** None: what was scheduled for that second is deleted. */
    schedule(id: number, from: number, prices: SomePrices): void {
      get(id).scheduled.set(from, prices);
    },
    retire(id: number): void {
      rows.set(id, { ...get(id), retired: true });
    },
  };
}

function cellOf({ group, months }: { readonly group: Group; readonly months: number }): string {
  return `${group} ${months}`;
}

// -------------------------------------------------------------------------------------- the state keeper

type StateKeeper = ReturnType<typeof createStateKeeper>;

/** The database of the core's runs: rows in maps, with the constraints of the tables. */
function createStateKeeper(accountIds: readonly number[]) {
  const accounts = new Map<number, AccountState>(
    accountIds.map((id, account) => [
      id,
      {
        id,
        group: groups[account] === 'reseller' ? 'reseller' : 'distributor',
        accessVersion: 1,
        isHalted: false,
        balanceCents: 0n,
        orderCount: 0,
        customerCount: 0,
        entryCount: 0,
        planChangeCount: 0,
      },
    ]),
  );
  const customers = new Map<string, CustomerState>();
  const orders: OrderRecord[] = [];
  const ordersByKey = new Map<string, OrderRecord>();
  const ordersByNumber = new Map<string, OrderRecord>();
  const entries: LedgerEntry[] = [];
  const creditsByKey = new Map<string, LedgerEntry>();
  const liveLinks = new Map<string, string>();
  const planChanges: PlanChange[] = [];

  const getAccount = (id: number): AccountState => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id}`);
    return account;
  };

  /** What order-batch.ts loads for these commands: nothing that they do not ask about. */
  function load(commands: readonly OrderCommand[], packages: ReadonlyMap<number, Package>): OrderState {
    const loadedAccounts = new Map<number, AccountState>();
    const loadedCustomers = new Map<string, CustomerState>();
    const foreign = new Map<string, { reference: string; accountId: number }>();
    const loadedOrders: OrderRecord[] = [];
    const credits: LedgerEntry[] = [];
    for (const { accountId } of commands) loadedAccounts.set(accountId, getAccount(accountId));
    for (const command of commands) {
      if ('customerReference' in command) {
        const { customerReference: reference } = command;
        const found = customers.get(reference);
        if (found !== undefined && loadedAccounts.has(found.accountId)) loadedCustomers.set(reference, found);
        else if (found !== undefined) foreign.set(reference, { reference, accountId: found.accountId });
      }
      if (command.type === 'renew') {
        const renewed = ordersByNumber.get(`${command.accountId} ${command.orderNumber}`);
        const customer = renewed && customers.get(renewed.customerReference);
        // As rows are: a copy for each question, so nothing may hang on which object it is.
        if (renewed !== undefined) loadedOrders.push({ ...renewed });
        if (customer !== undefined) loadedCustomers.set(customer.reference, customer);
      }
      if (command.type === 'grant_trial' || command.type === 'set_status') continue;
      const key = `${command.accountId} ${command.idempotencyKey}`;
      if (command.type === 'credit') {
        const entry = creditsByKey.get(key);
        if (entry !== undefined) credits.push(entry);
      } else if (!command.keyIsMinted) {
        const order = ordersByKey.get(key);
        if (order !== undefined) loadedOrders.push({ ...order });
      }
    }
    return {
      accounts: [...loadedAccounts.values()],
      customers: [...loadedCustomers.values()],
      foreignReferences: [...foreign.values()],
      orders: loadedOrders,
      credits,
      planChanges: [],
      cancelRefund: 'unused',
      packages,
      currency: 'USD',
    };
  }

  /** Writes the rows; throws where the database would refuse one, or a check of `verify` would complain. */
  function apply(changes: OrderChanges): void {
    const balances = new Map<number, bigint>();
    for (const customer of changes.newCustomers) {
      if (customers.has(customer.reference)) throw new Error(`${customer.reference} is claimed twice`);
      customers.set(customer.reference, customer);
    }
    for (const customer of changes.changedCustomers) {
      const before = customers.get(customer.reference);
      if (before?.number !== customer.number || before.accountId !== customer.accountId)
        throw new Error(`${customer.reference} is changed but is not there`);
      if (changes.newCustomers.includes(customer))
        throw new Error(`${customer.reference} is new and changed`);
      customers.set(customer.reference, { ...before, plan: customer.plan });
    }
    for (const order of changes.orders) {
      const key = `${order.accountId} ${order.idempotencyKey}`;
      const number = `${order.accountId} ${order.number}`;
      if (ordersByKey.has(key)) throw new Error(`the key ${key} is bound twice`);
      if (ordersByNumber.has(number)) throw new Error(`order ${number} is there twice`);
      if (customers.get(order.customerReference)?.number !== order.customerNumber)
        throw new Error(`order ${number} is for another customer than it says`);
      ordersByKey.set(key, order);
      ordersByNumber.set(number, order);
      orders.push(order);
    }
    for (const entry of changes.entries) {
      const { accountId, amountCents, balanceAfterCents, idempotencyKey } = entry;
      const before = balances.get(accountId) ?? getAccount(accountId).balanceCents;
      if (before + amountCents !== balanceAfterCents || balanceAfterCents < 0n)
        throw new Error(`entry ${toText(entry)} does not follow a balance of ${before}`);
      balances.set(accountId, balanceAfterCents);
      if (idempotencyKey !== null) {
        const key = `${accountId} ${idempotencyKey}`;
        if (creditsByKey.has(key)) throw new Error(`the key ${key} of a credit is bound twice`);
        creditsByKey.set(key, entry);
      }
      entries.push(entry);
    }
    for (const account of changes.accounts) {
      const balance = balances.get(account.id) ?? getAccount(account.id).balanceCents;
      if (balance !== account.balanceCents)
        throw new Error(`account ${account.id} has ${account.balanceCents}, its entries say ${balance}`);
      balances.delete(account.id);
      accounts.set(account.id, account);
    }
    if (balances.size > 0) throw new Error('entries were written to an account that was not');
    for (const { order, tokenHash } of changes.loginLinks)
      liveLinks.set(`${order.accountId} ${order.number}`, tokenHash);
    for (const change of changes.planChanges) {
      const { accountId, number, customerNumber } = change;
      const earlier = planChanges.filter((one) => one.accountId === accountId).length;
      if (number !== earlier + 1) throw new Error(`plan change ${toText(change)} follows ${earlier} others`);
      const owner = [...customers.values()].find(
        (one) => one.accountId === accountId && one.number === customerNumber,
      );
      if (owner === undefined) throw new Error(`plan change ${toText(change)} is of nobody`);
      planChanges.push(change);
    }
  }

  return {
    load,
    apply,
    orders: (): readonly OrderRecord[] => orders,
    entries: (): readonly LedgerEntry[] => entries,
    customer: (reference: string): CustomerState | null => customers.get(reference) ?? null,
    customerCount: (): number => customers.size,
    account: getAccount,
    accessVersion: (id: number): number => getAccount(id).accessVersion,

    setGroup(id: number, group: Group): void {
      const account = getAccount(id);
      accounts.set(id, { ...account, group, accessVersion: account.accessVersion + 1 });
    },

    /** Everything that is kept, as one text to compare. Orders of one account keep their order. */
    fingerprint(): string {
      const byReference = [...customers.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1));
      const links = [...liveLinks].sort(([a], [b]) => (a < b ? -1 : 1));
      return toText([[...accounts.values()], byReference, orders, entries, links, planChanges]);
    },
  };
}

// ------------------------------------------------------------------------------------------ comparisons

/** What is wrong with the answer, in a few words; null when it is the oracle's. */
function answerProblem({ expected }: Step, answer: Answer): string | null {
  if (expected.type === 'done' || expected.type === 'schedule' || expected.type === 'packages')
    return answer === null ? null : 'answered what was no question';
  if (answer === null) return 'no answer';
  const { outcome } = expected;
  if ('code' in outcome) {
    if (answer.type !== 'refused') return `not refused with ${outcome.code}`;
    return refusalProblem(outcome, answer.refusal);
  }
  if (expected.type === 'trial') return answer.type === 'granted' ? null : 'not granted';
  if (expected.type === 'credit') {
    if (answer.type !== 'credited') return 'not credited';
    if (answer.replayed !== outcome.replayed) return `replayed is ${answer.replayed}`;
    const isSame =
      'balanceAfterCents' in outcome && answer.entry.balanceAfterCents === outcome.balanceAfterCents;
    return isSame ? null : 'another balance after';
  }
  if (answer.type !== 'ordered') return 'not ordered';
  if (answer.replayed !== outcome.replayed) return `replayed is ${answer.replayed}`;
  if (!('order' in outcome)) return 'the oracle has no order';
  const { order, balanceAfterCents } = outcome;
  return answer.order.balanceAfterCents === balanceAfterCents
    ? orderProblem(order, answer.order)
    : `the balance after is ${answer.order.balanceAfterCents}`;
}

type OracleOrder = Extract<
  Extract<Step['expected'], { type: 'order' }>['outcome'],
  { order: unknown }
>['order'];

function orderProblem(expected: OracleOrder, order: OrderRecord): string | null {
  if (order.number !== expected.number) return `its number is ${order.number}`;
  if (order.kind !== expected.kind) return `its kind is ${order.kind}`;
  if (order.packageId !== expected.packageId) return `its package is ${order.packageId}`;
  if (order.months !== expected.months) return `its months are ${order.months}`;
  if (order.customerReference !== expected.customerReference)
    return `its customer is ${order.customerReference}`;
  if (order.priceCents !== expected.priceCents) return `its price is ${order.priceCents}`;
  if (order.refundCents !== expected.refundCents) return `its refund is ${order.refundCents}`;
  if (order.expiresAt !== expected.expiresAt) return `it expires at ${order.expiresAt}`;
  if (order.createdAt !== expected.createdAt) return `it was created at ${order.createdAt}`;
  const isMinted = expected.idempotencyKey.startsWith('auto_');
  const sameKey = isMinted
    ? order.idempotencyKey.startsWith('auto_')
    : order.idempotencyKey === expected.idempotencyKey;
  return sameKey ? null : `its key is ${order.idempotencyKey}`;
}

/** The members that the oracle has, and the documented status. */
export function refusalProblem(
  expected: RefusalOfOracle,
  actual: { readonly code: string; readonly details: object; readonly status?: number },
): string | null {
  if (actual.code !== expected.code) return `${actual.code} instead of ${expected.code}`;
  const status = actual.status ?? errorCatalogue[expected.code].status;
  if (status !== documentedStatus[expected.code]) return `${actual.code} with status ${status}`;
  const details: Readonly<Record<string, unknown>> = { ...actual.details };
  for (const [name, value] of Object.entries(expected.details)) {
    if (details[name] !== value) return `details.${name} is ${toText(details[name])} instead of "${value}"`;
  }
  return null;
}

/** The same outcome, member by member; alone and in a batch must not differ in any. */
function sameAnswer(one: Answer, other: Answer): boolean {
  if (one === null || other === null || one.type !== other.type) return one === other;
  if (one.type === 'ordered' && other.type === 'ordered')
    return one.replayed === other.replayed && sameMembers(one.order, other.order);
  if (one.type === 'credited' && other.type === 'credited')
    return one.replayed === other.replayed && sameMembers(one.entry, other.entry);
  if (one.type === 'refused' && other.type === 'refused')
    return one.refusal.code === other.refusal.code && sameMembers(one.refusal.details, other.refusal.details);
  return sameMembers(one, other);
}

function sameMembers(one: object, other: object): boolean {
  const others: Readonly<Record<string, unknown>> = { ...other };
  const members = Object.entries(one);
  return (
    members.length === Object.keys(others).length && members.every(([name, value]) => others[name] === value)
  );
}

/** Balances, ledgers, orders and plans at the end; null when they are the oracle's. */
function stateProblem({ oracle, naming, owners, endedAt }: Told, keeper: StateKeeper): string | null {
  for (const accountId of naming.accountIds) {
    const { balanceCents } = keeper.account(accountId);
    const expected = oracle.balance(accountId).balanceCents;
    if (balanceCents !== expected)
      return `account ${accountId} ends with ${balanceCents} instead of ${expected}`;
    const entries = keeper.entries().filter((entry) => entry.accountId === accountId);
    const charges = entries.filter(({ kind }) => kind === 'charge').map(({ orderNumber }) => orderNumber);
    const orders = keeper.orders().filter((order) => order.accountId === accountId);
    if (toText(charges) !== toText(orders.map(({ number }) => number)))
      return `account ${accountId} was charged for ${toText(charges)}`;
    const ledger = toText(entries.filter(({ amountCents }) => amountCents !== 0n).map(productEntry));
    const wanted = toText(oracle.ledger(accountId).map(oracleEntry));
    if (ledger !== wanted) return `the ledger of account ${accountId} is\n${ledger}\ninstead of\n${wanted}`;
  }
  if (keeper.customerCount() !== owners.size) return `there are ${keeper.customerCount()} customers`;
  for (const [reference, account] of owners) {
    const accountId = naming.accountIds[account] ?? 0;
    const view = oracle.customer(accountId, reference, endedAt);
    const customer = keeper.customer(reference);
    if ('code' in view) return `the oracle has no customer ${reference}`;
    if (customer === null) return `there is no customer ${reference}`;
    const { name, createdAt, plan } = customer;
    const found = [
      customer.accountId,
      name,
      createdAt,
      plan.packageId,
      isRunning(plan, endedAt),
      plan.anchorAt,
      plan.expiresAt,
      daysLeft(plan.expiresAt, endedAt),
    ];
    const { packageId, active, startsAt, expiresAt, daysLeft: days } = view.plan;
    const wanted = [accountId, shownName(view), view.createdAt, packageId, active, startsAt, expiresAt, days];
    if (toText(found) !== toText(wanted))
      return `customer ${reference} is ${toText(found)} instead of ${toText(wanted)}`;
  }
  return null;
}

/** A customer that was ordered for without a name is called by its reference (A7). */
export function shownName({ name, reference }: { name: string; reference: string }): string {
  return name === '' ? reference : name;
}

/** An entry in the oracle's words: it has no debits, and no charges of nothing (A28, A30). */
function productEntry(entry: LedgerEntry) {
  const { kind, amountCents, balanceAfterCents, orderNumber, memo, actorId, createdAt } = entry;
  return [
    kind === 'debit' ? 'credit' : kind,
    amountCents,
    balanceAfterCents,
    orderNumber,
    memo ?? '',
    actorId,
    createdAt,
  ];
}

function oracleEntry(entry: OracleEntry) {
  const { kind, amountCents, balanceAfterCents, orderNumber, memo, actorId, createdAt } = entry;
  return [kind, amountCents, balanceAfterCents, orderNumber, memo, actorId, createdAt];
}
