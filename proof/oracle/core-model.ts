// Runs a history through the service's pure core, with a state keeper in place of the database, and compares everything with
// the oracle: once with each command in its own batch, and again with random batches.

import fc from 'fast-check';
import { customerView } from '../../src/features/customers/customer-view.ts';
import type { CustomerState } from '../../src/features/order-engine/decisions/customer-state.ts';
import { decideOrders } from '../../src/features/order-engine/decisions/decide-orders.ts';
import type {
  OrderCommand,
  OrderOutcome,
  RenewAutomatically,
  SettleOrder,
} from '../../src/features/order-engine/decisions/order-commands.ts';
import { type Customer, lifeRow } from '../../src/features/order-engine/records/customer-table.ts';
import type { LedgerEntry } from '../../src/features/order-engine/records/ledger-entry.ts';
import {
  automaticFingerprint,
  type OrderRecord,
  orderStatus,
} from '../../src/features/order-engine/records/order-table.ts';
import type { PlanChange, PlanChangeKind } from '../../src/features/order-engine/records/plan-change.ts';
import { parseOrderRequest, parseRenewRequest } from '../../src/features/orders/parse-order-request.ts';
import type { Package, PackageCatalog } from '../../src/features/packages/package-catalog.ts';
import {
  namedPrices,
  noHeldSteps,
  priceAt,
  priceLine,
  priceTable,
  type SomePrices,
} from '../../src/features/packages/price-lines.ts';
import {
  type AccountPriceList,
  type AccountPrices,
  type PriceRule,
  priceFor,
} from '../../src/features/packages/price-rules.ts';
import { parseAutoRenew, parseCancelAt } from '../../src/features/plans/parse-plan-request.ts';
import { errorCatalog, isRefusal, type Refusal, refusal } from '../../src/shared/error-catalog.ts';
import { parseIdempotencyKey } from '../../src/shared/idempotency-keys.ts';
import { parseOwnNumber, publicId } from '../../src/shared/identifiers.ts';
import { isJsonObject } from '../../src/shared/json.ts';
import { parseReason } from '../../src/shared/parse-reason.ts';
import { type Group, type Period, periodNames, periods } from '../../src/shared/periods.ts';
import { creditProblem, keptPaymentsProblem, paymentCommandOf, paymentProblem } from './core-payments.ts';
import { eventProblem } from './emitted-events.ts';
import {
  entryBalanceOf,
  groups,
  isCommand,
  isPlanStep,
  type Naming,
  type OwnPath,
  type PlanStep,
  type PlayedHistory,
  packageTemplates,
  playHistory,
  type Request,
  type SettleStep,
  type Step,
} from './histories.ts';
import { createRandom, type History, historyArbitrary } from './history-genes.ts';
import { countLabels, type Distribution, formatHistory, toText } from './history-report.ts';
import type {
  CustomerView,
  Oracle,
  LedgerEntry as OracleEntry,
  Order as OracleOrder,
  OrderOutcome as OrderOutcomeOfOracle,
} from './oracle.ts';
import type { SettleOutcome } from './oracle-handoff.ts';
import type { HistoryItem, RenewalAttempt } from './oracle-life.ts';
import type { PaymentRefusal } from './oracle-payments.ts';
import type { PriceList as OraclePriceList, PriceRule as OraclePriceRule } from './oracle-prices.ts';
import type { Refusal as RefusalOfOracle } from './oracle-request.ts';
import { shownCustomer, sorted } from './shown-plans.ts';
import { createStateKeeper, type StateKeeper } from './state-keeper.ts';

/** Deliberately different from the indexes, so that a mix-up is noticed. */
const coreNaming = {
  accountIds: groups.map((_group, account) => account + 11),
  packageIds: packageTemplates.map((_template, slot) => slot + 21),
  customerSuffix: '',
  hasAccountPrices: true,
  hasPayments: true,
  hasWriteOffKeys: true,
  hasReferences: false,
} satisfies Partial<Naming>;

/** One operator in eight gives no refund for cancels. */
function replay(history: History): PlayedHistory {
  const drawn = history.world.reduce((sum, gene) => sum + gene, 0);
  return playHistory(history, { ...coreNaming, cancelRefund: drawn % 8 === 7 ? 'none' : 'unused' });
}

const documentedStatus: Readonly<Record<PaymentRefusal['code'], number>> = {
  account_blocked: 403,
  account_closed: 409,
  api_disabled: 403,
  invalid_json: 400,
  invalid_idempotency_key: 422,
  invalid_package: 422,
  invalid_customer: 422,
  invalid_months: 422,
  idempotency_conflict: 409,
  trial_already_granted: 409,
  package_unavailable: 422,
  order_not_found: 404,
  customer_not_found: 404,
  customer_not_yours: 409,
  customer_erased: 409,
  reference_taken: 409,
  invalid_max_charge: 422,
  validation_failed: 422,
  order_failed: 422,
  order_already_settled: 409,
  topup_not_found: 404,
  reversal_not_found: 404,
  refund_too_large: 422,
  price_changed: 409,
  insufficient_credit: 402,
};

export interface Divergence {
  readonly played: PlayedHistory;
  /** Wrong answers by step. The last step's number plus one stands for the final state. */
  readonly problems: ReadonlyMap<number, string>;
}

