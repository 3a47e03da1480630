// Histories of accounts used live and in test mode at once, played through two oracles.
// Invariant: a request changes one mode only, except the operator's changes to prices, groups, packages and rights.

import { type PlanOperation, type PlayedList, packageTemplates } from './histories.ts';
import {
  autoGuards,
  autoMonths,
  type Body,
  cancelChoices,
  createReader,
  customers,
  existingPlansChoices,
  guardChoices,
  type History,
  hoursChoices,
  keyChoices,
  leads,
  monthsSpellings,
  nameChoices,
  namedCells,
  priceSets,
  type Reader,
  reasonChoices,
  renewMonths,
  startTimes,
} from './history-genes.ts';
import { drawList } from './history-prices.ts';
import type {
  CreditOutcome,
  CustomerView,
  Group,
  Oracle,
  Order,
  OrderOutcome,
  SomePrices,
  World,
} from './oracle.ts';
import { createOracle } from './oracle.ts';
import { secondsPerDay } from './oracle-calendar.ts';
import { createEventRules, type OwedEvent } from './oracle-events.ts';
import type { PlanChangeOutcome } from './oracle-life.ts';
import type {
  DeleteListOutcome,
  ExistingPlans,
  PackageView,
  PriceRefusal,
  PutListOutcome,
} from './oracle-prices.ts';
import type { Refusal } from './oracle-request.ts';
import {
  type Alerts,
  createTestMode,
  type EmittedAt,
  type MoveOutcome,
  type TestMode,
} from './oracle-test-mode.ts';
import { timeText } from './shown-plans.ts';
import {
  accountChoices,
  alertChoices,
  crossedRequests,
  distances,
  foreignPaths,
  liveAmounts,
  type Mode,
  modeChoices,
  moveKeys,
  offsets,
  realWaits,
  testCreditKeys,
  testCredits,
  testModeOperations,
  testRoutes,
  wrongMoves,
} from './test-mode-genes.ts';

export const testModeGroups: readonly Extract<Group, 'reseller' | 'distributor'>[] = [
  'reseller',
  'reseller',
  'distributor',
];

export interface TestModeNaming {
  readonly accountIds: readonly number[];
  readonly packageIds: readonly number[];
  readonly customerSuffix: string;
  /** False leaves out steps with account prices. */
  readonly hasAccountPrices: boolean;
}

export interface TestModePath {
  readonly of: 'own' | (typeof foreignPaths)[number];
  readonly number: number;
}

interface Sent {
  readonly mode: Mode;
  readonly account: number;
}

interface WithBody extends Sent {
  readonly body: Body | undefined;
  readonly headerKey: string | undefined;
}

export type TestModeRequest =
  | (WithBody & { readonly type: 'place' })
  | (WithBody & { readonly type: 'renew'; readonly order: TestModePath })
  | (WithBody & { readonly type: PlanOperation; readonly customer: TestModePath })
  | (WithBody & { readonly type: 'move' })
  | (WithBody & { readonly type: 'test_credit' })
  | (Sent & { readonly type: 'reset' | 'look_at_clock' | 'packages' })
  | (Sent & { readonly type: 'look_at_order'; readonly order: TestModePath })
  | (Sent & { readonly type: 'look_at_customer' | 'look_at_history'; readonly customer: TestModePath })
  | (Sent & { readonly type: 'alerts'; readonly alerts: Alerts })
  | (Sent & { readonly type: 'open' })
  | (Sent & { readonly type: 'credit'; readonly amountCents: bigint })
  | (Sent & { readonly type: 'group'; readonly group: (typeof testModeGroups)[number] })
  | (Sent & { readonly type: 'rights'; readonly blocked: boolean; readonly apiEnabled: boolean })
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
  | { readonly type: 'jobs' };

