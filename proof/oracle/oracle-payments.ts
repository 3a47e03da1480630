// Payments for top-ups, their reversals, and receivables. Part of oracle.ts, written from the documents only. "Ax" points to
// AMBIGUITIES.md.
// Only facts and ledger entries are stored; every answer is summed from them.
// Invariant: a reversal that stands is taken + settled + written off + open; a reinstated one has moved nothing.

import type { Account, AccountId, LedgerEntry } from './oracle.ts';
import type { RefusalCode } from './oracle-request.ts';

export type ReversalKind = 'refund' | 'dispute' | 'return';

export type ReceivePaymentInput = {
  accountId: AccountId;
  topupNumber: number;
  paymentRef: string;
  amountCents: bigint;
  memo: string | null;
  /** The amount that the top-up asked for. If absent, the amount received. */
  askedCents?: bigint | undefined;
};

export type ReversePaymentInput = {
  accountId: AccountId;
  topupNumber: number;
  /** The reference of what took the money back, from the provider or the operator. */
  cause: string;
  kind: ReversalKind;
  amountCents: bigint;
  allowReceivable: boolean;
  actorId: AccountId | null;
};

export type WriteOffInput = {
  accountId: AccountId;
  amountCents: bigint | null;
  memo: string | null;
  key?: string | undefined;
};

export type PaymentRefusal = {
  code: RefusalCode | 'topup_not_found' | 'refund_too_large' | 'reversal_not_found';
  details: Record<string, string>;
};

export type PaymentAnswer = { entries: LedgerEntry[]; receivableCents: bigint; balanceAfterCents: bigint };
export type PaymentOutcome = (PaymentAnswer & { replayed: boolean }) | PaymentRefusal;

type Paid = {
  type: 'paid';
  topupNumber: number;
  paymentRef: string;
  amountCents: bigint;
  answer: PaymentAnswer;
};
type Reversed = {
  type: 'reversed';
  topupNumber: number;
  cause: string;
  kind: ReversalKind;
  amountCents: bigint;
  answer: PaymentAnswer;
};
type Reinstated = { type: 'reinstated'; cause: string; at: number; answer: PaymentAnswer };
type WrittenOff = {
  type: 'written_off';
  key: string | undefined;
  operation: string;
  parts: { cause: string; amountCents: bigint }[];
  answer: PaymentAnswer;
};
export type PaymentFact = Paid | Reversed | Reinstated | WrittenOff;

export type PaymentView = { topupNumber: number; paymentRef: string; amountCents: bigint };
export type ReversalView = {
  number: number;
  topupNumber: number;
  cause: string;
  kind: ReversalKind;
  amountCents: bigint;
  takenCents: bigint;
  settledCents: bigint;
  writtenOffCents: bigint;
  openCents: bigint;
  reinstatedAt: number | null;
};

