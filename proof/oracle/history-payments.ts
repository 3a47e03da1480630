// Payments and reversals in histories, and the labels that a run should have. Part of histories.ts.

import type {
  CreditStep,
  Expected,
  PaymentStep,
  ReceivePaymentStep,
  ReinstatePaymentStep,
  Request,
  ReversePaymentStep,
  WriteOffStep,
} from './histories.ts';
import {
  paymentChoices,
  paymentTypes,
  type Reader,
  reversalAmounts,
  reversalCauses,
  reversalKinds,
  spendings,
  topupCents,
  wayBackSequels,
  winChoices,
  writeOffAmounts,
  writeOffKeys,
  writeOffMemos,
} from './history-genes.ts';
import type { AccountId, CustomerView, LedgerEntry, Oracle } from './oracle.ts';
import type { ReversalView } from './oracle-payments.ts';

export interface PaymentScene {
  readonly oracle: Oracle;
  readonly accountCount: number;
  readonly hasWriteOffKeys: boolean;
  accountIdOf(account: number): AccountId;
  packageIdOf(slot: number): number;
  customersOf(account: number): readonly CustomerView[];
  customerOf(reader: Reader, account: number): string;
}

export interface OwedBefore {
  readonly balanceCents: bigint;
  readonly reversals: readonly ReversalView[];
}

