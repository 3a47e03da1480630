// Credits pay what an account owes first: credits of the operator, payments and reinstatements. A refund of an order is
// part of that order and settles nothing.

import type { EpochSeconds } from '../../../shared/times.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { Reversal } from '../records/payment-tables.ts';
import type { WorkingState } from './order-state.ts';

/** Takes at most what was just credited. The oldest reversal comes first, and each has its own entry. */
export function settleReceivables(
  working: WorkingState,
  accountId: number,
  creditedCents: bigint,
  now: EpochSeconds,
): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  let leftCents = creditedCents;
  for (const reversal of working.payments.open(accountId)) {
    if (leftCents === 0n) break;
    const cents = leftCents < reversal.openCents ? leftCents : reversal.openCents;
    leftCents -= cents;
    working.changeReversal({
      ...reversal,
      settledCents: reversal.settledCents + cents,
      openCents: reversal.openCents - cents,
    });
    entries.push(addPaymentEntry(working, reversal, { kind: 'settlement', amountCents: -cents }, now));
  }
  return entries;
}

/** Adds an entry of the ledger that belongs to a reversal, and its event. */
export function addPaymentEntry(
  working: WorkingState,
  { accountId, topupNumber, number: reversalNumber }: Pick<Reversal, 'accountId' | 'topupNumber' | 'number'>,
  part: Pick<LedgerEntry, 'kind' | 'amountCents'>,
  now: EpochSeconds,
): LedgerEntry {
  const entry = working.addEntry(accountId, part, now);
  working.payments.addEntry({ accountId, entryNumber: entry.number, topupNumber, reversalNumber });
  working.emit(accountId, { type: part.amountCents < 0n ? 'balance.debited' : 'balance.credited', entry });
  return entry;
}
