// Random histories for the model tests: some accounts over some years, played through the oracle. A history is drawn as
// numbers (history-genes.ts), so that any list of numbers is a history: a number may mean "the order before last".

import {
  againChanges,
  amounts,
  autoGuards,
  autoMonths,
  type Body,
  cancelChoices,
  createReader,
  creditKeys,
  customerPaths,
  customerSpellings,
  customers,
  customersPerHome,
  existingPlansChoices,
  firstModes,
  guardChoices,
  type History,
  hoursChoices,
  keyChoices,
  leads,
  loginChoices,
  memos,
  modes,
  monthsSpellings,
  nameChoices,
  namedCells,
  openingBalances,
  operationTypes,
  orderChoices,
  packageChoices,
  priceSets,
  type Reader,
  reasonChoices,
  renewMonths,
  soldPeriods,
  startTimes,
  topupCents,
  trialKeys,
  waits,
} from './history-genes.ts';
import { createHandoffScenes } from './history-handoffs.ts';
import { createPaymentScenes } from './history-payments.ts';
import { createPriceScenes } from './history-prices.ts';
import type {
  AccountId,
  CreditOutcome,
  CustomerView,
  Group,
  Oracle,
  OrderOutcome,
  Prices,
  ProductMode,
  ReferenceOutcome,
  SomePrices,
  World,
} from './oracle.ts';
import { createOracle } from './oracle.ts';
import { addMonths, secondsPerDay } from './oracle-calendar.ts';
import { type Before, createEventRules, type OwedEvent } from './oracle-events.ts';
import type { SettleOutcome } from './oracle-handoff.ts';
import type { PlanChangeOutcome, RenewalAttempt } from './oracle-life.ts';
import type { PaymentOutcome, ReversalKind } from './oracle-payments.ts';
import type {
  DeleteListOutcome,
  ExistingPlans,
  PackageView,
  Priced,
  PriceRefusal,
  PutListInput,
  PutListOutcome,
} from './oracle-prices.ts';
import type { Months, Period, Refusal } from './oracle-request.ts';

export interface Naming {
  readonly accountIds: readonly number[];
  readonly packageIds: readonly number[];
  readonly customerSuffix: string;
  readonly cancelRefund: 'unused' | 'none';
  /** False for a service without account prices: those steps are left out. */
  readonly hasAccountPrices: boolean;
  /** False for a service without payments: those steps are left out. */
  readonly hasPayments: boolean;
  readonly hasWriteOffKeys: boolean;
  /** False without a database, which knows whose reference it is: no customer is renamed or erased. */
  readonly hasReferences: boolean;
}

export type PlayedList = Omit<PutListInput, 'accountId' | 'from'> & { readonly from: number | undefined };

export const groups: readonly Group[] = ['reseller', 'reseller', 'distributor', 'administrator'];

/** Balance below which the account is alerted, by index in `groups`. */
export const alertsBelow: readonly (bigint | null)[] = [20_000n, 4000n, null, 2000n];
/** 29: shorter than some months, longer than others. */
export const alertsEndingDays: readonly (number | null)[] = [null, 29, 60, null];

export interface PackageTemplate {
  readonly name: string;
  readonly trial: boolean;
  readonly retired: boolean;
  readonly durationDays: number;
  readonly prices: Prices;
}

const free = [0n, 0n, 0n] as const;

export const packageTemplates: readonly PackageTemplate[] = [
  template('Basic', {}, [1000n, 2700n, 9600n], [800n, 2100n, 7200n]),
  template('Plus', {}, [2500n, 7000n, 25_000n], [2000n, 5500n, 19_000n]),
  template('Odd', {}, [999n, 2888n, 9997n], [777n, 2222n, 7771n]),
  template('Gift', {}, [0n, 0n, 1n], free),
  template('Old', { retired: true }, [500n, 1500n, 6000n], [500n, 1500n, 6000n]),
  template('Trial', { trial: true }, free, free),
  template('Old trial', { trial: true, retired: true }, free, free),
];

export type OwnPath =
  | { readonly kind: 'own'; readonly number: number }
  | { readonly kind: 'foreign'; readonly account: number; readonly number: number }
  | { readonly kind: 'text'; readonly text: string };

/** Instead of an order in a bulk: the customer by number, or by `reference` if present. */
export interface RenewedCustomer {
  readonly kind: 'customer';
  readonly number: number;
  readonly reference: string | null;
}

/** `mintedBy`: the step whose generated key is sent. */
interface Keyed {
  readonly headerKey: string | undefined;
  readonly mintedBy: number | null;
}

export interface PlaceStep extends Keyed {
  readonly type: 'place';
  readonly account: number;
  readonly body: Body;
}

export interface RenewStep extends Keyed {
  readonly type: 'renew';
  readonly account: number;
  readonly order: OwnPath | RenewedCustomer;
  readonly body: Body | undefined;
}

export type PlanOperation = 'cancel' | 'suspend' | 'resume' | 'auto_renew' | 'auto_renew_off';

export interface PlanStep {
  readonly type: PlanOperation;
  readonly account: number;
  readonly customer: OwnPath;
  readonly body: Body | undefined;
  readonly headerKey: string | undefined;
}

export interface CreditStep {
  readonly type: 'credit';
  readonly account: number;
  readonly amountCents: bigint;
  readonly memo: string | undefined;
  readonly key: string | undefined;
}

export interface SettleStep {
  readonly type: 'settle_order';
  readonly account: number;
  readonly order: number;
  readonly outcome: 'completed' | 'failed';
  readonly reason: string | null;
  readonly by: 'product' | 'operator';
}

export interface ReceivePaymentStep {
  readonly type: 'receive_payment';
  readonly account: number;
  readonly topup: number;
  readonly ref: string;
  readonly amountCents: bigint;
  readonly memo: string | null;
}

export interface ReversePaymentStep {
  readonly type: 'reverse_payment';
  readonly account: number;
  readonly topup: number;
  readonly cause: string;
  readonly kind: ReversalKind;
  readonly amountCents: bigint;
  readonly allowReceivable: boolean;
  readonly by: 'provider' | 'operator';
}

export interface ReinstatePaymentStep {
  readonly type: 'reinstate_payment';
  readonly account: number;
  readonly cause: string;
}

export interface WriteOffStep {
  readonly type: 'write_off_receivable';
  readonly account: number;
  readonly amountCents: bigint | null;
  readonly memo: string | null;
  readonly key: string | undefined;
}

export interface RenameStep {
  readonly type: 'rename';
  readonly account: number;
  readonly customer: number;
  readonly reference: string;
}

export type PaymentStep = ReceivePaymentStep | ReversePaymentStep | ReinstatePaymentStep | WriteOffStep;