export interface CoreRun {
  readonly played: PlayedHistory;
  readonly divergence: Divergence | null;
  readonly decided: number;
}

/** Runs it sequentially, then once per cut, which says before each command whether a new batch begins. */
export function runHistory(history: History, randomCuts: number): CoreRun {
  const played = replay(history);
  const single = runCore(played, () => true);
  const problems = new Map(single.problems);
  const packages = packagesOf(played.naming);
  for (const [index, step] of played.steps.entries()) {
    const answer = single.answers[index] ?? [];
    const problem = answerProblem(step, answer, packages);
    if (problem !== null) problems.set(index, `${problem}; the core answered ${toText(answer)}`);
  }
  for (const [index, problem] of eventProblems(played, single.keeper))
    if (!problems.has(index)) problems.set(index, problem);
  const atTheEnd = stateProblem(played, single.keeper);
  if (atTheEnd !== null) problems.set(played.steps.length, atTheEnd);
  let { decided } = single;
  const apart = single.keeper.fingerprint();

  const cutSeed = history.world.reduce((sum, gene) => (sum * 31 + gene) | 0, history.operations.length);
  for (let cut = 0; problems.size === 0 && cut < 1 + randomCuts; cut += 1) {
    const random = createRandom(cutSeed, cut);
    // Without a first cut, everything between two changes of the world is one batch.
    const isCut = cut === 0 ? () => false : () => random() < 0.3;
    const split = runCore(played, isCut);
    decided += split.decided;
    for (const index of played.steps.keys()) {
      const [apart, together] = [single.answers[index] ?? [], split.answers[index] ?? []];
      if (sameAnswer(apart, together)) continue;
      problems.set(index, `alone: ${toText(apart)}; in a batch: ${toText(together)} (cut ${cut})`);
    }
    for (const [index, problem] of eventProblems(played, split.keeper))
      if (!problems.has(index)) problems.set(index, `${problem} (cut ${cut})`);
    const together = split.keeper.fingerprint();
    if (problems.size === 0 && apart !== together) {
      problems.set(played.steps.length, `state after single orders:\n${apart}\nafter batches:\n${together}`);
    }
  }
  return { played, decided, divergence: problems.size === 0 ? null : { played, problems } };
}

function eventProblems({ steps, naming }: PlayedHistory, keeper: StateKeeper): [number, string][] {
  return naming.accountIds.flatMap((accountId): [number, string][] => {
    const wrong = eventProblem(accountId, keeper.emitted(accountId), steps);
    return wrong === null ? [] : [[wrong.index, wrong.problem]];
  });
}

const operationsMax = 120;
const historiesPerSearch = 100;
const cutsPerHistory = 2;

export interface Search {
  readonly operations: number;
  readonly decided: number;
  readonly failing: History | null;
}

export function searchCore(seed: number, distribution: Distribution): Search {
  let operations = 0;
  let decided = 0;
  const agrees = fc.property(historyArbitrary(operationsMax), (history) => {
    const run = runHistory(history, cutsPerHistory);
    countLabels(run.played.steps, distribution);
    operations += run.played.steps.length;
    decided += run.decided;
    return run.divergence === null;
  });
  // Shrunk apart from the search, which would shrink without a time limit.
  const { counterexample } = fc.check(agrees, { seed, numRuns: historiesPerSearch, endOnFailure: true });
  const [failing] = counterexample ?? [];
  return { operations, decided, failing: failing === undefined ? null : shrinkHistory(failing) };
}

export function shrinkHistory(history: History): History {
  const agrees = fc.property(
    historyArbitrary(history.operations.length),
    (one) => runHistory(one, cutsPerHistory).divergence === null,
  );
  const result = fc.check(agrees, { examples: [[history]], numRuns: 1, interruptAfterTimeLimit: 15_000 });
  return result.counterexample?.[0] ?? history;
}

export function describeFailure(history: History, seed: number): string {
  const head = `The core and the oracle part (again: MODEL_SEED=${seed}).`;
  try {
    const { played, divergence } = runHistory(history, cutsPerHistory);
    if (divergence === null) return `${head} But not when played again: something is not deterministic.`;
    const atTheEnd = divergence.problems.get(played.steps.length);
    return `${head}\n${formatHistory(played, divergence.problems)}${atTheEnd === undefined ? '' : `\nat the end: ${atTheEnd}`}`;
  } catch (error) {
    const played = replay(history);
    const thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `${head}\n${formatHistory(played, new Map())}\nthrown: ${thrown}`;
  }
}

/** Empty if the step is no command. Jobs have two answers for each attempt, as if two processes had found it. */
type Answer = readonly OrderOutcome[];

interface RunResult {
  readonly answers: readonly Answer[];
  readonly problems: ReadonlyMap<number, string>;
  readonly keeper: StateKeeper;
  readonly decided: number;
}