export function createPaymentScenes(scene: PaymentScene) {
  const { oracle } = scene;
  /** The requests sent by scenes, by account, so that they can be repeated. */
  const sent = new Map<number, (PaymentStep | CreditStep)[]>();

  function anyOf(reader: Reader, account: number): PaymentStep {
    const type = reader.pick(paymentTypes);
    if (type === 'receive_payment') return paymentOf(reader, account);
    if (type === 'reverse_payment') return reversalOf(reader, account);
    if (type === 'reinstate_payment') return winOf(reader, account);
    return writeOffOf(reader, account);
  }

  function paymentOf(reader: Reader, account: number): ReceivePaymentStep {
    const how = reader.pick(paymentChoices);
    const earlier = paymentsOf(account).at(-1 - reader.below(3));
    if (how === 'new' || earlier === undefined) return newPayment(account);
    const { topupNumber: topup, paymentRef: ref } = earlier;
    const again = { type: 'receive_payment', account, topup, ref, memo: null } as const;
    const same = { ...again, amountCents: earlier.amountCents };
    if (how === 'other_amount') return { ...again, amountCents: earlier.amountCents + 1n };
    if (how === 'other_topup') return { ...same, topup: nextTopup(account) };
    if (how === 'other_ref') return { ...same, ref: `pi_${account}_${nextTopup(account)}` };
    // Crossed: the reference of one payment with the top-up of another.
    if (how === 'crossed') return { ...same, topup: paymentsOf(account)[0]?.topupNumber ?? topup };
    return same;
  }

  /** Every third top-up is never paid. */
  function newPayment(account: number): ReceivePaymentStep {
    const topup = nextTopup(account);
    const amountCents = topupCents(topup);
    const memo = topup % 2 === 0 ? 'card' : null;
    return { type: 'receive_payment', account, topup, ref: `pi_${account}_${topup}`, amountCents, memo };
  }

  function nextTopup(account: number): number {
    const last = paymentsOf(account).at(-1)?.topupNumber ?? 0;
    return last % 3 === 1 ? last + 2 : last + 1;
  }

  function reversalOf(reader: Reader, account: number): ReversePaymentStep {
    const how = reader.pick(reversalCauses);
    const kind = reader.pick(reversalKinds);
    const amount = reader.pick(reversalAmounts);
    const back = reader.below(4);
    const isLimited = reader.below(4) === 3;
    const all = paymentsOf(account);
    const paid = back === 3 ? all[0] : (all.at(-1 - back) ?? all.at(-1));
    const reversals = oracle.reversals(scene.accountIdOf(account));
    const earlier = reversals.at(-1 - back);
    const by = kind === 'refund' && back % 2 === 1 ? 'operator' : 'provider';
    const common = { type: 'reverse_payment', account, allowReceivable: !isLimited, by } as const;
    if ((how === 'again' || how === 'other_data') && earlier !== undefined) {
      const { topupNumber: topup, cause, kind: known, amountCents } = earlier;
      const same = { ...common, topup, cause, kind: known, amountCents };
      if (how === 'again') return same;
      return back === 0 ? { ...same, amountCents: amountCents + 1n } : { ...same, kind };
    }
    const topup = how === 'no_topup' || paid === undefined ? nextTopup(account) : paid.topupNumber;
    const cause = `${kind}:${topup}-${reversals.length + 1}`;
    return { ...common, topup, cause, kind, amountCents: reversedCents(account, topup, amount) };
  }

  function reversedCents(account: number, topup: number, amount: (typeof reversalAmounts)[number]): bigint {
    const accountId = scene.accountIdOf(account);
    const paid = paymentsOf(account).find(({ topupNumber }) => topupNumber === topup);
    const standing = oracle
      .reversals(accountId)
      .filter(({ topupNumber, reinstatedAt }) => topupNumber === topup && reinstatedAt === null);
    const left = standing.reduce((sum, one) => sum - one.amountCents, paid?.amountCents ?? 1000n);
    const { balanceCents } = oracle.balance(accountId);
    const wanted = {
      left,
      part: left / 3n,
      above_balance: least(left, balanceCents + 700n),
      balance: least(left, balanceCents),
      small: 1n,
      too_much: left + 1n,
    }[amount];
    return wanted > 0n ? wanted : 1n;
  }

  function winOf(reader: Reader, account: number): ReinstatePaymentStep {
    const how = reader.pick(winChoices);
    const all = oracle.reversals(scene.accountIdOf(account));
    const standing = all.filter(({ reinstatedAt }) => reinstatedAt === null);
    const any = all[reader.below(all.length)];
    const chosen = { oldest: standing[0], newest: standing.at(-1), any, missing: undefined }[how] ?? any;
    const cause = how === 'missing' || chosen === undefined ? 'dispute:unknown' : chosen.cause;
    return { type: 'reinstate_payment', account, cause };
  }

  function writeOffOf(reader: Reader, account: number): WriteOffStep {
    const how = reader.pick(writeOffAmounts);
    const drawn = reader.pick(writeOffKeys);
    const key = scene.hasWriteOffKeys ? drawn : undefined;
    const memo = reader.pick(writeOffMemos);
    const open = oracle.receivable(scene.accountIdOf(account));
    const amounts = { part: open < 2n ? null : (open * 2n) / 3n, cent: 1n, more: open + 1n };
    const amountCents = how === null ? null : amounts[how];
    return { type: 'write_off_receivable', account, amountCents, memo, key };
  }

  /** A payment is mostly spent before it is reversed. Then the debt is settled, won or written off. */
  function* wayBackOf(reader: Reader, account: number): Iterable<Request> {
    yield newPayment(account);
    if (reader.below(3) === 2) yield newPayment(account);
    yield* spending(reader, account);
    for (let count = 1 + reader.below(2); count > 0; count -= 1) yield keep(reversalOf(reader, account));
    for (let count = 2 + reader.below(5); count > 0; count -= 1) yield* sequelOf(reader, account);
    // Payment providers repeat their messages, late and in any order.
    const known = sent.get(account) ?? [];
    for (let count = reader.below(4); count > 0; count -= 1) {
      const earlier = known.at(-1 - reader.below(6));
      if (earlier !== undefined) yield earlier;
    }
  }

  function* spending(reader: Reader, account: number): Iterable<Request> {
    const how = reader.pick(spendings);
    const { balanceCents } = oracle.balance(scene.accountIdOf(account));
    if (how === 'all' && balanceCents > 0n) yield credit(account, -balanceCents);
    if (how === 'most' && balanceCents > 0n) yield credit(account, -((balanceCents * 19n) / 20n) - 1n);
    if (how === 'order') yield orderOf(reader, account);
  }

  function* sequelOf(reader: Reader, account: number): Iterable<Request> {
    const what = reader.pick(wayBackSequels);
    const open = oracle.receivable(scene.accountIdOf(account));
    const { balanceCents } = oracle.balance(scene.accountIdOf(account));
    switch (what) {
      case 'half': {
        const isKeyed = reader.below(2) === 1;
        const key = isKeyed ? `half-${oracle.ledger(scene.accountIdOf(account)).length}` : undefined;
        const half = credit(account, open / 2n + 1n, key);
        return yield isKeyed ? keep(half) : half;
      }
      case 'rest':
        return yield credit(account, open + reader.pick([1n, 0n, 500n]));
      case 'payment':
        return yield keep(newPayment(account));
      case 'win':
        return yield keep(winOf(reader, account));
      case 'write_off':
        return yield keep(writeOffOf(reader, account));
      case 'again': {
        const earlier = sent.get(account)?.at(-1 - reader.below(4));
        return earlier === undefined ? undefined : yield earlier;
      }
      case 'reversal':
        return yield keep(reversalOf(reader, account));
      case 'order':
        return yield orderOf(reader, account);
      case 'cancel': {
        const running = scene.customersOf(account).find(({ plan }) => plan.active);
        if (running === undefined) return;
        const customer = { kind: 'own', number: running.number } as const;
        return yield { type: 'cancel', account, customer, body: { at: 'now' }, headerKey: undefined };
      }
      case 'halted':
        yield { type: 'halt', account, halted: true };
        yield keep(reader.pick([winOf, reversalOf, writeOffOf])(reader, account));
        return yield { type: 'halt', account, halted: false };
      case 'win_forgiven':
        yield keep(writeOffOf(reader, account));
        return yield keep(winOf(reader, account));
      case 'debit':
        return balanceCents === 0n ? undefined : yield credit(account, -(balanceCents + 1n) / 2n);
      default:
        return what satisfies never;
    }
  }

  function orderOf(reader: Reader, account: number): Request {
    const packageId = scene.packageIdOf(reader.below(3));
    const body = { package_id: packageId, customer: scene.customerOf(reader, account), months: 1 };
    return { type: 'place', account, body, headerKey: undefined, mintedBy: null };
  }

  function credit(account: number, amountCents: bigint, key?: string): CreditStep {
    return { type: 'credit', account, amountCents, memo: 'way back', key };
  }

  function keep<Kept extends PaymentStep | CreditStep>(step: Kept): Kept {
    sent.set(step.account, [...(sent.get(step.account) ?? []), step]);
    return step;
  }

  function changed(request: PaymentStep, change: string): PaymentStep {
    if (change === 'account') return { ...request, account: (request.account + 1) % scene.accountCount };
    if (change === 'months' && 'amountCents' in request && request.amountCents !== null)
      return { ...request, amountCents: request.amountCents + 1n };
    if (change === 'name' && 'memo' in request) return { ...request, memo: `${request.memo ?? ''}!` };
    if (change === 'guard' && 'allowReceivable' in request)
      return { ...request, allowReceivable: !request.allowReceivable };
    return request;
  }

  function before(account: number): OwedBefore {
    const accountId = scene.accountIdOf(account);
    const { balanceCents } = oracle.balance(accountId);
    return { balanceCents, reversals: oracle.reversals(accountId) };
  }

  function notesOf(request: Request, expected: Expected, was: OwedBefore): string[] {
    if (!('account' in request) || !('outcome' in expected) || 'code' in expected.outcome) return [];
    const wasOwed = was.reversals.some(({ openCents }) => openCents > 0n);
    if (expected.type === 'order' && wasOwed && !expected.outcome.replayed)
      return ['order while money is owed'];
    if (
      expected.type === 'plan' &&
      wasOwed &&
      !expected.outcome.replayed &&
      expected.outcome.refundCents > 0n
    )
      return ['refund of a cancel while money is owed'];
    if (expected.type !== 'credit' && expected.type !== 'payment') return [];
    const { replayed, entries } = expected.outcome;
    const reversals = oracle.reversals(scene.accountIdOf(request.account));
    if (replayed) return repeatedNotes(request, entries, reversals);
    const ofKind = notesOfKind(request, was, reversals);
    return [...settledNotes(request, entries, was, reversals), ...ofKind];
  }

  function settledNotes(
    request: Request & { readonly account: number },
    entries: readonly LedgerEntry[],
    was: OwedBefore,
    reversals: readonly ReversalView[],
  ): string[] {
    const settled = entries.filter(({ kind }) => kind === 'settlement');
    if (settled.length === 0) return [];
    const ledger = oracle.ledger(scene.accountIdOf(request.account));
    const isOpen = (cause: string | undefined) =>
      reversals.some((one) => one.cause === cause && one.openCents > 0n);
    const timesSettled = (cause: string | undefined) =>
      ledger.filter((entry) => entry.kind === 'settlement' && entry.cause === cause).length;
    const facts: Readonly<Record<string, boolean>> = {
      [`settled by ${request.type}`]: true,
      'settled several reversals at once': settled.length > 1,
      'settled a part': isOpen(settled.at(-1)?.cause),
      'settled by the second credit': settled.some(
        ({ cause }) => !isOpen(cause) && timesSettled(cause) === 2,
      ),
      'settled by the third credit or a later one': settled.some(({ cause }) => timesSettled(cause) > 2),
      'settled beside a balance': was.balanceCents > 0n,
      'settled what was written off in part': reversals.some(
        (one) => one.writtenOffCents > 0n && settled.some(({ cause }) => cause === one.cause),
      ),
    };
    return named(facts);
  }

  function notesOfKind(request: Request, was: OwedBefore, reversals: readonly ReversalView[]): string[] {
    if (request.type === 'reverse_payment') {
      const own = reversals.find(({ cause }) => cause === request.cause);
      const ofTopup = was.reversals.filter(({ topupNumber }) => topupNumber === request.topup);
      const [taken, open] = [(own?.takenCents ?? 0n) > 0n, (own?.openCents ?? 0n) > 0n];
      return named({
        'reversed within the balance': taken && !open,
        'reversed more than the balance': taken && open,
        'reversed with an empty balance': !taken,
        'reversed beside other receivables': open && was.reversals.some(({ openCents }) => openCents > 0n),
        'reversed a part of a payment again': ofTopup.some(({ reinstatedAt }) => reinstatedAt === null),
        'reversed again what was won': ofTopup.some(({ reinstatedAt }) => reinstatedAt !== null),
      });
    }
    if (request.type === 'reinstate_payment') {
      const own = was.reversals.find(({ cause }) => cause === request.cause);
      if (own === undefined) return [];
      const { kind, takenCents, settledCents, writtenOffCents, openCents } = own;
      return named({
        'won after a settlement': settledCents > 0n,
        'won after a write-off': writtenOffCents > 0n,
        'won after a settlement and a write-off': settledCents > 0n && writtenOffCents > 0n,
        'won what is still open': openCents > 0n,
        'won without an entry': takenCents + settledCents === 0n,
        'won a refund': kind === 'refund',
      });
    }
    if (request.type !== 'write_off_receivable') return [];
    const forgiven = reversals.filter(
      (one, place) => one.writtenOffCents !== was.reversals[place]?.writtenOffCents,
    );
    const left = reversals.some(({ openCents }) => openCents > 0n);
    return named({
      'wrote off a part': forgiven.length > 0 && left,
      'wrote off all': forgiven.length > 0 && !left,
      'wrote off several reversals': forgiven.length > 1,
      'wrote off after a settlement': forgiven.some(({ settledCents }) => settledCents > 0n),
    });
  }

  function repeatedNotes(
    request: Request,
    entries: readonly LedgerEntry[],
    reversals: readonly ReversalView[],
  ): string[] {
    const hasSettled = entries.some(({ kind }) => kind === 'settlement');
    const again = hasSettled ? [`${request.type} again that settled`] : [];
    if (request.type === 'receive_payment') {
      const isReversed = reversals.some(({ topupNumber }) => topupNumber === request.topup);
      return isReversed ? [...again, 'receive_payment again after a reversal'] : again;
    }
    const wonAfterWriteOff = reversals.some(
      ({ reinstatedAt, writtenOffCents }) => reinstatedAt !== null && writtenOffCents > 0n,
    );
    if (request.type === 'write_off_receivable')
      return wonAfterWriteOff ? ['write_off_receivable again after a win'] : [];
    if (request.type !== 'reverse_payment' && request.type !== 'reinstate_payment') return again;
    const own = reversals.find(({ cause }) => cause === request.cause);
    if (own === undefined) return again;
    const facts = {
      [`${request.type} again after a settlement`]: own.settledCents > 0n,
      [`${request.type} again after a write-off`]: own.writtenOffCents > 0n,
      'reverse_payment again after a win': request.type === 'reverse_payment' && own.reinstatedAt !== null,
    };
    return [...again, ...named(facts)];
  }

  function paymentsOf(account: number) {
    return oracle.payments(scene.accountIdOf(account));
  }

  return { anyOf, wayBackOf, changed, before, notesOf };
}

function named(facts: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(facts).filter((fact) => facts[fact] === true);
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
