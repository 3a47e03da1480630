// Pending orders in histories: answers, events in the meantime, and the labels that a run should have. Part of histories.ts.

import type { CreditStep, OwnPath, Request, SettleStep } from './histories.ts';
import {
  meantimes as meantimeChoices,
  type meantimes,
  type Reader,
  settleChoices,
  settleOutcomes,
  settleParties,
  settleReasons,
  settleWaits,
} from './history-genes.ts';
import type { AccountId, CustomerView, Oracle, Order, ProductMode } from './oracle.ts';

export interface Scene {
  readonly oracle: Oracle;
  readonly accountCount: number;
  now(): number;
  moveTo(second: number): void;
  mode(): ProductMode;
  accountIdOf(account: number): AccountId;
  packageIdOf(slot: number): number;
  customersOf(account: number): readonly CustomerView[];
  orderCountOf(account: number): number;
  accountWithOrders(account: number): number;
  customerOf(reader: Reader, account: number): string;
  customerPathOf(reader: Reader, account: number): OwnPath;
  requestOf(reader: Reader, type: 'jobs' | 'again' | 'prices' | 'group' | 'retire' | 'mode'): Request | null;
}

type Meantime = (typeof meantimes)[number];

const trialSlot = 5;

export function createHandoffScenes(scene: Scene) {
  const { oracle } = scene;

  function* settleOf(reader: Reader, of?: number): Iterable<SettleStep> {
    const chosen = reader.pick(settleChoices);
    const said = { reason: reader.pick(settleReasons), by: reader.pick(settleParties) };
    const accounts = of === undefined ? [...Array(scene.accountCount).keys()] : [of];
    const waiting = accounts.flatMap((account) =>
      oracle
        .pendingOrders(scene.accountIdOf(account))
        .map(({ number, createdAt }) => ({ account, order: number, createdAt })),
    );
    waiting.sort((one, other) => one.createdAt - other.createdAt);
    const [oldest, newest] = [waiting[0], waiting.at(-1)];
    const settle = ({ account, order }: { account: number; order: number }): SettleStep => {
      const outcome = reader.pick(settleOutcomes);
      return { type: 'settle_order', account, order, outcome, ...said };
    };
    if (chosen === 'all') for (const one of waiting) yield settle(one);
    else if (chosen === 'oldest' && oldest !== undefined) yield settle(oldest);
    else if (chosen === 'newest' && newest !== undefined) yield settle(newest);
    else if (chosen === 'again' || chosen === 'missing') {
      const account = scene.accountWithOrders(of ?? reader.below(scene.accountCount));
      const count = scene.orderCountOf(account);
      const back = reader.below(Math.min(6, count));
      yield settle({ account, order: chosen === 'missing' ? count + 1 : Math.max(1, count - back) });
    }
  }

  /** A pending order, other events, then the answer. Mostly for a customer with a running plan. */
  function* handedOffOf(reader: Reader): Iterable<Request> {
    const account = scene.accountWithOrders(reader.below(scene.accountCount));
    const customer = scene.customerPathOf(reader, account);
    const known = customer.kind === 'own' ? scene.customersOf(account)[customer.number - 1] : undefined;
    const reference = known?.reference ?? scene.customerOf(reader, account);
    const keyed = { account, headerKey: undefined, mintedBy: null };
    const modeBefore = scene.mode();
    const endBefore = known?.plan.expiresAt ?? scene.now();
    const what = reader.below(8);

    if (what < 3) yield { type: 'auto_renew', ...keyed, customer, body: { months: 1, hours_before: 6 } };
    if (what === 1 || what > 5) {
      scene.moveTo(endBefore - reader.pick([1, 3600, 5 * 3600]));
      yield { type: 'wait' };
    }
    if (modeBefore !== 'confirm') yield { type: 'mode', mode: 'confirm' };
    // A free package gives the largest refund.
    const packages = [known?.plan.packageId ?? 0, ...[0, 0, 1, 3].map(scene.packageIdOf)];
    const body = { package_id: reader.pick(packages), customer: reference, months: reader.pick([1, 1, 3]) };
    if (what === 2) yield { type: 'jobs' };
    else yield { type: 'place', ...keyed, body };
    const order = waitingOf(account, reference);

    const wait = reader.pick(settleWaits);
    const endOfItsOwn = order?.expiresAt ?? scene.now();
    const ends = { end_before: endBefore, end_of_its_own: endOfItsOwn };
    scene.moveTo(typeof wait === 'number' ? scene.now() + wait : ends[wait]);
    yield { type: 'wait' };
    const meantime = reader.pick(meantimeChoices);
    yield* meanwhile(reader, meantime, account, reference);
    if (order !== null) yield* answersTo(reader, account, order);
    if (meantime === 'halt') yield { type: 'halt', account, halted: false };
    if (meantime === 'block') yield { type: 'block', account, blocked: false };
    if (meantime === 'halt' && order !== null) yield* answersTo(reader, account, order);
    if (scene.mode() !== modeBefore) yield { type: 'mode', mode: modeBefore };
  }

  function* answersTo(reader: Reader, account: number, { number }: Order): Iterable<SettleStep> {
    const outcome = reader.pick(settleOutcomes);
    const first = { type: 'settle_order', account, order: number, reason: 'sold out' } as const;
    yield { ...first, outcome, by: 'product' };
    const then = reader.below(6);
    if (then === 0) yield { ...first, outcome, by: 'product' };
    if (then === 1)
      yield { ...first, outcome: outcome === 'failed' ? 'completed' : 'failed', by: 'operator' };
  }

  function* meanwhile(reader: Reader, what: Meantime, account: number, reference: string): Iterable<Request> {
    const number = scene.customersOf(account).find((one) => one.reference === reference)?.number ?? 1;
    const customer: OwnPath = { kind: 'own', number };
    const keyed = { account, headerKey: undefined };
    switch (what) {
      case 'nothing':
        return;
      case 'spend':
        return yield* spending(account);
      case 'halt':
        return yield { type: what, account, halted: true };
      case 'block':
        if (account < scene.accountCount - 1) yield { type: what, account, blocked: true };
        return;
      case 'place': {
        const body = { package_id: scene.packageIdOf(reader.below(3)), customer: reference };
        return yield { type: what, ...keyed, body, mintedBy: null };
      }
      case 'renew': {
        const order: OwnPath = { kind: 'own', number: Math.max(1, scene.orderCountOf(account)) };
        return yield { type: what, ...keyed, order, body: undefined, mintedBy: null };
      }
      case 'trial': {
        const packageId = scene.packageIdOf(trialSlot);
        return yield { type: what, account, packageId, customer: reference };
      }
      case 'cancel': {
        const at = reader.pick(['now', 'period_end']);
        return yield { type: what, ...keyed, customer, body: { at } };
      }
      case 'auto_renew':
        return yield { type: what, ...keyed, customer, body: { months: 1 } };
      case 'auto_renew_off':
      case 'suspend':
      case 'resume':
        return yield { type: what, ...keyed, customer, body: undefined };
      case 'status':
        return yield { type: what, account, customer: number, status: 'suspended' };
      case 'jobs':
      case 'again':
      case 'prices':
      case 'group':
      case 'retire':
      case 'mode': {
        const request = scene.requestOf(reader, what);
        if (request !== null) yield request;
        return;
      }
      default:
        return what satisfies never;
    }
  }

  function spending(account: number): CreditStep[] {
    const { balanceCents } = oracle.balance(scene.accountIdOf(account));
    if (balanceCents === 0n) return [];
    return [{ type: 'credit', account, amountCents: -balanceCents, memo: 'spent', key: undefined }];
  }

  function waitingOf(account: number, reference: string): Order | null {
    const waiting = oracle.pendingOrders(scene.accountIdOf(account));
    return waiting.find((one) => one.customerReference === reference) ?? null;
  }

  function notesOf({ account, order: number, outcome }: SettleStep): string[] {
    const accountId = scene.accountIdOf(account);
    const order = oracle.order(accountId, number);
    if ('code' in order || order.status !== 'pending' || oracle.isHalted(accountId)) return [];
    const { priceCents, refundCents, createdAt, expiresAt, customerReference } = order;
    const now = scene.now();
    const view = oracle.customer(accountId, customerReference, now);
    const items = oracle.history(accountId, customerReference);
    if ('code' in view || 'code' in items) throw new Error(`no customer ${customerReference}`);
    const item = items.find((one) => one.orderNumber === number);
    const { balanceCents } = oracle.balance(accountId);
    const wasRunning = item?.from?.status === 'active' || item?.from?.status === 'suspended';
    const facts: Readonly<Record<string, boolean>> = {
      'the whole of a refund': refundCents > 0n && refundCents <= priceCents,
      'a part of a refund': priceCents > 0n && refundCents > priceCents,
      'a refund and no price': priceCents === 0n && refundCents > 0n,
      'less on the balance than was given': balanceCents < refundCents && priceCents > 0n,
      'after 72 hours': now > createdAt + 72 * 3600,
      'after the end of the plan before': wasRunning && !view.plan.active && view.plan.expiresAt <= now,
      'after the end of its own': expiresAt <= now,
      'by the service': item?.by === 'service',
      'of a plan that is suspended': view.plan.status === 'suspended',
      'of a plan that is to end': view.plan.endsAtPeriodEnd,
      'of a plan that was cancelled': view.plan.status === 'cancelled',
      'of no one’s before': item?.from === null,
      'in another mode': scene.mode() !== 'confirm',
      'of a blocked account': oracle.isBlocked(accountId),
    };
    return Object.keys(facts).flatMap((fact) => (facts[fact] === true ? [`${outcome} ${fact}`] : []));
  }

  function isWaiting(account: number, reference: string): boolean {
    return waitingOf(account, reference) !== null;
  }

  return { settleOf, handedOffOf, notesOf, isWaiting };
}