function runCore({ steps, naming }: PlayedHistory, isCut: () => boolean): RunResult {
  const keeper = createStateKeeper(naming.accountIds, naming.cancelRefund);
  const shelf = createShelf(naming.packageIds);
  const blocked = new Set<number>();
  const answers = steps.map((): OrderOutcome[] => []);
  const problems = new Map<number, string>();
  let waiting: { index: number; command: OrderCommand }[] = [];
  let waitingSince = 0;
  let decided = 0;

  function flush(): void {
    if (waiting.length === 0) return;
    const commands = waiting.map(({ command }) => command);
    const { outcomes, changes } = decideOrders(
      keeper.load(commands, shelf.packages(), shelf.accountPrices()),
      commands,
      waitingSince,
    );
    keeper.apply(changes);
    for (const [place, { index }] of waiting.entries()) {
      const outcome = outcomes[place];
      if (outcome !== undefined) answers[index]?.push(outcome);
    }
    decided += waiting.length;
    waiting = [];
  }

  /** Runs each attempt twice, as two processes would. */
  function runJobs(index: number, at: number): void {
    flush();
    for (let due = keeper.due(at); due.length > 0; due = keeper.due(at)) {
      for (const { accountId, number: customerNumber, life } of due) {
        for (const process of ['a', 'b']) {
          const command: RenewAutomatically = {
            type: 'renew_automatically',
            accountId,
            accessVersion: keeper.accessVersion(accountId),
            idempotencyKey: `auto_${process}_${decided + waiting.length}`,
            keyIsMinted: true,
            customerNumber,
            dueAt: life.renewAt ?? 0,
            isBlocked: blocked.has(accountId),
          };
          waiting.push({ index, command });
        }
      }
      waitingSince = at;
      flush();
    }
  }

  function moveWorld(step: Step, index: number): void {
    const { at, request, expected } = step;
    if (request.type === 'group') {
      keeper.setGroup(naming.accountIds[request.account] ?? 0, request.group);
    } else if (request.type === 'block') {
      const accountId = naming.accountIds[request.account] ?? 0;
      keeper.changeRights(accountId);
      if (request.blocked) blocked.add(accountId);
      else blocked.delete(accountId);
    } else if (request.type === 'halt') {
      keeper.setHalted(naming.accountIds[request.account] ?? 0, request.halted);
    } else if (request.type === 'close') {
      keeper.setClosed(naming.accountIds[request.account] ?? 0, request.closed);
    } else if (request.type === 'mode') {
      keeper.setProductMode(request.mode);
    } else if (request.type === 'prices') {
      shelf.setPrices(request.packageId, request.prices, at);
    } else if (request.type === 'retire') {
      shelf.retire(request.packageId);
    } else if (request.type === 'periods') {
      shelf.setPeriods(request.packageId, request.periods);
    } else if (expected.type === 'schedule' && !('code' in expected.outcome)) {
      // The store refuses these, and the service's model test covers it.
      if (request.type === 'schedule') {
        const { packageId, from, prices, existingPlans } = request;
        shelf.schedule(packageId, from, { prices, isHeld: existingPlans === 'held' });
      }
      if (request.type === 'unschedule') shelf.schedule(request.packageId, request.from, null);
    } else if (expected.type === 'list' && !('code' in expected.outcome)) {
      const accountId = 'account' in request ? (naming.accountIds[request.account] ?? 0) : 0;
      const { outcome } = expected;
      if (request.type === 'unlist') shelf.deleteList(accountId, request.list);
      else if ('replayed' in outcome && !outcome.replayed) shelf.putList(accountId, outcome.list);
    } else if (expected.type === 'packages') {
      const problem = pricesProblem(step, naming, { shelf, keeper });
      if (problem !== null) problems.set(index, problem);
    }
  }

  for (const [index, step] of steps.entries()) {
    const { at, request } = step;
    if (!isCommand(request)) {
      flush();
      moveWorld(step, index);
      continue;
    }
    if (request.type === 'jobs') {
      runJobs(index, at);
      continue;
    }
    if (isCut()) flush();
    const command = commandOf(request, index, naming, { keeper, blocked });
    if (isRefusal(command)) {
      answers[index]?.push({ type: 'refused', refusal: command });
      continue;
    }
    waiting.push({ index, command });
    waitingSince = at;
  }
  flush();
  return { answers, problems, keeper, decided };
}

function commandOf(
  request: Request,
  index: number,
  naming: Naming,
  { keeper, blocked }: { keeper: StateKeeper; blocked: ReadonlySet<number> },
): OrderCommand | Refusal {
  const { accessVersion } = keeper;
  const isOwn = request.type === 'place' || request.type === 'renew' || isPlanStep(request);
  if (isOwn && blocked.has(naming.accountIds[request.account] ?? 0)) return refusal('account_blocked');
  if (isPlanStep(request)) return planCommandOf(request, index, naming, accessVersion);
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
      if (order.kind === 'customer') {
        const { number: customerNumber, reference: customerReference } = order;
        return {
          type: 'renew_customer',
          accountId,
          accessVersion: accessVersion(accountId),
          ...keyed(wanted.idempotencyKey, index),
          ...(customerReference === null ? { customerNumber } : { customerReference }),
          months: wanted.months,
          maxChargeCents: wanted.maxChargeCents,
        };
      }
      const orderNumber = parseOwnNumber(pathText(order, account, naming), accountId) ?? 0;
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
        again: request.again ?? false,
        ...keyed(request.key ?? null, index),
      };
    case 'settle_order':
      return settleCommandOf(request, naming.accountIds);
    case 'receive_payment':
    case 'reverse_payment':
    case 'reinstate_payment':
    case 'write_off_receivable':
      return paymentCommandOf(request, naming.accountIds, index);
    case 'status':
      return {
        type: 'set_status',
        accountId: naming.accountIds[request.account] ?? 0,
        actorId: naming.accountIds.at(-1) ?? 0,
        customerNumber: request.customer,
        status: request.status,
      };
    default:
      throw new Error(`${request.type} is no command`);
  }
}

