import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import type { CustomerWithOrders, PanelCustomer, Renewal } from '../../api/shapes.ts';
import { planTimeLeftSentence } from '../../text/plan-time.ts';
import { Money } from '../../ui/money.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { Time } from '../../ui/time.tsx';

interface CustomerStatsProps {
  readonly found: CustomerWithOrders | undefined;
  readonly renewal: Renewal | undefined;
}

export function CustomerStats({ found, renewal }: CustomerStatsProps) {
  const { currency } = useMe().account;
  const next = useNextRenewal(found?.customer, renewal);
  const plan = found?.customer.plan;
  const spending = found?.spending;
  return (
    <Stats>
      <Stat name={t`Next renewal`} value={next.value} note={next.note} />
      <Stat
        name={t`Package`}
        value={plan && <bdi className="block truncate">{plan.package}</bdi>}
        note={found && plan && runs(plan) ? planTimeLeftSentence(found.customer.seconds_left) : ''}
      />
      <Stat
        name={t`Spent in total`}
        value={spending === null ? '–' : spending && <Money amount={spending.total} currency={currency} />}
        note={spending ? plural(spending.orders, { one: '# order', other: '# orders' }) : ''}
      />
      <Stat
        name={t`Customer since`}
        value={found && <Time at={found.customer.created_at} style="day" />}
        note=""
      />
    </Stats>
  );
}

/** What the next renewal costs and when it is due; the day alone if the person may not order. */
export function useNextRenewal(
  customer: PanelCustomer | undefined,
  renewal: Renewal | undefined,
): { readonly value: ReactNode | undefined; readonly note: ReactNode } {
  const { currency } = useMe().account;
  const mayOrder = useMay()('orders:write');
  if (customer === undefined) return { value: undefined, note: '' };
  const { plan } = customer;
  if (!runs(plan)) return { value: '–', note: hasStarted(plan) ? t`The plan has ended` : '' };
  if (plan.ends_at_period_end) return { value: '–', note: t`The plan doesn’t renew` };
  const automatic = plan.auto_renew;
  const at = automatic?.next_at ?? plan.expires_at;
  const day = <Time at={at} style="day" />;
  const isSamePeriod = automatic === null || automatic.months === renewal?.months;
  const note = automatic === null ? <Trans>By {day}</Trans> : <Trans>Automatic, {day}</Trans>;
  if (mayOrder && renewal === undefined) return { value: undefined, note };
  const charge = renewal?.charge ?? null;
  return charge === null || !isSamePeriod
    ? { value: day, note: automatic === null ? t`Auto-renew off` : t`Auto-renew on` }
    : { value: <Money amount={charge} currency={currency} />, note };
}