export type Request =
  | PlaceStep
  | RenewStep
  | CreditStep
  | PlanStep
  | {
      readonly type: 'status';
      readonly account: number;
      readonly customer: number;
      readonly status: 'active' | 'suspended';
    }
  | RenameStep
  | { readonly type: 'erase'; readonly account: number; readonly customer: number }
  | { readonly type: 'block'; readonly account: number; readonly blocked: boolean }
  | { readonly type: 'halt'; readonly account: number; readonly halted: boolean }
  | { readonly type: 'close'; readonly account: number; readonly closed: boolean }
  | { readonly type: 'mode'; readonly mode: ProductMode }
  | SettleStep
  | PaymentStep
  | { readonly type: 'jobs' }
  | {
      readonly type: 'trial';
      readonly account: number;
      readonly packageId: number;
      readonly customer: string;
      readonly key?: string | undefined;
      readonly again?: boolean | undefined;
    }
  | { readonly type: 'group'; readonly account: number; readonly group: 'reseller' | 'distributor' }
  | { readonly type: 'prices'; readonly packageId: number; readonly prices: SomePrices }
  | {
      readonly type: 'schedule';
      readonly packageId: number;
      readonly from: number;
      readonly prices: SomePrices;
      readonly existingPlans: ExistingPlans;
    }
  | { readonly type: 'list'; readonly account: number; readonly list: PlayedList }
  | { readonly type: 'unlist'; readonly account: number; readonly list: number }
  | { readonly type: 'unschedule'; readonly packageId: number; readonly from: number }
  | { readonly type: 'retire'; readonly packageId: number }
  | { readonly type: 'periods'; readonly packageId: number; readonly periods: readonly Period[] }
  | { readonly type: 'wait' };

export type Expected =
  | { readonly type: 'order'; readonly outcome: OrderOutcome }
  | { readonly type: 'credit'; readonly outcome: CreditOutcome }
  | { readonly type: 'payment'; readonly outcome: PaymentOutcome }
  | { readonly type: 'trial'; readonly outcome: Refusal | { replayed: boolean; given: boolean } }
  | { readonly type: 'plan'; readonly outcome: PlanChangeOutcome }
  | { readonly type: 'status'; readonly outcome: { readonly customer: CustomerView } | Refusal }
  | { readonly type: 'reference'; readonly outcome: ReferenceOutcome }
  | { readonly type: 'settle'; readonly outcome: SettleOutcome }
  | { readonly type: 'renewals'; readonly attempts: readonly RenewalAttempt[] }
  | { readonly type: 'schedule'; readonly outcome: PriceRefusal | { status: number; replayed: boolean } }
  | { readonly type: 'list'; readonly outcome: PutListOutcome | DeleteListOutcome }
  | {
      readonly type: 'packages';
      readonly account: number;
      readonly views: readonly PackageView[];
      readonly renewals: readonly PricedRenewal[];
    }
  | { readonly type: 'done' };

export interface PricedRenewal extends Priced {
  readonly customerNumber: number;
  readonly months: Months;
}

export interface Step {
  readonly at: number;
  readonly request: Request;
  readonly expected: Expected;
  readonly owed: readonly OwedEvent[];
  /** Rare properties besides the outcome, counted for coverage. */
  readonly notes: readonly string[];
}

export interface PlayedHistory {
  readonly naming: Naming;
  readonly steps: readonly Step[];
  readonly oracle: Oracle;
  readonly endedAt: number;
  readonly owners: ReadonlyMap<string, number>;
}

const noBalances: ReadonlyMap<AccountId, bigint> = new Map();