export function settleCommandOf(
  { account, order: orderNumber, outcome, reason, by }: SettleStep,
  accountIds: readonly number[],
): SettleOrder {
  const accountId = accountIds[account] ?? 0;
  const author = by === 'product' ? null : { actorId: accountIds.at(-1) ?? 0 };
  const said = outcome === 'failed' ? reason : null;
  return { type: 'settle_order', accountId, orderNumber, outcome, reason: said, by: author };
}

function planCommandOf(
  request: PlanStep,
  index: number,
  naming: Naming,
  accessVersion: (accountId: number) => number,
): OrderCommand | Refusal {
  const { type, account, customer, headerKey } = request;
  const needsBody = type === 'cancel' || type === 'auto_renew';
  const body = request.body ?? (needsBody ? undefined : {});
  if (!isJsonObject(body)) return refusal('invalid_json');
  const key = parseIdempotencyKey(body, headerKey);
  if (isRefusal(key)) return key;
  const accountId = naming.accountIds[account] ?? 0;
  const common = {
    accountId,
    accessVersion: accessVersion(accountId),
    ...keyed(key, index),
    actorId: accountId,
    customerNumber: parseOwnNumber(pathText(customer, account, naming), accountId) ?? 0,
  };
  switch (type) {
    case 'cancel': {
      const at = parseCancelAt(body);
      return isRefusal(at) ? at : { type, ...common, at };
    }
    case 'suspend': {
      const reason = parseReason(body);
      return isRefusal(reason) ? reason : { type, ...common, reason };
    }
    case 'resume':
      return { type, ...common };
    case 'auto_renew': {
      const autoRenew = parseAutoRenew(body);
      return isRefusal(autoRenew) ? autoRenew : { type: 'set_auto_renew', ...common, autoRenew };
    }
    case 'auto_renew_off':
      return { type: 'set_auto_renew', ...common, autoRenew: null };
    default:
      return type satisfies never;
  }
}

function pathText(path: OwnPath, account: number, naming: Naming): string {
  if (path.kind === 'text') return path.text;
  const owner = path.kind === 'foreign' ? path.account : account;
  return String(publicId(naming.accountIds[owner] ?? 0, path.number));
}

function keyed(sentKey: string | null, index: number) {
  return sentKey === null
    ? { idempotencyKey: mintedKey(index), keyIsMinted: true }
    : { idempotencyKey: sentKey, keyIsMinted: false };
}

function mintedKey(index: number): string {
  return `auto_${index}`;
}

