// An administrator credits or debits an account.

import { formatAmount } from '../../../shared/amounts.ts';
import { fieldRefusal } from '../../../shared/error-catalog.ts';
import { publicId } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { refused, refusedAsFull } from './command-checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { CreditAccount, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { settleReceivables } from './settle-receivables.ts';

/** Higher balances are refused, to keep all arithmetic far from the limits of int8. */
export const balanceCentsMax = 100_000_000_000_000n;

export function creditAccount(
  working: WorkingState,
  account: AccountState,
  command: CreditAccount,
  now: EpochSeconds,
): OrderOutcome {
  const { amountCents, memo, actorId, by = null, idempotencyKey } = command;
  const fingerprint = fingerprintOf('credit', amountCents.toString(), memo);
  const earlier = working.creditByKey(account.id, idempotencyKey);
  if (earlier !== null) {
    if (earlier.entry.fingerprint !== fingerprint) return refused('idempotency_conflict');
    return { type: 'credited', ...earlier, receivableCents: account.receivableCents, replayed: true };
  }
  if (account.isClosed && amountCents > 0n) return refused('account_closed');
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  // The balance of a full account can still be debited.
  const full = amountCents > 0n ? refusedAsFull(working, account) : null;
  if (full !== null) return full;
  const balanceAfterCents = account.balanceCents + amountCents;
  if (balanceAfterCents < 0n) {
    return refused('insufficient_credit', {
      balance: formatAmount(account.balanceCents),
      required: formatAmount(-amountCents),
      currency: working.currency,
    });
  }
  if (balanceAfterCents > balanceCentsMax) {
    return {
      type: 'refused',
      refusal: fieldRefusal('validation_failed', 'amount', 'the balance would be too large'),
    };
  }
  const kind = amountCents < 0n ? 'debit' : 'credit';
  const entry = working.addEntry(
    account.id,
    { kind, amountCents, actorId, memo, idempotencyKey, fingerprint },
    now,
  );
  working.emit(account.id, { type: `balance.${kind}ed`, entry });
  const settlements = amountCents > 0n ? settleReceivables(working, account.id, amountCents, now) : [];
  const settledCents = settlements.reduce((sum, settlement) => sum - settlement.amountCents, 0n);
  const receivableCents = account.receivableCents - settledCents;
  working.addCredit({ entry, settledCents });
  working.addAudit({
    actorId,
    by,
    action: `account.${kind}`,
    subject: `account ${account.id}`,
    before: { balance: formatAmount(account.balanceCents) },
    after: {
      // Verification compares it with the entry, so settlements do not count.
      balance: formatAmount(entry.balanceAfterCents),
      entry_id: publicId(account.id, entry.number),
      memo,
      ...(settledCents > 0n && {
        settled: formatAmount(settledCents),
        receivable: formatAmount(receivableCents),
      }),
    },
  });
  return { type: 'credited', entry, settledCents, receivableCents, replayed: false };
}