export function playHistory(history: History, naming: Naming): PlayedHistory {
  const world = createReader(history.world);
  let at = Date.parse(world.pick(startTimes)) / 1000;
  const oracle = createOracle(oracleWorld(naming));
  const steps: Step[] = [];
  const owners = new Map<string, number>();
  const retired = new Set(packageTemplates.flatMap((one, slot) => (one.retired ? [packageIdOf(slot)] : [])));
  const repeatable: number[] = [];
  const granted: Extract<Request, { type: 'trial' }>[] = [];
  const scheduled: Extract<Request, { type: 'schedule' }>[] = [];

  let mode: ProductMode = 'none';
  const events = createEventRules(oracle, (accountId) => {
    const account = naming.accountIds.indexOf(Number(accountId));
    return { belowCents: alertsBelow[account] ?? null, endingDays: alertsEndingDays[account] ?? null };
  });
  const handoffs = createHandoffScenes({
    oracle,
    accountCount: groups.length,
    now: () => at,
    moveTo: (second) => {
      at = Math.max(at, second);
    },
    mode: () => mode,
    accountIdOf,
    packageIdOf,
    customersOf,
    orderCountOf,
    accountWithOrders,
    customerOf,
    customerPathOf,
    requestOf,
  });
  const accountPrices = createPriceScenes({
    oracle,
    accountCount: groups.length,
    now: () => at,
    moveTo: (second) => {
      at = Math.max(at, second);
    },
    accountIdOf,
    packageIdOf,
    customersOf,
    orderCountOf,
    accountWithOrders,
    customerPathOf,
    pricesOf,
  });
  const payments = createPaymentScenes({
    oracle,
    accountCount: groups.length,
    hasWriteOffKeys: naming.hasWriteOffKeys,
    accountIdOf,
    packageIdOf,
    customersOf,
    customerOf,
  });

  for (const [account] of groups.entries()) {
    const amountCents = world.pick(openingBalances);
    if (amountCents > 0n) take({ type: 'credit', account, amountCents, memo: 'opening', key: undefined });
  }
  const firstMode = world.pick(firstModes);
  if (firstMode !== mode) take({ type: 'mode', mode: firstMode });
  for (const genes of history.operations) {
    for (const request of requestsOf(createReader(genes))) take(request);
  }
  return { naming, steps, oracle, endedAt: at, owners };

  function take(request: Request): void {
    const isOfSeveralPrices = request.type === 'cancel' && hasSeveralPrices(request);
    const settled = request.type === 'settle_order' ? handoffs.notesOf(request) : [];
    const accountId = 'account' in request ? accountIdOf(request.account) : null;
    const was = accountId === null ? null : events.before(accountId);
    const balances = request.type === 'jobs' ? balancesOfAll() : noBalances;
    const owedBefore = 'account' in request ? payments.before(request.account) : null;
    const expected = ask(request);
    const owed = was === null ? owedByJobs(expected, balances) : owedBy(request, expected, was);
    if ('headerKey' in request || request.type === 'credit' || isPaymentStep(request))
      repeatable.push(steps.length);
    const notes = [...settled, ...notesOf(request, expected)];
    if (owedBefore !== null) notes.push(...payments.notesOf(request, expected, owedBefore));
    if (isOfSeveralPrices && expected.type === 'plan' && 'customer' in expected.outcome) {
      if (expected.outcome.refundCents > 0n && !expected.outcome.replayed)
        notes.push('cancel of several prices');
    }
    steps.push({ at, request, expected, owed, notes });
  }

  function balancesOfAll(): ReadonlyMap<AccountId, bigint> {
    return new Map(naming.accountIds.map((accountId) => [accountId, oracle.balance(accountId).balanceCents]));
  }

  function owedByJobs(expected: Expected, balances: ReadonlyMap<AccountId, bigint>): readonly OwedEvent[] {
    return expected.type === 'renewals' ? events.renewed(expected.attempts, balances) : [];
  }

  function owedBy(request: Request, expected: Expected, was: Before): readonly OwedEvent[] {
    if (!('outcome' in expected) || 'code' in expected.outcome) return [];
    if ('replayed' in expected.outcome && expected.outcome.replayed) return [];
    if ('given' in expected.outcome && !expected.outcome.given) return [];
    if (expected.type === 'order') return events.ordered(was, expected.outcome.order, at);
    if (expected.type === 'settle' && request.type === 'settle_order')
      return events.settled(was, expected.outcome, request.reason, at);
    if (expected.type === 'credit' && request.type === 'credit')
      return events.credited(was, request.amountCents, expected.outcome.entries);
    if (expected.type === 'payment') return events.moved(was, topupEventOf(request), expected.outcome);
    if (expected.type === 'trial' && request.type === 'trial')
      return events.granted(was, request.customer, at);
    if (expected.type === 'plan' && isPlanStep(request))
      return events.planChanged(was, request.type, expected.outcome);
    return expected.type === 'status' ? events.held(was, expected.outcome.customer) : [];
  }

  function topupEventOf(request: Request): { type: string; topup: number } | null {
    if (request.type === 'receive_payment') return { type: 'topup.paid', topup: request.topup };
    if (request.type === 'reverse_payment') {
      const type = request.kind === 'dispute' ? 'topup.disputed' : 'topup.refunded';
      return { type, topup: request.topup };
    }
    if (request.type !== 'reinstate_payment') return null;
    const all = oracle.reversals(accountIdOf(request.account));
    const topup = all.find(({ cause }) => cause === request.cause)?.topupNumber ?? 0;
    return { type: 'topup.reinstated', topup };
  }

  /** Whether the unused part of the plan has equal periods with different prices. */
  function hasSeveralPrices({ account, customer }: PlanStep): boolean {
    const view = customer.kind === 'own' ? customersOf(account)[customer.number - 1] : undefined;
    if (view === undefined) return false;
    const unused = oracle.paidPeriods(accountIdOf(account), view.reference).filter(({ endAt }) => endAt > at);
    return unused.some(({ months, paidCents }) =>
      unused.some((other) => other.months === months && other.paidCents !== paidCents),
    );
  }

  function requestsOf(reader: Reader): Iterable<Request> {
    const type = reader.pick(operationTypes);
    if (type === 'burst') return burstOf(reader);
    if (type === 'swap') return swapOf(reader);
    if (type === 'by_itself') return livedOf(reader);
    if (type === 'blocked_while_due') return blockedOf(reader);
    if (type === 'meant_to_end') return leavingOf(reader);
    if (type === 'halted') return haltedOf(reader);
    if (type === 'closed') return closedOf(reader);
    if (type === 'settle') return handoffs.settleOf(reader);
    if (type === 'handed_off') return handoffs.handedOffOf(reader);
    if (type === 'list') return naming.hasAccountPrices ? accountPrices.listsOf(reader) : [];
    if (type === 'held') return naming.hasAccountPrices ? accountPrices.heldOf(reader) : [];
    if (type === 'payment' || type === 'way_back') {
      if (!naming.hasPayments) return [];
      const account = reader.below(groups.length);
      return type === 'payment' ? [payments.anyOf(reader, account)] : payments.wayBackOf(reader, account);
    }
    const request = requestOf(reader, type);
    return request === null ? [] : [request];
  }

  function requestOf(
    reader: Reader,
    type: Exclude<(typeof operationTypes)[number], (typeof scenarioTypes)[number]>,
  ): Request | null {
    switch (type) {
      case 'place':
        return placeOf(reader);
      case 'renew':
        return renewOf(reader);
      case 'again':
        return againOf(reader);
      case 'credit':
        return {
          type,
          account: reader.below(groups.length),
          amountCents: reader.pick(amounts),
          memo: reader.pick(memos),
          key: reader.pick(creditKeys),
        };
      case 'trial': {
        const account = reader.below(groups.length);
        const customer = customerOf(reader, account);
        const packageId = packageIdOf(reader.pick([5, 5, 5, 5, 5, 5, 6, 0]));
        const key = reader.pick(trialKeys);
        const again = reader.below(3) === 0;
        const earlier = granted.at(-1);
        const how = reader.below(8);
        if (earlier !== undefined && how === 7) return earlier;
        if (earlier !== undefined && how === 6) return { ...earlier, key: undefined };
        return { type, account, packageId, customer, key, again };
      }
      case 'wait':
        return waitOf(reader);
      case 'cancel':
      case 'suspend':
      case 'resume':
      case 'auto_renew':
      case 'auto_renew_off':
        return planChangeOf(reader, type);
      case 'status': {
        const account = accountWithOrders(reader.below(groups.length));
        const customer = 1 + reader.below(customersOf(account).length);
        return { type, account, customer, status: reader.pick(['suspended', 'suspended', 'active']) };
      }
      case 'rename': {
        if (!naming.hasReferences) return null;
        const account = accountWithOrders(reader.below(groups.length));
        const customer = 1 + reader.below(customersOf(account).length);
        return { type, account, customer, reference: newReferenceOf(reader) };
      }
      case 'erase': {
        if (!naming.hasReferences) return null;
        const account = accountWithOrders(reader.below(groups.length));
        const own = customersOf(account);
        const ended = own.filter(({ plan }) => plan.expiresAt <= at || plan.status === 'cancelled');
        const drawn = 1 + reader.below(own.length);
        const isEnded = reader.below(4) > 0 && ended.length > 0;
        const customer = isEnded ? (ended[reader.below(ended.length)]?.number ?? drawn) : drawn;
        return { type, account, customer };
      }
      case 'mode':
        return { type, mode: reader.pick(modes) };
      case 'jobs':
        return { type };
      case 'group': {
        const account = reader.below(groups.length - 1);
        return { type, account, group: reader.pick(['reseller', 'distributor']) };
      }
      case 'prices': {
        const slot = reader.below(4);
        const reseller = reader.pick(priceSets);
        const distributor = reader.pick(priceSets);
        const prices = reader.pick(namedCells)(pricesOf(reseller, distributor));
        return { type, packageId: packageIdOf(slot), prices };
      }
      case 'schedule': {
        const slot = reader.pick([0, 0, 0, 1, 1, 2, 3, 4, 5]);
        const from = at + reader.pick(leads);
        const prices = reader.pick(namedCells)(pricesOf(reader.pick(priceSets), reader.pick(priceSets)));
        const earlier = scheduled.at(-1 - reader.below(3));
        const how = reader.below(10);
        const drawn = reader.pick(existingPlansChoices);
        const existingPlans = naming.hasAccountPrices ? drawn : 'new';
        if (earlier === undefined || how < 7)
          return { type, packageId: packageIdOf(slot), from, prices, existingPlans };
        // Sends the same request again, or other prices for the same second.
        return { ...earlier, ...(how > 8 && { prices }), ...(how === 8 && { existingPlans }) };
      }
      case 'unlist':
        return naming.hasAccountPrices ? accountPrices.unlistOf(reader) : null;
      case 'unschedule': {
        const earlier = scheduled.at(-1 - reader.below(4));
        const isMissing = earlier === undefined || reader.below(8) === 7;
        if (isMissing) return { type, packageId: packageIdOf(0), from: at + 7 };
        return { type, packageId: earlier.packageId, from: earlier.from };
      }
      case 'retire':
        return { type, packageId: packageIdOf(reader.pick([3, 3, 3, 2, 2, 1, 0])) };
      case 'periods':
        return {
          type,
          packageId: packageIdOf(reader.pick([0, 0, 1, 2, 3])),
          periods: reader.pick(soldPeriods),
        };
      default:
        return type satisfies never;
    }
  }

  /** One that no customer has had, or that some customer has or had, in any account. */
  function newReferenceOf(reader: Reader): string {
    const how = reader.below(4);
    const known = [...owners.keys()];
    const any = known[reader.below(known.length)];
    if (how === 3 && any !== undefined) return any;
    const drawn = customerOf(reader, reader.below(groups.length));
    return how === 2 ? drawn : `${reader.pick(['new', 'other', 'third'])}-${drawn}`;
  }

  function placeOf(reader: Reader): PlaceStep {
    const account = reader.below(groups.length);
    const customer = customerOf(reader, account);
    const chosen = reader.pick(packageChoices);
    const months = reader.pick(monthsSpellings);
    const key = reader.pick(keyChoices);
    const name = reader.pick(nameChoices);
    const spelling = reader.pick(customerSpellings);
    const login = reader.pick(loginChoices);
    const guard = reader.pick(guardChoices);
    const body = {
      ...(typeof chosen === 'number' ? { package_id: packageIdOf(chosen) } : chosen),
      ...(spelling === 'plain'
        ? { customer }
        : spelling === 'loud'
          ? { customer: loud(customer) }
          : spelling === 'erased'
            ? { customer: erasedNameOf(account, 1) }
            : spelling),
      ...months,
      ...name,
      ...login,
      ...guard,
      ...('body' in key && { idempotency_key: key.body }),
    };
    return { type: 'place', account, body, headerKey: key.header, mintedBy: null };
  }

  function planChangeOf(reader: Reader, type: PlanOperation): PlanStep {
    const account = accountWithOrders(reader.below(groups.length));
    const customer = customerPathOf(reader, account);
    const key = reader.pick(keyChoices);
    const fields = planFieldsOf(reader, type);
    const body = { ...fields, ...('body' in key && { idempotency_key: key.body }) };
    const isSent = Object.keys(body).length > 0 || reader.below(4) === 0;
    return { type, account, customer, body: isSent ? body : undefined, headerKey: key.header };
  }

  function planFieldsOf(reader: Reader, type: PlanOperation): Body {
    if (type === 'cancel') return reader.pick(cancelChoices);
    if (type === 'suspend') return reader.pick(reasonChoices);
    if (type === 'auto_renew')
      return { ...reader.pick(autoMonths), ...reader.pick(autoGuards), ...reader.pick(hoursChoices) };
    return {};
  }

  function customerPathOf(reader: Reader, account: number): OwnPath {
    const chosen = reader.pick(customerPaths);
    const own = customersOf(account);
    const [lastOrder] = oracle.orders(accountIdOf(account), 1, 1).data;
    const last = own.find(({ reference }) => reference === lastOrder?.customerReference);
    const any = 1 + reader.below(own.length);
    if (typeof chosen === 'object') return { kind: 'text', text: chosen.text };
    if (chosen === 'missing') return { kind: 'own', number: own.length + 1 };
    if (chosen === 'foreign') return { kind: 'foreign', account: (account + 1) % groups.length, number: any };
    return { kind: 'own', number: chosen === 'latest' ? (last?.number ?? any) : any };
  }

  /** Cancels and orders again in the same second, mostly after a renewal at another price. */
  function* swapOf(reader: Reader): Iterable<Request> {
    const account = accountWithOrders(reader.below(groups.length));
    const customer = customerPathOf(reader, account);
    const view = customer.kind === 'own' ? customersOf(account)[customer.number - 1] : undefined;
    if (view === undefined) return;
    const order = (packageId: number): PlaceStep => ({
      type: 'place',
      account,
      body: { package_id: packageId, customer: view.reference, months: 1 },
      headerKey: undefined,
      mintedBy: null,
    });
    if (reader.below(3) > 0) {
      yield order(view.plan.packageId);
      const prices = pricesOf(reader.pick(priceSets), reader.pick(priceSets));
      if (view.plan.packageId !== packageIdOf(5) && view.plan.packageId !== packageIdOf(6))
        yield { type: 'prices', packageId: view.plan.packageId, prices };
      yield order(view.plan.packageId);
      at += reader.pick([0, 1, 1000, secondsPerDay]);
      yield { type: 'wait' };
    }
    yield { type: 'cancel', account, customer, body: { at: 'now' }, headerKey: undefined };
    yield order(packageIdOf(reader.below(3)));
  }

  /** Time passes without requests: jobs run when something is due, mostly in time. */
  function* livedOf(reader: Reader): Iterable<Request> {
    const account = accountWithOrders(reader.below(groups.length));
    const customer = customerPathOf(reader, account);
    const fields = { ...reader.pick([{ months: 1 }, { period: 'monthly' }]), ...reader.pick(hoursChoices) };
    yield { type: 'auto_renew', account, customer, body: fields, headerKey: undefined };
    const late = reader.pick([0, 0, 0, 1, 3600, 2 * secondsPerDay]);
    for (let count = 1 + reader.below(4); count > 0; count -= 1) {
      const dueAt = dueTimes()[0];
      if (dueAt === undefined) return;
      at = Math.max(at, dueAt + late);
      yield { type: 'wait' };
      yield { type: 'jobs' };
    }
  }

  /** A cancel at the period's end suspends auto-renewal; then the end comes, or something else happens. */
  function* leavingOf(reader: Reader): Iterable<Request> {
    const account = accountWithOrders(reader.below(groups.length));
    const customer = customerPathOf(reader, account);
    const view = customer.kind === 'own' ? customersOf(account)[customer.number - 1] : undefined;
    if (view === undefined) return;
    const keyed = { account, headerKey: undefined };
    const fields = { months: 1, ...reader.pick(hoursChoices) };
    yield { type: 'auto_renew', ...keyed, customer, body: fields };
    yield { type: 'cancel', ...keyed, customer, body: { at: 'period_end' } };
    const { expiresAt } = view.plan;
    at = Math.max(at, reader.pick([at, expiresAt - 3600, expiresAt, expiresAt + secondsPerDay]));
    yield { type: 'wait' };
    if (reader.below(2) === 0) yield { type: 'resume', ...keyed, customer, body: undefined };
    const next = reader.pick(['same', 'other', 'renew', 'nothing'] as const);
    if (next === 'renew') {
      const order: OwnPath = { kind: 'own', number: Math.max(1, orderCountOf(account)) };
      yield { type: 'renew', ...keyed, order, body: { months: 1 }, mintedBy: null };
    } else if (next !== 'nothing') {
      const packageId = next === 'same' ? view.plan.packageId : packageIdOf(reader.below(3));
      const body = { package_id: packageId, customer: view.reference, months: 1 };
      yield { type: 'place', ...keyed, body, mintedBy: null };
    }
    yield { type: 'jobs' };
  }

  /** Blocks an account whose plan is due, but never the administrator's own. */
  function* blockedOf(reader: Reader): Iterable<Request> {
    const account = reader.below(groups.length - 1);
    yield { type: 'block', account, blocked: true };
    const dueAt = dueTimes([account])[0];
    if (dueAt !== undefined) at = Math.max(at, dueAt + reader.pick([0, 0, 1, secondsPerDay]));
    yield { type: 'jobs' };
    const refused = planChangeOf(reader, reader.pick(['cancel', 'suspend', 'resume', 'auto_renew']));
    yield { ...refused, account };
    yield { type: 'block', account, blocked: false };
  }

  function* haltedOf(reader: Reader): Iterable<Request> {
    const account = accountWithOrders(reader.below(groups.length));
    yield { type: 'halt', account, halted: true };
    for (let count = 1 + reader.below(3); count > 0; count -= 1) {
      const type = reader.pick(haltedTypes);
      if (type === 'settle') {
        yield* handoffs.settleOf(reader, account);
        continue;
      }
      if (type === 'payment') {
        if (naming.hasPayments) yield payments.anyOf(reader, account);
        continue;
      }
      if (type === 'jobs') {
        const dueAt = dueTimes([account])[0];
        if (dueAt !== undefined) at = Math.max(at, dueAt);
      }
      const request = requestOf(reader, type);
      if (request !== null) yield 'account' in request ? { ...request, account } : request;
    }
    yield { type: 'halt', account, halted: false };
  }

  /** What the operator may still ask for a closed account. */
  function* closedOf(reader: Reader): Iterable<Request> {
    const account = reader.below(groups.length - 1);
    yield { type: 'close', account, closed: true };
    for (let count = 1 + reader.below(3); count > 0; count -= 1) {
      const request = requestOf(reader, reader.pick(['credit', 'credit', 'trial']));
      if (request !== null) yield 'account' in request ? { ...request, account } : request;
    }
    yield { type: 'close', account, closed: false };
  }

  function dueTimes(of: readonly number[] = [...groups.keys()]): number[] {
    const due = of.flatMap((account) =>
      customersOf(account).flatMap(({ plan }) => plan.autoRenew?.nextAt ?? []),
    );
    return due.sort((a, b) => a - b);
  }

  function customersOf(account: number): CustomerView[] {
    return oracle.customers(accountIdOf(account), 1, 100, at).data.toReversed();
  }

  function burstOf(reader: Reader): readonly Request[] {
    const account = accountWithOrders(reader.below(groups.length));
    const number = orderCountOf(account);
    if (number === 0) return [];
    const renewal: RenewStep = {
      type: 'renew',
      account,
      order: { kind: 'own', number },
      body: { months: 12 },
      headerKey: undefined,
      mintedBy: null,
    };
    const money: CreditStep = {
      type: 'credit',
      account,
      amountCents: 150_000n,
      memo: 'much',
      key: undefined,
    };
    return [money, ...new Array<Request>(7 + reader.below(5)).fill(renewal)];
  }

  function accountWithOrders(account: number): number {
    const order = groups.map((_group, step) => (account + step) % groups.length);
    return order.find((candidate) => orderCountOf(candidate) > 0) ?? account;
  }

  function renewOf(reader: Reader): RenewStep {
    const account = accountWithOrders(reader.below(groups.length));
    const chosen = reader.pick(orderChoices);
    const count = orderCountOf(account);
    const back = reader.below(chosen === 'latest' ? Math.min(4, count) : count);
    const months = reader.pick(renewMonths);
    const key = reader.pick(keyChoices);
    const body = {
      ...months,
      ...reader.pick(guardChoices),
      ...('body' in key && { idempotency_key: key.body }),
    };
    const foreign = (account + 1) % groups.length;
    const order: RenewStep['order'] =
      renewedCustomerOf(reader, account, chosen) ??
      (chosen === 'foreign'
        ? { kind: 'foreign', account: foreign, number: Math.max(1, orderCountOf(foreign)) }
        : chosen === 'missing'
          ? { kind: 'own', number: count + 1 }
          : typeof chosen === 'object'
            ? { kind: 'text', text: chosen.text }
            : { kind: 'own', number: Math.max(1, count - back) });
    const isEmpty = Object.keys(body).length === 0;
    const isInBoth = 'body' in key && order.kind === 'customer';
    return {
      type: 'renew',
      account,
      order,
      body: isEmpty ? undefined : body,
      headerKey: isInBoth ? undefined : key.header,
      mintedBy: null,
    };
  }

  function renewedCustomerOf(
    reader: Reader,
    account: number,
    chosen: (typeof orderChoices)[number],
  ): RenewedCustomer | null {
    if (reader.below(3) > 0) return null;
    const own = customersOf(account);
    const isForeign = chosen === 'foreign';
    const known = isForeign ? customersOf((account + 1) % groups.length) : own;
    if (chosen === 'missing') return { kind: 'customer', number: own.length + 1, reference: null };
    const view = known[reader.below(known.length)];
    const isNumber = reader.below(2) === 0 && !isForeign;
    if (view === undefined) return { kind: 'customer', number: 1, reference: null };
    return { kind: 'customer', number: view.number, reference: isNumber ? null : view.reference };
  }

  /** Repeats a recent request: the same, spelled differently, or with one change. */
  function againOf(reader: Reader): Request | null {
    const index = repeatable[repeatable.length - 1 - reader.below(Math.min(10, repeatable.length))];
    const earlier = index === undefined ? undefined : steps[index];
    if (index === undefined || earlier === undefined) return null;
    const change = reader.pick(againChanges);
    const { request } = earlier;
    if (request.type === 'credit') {
      if (change === 'name') return { ...request, memo: `${request.memo ?? ''}!` };
      if (change === 'months') return { ...request, amountCents: request.amountCents * 2n };
      return change === 'account' ? { ...request, account: (request.account + 1) % groups.length } : request;
    }
    if (isPlanStep(request)) return changePlanChange(request, change, reader);
    if (isPaymentStep(request)) return payments.changed(request, change);
    if (request.type !== 'place' && request.type !== 'renew') return null;
    const sentKey = request.headerKey ?? request.body?.['idempotency_key'];
    const isOrdered = earlier.expected.type === 'order' && 'order' in earlier.expected.outcome;
    // A request without a key can be repeated with the key from its answer.
    const again: PlaceStep | RenewStep =
      sentKey === undefined && isOrdered && change !== 'key' && change !== 'again'
        ? { ...request, mintedBy: request.mintedBy ?? index }
        : request;
    return again.type === 'place' ? changePlace(again, change, reader) : changeRenew(again, change, reader);
  }

  function changePlace(request: PlaceStep, change: string, reader: Reader): Request {
    const { body } = request;
    switch (change) {
      case 'guard':
        return { ...request, body: { ...body, ...reader.pick(guardChoices) } };
      case 'spelling': {
        const { customer, return_login: returnLogin } = body;
        return {
          ...moveKey(request),
          body: {
            ...respellMonths(moveKey(request).body, reader),
            ...(typeof customer === 'string' && { customer: loud(customer) }),
            ...(returnLogin === true ? { return_login: false } : {}),
            unknown: { field: [1] },
          },
        };
      }
      case 'months':
        return { ...request, body: { ...withoutMonths(body), months: reader.pick([12, 3, 1]) } };
      case 'package':
        return { ...request, body: { ...body, package_id: packageIdOf(reader.below(3)) } };
      case 'customer':
        return { ...request, body: { ...body, customer: customerOf(reader, request.account) } };
      case 'name':
        return { ...request, body: { ...body, customer_name: reader.pick(['Eve', 'Ada Lovelace', '']) } };
      case 'key':
        return withKey(request, reader.pick(['K7', 'K8', 'K9']));
      case 'again':
        return withKey(request, undefined);
      case 'account':
        return { ...request, account: (request.account + 1) % groups.length };
      case 'endpoint': {
        const number = Math.max(1, orderCountOf(request.account));
        const { idempotency_key: key } = body;
        return {
          ...request,
          type: 'renew',
          order: { kind: 'own', number },
          body: { ...(key !== undefined && { idempotency_key: key }) },
        };
      }
      default:
        return request;
    }
  }

  function changeRenew(request: RenewStep, change: string, reader: Reader): Request {
    switch (change) {
      case 'guard':
        return { ...request, body: { ...request.body, ...reader.pick(guardChoices) } };
      case 'spelling': {
        const moved = moveKey(request);
        const original = originalMonths(request);
        const isAbsent = request.body?.['months'] === undefined && request.body?.['period'] === undefined;
        const body =
          isAbsent && original !== null
            ? { ...moved.body, months: original }
            : respellMonths(moved.body ?? {}, reader);
        return { ...moved, body };
      }
      case 'months':
        return {
          ...request,
          body: { ...withoutMonths(request.body ?? {}), months: reader.pick([12, 3, 1]) },
        };
      case 'order':
      case 'package': {
        const number = 1 + reader.below(orderCountOf(request.account) + 1);
        return { ...request, order: { kind: 'own', number } };
      }
      case 'key':
        return withKey(request, reader.pick(['K7', 'K8', 'K9']));
      case 'again':
        return withKey(request, undefined);
      case 'account':
        return { ...request, account: (request.account + 1) % groups.length };
      case 'endpoint': {
        const { idempotency_key: key } = request.body ?? {};
        const customer = customerOf(reader, request.account);
        const body = {
          package_id: packageIdOf(0),
          customer,
          ...(key !== undefined && { idempotency_key: key }),
        };
        const { account, headerKey, mintedBy } = request;
        return { type: 'place', account, body, headerKey, mintedBy };
      }
      default:
        return request;
    }
  }

  function changePlanChange(request: PlanStep, change: string, reader: Reader): Request {
    const { type, body } = request;
    switch (change) {
      case 'spelling': {
        const months = type === 'auto_renew' ? respellMonths(body ?? {}, reader) : body;
        const guard = months?.['max_charge'];
        const reason = months?.['reason'];
        return {
          ...moveKey({ ...request, body: months }),
          ...((guard === '10' || typeof reason === 'string') && {
            body: {
              ...months,
              ...(guard === '10' && { max_charge: '10.00' }),
              ...(typeof reason === 'string' && { reason: ` ${reason}` }),
            },
          }),
        };
      }
      case 'months':
      case 'name':
      case 'guard':
      case 'package': {
        const { idempotency_key: key } = body ?? {};
        const fields = planFieldsOf(reader, type);
        return { ...request, body: { ...fields, ...(key !== undefined && { idempotency_key: key }) } };
      }
      case 'customer':
        return { ...request, customer: customerPathOf(reader, request.account) };
      case 'key':
        return withKey(request, reader.pick(['K7', 'K8', 'K9']));
      case 'again':
        return withKey(request, undefined);
      case 'account':
        return { ...request, account: (request.account + 1) % groups.length };
      case 'endpoint':
        // Another operation with the same body and key.
        return { ...request, type: reader.pick(['cancel', 'suspend', 'resume', 'auto_renew_off']) };
      default:
        return request;
    }
  }

  function originalMonths(request: RenewStep): Months | null {
    if (request.order.kind !== 'own') return null;
    const order = oracle.order(accountIdOf(request.account), request.order.number);
    return 'months' in order ? order.months : null;
  }

  function waitOf(reader: Reader): Request {
    const how = reader.pick(waits);
    const before = at;
    if (how === 'seconds') at += reader.pick([1, 2, 59, 3600, 43_199, secondsPerDay]);
    if (how === 'days') at += reader.below(40 * secondsPerDay);
    if (how === 'expiry') {
      const ends = [...owners].flatMap(([reference, account]) => {
        const view = oracle.customer(accountIdOf(account), reference, at);
        return 'plan' in view && view.plan.expiresAt > at ? [view.plan.expiresAt] : [];
      });
      // Mostly the plan that ends first: after a yearly plan's end, few plans are still running.
      ends.sort((a, b) => a - b);
      const end = ends[reader.pick([0, 0, 0, 1, 1, 2]) % Math.max(1, ends.length)];
      if (end !== undefined) at = end + reader.pick([-1, 0, 1]);
    }
    if (how === 'price') {
      const ofLists = groups.flatMap((_group, account) =>
        oracle
          .accountPrices(accountIdOf(account))
          .flatMap(({ from, until }) => (until === null ? [from] : [from, until])),
      );
      const seconds = [...scheduled.map(({ from }) => from), ...ofLists].filter((from) => from >= at);
      const second = seconds[reader.below(seconds.length)];
      if (second !== undefined) at = second + reader.pick([-1, 0, 0, 1]);
    }
    if (how === 'due') {
      const due = dueTimes();
      const dueAt = due[reader.pick([0, 0, 0, 1, 2]) % Math.max(1, due.length)];
      if (dueAt !== undefined) at = dueAt + reader.pick([-1, 0, 0, 1, 6 * 3600, 10 * secondsPerDay]);
    }
    if (how === 'month_end') at = startOfMonthAfter(at) + reader.pick([-1, 0, 1, -43_200]);
    if (how === 'leap_day') at = leapDayAfter(at) + reader.pick([0, 43_200, secondsPerDay - 1]);
    if (how === 'year') at = addMonths(at, reader.pick([12, 12, 24, 36]));
    at = Math.max(at, before);
    return { type: 'wait' };
  }

  /** Mostly one of the account's own two, sometimes any, so that accounts contest customers. */
  function customerOf(reader: Reader, account: number): string {
    const drawn = reader.below(customers.length * customersPerHome * 2);
    const place =
      drawn < customers.length
        ? account * customersPerHome + (drawn % customersPerHome)
        : drawn < customers.length * 3
          ? (account * customersPerHome + (drawn % customersPerHome)) % customers.length
          : drawn;
    const reference = customers[place % customers.length] ?? 'bob';
    const [local, domain] = reference.split('@');
    return `${local}${naming.customerSuffix}${domain === undefined ? '' : `@${domain}`}`;
  }

  function ask(request: Request): Expected {
    switch (request.type) {
      case 'place': {
        const { account, body } = request;
        const headerKey = headerKeyOf(request);
        const outcome = oracle.placeOrder({ accountId: accountIdOf(account), body, headerKey }, at);
        if ('order' in outcome) own(outcome.order.customerReference, account);
        return { type: 'order', outcome };
      }
      case 'renew': {
        const { account, body, order } = request;
        const headerKey = headerKeyOf(request);
        if (order.kind === 'customer') {
          const customer = order.reference ?? order.number;
          const renewal = { accountId: accountIdOf(account), customer, body, headerKey };
          return { type: 'order', outcome: oracle.renewCustomer(renewal, at) };
        }
        const isOwn = order.kind === 'own' || (order.kind === 'foreign' && order.account === account);
        const orderId = isOwn ? String(order.number) : '0';
        const outcome = oracle.renewOrder({ accountId: accountIdOf(account), orderId, body, headerKey }, at);
        return { type: 'order', outcome };
      }
      case 'credit': {
        const { account, amountCents, memo, key } = request;
        const administrator = accountIdOf(groups.length - 1);
        const outcome = oracle.credit(
          { accountId: accountIdOf(account), amountCents, memo, key, actorId: administrator },
          at,
        );
        return { type: 'credit', outcome };
      }
      case 'trial':
        return { type: 'trial', outcome: askTrial(request) };
      case 'cancel':
        return { type: 'plan', outcome: oracle.cancel(planInput(request), at) };
      case 'suspend':
        return { type: 'plan', outcome: oracle.suspend(planInput(request), at) };
      case 'resume':
        return { type: 'plan', outcome: oracle.resume(planInput(request), at) };
      case 'auto_renew':
        return { type: 'plan', outcome: oracle.setAutoRenew(planInput(request), at) };
      case 'auto_renew_off':
        return { type: 'plan', outcome: oracle.removeAutoRenew(planInput(request), at) };
      case 'status': {
        const { account, customer, status } = request;
        const input = { accountId: accountIdOf(account), customerId: String(customer), status };
        const outcome = oracle.setCustomerStatus(input, at);
        return { type: 'status', outcome };
      }
      case 'rename': {
        const { account, customer, reference } = request;
        const outcome = oracle.changeReference({ accountId: accountIdOf(account), customer, reference }, at);
        if (!('code' in outcome)) own(outcome.customer.reference, account);
        return { type: 'reference', outcome };
      }
      case 'erase': {
        const { account, customer } = request;
        const erasedAs = erasedNameOf(account, customer);
        const outcome = oracle.eraseCustomer({ accountId: accountIdOf(account), customer, erasedAs }, at);
        return { type: 'reference', outcome };
      }
      case 'block':
        oracle.setBlocked({ accountId: accountIdOf(request.account), blocked: request.blocked });
        return { type: 'done' };
      case 'halt':
        oracle.setHalted({ accountId: accountIdOf(request.account), halted: request.halted });
        return { type: 'done' };
      case 'close':
        oracle.setClosed({ accountId: accountIdOf(request.account), closed: request.closed });
        return { type: 'done' };
      case 'mode':
        mode = request.mode;
        oracle.setProductMode(request);
        return { type: 'done' };
      case 'settle_order': {
        const { account, order: orderNumber, outcome, reason, by } = request;
        const input = { accountId: accountIdOf(account), orderNumber, outcome, reason, by };
        return { type: 'settle', outcome: oracle.settleOrder(input, at) };
      }
      case 'receive_payment': {
        const { account, topup: topupNumber, ref: paymentRef, amountCents, memo } = request;
        const asked = { topupNumber, askedCents: topupCents(topupNumber) };
        const input = { accountId: accountIdOf(account), ...asked, paymentRef, amountCents, memo };
        return { type: 'payment', outcome: oracle.receivePayment(input, at) };
      }
      case 'reverse_payment': {
        const { account, topup: topupNumber, by, type: _type, ...rest } = request;
        const actorId = by === 'provider' ? null : accountIdOf(groups.length - 1);
        const input = { ...rest, accountId: accountIdOf(account), topupNumber, actorId };
        return { type: 'payment', outcome: oracle.reversePayment(input, at) };
      }
      case 'reinstate_payment': {
        const { account, cause } = request;
        return {
          type: 'payment',
          outcome: oracle.reinstatePayment({ accountId: accountIdOf(account), cause }, at),
        };
      }
      case 'write_off_receivable': {
        const { account, amountCents, memo, key } = request;
        const input = { accountId: accountIdOf(account), amountCents, memo, key };
        return { type: 'payment', outcome: oracle.writeOffReceivable(input) };
      }
      case 'jobs':
        return { type: 'renewals', attempts: oracle.runJobs(at) };
      case 'group':
        oracle.setGroup({ accountId: accountIdOf(request.account), group: request.group });
        return { type: 'done' };
      case 'prices':
        oracle.setPrices(request, at);
        return { type: 'done' };
      case 'schedule': {
        const outcome = oracle.schedulePrices(request, at);
        if (!('code' in outcome) && !outcome.replayed) scheduled.push(request);
        return { type: 'schedule', outcome };
      }
      case 'list': {
        const { account, list } = request;
        const outcome = oracle.putAccountPrices({ accountId: accountIdOf(account), ...list }, at);
        if (!('code' in outcome) && !outcome.replayed) accountPrices.notePut(request);
        return { type: 'list', outcome };
      }
      case 'unlist': {
        const { account, list } = request;
        const outcome = oracle.deleteAccountPrices({ accountId: accountIdOf(account), list }, at);
        return { type: 'list', outcome };
      }
      case 'unschedule':
        return { type: 'schedule', outcome: oracle.unschedulePrices(request, at) };
      case 'retire':
        retired.add(request.packageId);
        oracle.retirePackage(request);
        return { type: 'done' };
      case 'periods':
        oracle.setPeriods(request);
        return { type: 'done' };
      case 'wait': {
        const account = steps.length % groups.length;
        const views = oracle.packages(accountIdOf(account), at);
        return { type: 'packages', account, views, renewals: renewalsOf(account) };
      }
      default:
        return request satisfies never;
    }
  }

  function renewalsOf(account: number): PricedRenewal[] {
    return customersOf(account).flatMap(({ number: customerNumber, reference }) => {
      const months = ([1, 3, 12] as const)[(steps.length + customerNumber) % 3] ?? 1;
      const price = oracle.renewalPrice(accountIdOf(account), reference, months, at);
      return price === null ? [] : [{ customerNumber, months, ...price }];
    });
  }

  function planInput({ account, customer, body, headerKey }: PlanStep) {
    const isOwn = customer.kind === 'own' || (customer.kind === 'foreign' && customer.account === account);
    const customerId = isOwn ? String(customer.number) : '0';
    return { accountId: accountIdOf(account), customerId, body, headerKey };
  }

  function notesOf(request: Request, expected: Expected): string[] {
    if (expected.type === 'plan' && 'customer' in expected.outcome && 'account' in request) {
      const { reference } = expected.outcome.customer;
      return handoffs.isWaiting(request.account, reference) ? [`${request.type} while an order waits`] : [];
    }
    if (expected.type !== 'order' || !('order' in expected.outcome)) return [];
    const { order, replayed } = expected.outcome;
    if (replayed) {
      const accountId = 'account' in request ? accountIdOf(request.account) : 0;
      return oracle.hasWaited(accountId, order.number) ? [`replay of what is ${order.status}`] : [];
    }
    const cancelled = steps.some(
      (step) =>
        step.at === at &&
        step.expected.type === 'plan' &&
        'customer' in step.expected.outcome &&
        step.expected.outcome.refundCents > 0n &&
        step.expected.outcome.customer.reference === order.customerReference,
    );
    const ofPrice = 'account' in request ? accountPrices.notesOf(request.account, order) : [];
    return [...(cancelled ? [`${request.type} in the second of a cancel`] : []), ...ofPrice];
  }

  /** Follows the service where the documents do not decide (A31). */
  function askTrial(request: Request & { type: 'trial' }): Refusal | { replayed: boolean; given: boolean } {
    const { account, packageId, customer: reference, key, again } = request;
    const outcome = oracle.grantTrial({
      accountId: accountIdOf(account),
      packageId,
      customer: reference,
      now: at,
      key,
      again,
    });
    if (!('code' in outcome)) {
      own(reference, account);
      if (key !== undefined) granted.push(request);
      return { replayed: outcome.replayed, given: outcome.given };
    }
    // An ordinary package is known, but not a trial.
    if (outcome.code === 'invalid_package')
      return { code: 'package_unavailable', details: { field: 'package_id' } };
    return outcome;
  }

  function own(reference: string, account: number): void {
    if (!owners.has(reference)) owners.set(reference, account);
  }

  function headerKeyOf({ headerKey, mintedBy }: Keyed): string | undefined {
    if (mintedBy === null) return headerKey;
    const expected = steps[mintedBy]?.expected;
    if (expected?.type !== 'order' || !('order' in expected.outcome))
      throw new Error(`step ${mintedBy} made no order`);
    return expected.outcome.order.idempotencyKey;
  }

  function orderCountOf(account: number): number {
    return oracle.orders(accountIdOf(account), 1, 1).total;
  }

  function erasedNameOf(account: number, customer: number): string {
    return `erased-${Number(accountIdOf(account)) * 1_000_000_000 + customer}`;
  }

  function accountIdOf(account: number): number {
    return naming.accountIds[account] ?? 0;
  }

  function packageIdOf(slot: number): number {
    return naming.packageIds[slot] ?? 0;
  }
}

