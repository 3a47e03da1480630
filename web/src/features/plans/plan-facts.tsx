// How long a plan runs. While a pending order is about to begin a plan, the old one is not shown as ended.

import { t } from '@lingui/core/macro';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { planTimeLeft } from '../../text/plan-time.ts';
import type { Fact } from '../../ui/facts.tsx';
import { Time } from '../../ui/time.tsx';

export function timeLeftFact(customer: PanelCustomer | undefined): Fact {
  return { name: t`Time left`, value: customer && timeLeft(customer) };
}

function timeLeft({ plan, seconds_left: seconds, order_pending: isPending }: PanelCustomer): string {
  if (runs(plan)) return planTimeLeft(seconds);
  if (isPending) return t`Starts once the operator’s product confirms the order`;
  return hasStarted(plan) ? planTimeLeft(0) : '–';
}

export function planEndFact(customer: PanelCustomer | undefined): Fact {
  const hasEnded = customer !== undefined && !runs(customer.plan) && hasStarted(customer.plan);
  return { name: hasEnded ? t`Ended` : t`Runs until`, value: customer && <PlanEnd plan={customer.plan} /> };
}

function PlanEnd({ plan }: Pick<PanelCustomer, 'plan'>) {
  return hasStarted(plan) ? <Time at={plan.expires_at} /> : '–';
}