/** Stands for the tables of packages and prices, as package-catalog.ts reads them. */
function createShelf(packageIds: readonly number[]) {
  const rows = new Map(
    packageTemplates.map(({ trial: isTrial, prices, ...rest }, slot) => {
      const limits = { accounts: 1, postsPerDay: 1, aiImagesPerMonth: 1 };
      const id = packageIds[slot] ?? 0;
      const base = new Map(namedPrices(prices).map((cell) => [cellOf(cell), { ...cell, changedAt: 0 }]));
      const scheduled = new Map<number, ShelfPrices>();
      /** The service records these when prices that start at once hide those before a held change. */
      const beforeHolds = new Map<string, bigint>();
      const periods: readonly Period[] = periodNames;
      const shown = { description: null, features: [], limits, createdAt: 0 };
      return [id, { ...rest, ...shown, id, isTrial, periods, base, scheduled, beforeHolds }] as const;
    }),
  );
  const lists = new Map<number, AccountPriceList[]>();
  const get = (id: number) => {
    const row = rows.get(id);
    if (row === undefined) throw new Error(`no package ${id}`);
    return row;
  };
  /** What was made of a row since it changed last. */
  const made = new Map<number, Package>();
  const change = (id: number) => {
    made.delete(id);
    return get(id);
  };
  const packageOf = (row: ReturnType<typeof get>): Package => {
    const known = made.get(row.id) ?? makePackage(row);
    made.set(row.id, known);
    return known;
  };
  const makePackage = ({ base, scheduled, beforeHolds, ...row }: ReturnType<typeof get>): Package => {
    const priceLines = priceTable((group, months) => {
      const steps = [...scheduled].flatMap(([from, { prices }]) => {
        const cents = prices[group]?.[months];
        return cents === undefined ? [] : [{ from, cents }];
      });
      const { priceCents = 0n, changedAt = 0 } = base.get(cellOf({ group, months })) ?? {};
      return priceLine(priceCents, changedAt, steps);
    });
    const held = [...scheduled].filter(([, { isHeld }]) => isHeld).sort(([one], [other]) => one - other);
    const heldSteps = priceTable((group, months) =>
      held.flatMap(([from, { prices }]) => {
        if (prices[group]?.[months] === undefined) return [];
        const noted = beforeHolds.get(`${from} ${cellOf({ group, months })}`);
        return [{ from, beforeCents: noted ?? priceAt({ priceLines }, group, months, from - 1) }];
      }),
    );
    return { ...row, priceLines, heldSteps: held.length === 0 ? noHeldSteps : heldSteps };
  };
  return {
    packages(): ReadonlyMap<number, Package> {
      return new Map([...rows.values()].map((row) => [row.id, packageOf(row)]));
    },
    accountPrices: (): ReadonlyMap<number, AccountPrices> => lists,
    setPrices(id: number, prices: SomePrices, at: number): void {
      const { heldSteps } = packageOf(get(id));
      const { base, beforeHolds } = change(id);
      for (const { group, months } of namedPrices(prices)) {
        for (const { from, beforeCents } of heldSteps[group][months]) {
          const name = `${from} ${cellOf({ group, months })}`;
          if (from <= at && !beforeHolds.has(name)) beforeHolds.set(name, beforeCents);
        }
      }
      for (const cell of namedPrices(prices)) base.set(cellOf(cell), { ...cell, changedAt: at });
    },
    schedule(id: number, from: number, prices: ShelfPrices | null): void {
      if (prices === null) change(id).scheduled.delete(from);
      else change(id).scheduled.set(from, prices);
    },
    putList(accountId: number, { number, from, until, percentOff, prices }: OraclePriceList): void {
      const priceOf: AccountPriceList['priceOf'] = (packageId, months) =>
        prices.find((one) => one.packageId === packageId)?.prices[months];
      const list = { id: listId(accountId, number), from, until, percentOff, priceOf };
      const all = [...(lists.get(accountId) ?? []), list];
      lists.set(
        accountId,
        all.sort((one, other) => one.from - other.from || one.id - other.id),
      );
    },
    deleteList(accountId: number, number: number): void {
      const id = listId(accountId, number);
      lists.set(accountId, lists.get(accountId)?.filter((list) => list.id !== id) ?? []);
    },
    retire(id: number): void {
      rows.set(id, { ...change(id), retired: true });
    },
    setPeriods(id: number, periods: readonly Period[]): void {
      rows.set(id, { ...change(id), periods });
    },
  };
}

interface ShelfPrices {
  readonly prices: SomePrices;
  readonly isHeld: boolean;
}

function listId(accountId: number, number: number): number {
  return accountId * 1000 + number;
}

function cellOf({ group, months }: { readonly group: Group; readonly months: number }): string {
  return `${group} ${months}`;
}

/** Compares the prices shown to the account, and of previewed renewals, with the oracle's. */
function pricesProblem(
  { at, expected }: Step,
  naming: Naming,
  { shelf, keeper }: { shelf: ReturnType<typeof createShelf>; keeper: StateKeeper },
): string | null {
  if (expected.type !== 'packages') return null;
  const accountId = naming.accountIds[expected.account] ?? 0;
  const [byId, prices] = [shelf.packages(), shelf.accountPrices()];
  const payer = { group: keeper.account(accountId).group, prices: prices.get(accountId) ?? [] };
  for (const view of expected.views) {
    const one = byId.get(view.id);
    if (one === undefined) return `there is no package ${view.id}`;
    for (const { months, period } of periods.filter((each) => one.periods.includes(each.period))) {
      const { cents, rule } = priceFor(one, payer, months, at, null);
      const wanted = [view.prices[months], view.rules[months]];
      if (toText([cents, rule.name]) !== toText(wanted))
        return `package ${view.id} costs ${toText([cents, rule.name])} ${period} instead of ${toText(wanted)}`;
    }
  }
  for (const { customerNumber, months, priceCents, priceRule } of expected.renewals) {
    const command: OrderCommand = {
      type: 'renew_customer',
      accountId,
      accessVersion: keeper.accessVersion(accountId),
      idempotencyKey: 'preview',
      keyIsMinted: true,
      customerNumber,
      months,
      maxChargeCents: null,
    };
    const state = keeper.load([command], byId, prices);
    const accounts = state.accounts.map((account) => ({ ...account, balanceCents: muchCents }));
    const [outcome] = decideOrders({ ...state, accounts }, [command], at).outcomes;
    // Most refusals do not depend on prices, and the commands themselves cover them.
    if (outcome?.type !== 'ordered') continue;
    const { order } = outcome;
    if (order.priceCents !== priceCents || !isRule(order.priceRule, priceRule))
      return `customer ${customerNumber} would renew for ${months} at ${toText([order.priceCents, order.priceRule])} instead of ${toText([priceCents, priceRule])}`;
  }
  return null;
}

const muchCents = 10n ** 12n;