/** Other steps change the world, so a batch never spans one. */
export function isCommand({ type }: Request): boolean {
  return !worldMoves.has(type);
}

const worldMoves: ReadonlySet<Request['type']> = new Set([
  'group',
  'prices',
  'schedule',
  'unschedule',
  'list',
  'unlist',
  'retire',
  'periods',
  'block',
  'halt',
  'close',
  'mode',
  'wait',
]);

const scenarioTypes = [
  'burst',
  'swap',
  'by_itself',
  'blocked_while_due',
  'meant_to_end',
  'halted',
  'closed',
  'settle',
  'handed_off',
  'held',
  'list',
  'payment',
  'way_back',
] as const satisfies readonly (typeof operationTypes)[number][];

const haltedTypes = [
  'settle',
  'settle',
  'payment',
  'payment',
  'place',
  'place',
  'renew',
  'credit',
  'trial',
  'cancel',
  'cancel',
  'suspend',
  'jobs',
] as const;

function isPaymentStep(request: Request): request is PaymentStep {
  const { type } = request;
  return type.endsWith('_payment') || type === 'write_off_receivable';
}

export function entryBalanceOf({
  entries,
  balanceAfterCents,
}: Pick<Exclude<CreditOutcome, Refusal>, 'entries' | 'balanceAfterCents'>): bigint {
  return entries[0]?.balanceAfterCents ?? balanceAfterCents;
}

