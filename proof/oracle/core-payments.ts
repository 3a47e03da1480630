// Payments of a history as the core's commands, and their outcomes compared with the oracle's. Part of core-model.ts.

import type { OrderCommand, OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import type { LedgerEntry } from '../../src/features/order-engine/records/ledger-entry.ts';
import type { PaymentStep } from './histories.ts';
import { toText } from './history-report.ts';
import type { Oracle, LedgerEntry as OracleEntry } from './oracle.ts';
import type { PaymentOutcome } from './oracle-payments.ts';

export function paymentCommandOf(
  request: PaymentStep,
  accountIds: readonly number[],
  index: number,
): OrderCommand {
  const accountId = accountIds[request.account] ?? 0;
  const administrator = { actorId: accountIds.at(-1) ?? 0 };
  switch (request.type) {
    case 'receive_payment': {
      const { type, topup: topupNumber, ref: paymentRef, amountCents, memo } = request;
      return { type, accountId, topupNumber, paymentRef, amountCents, memo };
    }
    case 'reverse_payment': {
      const { type, topup: topupNumber, cause, kind, amountCents, allowReceivable } = request;
      const by = request.by === 'operator' ? administrator : null;
      return { type, accountId, topupNumber, cause, kind, amountCents, allowReceivable, by };
    }
    case 'reinstate_payment':
      return { type: request.type, accountId, cause: request.cause };
    case 'write_off_receivable': {
      const { type, amountCents, memo, key } = request;
      const keyed = { idempotencyKey: key ?? `minted-${index}`, keyIsMinted: key === undefined };
      return { type, accountId, amountCents, memo, by: administrator, ...keyed };
    }
    default:
      return request satisfies never;
  }
}

export function paymentProblem(
  expected: Extract<PaymentOutcome, { entries: unknown }>,
  answer: OrderOutcome,
): string | null {
  if (answer.type === 'written_off') return writeOffProblem(expected, answer);
  if (answer.type !== 'payment_moved') return 'no payment moved';
  if (answer.replayed !== expected.replayed) return `replayed is ${answer.replayed}`;
  // On a replay, the core returns no entries and the current receivable (A157).
  if (answer.replayed) return answer.entries.length === 0 ? null : 'entries in a repetition';
  const [entries, wanted] = [answer.entries.map(coreEntry), expected.entries.map(oracleEntry)];
  if (toText(entries) !== toText(wanted)) return `the entries are ${toText(entries)}`;
  return answer.receivableCents === expected.receivableCents
    ? null
    : `the receivable is ${answer.receivableCents}`;
}

/** What a credit settled, also when it is sent again. */
export function creditProblem(
  { entries }: { readonly entries: readonly OracleEntry[] },
  { settledCents }: Extract<OrderOutcome, { type: 'credited' }>,
): string | null {
  const settlements = entries.filter(({ kind }) => kind === 'settlement');
  const wanted = settlements.reduce((sum, { amountCents }) => sum - amountCents, 0n);
  return settledCents === wanted ? null : `it settled ${settledCents} instead of ${wanted}`;
}

/** Sent again, a write-off gets its first answer. */
function writeOffProblem(
  expected: Extract<PaymentOutcome, { entries: unknown }>,
  { replayed, receivableCents }: Extract<OrderOutcome, { type: 'written_off' }>,
): string | null {
  if (replayed !== expected.replayed) return `replayed is ${replayed}`;
  if (expected.entries.length > 0) return 'no entries';
  return receivableCents === expected.receivableCents ? null : `the receivable is ${receivableCents}`;
}

export interface KeptPayments {
  readonly receivableCents: bigint;
  readonly payments: readonly {
    readonly topupNumber: number;
    readonly paymentRef: string;
    readonly amountCents: bigint;
    readonly entryNumber: number;
  }[];
  readonly reversals: readonly {
    readonly number: number;
    readonly topupNumber: number;
    readonly cause: string;
    readonly kind: string;
    readonly amountCents: bigint;
    readonly takenCents: bigint;
    readonly settledCents: bigint;
    readonly writtenOffCents: bigint;
    readonly reinstatedAt: number | null;
  }[];
  readonly paymentEntries: readonly {
    readonly entryNumber: number;
    readonly topupNumber: number;
    readonly reversalNumber: number | null;
  }[];
  readonly writeOffs: readonly {
    readonly idempotencyKey: string;
    readonly reversalNumber: number;
    readonly amountCents: bigint;
  }[];
}

export function keptPaymentsProblem(
  oracle: Oracle,
  accountId: number,
  kept: KeptPayments,
  entries: readonly LedgerEntry[],
): string | null {
  const reversals = oracle.reversals(accountId);
  const payments = kept.payments.map((one) => [one.topupNumber, one.paymentRef, one.amountCents]);
  const wantedPayments = oracle
    .payments(accountId)
    .map((one) => [one.topupNumber, one.paymentRef, one.amountCents]);
  const found = kept.reversals.map(reversalRow);
  const wanted = reversals.map(reversalRow);
  const ofPayments = kept.paymentEntries.map(({ entryNumber, topupNumber, reversalNumber }) => {
    const entry = entries.find(({ number }) => number === entryNumber);
    return [entry?.kind, entry?.amountCents, topupNumber, reversalNumber];
  });
  const wantedEntries = oracle.ledger(accountId).flatMap((entry) => {
    const { kind, amountCents, topupNumber, cause } = entry;
    const reversal = reversals.find((one) => one.cause === cause);
    return topupNumber === undefined ? [] : [[kind, amountCents, topupNumber, reversal?.number ?? null]];
  });
  const compared: readonly (readonly [name: string, found: unknown, wanted: unknown])[] = [
    ['payments', payments, wantedPayments],
    ['reversals', found, wanted],
    ['entries of payments', ofPayments, wantedEntries],
    ['write-offs', forgiven(kept), reversals.map(({ writtenOffCents }) => writtenOffCents)],
    ['receivable', kept.receivableCents, oracle.receivable(accountId)],
  ];
  for (const [name, one, other] of compared) {
    if (toText(one) !== toText(other))
      return `the ${name} of account ${accountId}: ${toText(one)} instead of ${toText(other)}`;
  }
  return null;
}

function forgiven({ reversals, writeOffs }: KeptPayments): bigint[] {
  return reversals.map(({ number }) =>
    writeOffs.reduce((sum, part) => (part.reversalNumber === number ? sum + part.amountCents : sum), 0n),
  );
}

function reversalRow(reversal: Omit<KeptPayments['reversals'][number], 'openCents'>) {
  const { number, topupNumber, cause, kind, amountCents, reinstatedAt } = reversal;
  const { takenCents, settledCents, writtenOffCents } = reversal;
  return [
    number,
    topupNumber,
    cause,
    kind,
    amountCents,
    takenCents,
    settledCents,
    writtenOffCents,
    reinstatedAt,
  ];
}

/** Memo and actor are prescribed only for a payment's credit (A158). */
function coreEntry({ kind, amountCents, balanceAfterCents, createdAt, memo }: LedgerEntry) {
  return [kind, amountCents, balanceAfterCents, createdAt, kind === 'credit' ? (memo ?? '') : ''];
}

function oracleEntry({ kind, amountCents, balanceAfterCents, createdAt, memo }: OracleEntry) {
  return [kind, amountCents, balanceAfterCents, createdAt, kind === 'credit' ? memo : ''];
}
