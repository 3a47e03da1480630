// Customers as table rows, wherever customers are listed.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Customer } from '../api/shapes.ts';
import { formatCount } from '../text/language.ts';
import { planStatusWord } from '../text/words.ts';
import { Badge } from '../ui/badge.tsx';
import { type Column, TwoLines } from '../ui/data-table.tsx';
import { RowLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';

/** `linked`: rows lead to the customer's page, which only its own account has. */
export function customerColumns<Row extends Customer>({
  linked = true,
  second,
}: {
  readonly linked?: boolean;
  /** What is under the name on narrow screens in place of the package. */
  readonly second?: (row: Row) => string;
} = {}): readonly Column<Row>[] {
  return [
    {
      title: t`Customer`,
      grows: true,
      cell: (customer) => (
        <TwoLines
          first={
            linked ? (
              <RowLink to="/customers/$customerId" params={{ customerId: String(customer.id) }}>
                <bdi>{customer.name}</bdi>
              </RowLink>
            ) : (
              <bdi className="font-medium">{customer.name}</bdi>
            )
          }
          second={
            <>
              <span className="sm:hidden">
                <bdi>{second?.(customer) ?? customer.plan.package}</bdi>
                {second === undefined && runs(customer.plan)
                  ? ` · ${plural(customer.plan.days_left, { one: '# day left', other: '# days left' })}`
                  : ''}
              </span>
              <bdi className="max-sm:hidden">{otherName(customer)}</bdi>
            </>
          }
        />
      ),
    },
    {
      title: t`Package`,
      from: 'sm',
      cell: ({ plan }) => <bdi className="block max-w-48 truncate">{plan.package}</bdi>,
    },
    { title: t`State`, cell: (customer) => <CustomerBadge customer={customer} /> },
    { title: t`Ends`, from: 'md', cell: ({ plan }) => <Time at={plan.expires_at} style="day" /> },
    { title: t`Since`, from: 'lg', cell: ({ created_at: at }) => <Time at={at} style="day" /> },
    { title: t`Days left`, from: 'sm', align: 'end', cell: ({ plan }) => <DaysLeft plan={plan} /> },
  ];
}

/** What the customer is ordered by, where that is not the name. */
function otherName({ name, reference }: Customer): string {
  return reference === name ? '' : reference;
}

/** Not whether it may be used: the time of a plan that is suspended runs on. */
export function runs({ days_left: daysLeft }: Customer['plan']): boolean {
  return daysLeft > 0;
}

export function CustomerBadge({
  customer: { status, plan },
}: {
  readonly customer: Pick<Customer, 'status' | 'plan'>;
}) {
  if (status === 'suspended' || plan.status === 'suspended')
    return (
      <Badge tone="bad">
        <Trans>Suspended</Trans>
      </Badge>
    );
  if (plan.status === 'active')
    return (
      <Badge tone="good">
        <Trans>Active</Trans>
      </Badge>
    );
  return <Badge>{planStatusWord(plan.status)}</Badge>;
}

const soonDays = 14;
const verySoonDays = 3;

function DaysLeft({ plan }: { readonly plan: Customer['plan'] }) {
  if (!runs(plan)) return <span className="text-soft">–</span>;
  const tone = plan.days_left <= verySoonDays ? 'bad' : 'warn';
  return plan.days_left <= soonDays ? (
    <Badge tone={tone}>{plural(plan.days_left, { one: '# day', other: '# days' })}</Badge>
  ) : (
    <span className="figures">{formatCount(plan.days_left)}</span>
  );
}