export function isPlanStep(request: Request): request is PlanStep {
  return 'headerKey' in request && request.type !== 'place' && request.type !== 'renew';
}

function template(
  name: string,
  { trial = false, retired = false }: { trial?: boolean; retired?: boolean },
  reseller: readonly [bigint, bigint, bigint],
  distributor: readonly [bigint, bigint, bigint],
): PackageTemplate {
  return { name, trial, retired, durationDays: trial ? 14 : 30, prices: pricesOf(reseller, distributor) };
}

function pricesOf(
  reseller: readonly [bigint, bigint, bigint],
  distributor: readonly [bigint, bigint, bigint],
): Prices {
  return {
    reseller: { 1: reseller[0], 3: reseller[1], 12: reseller[2] },
    distributor: { 1: distributor[0], 3: distributor[1], 12: distributor[2] },
  };
}

function oracleWorld({ accountIds, packageIds, cancelRefund }: Naming): World {
  return {
    cancelRefund,
    packages: packageTemplates.map((one, slot) => ({ ...one, id: packageIds[slot] ?? 0 })),
    accounts: groups.map((group, account) => ({
      id: accountIds[account] satisfies AccountId | undefined as AccountId,
      group,
      balanceCents: 0n,
    })),
  };
}

function loud(customer: string): string {
  return `  ${customer.trim().toUpperCase()}\t`;
}

