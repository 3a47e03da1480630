// Emits balance.low after a command, or a step of a moving clock, with which the balance falls below the account's alert
// threshold.

import type { AccountState } from '../../identity/account-table.ts';
import type { WorkingState } from './order-state.ts';

/** Emits once each time that the balance falls below the threshold. */
export function emitLowBalance(working: WorkingState, before: AccountState | null): void {
  const after = before?.alertBelowCents == null ? null : working.account(before.id);
  if (before === null || after === null || after.alertBelowCents === null) return;
  const { balanceCents, alertBelowCents } = after;
  if (before.balanceCents < alertBelowCents || balanceCents >= alertBelowCents) return;
  working.emit(after.id, { type: 'balance.low', balanceCents, alertBelowCents });
}
