// PUT and DELETE /customers/{id}/auto-renew. renew-automatically.ts makes the renewals.

import { formatAmount } from '../../../shared/amounts.ts';
import type { JsonObject } from '../../../shared/json.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { type AutoRenew, isSameLife, lifeWithAutoRenew, runningPlan } from '../records/plan-life.ts';
import { begin, isCustomer, note } from './change-plan.ts';
import { refused, refusedAsUnsold, refusedWhilePending } from './command-checks.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { OrderOutcome, SetAutoRenew } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';

export function setAutoRenew(
  working: WorkingState,
  account: AccountState,
  command: SetAutoRenew,
  now: EpochSeconds,
): OrderOutcome {
  const { autoRenew, customerNumber } = command;
  const parts = autoRenew && [
    autoRenew.months,
    autoRenew.maxChargeCents === null ? null : autoRenew.maxChargeCents.toString(),
    autoRenew.hoursBefore,
  ];
  const fingerprint = fingerprintOf('auto_renew', customerNumber, ...(parts ?? ['off']));
  const customer = begin(working, account, command, fingerprint);
  if (!isCustomer(customer)) return customer;
  const pending = refusedWhilePending(customer);
  if (pending !== null) return pending;
  const { life, plan } = customer;
  if (autoRenew !== null) {
    if (runningPlan(customer, now) === null) return refused('order_failed', { reason: 'plan_not_running' });
    const wanted = working.packages.get(plan.packageId);
    if (wanted?.isTrial !== false) return refused('package_unavailable', { reason: 'free_trial' });
    const unsold = refusedAsUnsold(wanted, autoRenew.months);
    if (unsold !== null) return unsold;
  }
  const next = lifeWithAutoRenew(life, plan, autoRenew);
  const isNone = isSameLife(life, next);
  const changed = isNone ? customer : working.setLife(customer, next);
  const details = {
    renewMonths: autoRenew?.months ?? null,
    renewMaxCents: autoRenew?.maxChargeCents ?? null,
    renewHoursBefore: autoRenew?.hoursBefore ?? null,
  };
  const audit = {
    action: 'customer.auto_renew',
    before: { auto_renew: auditView(life.autoRenew) },
    after: { auto_renew: auditView(autoRenew) },
  };
  const kind = autoRenew === null ? 'auto_renew_off' : 'auto_renew';
  return note(working, command, changed, { kind, fingerprint, isNone, details, audit }, now);
}

function auditView(autoRenew: AutoRenew | null): JsonObject | null {
  if (autoRenew === null) return null;
  const { months, maxChargeCents, hoursBefore: hours_before } = autoRenew;
  return { months, max_charge: maxChargeCents === null ? null : formatAmount(maxChargeCents), hours_before };
}