export type TestModeExpected =
  | { readonly type: 'done' }
  | { readonly type: 'test_mode_only' }
  | { readonly type: 'order'; readonly outcome: OrderOutcome }
  | { readonly type: 'plan'; readonly outcome: PlanChangeOutcome }
  | { readonly type: 'credit'; readonly outcome: CreditOutcome }
  | { readonly type: 'move'; readonly outcome: MoveOutcome }
  | { readonly type: 'clock'; readonly clockAt: number }
  | { readonly type: 'shown'; readonly outcome: Order | CustomerView | Refusal }
  | { readonly type: 'schedule'; readonly outcome: PriceRefusal | { status: 201 | 204; replayed: boolean } }
  | { readonly type: 'list'; readonly outcome: PutListOutcome | DeleteListOutcome }
  | { readonly type: 'packages'; readonly views: readonly PackageView[]; readonly upcomingAfter: number }
  | { readonly type: 'renewals'; readonly count: number };

export interface TestModeStep {
  readonly at: number;
  readonly request: TestModeRequest;
  readonly expected: TestModeExpected;
}

export interface PlayedTestModeHistory {
  readonly naming: TestModeNaming;
  readonly steps: readonly TestModeStep[];
  readonly live: Oracle;
  readonly tests: TestMode;
  readonly endedAt: number;
  readonly opened: ReadonlySet<number>;
  /** The events due to the account's listeners in this mode, since its start or last reset. */
  feedOf(mode: Mode, account: number): readonly EmittedAt[];
}

const latestClock = Date.parse('2150-01-01T00:00:00Z') / 1_000;

