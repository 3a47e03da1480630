import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { planTimeLeft, planTimeLeftSentence } from '../../text/plan-time.ts';
import { planStatusWord, referenceBeside } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { CustomerLink } from '../../ui/page-links.tsx';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';

/** `links` says where a row leads: to the drawer, the panel page (own account only), or the console page. */
export function customerColumns<Row extends PanelCustomer>({
  links = 'page',
  second,
}: {
  readonly links?: 'drawer' | 'page' | 'console';
  /** The second line on narrow screens; by default it shows the package. */
  readonly second?: (row: Row) => string;
} = {}): readonly Column<Row>[] {
  return [
    {
      title: t`Customer`,
      grows: true,
      cell: (customer) => (
        <TwoLines
          first={
            links === 'console' ? (
              <CustomerLink id={customer.id} row isOperator>
                {customer.name}
              </CustomerLink>
            ) : links === 'page' ? (
              <CustomerLink id={customer.id} row>
                {customer.name}
              </CustomerLink>
            ) : (
              <DrawerLink id={customer.id}>
                <bdi>{customer.name}</bdi>
              </DrawerLink>
            )
          }
          second={
            <>
              <span className="sm:hidden">
                <bdi>{second?.(customer) ?? customer.plan.package}</bdi>
                {second === undefined && runs(customer.plan)
                  ? ` · ${planTimeLeftSentence(customer.seconds_left)}`
                  : ''}
              </span>
              <bdi className="max-sm:hidden">{referenceBeside(customer)}</bdi>
            </>
          }
        />
      ),
    },
    {
      title: t`Package`,
      id: 'package',
      from: 'sm',
      cell: ({ plan }) => <bdi className="block max-w-48 truncate">{plan.package}</bdi>,
    },
    { title: t`Status`, cell: (customer) => <CustomerBadge customer={customer} /> },
    {
      title: t`Ends`,
      id: 'ends',
      from: 'md',
      sort: { by: 'expires_at', direction: 'ascending', backwards: '-expires_at' },
      cell: ({ plan }) =>
        hasStarted(plan) ? <Time at={plan.expires_at} style="day" /> : <span className="text-soft">–</span>,
    },
    {
      title: t`Since`,
      id: 'since',
      from: 'lg',
      sort: { by: 'newest', direction: 'descending' },
      cell: ({ created_at: at }) => <Time at={at} style="day" />,
    },
    {
      title: t`Time left`,
      id: 'left',
      from: 'sm',
      align: 'end',
      cell: ({ seconds_left: seconds }) => <TimeLeft seconds={seconds} />,
    },
    {
      title: t`External ID`,
      id: 'external',
      from: 'lg',
      isExtra: true,
      cell: ({ external_ref: own }) => <bdi className="block max-w-40 truncate">{own ?? ''}</bdi>,
    },
    {
      title: t`Auto-renew`,
      id: 'renewal',
      from: 'lg',
      isExtra: true,
      cell: ({ plan }) => (plan.auto_renew === null ? t`Off` : t`On`),
    },
  ];
}

export function customerOnPhone({ plan }: PanelCustomer) {
  return (
    <Trans>
      Ends <Time at={plan.expires_at} style="day" />
    </Trans>
  );
}

/** A customer is not "expired" while a pending order is about to begin a plan. */
export function CustomerBadge({
  customer,
}: {
  readonly customer: Pick<PanelCustomer, 'status' | 'plan' | 'order_pending'>;
}) {
  const { plan, order_pending: isPending } = customer;
  const isPlanShown = !isPending || runs(plan);
  return (
    <span className="inline-flex flex-wrap gap-1">
      {isPlanShown ? <PlanBadge customer={customer} /> : null}
      {isPending ? <Badge tone="warn">{t`Pending`}</Badge> : null}
    </span>
  );
}

function PlanBadge({
  customer: { status, plan },
}: {
  readonly customer: Pick<PanelCustomer, 'status' | 'plan'>;
}) {
  if (status === 'suspended' || plan.status === 'suspended') return <Badge tone="bad">{t`Suspended`}</Badge>;
  if (plan.status === 'active') return <Badge tone="good">{t`Active`}</Badge>;
  return <Badge>{hasStarted(plan) ? planStatusWord(plan.status) : t`Never started`}</Badge>;
}

const soonSeconds = 14 * 86_400;
const verySoonSeconds = 3 * 86_400;

function TimeLeft({ seconds }: { readonly seconds: number }) {
  if (seconds <= 0) return <span className="text-soft">–</span>;
  const words = planTimeLeft(seconds);
  const tone = seconds <= verySoonSeconds ? 'bad' : 'warn';
  return seconds <= soonSeconds ? (
    <Badge tone={tone}>{words}</Badge>
  ) : (
    <span className="figures whitespace-nowrap">{words}</span>
  );
}