function answerProblem(step: Step, answers: Answer, packages: PackageCatalog): string | null {
  const { expected } = step;
  if (
    expected.type === 'done' ||
    expected.type === 'schedule' ||
    expected.type === 'list' ||
    expected.type === 'packages'
  )
    return answers.length === 0 ? null : 'answered what was no question';
  if (expected.type === 'renewals') return renewalsProblem(expected.attempts, answers);
  const [answer, ...more] = answers;
  if (answer === undefined) return 'no answer';
  if (more.length > 0) return 'several answers';
  const { outcome } = expected;
  if ('code' in outcome) {
    if (answer.type !== 'refused') return `not refused with ${outcome.code}`;
    return refusalProblem(outcome, answer.refusal);
  }
  if (expected.type === 'settle') return settleProblem(expected.outcome, answer);
  if (expected.type === 'payment')
    return 'code' in expected.outcome ? null : paymentProblem(expected.outcome, answer);
  if (expected.type === 'trial') {
    if (answer.type !== 'granted' || !('replayed' in outcome)) return 'not granted';
    return answer.replayed === outcome.replayed ? null : `replayed is ${answer.replayed}`;
  }
  if (expected.type === 'status') {
    if (answer.type !== 'status_set' || !('customer' in outcome)) return 'no status set';
    return customerProblem(outcome.customer, answer.customer, step.at, packages);
  }
  if (expected.type === 'plan') {
    if (answer.type !== 'plan_changed' || !('refundCents' in outcome)) return 'no plan changed';
    if (answer.replayed !== outcome.replayed) return `replayed is ${answer.replayed}`;
    if (answer.refundCents !== outcome.refundCents) return `the refund is ${answer.refundCents}`;
    if (answer.balanceAfterCents !== outcome.balanceAfterCents)
      return `the balance after is ${answer.balanceAfterCents}`;
    return customerProblem(outcome.customer, answer.customer, step.at, packages);
  }
  if (expected.type === 'credit') {
    if (answer.type !== 'credited') return 'not credited';
    if (!('entries' in outcome) || answer.replayed !== outcome.replayed)
      return `replayed is ${answer.replayed}`;
    if (answer.entry.balanceAfterCents !== entryBalanceOf(outcome)) return 'another balance after';
    return creditProblem(outcome, answer);
  }
  if (expected.type === 'reference') return 'the core renames and erases no one';
  return orderAnswerProblem(expected.outcome, answer);
}

function renewalsProblem(attempts: readonly RenewalAttempt[], answers: Answer): string | null {
  if (answers.length !== 2 * attempts.length)
    return `${answers.length / 2} tries instead of ${attempts.length}`;
  for (const [place, { outcome }] of attempts.entries()) {
    const [answer, again] = [answers[2 * place], answers[2 * place + 1]];
    if (answer === undefined) return 'no answer';
    if (again?.type !== 'not_due') return `try ${place} was made twice`;
    const problem =
      'code' in outcome && answer.type === 'refused'
        ? refusalProblem(outcome, answer.refusal)
        : orderAnswerProblem(outcome, answer);
    if (problem !== null) return `try ${place}: ${problem}`;
  }
  return null;
}

/** Also for the engine's outcomes, which no request asked for. */
export function settleProblem(expected: SettleOutcome, answer: OrderOutcome): string | null {
  if ('code' in expected) {
    if (answer.type !== 'refused') return `not refused with ${expected.code}`;
    return refusalProblem(expected, answer.refusal);
  }
  if (answer.type !== 'settled') return 'not settled';
  if (answer.replayed !== expected.replayed) return `replayed is ${answer.replayed}`;
  return orderProblem(expected.order, answer.order);
}

function orderAnswerProblem(outcome: OrderOutcomeOfOracle, answer: OrderOutcome): string | null {
  if (!('order' in outcome)) return `not refused with ${outcome.code}`;
  if (answer.type !== 'ordered') return 'not ordered';
  if (answer.replayed !== outcome.replayed) return `replayed is ${answer.replayed}`;
  const { order, balanceAfterCents } = outcome;
  return answer.order.balanceAfterCents === balanceAfterCents
    ? orderProblem(order, answer.order)
    : `the balance after is ${answer.order.balanceAfterCents}`;
}

function customerProblem(
  expected: CustomerView,
  customer: Omit<Customer, 'externalRef'>,
  now: number,
  packages: PackageCatalog,
): string | null {
  const shown = customerView({ ...customer, externalRef: null }, packages, now);
  const wanted = shownCustomer(expected, customer.accountId);
  if (toText(sorted(shown)) === toText(sorted(wanted))) return null;
  return `the customer is ${toText(shown)} instead of ${toText(wanted)}`;
}

function orderProblem(expected: OracleOrder, order: OrderRecord): string | null {
  if (order.number !== expected.number) return `its number is ${order.number}`;
  if (orderStatus(order) !== expected.status) return `its status is ${orderStatus(order)}`;
  if (order.kind !== expected.kind) return `its kind is ${order.kind}`;
  if (order.packageId !== expected.packageId) return `its package is ${order.packageId}`;
  if (order.months !== expected.months) return `its months are ${order.months}`;
  if (order.customerReference !== expected.customerReference)
    return `its customer is ${order.customerReference}`;
  if (order.priceCents !== expected.priceCents) return `its price is ${order.priceCents}`;
  if (!isRule(order.priceRule, expected.priceRule))
    return `the rule of its price is ${toText(order.priceRule)}`;
  if (order.refundCents !== expected.refundCents) return `its refund is ${order.refundCents}`;
  if (order.expiresAt !== expected.expiresAt) return `it expires at ${order.expiresAt}`;
  if (order.createdAt !== expected.createdAt) return `it was created at ${order.createdAt}`;
  const [failure, wanted] = [order.failure, expected.failure ?? null];
  if (failure?.reason !== wanted?.reason || failure?.at !== wanted?.at)
    return `its failure is ${toText(failure)} instead of ${toText(wanted)}`;
  const isMinted = expected.idempotencyKey.startsWith('auto_');
  const sameKey = isMinted
    ? order.idempotencyKey.startsWith('auto_')
    : order.idempotencyKey === expected.idempotencyKey;
  return sameKey ? null : `its key is ${order.idempotencyKey}`;
}