function withKey<Sent extends PlaceStep | RenewStep | PlanStep>(
  request: Sent,
  key: string | undefined,
): Sent {
  const { idempotency_key: _old, ...body } = request.body ?? {};
  return { ...request, body, headerKey: key, ...('mintedBy' in request && { mintedBy: null }) };
}

function moveKey<Sent extends PlaceStep | RenewStep | PlanStep>(request: Sent): Sent {
  const { idempotency_key: inBody, ...body } = request.body ?? {};
  if (typeof inBody === 'string' && request.headerKey === undefined)
    return { ...request, body, headerKey: inBody };
  if (inBody === undefined && request.headerKey !== undefined) {
    return { ...request, body: { ...body, idempotency_key: request.headerKey }, headerKey: undefined };
  }
  return request;
}

function withoutMonths(body: Body): Body {
  const { months: _months, period: _period, ...rest } = body;
  return rest;
}

function respellMonths(body: Body, reader: Reader): Body {
  const { months, period } = body;
  const spelled: Readonly<Record<string, readonly Body[]>> = {
    1: [{}, { months: 1 }, { period: 'monthly' }],
    3: [{ months: 3 }, { period: 'quarterly' }, { months: 3, period: 'quarterly' }],
    12: [{ months: 12 }, { period: 'yearly' }, { months: 12, period: 'yearly' }],
  };
  const named: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, yearly: 12 };
  const meant = months ?? (period === undefined ? 1 : named[String(period)]);
  if (typeof meant !== 'number' || (period !== undefined && named[String(period)] !== meant)) return body;
  const ways = spelled[meant];
  return ways === undefined ? body : { ...withoutMonths(body), ...reader.pick(ways) };
}

function startOfMonthAfter(at: number): number {
  const date = new Date(at * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

function leapDayAfter(at: number): number {
  let year = new Date(at * 1000).getUTCFullYear();
  for (;;) {
    const day = new Date(Date.UTC(year, 1, 29));
    if (day.getUTCMonth() === 1 && day.getTime() / 1000 > at) return day.getTime() / 1000;
    year += 1;
  }
}