export function createPayments(world: {
  getAccount: (id: AccountId) => Account;
  post: (account: Account, entry: Omit<LedgerEntry, 'balanceAfterCents'>) => LedgerEntry;
}) {
  /** Once for each top-up and each payment reference. Any other pair of known references is a conflict (A147). */
  function receivePayment(input: ReceivePaymentInput, now: number): PaymentOutcome {
    const account = world.getAccount(input.accountId);
    const { topupNumber, paymentRef, amountCents } = input;
    const known = ofType(account, 'paid').find(
      (paid) => paid.paymentRef === paymentRef || paid.topupNumber === topupNumber,
    );
    if (known !== undefined) {
      const isSame =
        known.paymentRef === paymentRef &&
        known.topupNumber === topupNumber &&
        known.amountCents === amountCents;
      return isSame ? { ...known.answer, replayed: true } : refuse('idempotency_conflict');
    }
    if (input.askedCents !== undefined && input.askedCents !== amountCents)
      return refuse('validation_failed', { field: 'amount' });
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

    const credit = world.post(account, {
      kind: 'credit',
      amountCents,
      ...plain(now),
      memo: input.memo ?? '',
      topupNumber,
    });
    const entries = [credit, ...settle(account, amountCents, now)];
    const answer = answerOf(account, entries);
    account.paymentFacts.push({ type: 'paid', topupNumber, paymentRef, amountCents, answer });
    return { ...answer, replayed: false };
  }

  /** A repeat may differ in whether it allows a receivable (A148). */
  function reversePayment(input: ReversePaymentInput, now: number): PaymentOutcome {
    const account = world.getAccount(input.accountId);
    const { topupNumber, cause, kind, amountCents } = input;
    const known = ofType(account, 'reversed').find((reversed) => reversed.cause === cause);
    if (known !== undefined) {
      const isSame =
        known.topupNumber === topupNumber && known.kind === kind && known.amountCents === amountCents;
      return isSame ? { ...known.answer, replayed: true } : refuse('idempotency_conflict');
    }
    const paid = ofType(account, 'paid').find((one) => one.topupNumber === topupNumber);
    if (paid === undefined) return refuse('topup_not_found');
    const standing = reversalsOf(account).filter(
      (one) => one.topupNumber === topupNumber && one.reinstatedAt === null,
    );
    // A provider takes disputes and returns in full, even after a partial refund.
    const refunds = standing.filter((one) => one.kind !== 'dispute');
    const gone = kind === 'refund' ? sum(refunds.map((one) => one.amountCents)) : 0n;
    if (gone + amountCents > paid.amountCents) return refuse('refund_too_large');
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });
    if (!input.allowReceivable && account.balanceCents < amountCents) {
      return refuse('insufficient_credit', {
        balance: formatCents(account.balanceCents),
        required: formatCents(amountCents),
        currency: 'USD',
      });
    }

    const takenCents = smaller(account.balanceCents, amountCents);
    const entries: LedgerEntry[] = [];
    if (takenCents > 0n) {
      const { actorId } = input;
      const entry = { kind: 'reversal', amountCents: -takenCents, ...plain(now), actorId } as const;
      entries.push(world.post(account, { ...entry, topupNumber, cause }));
    }
    const fact: Reversed = {
      type: 'reversed',
      topupNumber,
      cause,
      kind,
      amountCents,
      answer: { entries, receivableCents: 0n, balanceAfterCents: 0n },
    };
    account.paymentFacts.push(fact);
    // Computed after the fact is stored, because the open amount depends on it.
    fact.answer = answerOf(account, entries);
    return { ...fact.answer, replayed: false };
  }

  /** Gives back what was taken, at the reversal and since. What is open or written off ends (A149). */
  function reinstatePayment(input: { accountId: AccountId; cause: string }, now: number): PaymentOutcome {
    const account = world.getAccount(input.accountId);
    const { cause } = input;
    const reversal = reversalsOf(account).find((one) => one.cause === cause);
    if (reversal === undefined) return refuse('reversal_not_found');
    const known = ofType(account, 'reinstated').find((one) => one.cause === cause);
    if (known !== undefined) return { ...known.answer, replayed: true };
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

    const { topupNumber, takenCents, settledCents } = reversal;
    const backCents = takenCents + settledCents;
    const entries: LedgerEntry[] = [];
    if (backCents > 0n) {
      const entry = { kind: 'reinstatement', amountCents: backCents, ...plain(now) } as const;
      entries.push(world.post(account, { ...entry, topupNumber, cause }));
    }
    const fact: Reinstated = {
      type: 'reinstated',
      cause,
      at: now,
      answer: { entries, receivableCents: 0n, balanceAfterCents: 0n },
    };
    // Its own receivable ends first, so that only others are settled.
    account.paymentFacts.push(fact);
    entries.push(...settle(account, backCents, now));
    fact.answer = answerOf(account, entries);
    return { ...fact.answer, replayed: false };
  }

  /** Moves no money. Refuses amounts of zero, and amounts above the open one (A150). */
  function writeOffReceivable(input: WriteOffInput): PaymentOutcome {
    const account = world.getAccount(input.accountId);
    const { key, memo } = input;
    const operation = JSON.stringify([input.amountCents?.toString() ?? 'all', memo]);
    const known = ofType(account, 'written_off').find((one) => key !== undefined && one.key === key);
    if (known !== undefined) {
      const isSame = known.operation === operation;
      return isSame ? { ...known.answer, replayed: true } : refuse('idempotency_conflict');
    }
    const receivableCents = receivableOf(account);
    const amountCents = input.amountCents ?? receivableCents;
    if (amountCents === 0n || amountCents > receivableCents)
      return refuse('validation_failed', { field: 'amount' });
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

    const parts = oldestFirst(account, amountCents);
    const nothing: PaymentAnswer = { entries: [], receivableCents: 0n, balanceAfterCents: 0n };
    const fact: WrittenOff = { type: 'written_off', key, operation, parts, answer: nothing };
    account.paymentFacts.push(fact);
    fact.answer = answerOf(account, []);
    return { ...fact.answer, replayed: false };
  }

  /** After a credit or a reinstatement. One entry for each reversal that it settles, in part or whole. */
  function settle(account: Account, creditedCents: bigint, now: number | null): LedgerEntry[] {
    return oldestFirst(account, creditedCents).map(({ cause, topupNumber, amountCents }) =>
      world.post(account, {
        kind: 'settlement',
        amountCents: -amountCents,
        ...plain(now),
        topupNumber,
        cause,
      }),
    );
  }

  function payments(accountId: AccountId): PaymentView[] {
    return ofType(world.getAccount(accountId), 'paid').map(({ topupNumber, paymentRef, amountCents }) => ({
      topupNumber,
      paymentRef,
      amountCents,
    }));
  }

  function reversals(accountId: AccountId): ReversalView[] {
    return reversalsOf(world.getAccount(accountId));
  }

  function receivable(accountId: AccountId): bigint {
    return receivableOf(world.getAccount(accountId));
  }

  return {
    settle,
    requests: { receivePayment, reversePayment, reinstatePayment, writeOffReceivable },
    views: { payments, reversals, receivable },
  };
}