export function playTestModeHistory(history: History, naming: TestModeNaming): PlayedTestModeHistory {
  const world = createReader(history.world);
  let at = Date.parse(world.pick(startTimes)) / 1_000;
  const oracleWorld = worldOf(naming);
  const live = createOracle(oracleWorld);
  const tests = createTestMode(oracleWorld);
  const liveEvents = createEventRules(live, () => ({ belowCents: null, endingDays: null }));
  const steps: TestModeStep[] = [];
  const opened = new Set<number>();
  const wasReset = new Set<number>();
  const feeds = new Map<string, EmittedAt[]>();
  const repeatable: Extract<TestModeRequest, WithBody>[] = [];
  const scheduled: Extract<TestModeRequest, { type: 'schedule' }>[] = [];

  for (const [account] of testModeGroups.entries())
    take({ type: 'credit', mode: 'live', account, amountCents: 30_000n });
  take({ type: 'open', mode: 'test', account: 0 });
  take({ type: 'open', mode: 'test', account: 1 });
  for (const genes of history.operations)
    for (const request of requestsOf(createReader(genes))) {
      // A test account is created on first use.
      if (isOfTests(request) && !opened.has(request.account))
        take({ type: 'open', mode: 'test', account: request.account });
      take(request);
    }
  const feedOf = (mode: Mode, account: number) => feeds.get(`${mode} ${account}`) ?? [];
  return { naming, steps, live, tests, endedAt: at, opened, feedOf };

  function take(request: TestModeRequest): void {
    if ('headerKey' in request) repeatable.push(request);
    steps.push({ at, request, expected: ask(request) });
  }

  function requestsOf(reader: Reader): readonly TestModeRequest[] {
    const type = reader.pick(testModeOperations);
    const mode = reader.pick(modeChoices);
    const account = reader.pick(accountChoices);
    switch (type) {
      case 'place':
        return [{ type, mode, account, ...placeOf(reader, account) }];
      case 'living':
        return livingOf(reader, mode, account);
      case 'spending':
        return spendingOf(mode, account);
      case 'renew':
        return [renewOf(reader, mode, account)];
      case 'cancel':
      case 'suspend':
      case 'resume':
      case 'auto_renew':
      case 'auto_renew_off':
        return [planChangeOf(reader, type, mode, account)];
      case 'again':
        return againOf(reader);
      case 'move':
        return [moveOf(reader, account)];
      case 'wrong_move':
        return [{ type: 'move', mode: 'test', account, body: reader.pick(wrongMoves), headerKey: undefined }];
      case 'credit':
        return [{ type, mode: 'live', account, amountCents: reader.pick(liveAmounts) }];
      case 'test_credit':
        return [{ type, mode: 'test', account, ...testCreditOf(reader) }];
      case 'reset':
        return resetOf(account);
      case 'crossed':
        return [crossedOf(reader, mode, account)];
      case 'test_route':
        return [testRouteOf(reader, account)];
      case 'wait':
        at += reader.pick(realWaits);
        return [{ type: 'packages', mode, account }];
      case 'jobs':
        return [{ type }];
      case 'prices':
      case 'schedule':
        return [pricesOf(reader, type)];
      case 'unschedule': {
        const known = scheduled[reader.below(scheduled.length)];
        return known === undefined ? [] : [{ type, packageId: known.packageId, from: known.from }];
      }
      case 'list': {
        if (!naming.hasAccountPrices) return [];
        return [{ type, account, list: drawList(reader, at, packageIdOf) }];
      }
      case 'unlist': {
        const last = live.accountPrices(accountIdOf(account)).at(-1 - reader.below(2));
        return last === undefined ? [] : [{ type, account, list: last.number }];
      }
      case 'retire':
        return [{ type, packageId: packageIdOf(reader.below(3) === 0 ? 1 : 3) }];
      case 'group':
        return [{ type, mode: 'live', account, group: reader.below(2) === 0 ? 'reseller' : 'distributor' }];
      case 'closed':
        return closedOf(reader, account);
      case 'alerts':
        return [alertsOf(reader, account)];
      default:
        return type satisfies never;
    }
  }

  function placeOf(reader: Reader, account: number): Omit<WithBody, keyof Sent> {
    const place = reader.below(8) === 0 ? reader.below(customers.length) : account * 2 + reader.below(3);
    const customer = customerAt(place);
    const slot = reader.below(12);
    const key = reader.pick(keyChoices);
    const body = {
      package_id: packageIdOf(slot > 6 ? 0 : slot),
      customer,
      ...reader.pick(monthsSpellings),
      ...reader.pick(nameChoices),
      ...reader.pick(guardChoices),
      ...('body' in key && { idempotency_key: key.body }),
    };
    return { body, headerKey: key.header };
  }

  function customerAt(place: number): string {
    const [local = '', domain] = (customers[place] ?? '').split('@');
    return `${local}${naming.customerSuffix}${domain === undefined ? '' : `@${domain}`}`;
  }

  function livingOf(reader: Reader, mode: Mode, account: number): readonly TestModeRequest[] {
    const reference = customerAt(account * 2 + reader.below(3));
    const known = oracleOf(mode).customer(accountIdOf(account), reference, at);
    const number = 'number' in known ? known.number : customerCountOf(mode, account) + 1;
    const head = { mode, account, headerKey: undefined };
    const placed = { package_id: packageIdOf(reader.below(3)), customer: reference, months: 1 };
    const renewed = { months: reader.below(3) === 0 ? 3 : 1, ...reader.pick(hoursChoices) };
    return [
      { type: 'place', ...head, body: placed },
      { type: 'auto_renew', ...head, customer: { of: 'own', number }, body: renewed },
    ];
  }

  function spendingOf(mode: Mode, account: number): readonly TestModeRequest[] {
    const body = { package_id: packageIdOf(1), customer: customerAt(account * 2), months: 12 };
    return Array.from({ length: 3 }, () => ({ type: 'place', mode, account, body, headerKey: undefined }));
  }

  function renewOf(reader: Reader, mode: Mode, account: number): TestModeRequest {
    const count = orderCountOf(mode, account);
    const number = reader.below(4) === 0 ? 1 + reader.below(count) : Math.max(1, count);
    const key = reader.pick(keyChoices);
    const body = { ...reader.pick(renewMonths), ...reader.pick(guardChoices) };
    return { type: 'renew', mode, account, order: { of: 'own', number }, body, headerKey: key.header };
  }

  function planChangeOf(reader: Reader, type: PlanOperation, mode: Mode, account: number): TestModeRequest {
    const count = customerCountOf(mode, account) + (reader.below(16) === 0 ? 1 : 0);
    const customer = { of: 'own', number: 1 + reader.below(Math.max(1, count)) } as const;
    const key = reader.pick(keyChoices);
    const body = { ...planFieldsOf(reader, type), ...('body' in key && { idempotency_key: key.body }) };
    return { type, mode, account, customer, body, headerKey: key.header };
  }

  function planFieldsOf(reader: Reader, type: PlanOperation): Body {
    if (type === 'cancel') return reader.pick(cancelChoices);
    if (type === 'suspend') return reader.pick(reasonChoices);
    if (type === 'auto_renew')
      return { ...reader.pick(autoMonths), ...reader.pick(autoGuards), ...reader.pick(hoursChoices) };
    return {};
  }

  function testCreditOf(reader: Reader): Omit<WithBody, keyof Sent> {
    return { body: reader.pick(testCredits), headerKey: reader.pick(testCreditKeys) };
  }

  function againOf(reader: Reader): readonly TestModeRequest[] {
    const earlier = repeatable[repeatable.length - 1 - reader.below(Math.min(8, repeatable.length))];
    if (earlier === undefined) return [];
    const isOfTestsAlone = earlier.type === 'test_credit' || earlier.type === 'move';
    if (isOfTestsAlone || reader.below(4) > 0) return [earlier];
    return [{ ...earlier, mode: earlier.mode === 'live' ? 'test' : 'live' }];
  }

  function moveOf(reader: Reader, account: number): TestModeRequest {
    const distance = reader.pick(distances);
    const chosenKey = reader.pick(moveKeys);
    const headerKey = chosenKey === 'fresh' ? `M-${steps.length}` : chosenKey;
    const clockAt = opened.has(account) ? tests.clockOf(accountIdOf(account)) : at;
    const isLate = clockAt > latestClock;
    const body =
      distance === 'next' || isLate
        ? { now: timeText(nextSecond(reader, account, clockAt)) }
        : distance === 'nowhere'
          ? { now: timeText(clockAt) }
          : distance;
    return { type: 'move', mode: 'test', account, body, headerKey };
  }

  /** One of the next seconds in which something happens by itself, or a neighbor. */
  function nextSecond(reader: Reader, account: number, clockAt: number): number {
    const accountId = accountIdOf(account);
    const place = reader.below(4);
    const offset = reader.pick(offsets);
    if (!opened.has(account)) return clockAt;
    const seconds = [
      ...tests.oracle.dueRenewals(accountId).map(({ dueAt }) => dueAt),
      ...tests.oracle
        .planEnds(accountId)
        .flatMap(({ endsAt }) => [endsAt, endsAt - secondsPerDay, endsAt - 7 * secondsPerDay]),
      ...scheduled.map(({ from }) => from),
      ...live
        .accountPrices(accountId)
        .flatMap(({ from, until }) => (until === null ? [from] : [from, until])),
    ];
    const coming = seconds.filter((second) => second > clockAt).sort((one, other) => one - other);
    const chosen = coming[Math.min(place, coming.length - 1)] ?? clockAt + secondsPerDay;
    return Math.max(clockAt, chosen + offset);
  }

  function resetOf(account: number): readonly TestModeRequest[] {
    if (!opened.has(account) || wasReset.has(account)) return [];
    wasReset.add(account);
    return [{ type: 'reset', mode: 'test', account }];
  }

  function crossedOf(reader: Reader, mode: Mode, account: number): TestModeRequest {
    const type = reader.pick(crossedRequests);
    const foreignPath = reader.pick(foreignPaths);
    // Ids from before a reset need an account that was reset; foreign test ids need another test account.
    const canBe = {
      other_mode: true,
      foreign: opened.has((account + 1) % testModeGroups.length),
      forgotten: mode === 'test' && wasReset.has(account),
    };
    const path = {
      of: canBe[foreignPath] ? foreignPath : 'other_mode',
      number: 1 + reader.below(3),
    } as const;
    const head = { mode, account };
    if (type === 'look_at_order') return { type, ...head, order: path };
    if (type === 'look_at_customer' || type === 'look_at_history') return { type, ...head, customer: path };
    const rest = { ...head, headerKey: undefined };
    if (type === 'renew') return { type, ...rest, order: path, body: {} };
    const body = type === 'cancel' ? { at: 'now' } : type === 'auto_renew' ? { months: 1 } : {};
    return { type, ...rest, customer: path, body };
  }

  function testRouteOf(reader: Reader, account: number): TestModeRequest {
    const type = reader.pick(testRoutes);
    const head = { mode: 'live', account } as const;
    if (type === 'move') return { type, ...head, body: { advance: 'P1D' }, headerKey: undefined };
    if (type === 'test_credit') return { type, ...head, body: { amount: '1.00' }, headerKey: undefined };
    return { type, ...head };
  }

  function pricesOf(reader: Reader, type: 'prices' | 'schedule'): TestModeRequest {
    const packageId = packageIdOf(reader.below(3));
    const chosen = { reseller: reader.pick(priceSets), distributor: reader.pick(priceSets) };
    const months = ([monthly, quarterly, yearly]: readonly [bigint, bigint, bigint]) => ({
      1: monthly,
      3: quarterly,
      12: yearly,
    });
    const named = reader.pick(namedCells);
    const prices = named({ reseller: months(chosen.reseller), distributor: months(chosen.distributor) });
    if (type === 'prices') return { type, packageId, prices };
    const from = at + reader.pick(leads);
    const drawn = reader.pick(existingPlansChoices);
    return { type, packageId, prices, from, existingPlans: naming.hasAccountPrices ? drawn : 'new' };
  }

  /** No clock moves while the account is closed. */
  function closedOf(reader: Reader, account: number): readonly TestModeRequest[] {
    if (!opened.has(account)) return [];
    const isBlocked = reader.below(2) === 0;
    const guard = { type: 'rights', mode: 'live', account } as const;
    const test = { mode: 'test', account } as const;
    return [
      { ...guard, blocked: isBlocked, apiEnabled: isBlocked },
      { type: 'place', ...test, ...placeOf(reader, account) },
      { type: 'move', ...test, body: { advance: 'P1M' }, headerKey: undefined },
      { type: 'test_credit', ...test, body: { amount: '1.00' }, headerKey: undefined },
      { type: 'place', mode: 'live', account, ...placeOf(reader, account) },
      { ...guard, blocked: false, apiEnabled: true },
    ];
  }

  function alertsOf(reader: Reader, account: number): TestModeRequest {
    const { below, days } = reader.pick(alertChoices);
    const alerts = { balanceBelowCents: below, plansEndingDays: days };
    return { type: 'alerts', mode: 'test', account, alerts };
  }

  function ask(request: TestModeRequest): TestModeExpected {
    if ('mode' in request && request.mode === 'live' && isRouteOfTests(request)) {
      const closed = live.closedAccount(accountIdOf(request.account));
      return closed === null ? { type: 'test_mode_only' } : { type: 'shown', outcome: closed };
    }
    switch (request.type) {
      case 'place':
      case 'renew':
        return { type: 'order', outcome: askOrder(request) };
      case 'cancel':
      case 'suspend':
      case 'resume':
      case 'auto_renew':
      case 'auto_renew_off':
        return { type: 'plan', outcome: askPlan(request) };
      case 'credit': {
        const { account, amountCents } = request;
        const was = liveEvents.before(accountIdOf(account));
        const input = { accountId: accountIdOf(account), amountCents, actorId: 'operator' };
        const outcome = live.credit(input, at);
        if (!('code' in outcome)) noteEvents('live', account, at, liveEvents.credited(was, amountCents));
        return { type: 'credit', outcome };
      }
      case 'test_credit': {
        const accountId = accountIdOf(request.account);
        const was = tests.events.before(accountId);
        const outcome = tests.credit({ ...request, accountId });
        const amountCents = tests.oracle.balance(accountId).balanceCents - was.balanceCents;
        if (!('code' in outcome) && !outcome.replayed)
          noteEvents(
            'test',
            request.account,
            tests.clockOf(accountId),
            tests.events.credited(was, amountCents),
          );
        return { type: 'credit', outcome };
      }
      case 'move': {
        const outcome = tests.moveClock({ ...request, accountId: accountIdOf(request.account) });
        if ('emitted' in outcome) feedFor('test', request.account).push(...outcome.emitted);
        return { type: 'move', outcome };
      }
      case 'look_at_clock':
        return { type: 'clock', clockAt: tests.clockOf(accountIdOf(request.account)) };
      case 'open':
        opened.add(request.account);
        tests.useTestAccount(accountIdOf(request.account), at);
        return { type: 'done' };
      case 'reset': {
        const outcome = tests.reset({ accountId: accountIdOf(request.account) }, at);
        if (!('code' in outcome)) feedFor('test', request.account).length = 0;
        return 'code' in outcome ? { type: 'shown', outcome } : { type: 'done' };
      }
      case 'alerts':
        tests.setAlerts(accountIdOf(request.account), request.alerts);
        return { type: 'done' };
      case 'look_at_order':
        return { type: 'shown', outcome: foreignPath(request.order, 'order_not_found') };
      case 'look_at_customer':
      case 'look_at_history':
        return { type: 'shown', outcome: foreignPath(request.customer, 'customer_not_found') };
      case 'packages': {
        const { mode, account } = request;
        const views = oracleOf(mode).packages(accountIdOf(account), nowOf(request));
        return { type: 'packages', views, upcomingAfter: Math.max(at, nowOf(request)) };
      }
      case 'group':
        for (const oracle of [live, tests.oracle])
          oracle.setGroup({ accountId: accountIdOf(request.account), group: request.group });
        return { type: 'done' };
      case 'rights':
        for (const oracle of [live, tests.oracle]) {
          const accountId = accountIdOf(request.account);
          oracle.setBlocked({ accountId, blocked: request.blocked });
          oracle.setApiEnabled({ accountId, apiEnabled: request.apiEnabled });
        }
        return { type: 'done' };
      case 'prices':
        for (const oracle of [live, tests.oracle]) oracle.setPrices(request, at);
        return { type: 'done' };
      case 'schedule': {
        const outcome = live.schedulePrices(request, at);
        if (!('code' in outcome) && !outcome.replayed) {
          scheduled.push(request);
          // The administrator's time is real, unlike test clocks.
          tests.oracle.schedulePrices(request, Number.NEGATIVE_INFINITY);
        }
        return { type: 'schedule', outcome };
      }
      case 'unschedule': {
        const outcome = live.unschedulePrices(request, at);
        if (!('code' in outcome)) tests.oracle.unschedulePrices(request, Number.NEGATIVE_INFINITY);
        return { type: 'schedule', outcome };
      }
      case 'list':
      case 'unlist': {
        const accountId = accountIdOf(request.account);
        const outcome =
          request.type === 'list'
            ? live.putAccountPrices({ accountId, ...request.list }, at)
            : live.deleteAccountPrices({ accountId, list: request.list }, at);
        tests.oracle.useAccountPrices(accountId, live.accountPrices(accountId));
        return { type: 'list', outcome };
      }
      case 'retire':
        for (const oracle of [live, tests.oracle]) oracle.retirePackage(request);
        return { type: 'done' };
      case 'jobs': {
        const attempts = live.runJobs(at);
        for (const [account, accountId] of naming.accountIds.entries()) {
          const own = attempts.filter((attempt) => attempt.accountId === accountId);
          noteEvents('live', account, at, liveEvents.renewed(own, new Map()));
        }
        return { type: 'renewals', count: attempts.length };
      }
      default:
        return request satisfies never;
    }
  }

  function askOrder(request: Extract<TestModeRequest, { type: 'place' | 'renew' }>): OrderOutcome {
    const { mode, account, body, headerKey } = request;
    const accountId = accountIdOf(account);
    const [oracle, events, now] = [oracleOf(mode), eventsOf(mode), nowOf(request)];
    const was = events.before(accountId);
    const outcome =
      request.type === 'place'
        ? oracle.placeOrder({ accountId, body, headerKey }, now)
        : oracle.renewOrder({ accountId, orderId: pathText(request.order), body, headerKey }, now);
    if ('order' in outcome && !outcome.replayed)
      noteEvents(mode, account, now, events.ordered(was, outcome.order, now));
    return outcome;
  }

  function askPlan(request: Extract<TestModeRequest, { type: PlanOperation }>): PlanChangeOutcome {
    const { type, mode, account, body, headerKey } = request;
    const accountId = accountIdOf(account);
    const [oracle, events, now] = [oracleOf(mode), eventsOf(mode), nowOf(request)];
    const was = events.before(accountId);
    const input = { accountId, customerId: pathText(request.customer), body, headerKey };
    const outcome = {
      cancel: oracle.cancel,
      suspend: oracle.suspend,
      resume: oracle.resume,
      auto_renew: oracle.setAutoRenew,
      auto_renew_off: oracle.removeAutoRenew,
    }[type](input, now);
    noteEvents(mode, account, now, events.planChanged(was, type, outcome));
    return outcome;
  }

  function foreignPath({ of }: TestModePath, code: 'order_not_found' | 'customer_not_found'): Refusal {
    if (of === 'own') throw new Error('what is one’s own is looked at in the end');
    return { code, details: {} };
  }

  function noteEvents(mode: Mode, account: number, now: number, owed: readonly OwedEvent[]): void {
    feedFor(mode, account).push(...owed.map(({ text }) => ({ at: now, text })));
  }

  function feedFor(mode: Mode, account: number): EmittedAt[] {
    const name = `${mode} ${account}`;
    const feed = feeds.get(name) ?? [];
    feeds.set(name, feed);
    return feed;
  }

  function oracleOf(mode: Mode): Oracle {
    return mode === 'live' ? live : tests.oracle;
  }

  function eventsOf(mode: Mode): typeof liveEvents {
    return mode === 'live' ? liveEvents : tests.events;
  }

  function nowOf({ mode, account }: Sent): number {
    return mode === 'live' ? at : tests.clockOf(accountIdOf(account));
  }

  function orderCountOf(mode: Mode, account: number): number {
    return oracleOf(mode).orders(accountIdOf(account), 1, 1).total;
  }

  function customerCountOf(mode: Mode, account: number): number {
    return oracleOf(mode).customerCount(accountIdOf(account));
  }

  function accountIdOf(account: number): number {
    return naming.accountIds[account] ?? 0;
  }

  function packageIdOf(slot: number): number {
    return naming.packageIds[slot] ?? 0;
  }
}