/** Ignores the id of a list, which the service counts for all accounts together. */
function isRule(rule: PriceRule, expected: OraclePriceRule): boolean {
  if (rule.name === 'group' || expected.rule === 'group') return rule.name === expected.rule;
  if (rule.name === 'held' || expected.rule === 'held')
    return rule.name === expected.rule && rule.since === expected.since;
  return rule.since === expected.since && rule.percentOff === expected.percentOff;
}

export function refusalProblem(
  expected: RefusalOfOracle | PaymentRefusal,
  actual: { readonly code: string; readonly details: object; readonly status?: number },
): string | null {
  if (expected.code === 'reversal_not_found')
    return actual.code === 'topup_not_found' ? null : `${actual.code} instead of ${expected.code}`;
  if (actual.code !== expected.code) return `${actual.code} instead of ${expected.code}`;
  const status = actual.status ?? errorCatalog[expected.code].status;
  if (status !== documentedStatus[expected.code]) return `${actual.code} with status ${status}`;
  const details: Readonly<Record<string, unknown>> = { ...actual.details };
  for (const [name, value] of Object.entries(expected.details)) {
    if (String(details[name]) !== value)
      return `details.${name} is ${toText(details[name])} instead of "${value}"`;
  }
  return null;
}

function sameAnswer(one: Answer, other: Answer): boolean {
  return (
    one.length === other.length &&
    one.every((outcome, place) => {
      const match = other[place];
      return match !== undefined && sameOutcome(outcome, match);
    })
  );
}

function sameOutcome(one: OrderOutcome, other: OrderOutcome): boolean {
  if (one.type === 'ordered' && other.type === 'ordered')
    return one.replayed === other.replayed && sameMembers(one.order, other.order);
  if (one.type === 'settled' && other.type === 'settled')
    return one.replayed === other.replayed && sameMembers(one.order, other.order);
  if (one.type === 'credited' && other.type === 'credited')
    return (
      one.replayed === other.replayed &&
      one.settledCents === other.settledCents &&
      one.receivableCents === other.receivableCents &&
      sameMembers(one.entry, other.entry)
    );
  if (one.type === 'refused' && other.type === 'refused')
    return one.refusal.code === other.refusal.code && sameMembers(one.refusal.details, other.refusal.details);
  return one.type === other.type && toText(one) === toText(other);
}

function sameMembers(one: object, other: object): boolean {
  const others: Readonly<Record<string, unknown>> = { ...other };
  const members = Object.entries(one);
  const isSame = (value: unknown, other: unknown) =>
    value === other || (typeof value === 'object' && toText(value) === toText(other));
  return (
    members.length === Object.keys(others).length &&
    members.every(([name, value]) => isSame(value, others[name]))
  );
}

function stateProblem(
  { oracle, naming, owners, endedAt }: PlayedHistory,
  keeper: StateKeeper,
): string | null {
  for (const accountId of naming.accountIds) {
    const { balanceCents } = keeper.account(accountId);
    const expected = oracle.balance(accountId).balanceCents;
    if (balanceCents !== expected)
      return `account ${accountId} ends with ${balanceCents} instead of ${expected}`;
    const entries = keeper.entries().filter((entry) => entry.accountId === accountId);
    const payments = keptPaymentsProblem(oracle, accountId, keeper.payments(accountId), entries);
    if (payments !== null) return payments;
    const charges = entries.filter(({ kind }) => kind === 'charge').map(({ orderNumber }) => orderNumber);
    const orders = keeper.orders().filter((order) => order.accountId === accountId);
    // A failed order is charged again for its given refund, after its own charge.
    if (toText([...new Set(charges)]) !== toText(orders.map(({ number }) => number)))
      return `account ${accountId} was charged for ${toText(charges)}`;
    for (const order of orders) {
      const wanted = oracle.order(accountId, order.number);
      const problem = 'code' in wanted ? 'not there' : orderProblem(wanted, order);
      if (problem !== null) return `order ${order.number} of account ${accountId}: ${problem}`;
      const { priceRule } = order;
      if ('code' in wanted || priceRule.name !== 'account' || wanted.priceRule.rule !== 'account') continue;
      if (priceRule.list !== listId(accountId, wanted.priceRule.list))
        return `order ${order.number} of account ${accountId} is by list ${priceRule.list}`;
    }
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
    const problem = customerProblem(
      view,
      { ...customer, ...customer.plan, ...lifeRow(customer.life) },
      endedAt,
      packagesOf(naming),
    );
    if (problem !== null) return problem;
    if (customer.accountId !== accountId || customer.plan.packageId !== view.plan.packageId)
      return `customer ${reference} is of account ${customer.accountId}`;
    const history = historyProblem(oracle, reference, customer, keeper);
    if (history !== null) return `${history} in the history of ${reference}`;
  }
  return null;
}

