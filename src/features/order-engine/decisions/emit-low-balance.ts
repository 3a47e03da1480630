// Whether a command made the balance fall below what the account's people want to be told of. Called after each command, and
// after each step of a clock that moves.

import type { AccountState } from '../../identity/account-table.ts';
import type { WorkingState } from './order-state.ts';

/** Once for each time that the balance falls below what its people want to be told of. */
export function emitLowBalance(working: WorkingState, before: AccountState | null): void {
  const after = before?.alertBelowCents == null ? null : working.account(before.id);
  if (before === null || after === null || after.alertBelowCents === null) return;
  const { balanceCents, alertBelowCents } = after;
  if (before.balanceCents < alertBelowCents || balanceCents >= alertBelowCents) return;
  working.emit(after.id, { type: 'balance.low', balanceCents, alertBelowCents });
}