function pathText({ of, number }: TestModePath): string {
  return of === 'own' ? String(number) : '0';
}

function isOfTests(request: TestModeRequest): request is TestModeRequest & Sent {
  return 'mode' in request && request.mode === 'test' && request.type !== 'open';
}

function isRouteOfTests({ type }: TestModeRequest): boolean {
  return type === 'move' || type === 'test_credit' || type === 'reset' || type === 'look_at_clock';
}

function worldOf({ accountIds, packageIds }: TestModeNaming): World {
  return {
    packages: packageTemplates.map((one, slot) => ({ ...one, id: packageIds[slot] ?? 0 })),
    accounts: testModeGroups.map((group, account) => ({
      id: accountIds[account] ?? 0,
      group,
      balanceCents: 0n,
    })),
  };
}

/** Labels such as "test place 201 change", to count coverage. */
export function testModeLabels({ request, expected }: TestModeStep): readonly string[] {
  const mode = 'mode' in request ? `${request.mode} ` : '';
  const path = 'order' in request ? request.order : 'customer' in request ? request.customer : null;
  const whose = path === null || path.of === 'own' ? '' : ` ${path.of}`;
  const label = `${mode}${request.type}${whose}`;
  if (expected.type === 'test_mode_only') return [`${label} test_mode_only`];
  if (expected.type === 'renewals') return expected.count > 0 ? ['live renewals by itself'] : ['jobs'];
  if (!('outcome' in expected)) return [label];
  const { outcome } = expected;
  if ('code' in outcome) return [`${label} ${outcome.code}`];
  const again = 'replayed' in outcome && outcome.replayed ? ', replayed' : '';
  if (expected.type === 'order' && 'order' in outcome) {
    const { rule } = outcome.order.priceRule;
    const ofRule = rule === 'group' || again !== '' ? [] : [`${mode}price by ${rule}`];
    return [`${label} 201 ${outcome.order.kind}${again}`, ...ofRule];
  }
  if (expected.type !== 'move' || !('happened' in outcome)) return [`${label} done${again}`];
  const happened = Object.entries(outcome.happened).filter(([, count]) => count > 0);
  return [
    `${label} done${again}`,
    ...(again === '' ? happened.map(([what]) => `${label} with ${what}`) : []),
  ];
}
