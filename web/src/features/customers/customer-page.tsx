// One customer: the plan, what was ordered, and what can be done: renew, change the package, a login link.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  ArrowLeftRight,
  Ban,
  CalendarSync,
  Link2,
  type LucideIcon,
  Pause,
  Pencil,
  Play,
  RefreshCw,
} from 'lucide-react';
import { useState } from 'react';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import { customerQuery } from '../../api/queries.ts';
import type { Customer, CustomerWithOrders } from '../../api/shapes.ts';
import { periodWord, renewalFailureWord } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Time } from '../../ui/time.tsx';
import { useOpenOrder } from '../orders/open-order.ts';
import {
  AutoRenewDialog,
  CancelDialog,
  EditCustomerDialog,
  ResumeDialog,
  SuspendDialog,
} from '../plans/plan-dialogs.tsx';
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';
import { PlanHistory } from '../plans/plan-history.tsx';
import { RenewalNotice, useRenewal } from '../plans/renewal-notice.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { LoginLinkDialog } from './login-link-dialog.tsx';
import { LoginLinksCard } from './login-links-card.tsx';

const route = getRouteApi('/panel/customers/$customerId');

export function CustomerPage() {
  const { customerId } = route.useParams();
  const openOrder = useOpenOrder();
  const may = useMay();
  const { before } = route.useSearch();
  const [asksLink, setAsksLink] = useState(false);
  const [action, setAction] = useState<Action | null>(null);
  const { data, error, refetch } = useQuery(customerQuery(customerId));
  const renewal = useRenewal(data?.customer.id);
  const back = <BackLink to="/customers">{t`Customers`}</BackLink>;
  if (error !== null && data === undefined) {
    return <PageProblem title={t`Customer`} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const customer = data?.customer;
  const lastOrder = data?.orders.find(({ id }) => id === data.last_order_id) ?? data?.orders[0];
  const reference = customer?.reference;
  return (
    <>
      <PageHeader
        title={customer?.name ?? t`Customer`}
        mark={
          customer && (
            <>
              <CustomerBadge customer={customer} />
              {customer.plan.ends_at_period_end && runs(customer.plan) ? (
                <Badge tone="warn">{t`Ends with its period`}</Badge>
              ) : null}
            </>
          )
        }
        back={back}
        actions={
          customer === undefined || reference === undefined ? undefined : (
            <>
              {may('customers:write') ? (
                <Button icon={Link2} onClick={() => setAsksLink(true)}>
                  {t`Login link`}
                </Button>
              ) : null}
              {may('orders:write') ? (
                <Button
                  icon={ArrowLeftRight}
                  onClick={() =>
                    openOrder({
                      type: 'place',
                      customer: reference,
                      ...(runs(customer.plan) && { runningPackage: customer.plan.package }),
                    })
                  }
                >
                  {runs(customer.plan) ? t`Change package` : t`Order a package`}
                </Button>
              ) : null}
              {lastOrder === undefined || !may('orders:write') ? null : (
                <Button
                  icon={RefreshCw}
                  look="primary"
                  disabled={renewal?.refusal != null}
                  onClick={() =>
                    openOrder({
                      type: 'renew',
                      orderId: lastOrder.id,
                      customer: reference,
                      packageName: lastOrder.package.name,
                      months: lastOrder.months,
                    })
                  }
                >
                  {t`Renew`}
                </Button>
              )}
            </>
          )
        }
      />
      <div className="flex flex-col gap-5">
        {lastOrder === undefined ? null : <RenewalNotice renewal={renewal} />}
        <Card>
          <Facts
            columns={2}
            facts={[
              { name: t`Package`, value: customer && <bdi>{customer.plan.package}</bdi> },
              timeLeftFact(customer),
              {
                name: t`Plan since`,
                value: customer && (hasStarted(customer.plan) ? <Time at={customer.plan.starts_at} /> : '–'),
              },
              planEndFact(customer),
              { name: t`Auto-renew`, value: customer && <Renewal plan={customer.plan} /> },
              {
                name: t`Reference`,
                value: reference && (
                  <span className="inline-flex items-center gap-1">
                    <bdi className="wrap-anywhere">{reference}</bdi>
                    <CopyButton text={reference} label={t`Copy reference`} />
                  </span>
                ),
              },
              { name: t`Customer id`, value: customer?.id },
              { name: t`Your own id`, value: customer && (customer.external_ref ?? '–') },
              { name: t`Customer since`, value: customer && <Time at={customer.created_at} /> },
            ]}
          />
          {data === undefined ? null : <Actions known={data} onAction={setAction} />}
        </Card>
        {panelMode === 'test' ? null : <LoginLinksCard links={data?.login_links} />}
        <PlanHistory customerId={customerId} before={before} />
      </div>
      {asksLink && customer !== undefined ? (
        <LoginLinkDialog customer={customer} onClose={() => setAsksLink(false)} />
      ) : null}
      {action === null || data === undefined ? null : (
        <ActionDialog action={action} known={data} onClose={() => setAction(null)} />
      )}
    </>
  );
}

type Action = 'cancel' | 'suspend' | 'resume' | 'auto-renew' | 'edit';

/** What the plan's state and the role of whoever is signed in allow. */
function Actions({
  known: { customer, suspended, order_pending: isPending, last_order_id: lastOrderId },
  onAction,
}: {
  readonly known: CustomerWithOrders;
  readonly onAction: (action: Action) => void;
}) {
  const may = useMay();
  const { plan } = customer;
  const isChangeable = runs(plan) && !isPending;
  const endsAtPeriodEnd = plan.ends_at_period_end && runs(plan);
  const actions: readonly { action: Action; title: string; icon: LucideIcon; isOffered: boolean }[] = [
    {
      action: 'auto-renew',
      title: t`Auto-renewal`,
      icon: CalendarSync,
      // A free trial renews nothing.
      isOffered: may('orders:write') && isChangeable && lastOrderId !== null,
    },
    { action: 'suspend', title: t`Suspend`, icon: Pause, isOffered: may('customers:write') && !suspended },
    {
      action: 'resume',
      title: suspended ? t`Resume` : t`Undo cancellation`,
      icon: Play,
      isOffered: may('customers:write') && (suspended || endsAtPeriodEnd),
    },
    { action: 'edit', title: t`Edit`, icon: Pencil, isOffered: may('customers:write') },
    { action: 'cancel', title: t`Cancel plan`, icon: Ban, isOffered: may('orders:write') && isChangeable },
  ];
  const offered = actions.filter(({ isOffered }) => isOffered);
  return (
    offered.length > 0 && (
      <div className="mt-4 flex flex-wrap gap-2">
        {offered.map(({ action, title, icon: Icon }) => (
          <Button
            icon={Icon}
            key={action}
            look={action === 'cancel' ? 'danger' : 'plain'}
            onClick={() => onAction(action)}
          >
            {title}
          </Button>
        ))}
      </div>
    )
  );
}

interface ActionDialogProps {
  readonly action: Action;
  readonly known: CustomerWithOrders;
  readonly onClose: () => void;
}

function ActionDialog({ action, known: { customer, suspended }, onClose }: ActionDialogProps) {
  switch (action) {
    case 'cancel':
      return <CancelDialog customer={customer} onClose={onClose} />;
    case 'suspend':
      return <SuspendDialog customer={customer} onClose={onClose} />;
    case 'resume':
      return <ResumeDialog customer={customer} isHeld={suspended} onClose={onClose} />;
    case 'auto-renew':
      return <AutoRenewDialog customer={customer} onClose={onClose} />;
    case 'edit':
      return <EditCustomerDialog customer={customer} onClose={onClose} />;
    default:
      return action satisfies never;
  }
}

/** How the plan goes on by itself, or that it was told to end. */
function Renewal({ plan }: { readonly plan: Customer['plan'] }) {
  if (plan.ends_at_period_end && runs(plan)) return t`Off: the plan ends with its period`;
  if (plan.auto_renew === null) return t`Off`;
  const { months, max_charge: maxCharge, next_at: nextAt, failure } = plan.auto_renew;
  return (
    <span className="flex flex-col sm:text-right">
      <span>
        {nextAt === null ? (
          t`Not before its end moves`
        ) : (
          <Trans>
            On <Time at={nextAt} />
          </Trans>
        )}
      </span>
      <span className="text-soft">
        {periodWord(months)}
        {maxCharge === null ? '' : t`, for at most ${maxCharge}`}
      </span>
      {failure === null ? null : (
        <span className="text-bad">{t`Refused last time: ${renewalFailureWord(failure)}`}</span>
      )}
    </span>
  );
}