function reversalsOf(account: Account): ReversalView[] {
  return ofType(account, 'reversed').map(({ topupNumber, cause, kind, amountCents }, place) => {
    const reinstated = ofType(account, 'reinstated').find((one) => one.cause === cause);
    const ledgerSum = (of: LedgerEntry['kind']) =>
      -sum(
        account.ledger
          .filter((entry) => entry.kind === of && entry.cause === cause)
          .map((entry) => entry.amountCents),
      );
    const takenCents = ledgerSum('reversal');
    const settledCents = ledgerSum('settlement');
    const writtenOffCents = sum(
      ofType(account, 'written_off')
        .flatMap(({ parts }) => parts)
        .filter((part) => part.cause === cause)
        .map((part) => part.amountCents),
    );
    const openCents =
      reinstated === undefined ? amountCents - takenCents - settledCents - writtenOffCents : 0n;
    const reinstatedAt = reinstated?.at ?? null;
    const sums = { takenCents, settledCents, writtenOffCents, openCents };
    return { number: place + 1, topupNumber, cause, kind, amountCents, ...sums, reinstatedAt };
  });
}

function receivableOf(account: Account): bigint {
  return sum(reversalsOf(account).map(({ openCents }) => openCents));
}

/** Distributes at most this amount over open reversals, oldest first. */
function oldestFirst(account: Account, amountCents: bigint) {
  let leftCents = amountCents;
  const parts: { cause: string; topupNumber: number; amountCents: bigint }[] = [];
  for (const { cause, topupNumber, openCents } of reversalsOf(account)) {
    const partCents = smaller(openCents, leftCents);
    if (partCents > 0n) parts.push({ cause, topupNumber, amountCents: partCents });
    leftCents -= partCents;
  }
  return parts;
}

function answerOf(account: Account, entries: LedgerEntry[]): PaymentAnswer {
  return { entries, receivableCents: receivableOf(account), balanceAfterCents: account.balanceCents };
}

function plain(now: number | null) {
  return { orderNumber: null, memo: '', actorId: null, createdAt: now };
}

function ofType<Type extends PaymentFact['type']>(
  account: Account,
  type: Type,
): Extract<PaymentFact, { type: Type }>[] {
  return account.paymentFacts.filter(
    (fact): fact is Extract<PaymentFact, { type: Type }> => fact.type === type,
  );
}

function refuse(code: PaymentRefusal['code'], details: Record<string, string> = {}): PaymentRefusal {
  return { code, details };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function formatCents(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