const typesOfChanges: Readonly<
  Record<PlanChangeKind, HistoryItem['type'] | 'order_completed' | 'order_failed'>
> = {
  trial: 'trial_started',
  suspend: 'suspended',
  resume: 'resumed',
  cancel: 'cancelled',
  cancel_at_period_end: 'cancelled_at_period_end',
  auto_renew: 'auto_renew_set',
  auto_renew_off: 'auto_renew_removed',
  renewal_failed: 'renewal_failed',
  order_completed: 'order_completed',
  order_failed: 'order_failed',
};

const refundKinds: readonly PlanChangeKind[] = ['cancel', 'order_completed', 'order_failed'];

function historyProblem(
  oracle: Oracle,
  reference: string,
  customer: CustomerState,
  keeper: StateKeeper,
): string | null {
  const items = oracle.history(customer.accountId, reference);
  if (!Array.isArray(items)) return 'no customer';
  const isOwn = (row: { accountId: number; customerNumber: number }) =>
    row.accountId === customer.accountId && row.customerNumber === customer.number;
  const orders = keeper.orders().filter(isOwn);
  const changes = keeper.planChanges().filter((change) => isOwn(change) && !change.isEmpty);
  const rows = [
    ...orders.map((order) => ({ order, after: order.number, number: 0 })),
    ...changes.map((change) => ({ change, after: change.afterOrder, number: change.number })),
  ].sort((one, other) => one.after - other.after || one.number - other.number);
  if (rows.length !== items.length) return `${rows.length} rows instead of ${items.length}`;
  for (const [place, row] of rows.entries()) {
    const item = items[items.length - 1 - place];
    if (item === undefined) return 'too few items';
    const found = 'order' in row ? orderItem(row.order) : changeItem(row.change);
    const wanted =
      'order' in row ? wantedOrderItem(item, oracle, customer.accountId) : wantedChangeItem(item);
    if (toText(found) !== toText(wanted)) return `${toText(found)} instead of ${toText(wanted)}`;
  }
  return null;
}

function orderItem({ kind, number, createdAt, fingerprint, expiresAt, packageId }: OrderRecord) {
  const type = { activate: 'activated', renew: 'renewed', change: 'changed' }[kind];
  const by = fingerprint === automaticFingerprint ? 'service' : 'account';
  return [type, createdAt, by, number, packageId, expiresAt];
}

/** A pending order has the planned plan, and its end item the actual one. */
function wantedOrderItem(item: HistoryItem, oracle: Oracle, accountId: number) {
  const { type, at, by, orderNumber = 0, to } = item;
  const order = oracle.order(accountId, orderNumber);
  const { packageId, expiresAt } = oracle.hasWaited(accountId, orderNumber) && 'number' in order ? order : to;
  return [type, at, by, orderNumber, packageId, expiresAt];
}

function changeItem(change: PlanChange) {
  const { kind, createdAt, byParty, packageId, expiresAt, planStatus } = change;
  const { refundCents, reason, code, renewMonths, renewMaxCents, renewHoursBefore, orderNumber } = change;
  return [
    orderNumber,
    ...[typesOfChanges[kind], createdAt, byParty, planStatus, packageId, expiresAt],
    ...[
      refundKinds.includes(kind) ? refundCents : null,
      reason,
      code,
      renewMonths,
      renewMaxCents,
      renewHoursBefore,
    ],
  ];
}

function wantedChangeItem(item: HistoryItem) {
  const { type, at, by, to, orderNumber = null, refundCents, reason, code, autoRenew } = item;
  const { months, maxChargeCents, hoursBefore } = autoRenew ?? {};
  return [
    orderNumber,
    ...[type, at, by, to.status, to.packageId, to.expiresAt],
    ...[refundCents, reason, code, months, maxChargeCents, hoursBefore].map((value) => value ?? null),
  ];
}

/** Looks up names only, which never change here. */
function packagesOf({ packageIds }: Naming): PackageCatalog {
  return { version: 1, limits: [], accountPrices: new Map(), byId: createShelf(packageIds).packages() };
}

/** The oracle has no debits and no charges of zero (A28, A30). The text of some memos is not prescribed (A158). */
function productEntry(entry: LedgerEntry) {
  const { kind, amountCents, balanceAfterCents, orderNumber, memo, actorId, createdAt } = entry;
  const text = isOpenMemo(kind) ? [] : [memo ?? '', actorId];
  return [
    kind === 'debit' ? 'credit' : kind,
    amountCents,
    balanceAfterCents,
    orderNumber,
    ...text,
    createdAt,
  ];
}

function oracleEntry(entry: OracleEntry) {
  const { kind, amountCents, balanceAfterCents, orderNumber, memo, actorId, createdAt } = entry;
  const text = isOpenMemo(kind) ? [] : [memo, actorId];
  return [kind, amountCents, balanceAfterCents, orderNumber, ...text, createdAt];
}

function isOpenMemo(kind: string): boolean {
  return ['reversal', 'settlement', 'reinstatement'].includes(kind);
}
