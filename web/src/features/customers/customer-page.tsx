import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  ArrowLeftRight,
  Ban,
  CalendarSync,
  Eraser,
  Link2,
  Pause,
  Pencil,
  Play,
  RefreshCw,
} from 'lucide-react';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import { customerQuery } from '../../api/queries.ts';
import type { Customer, CustomerWithOrders } from '../../api/shapes.ts';
import { periodWord, renewalFailureWord } from '../../text/words.ts';
import { type Action, ActionBar, Actions } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { Facts } from '../../ui/facts.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Time } from '../../ui/time.tsx';
import { orderFor, renewalOf, useOpenOrder } from '../orders/open-order.ts';
import {
  AutoRenewDialog,
  CancelDialog,
  EditCustomerDialog,
  ResumeDialog,
  SuspendDialog,
} from '../plans/plan-dialogs.tsx';
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';
import { PlanHistory } from '../plans/plan-history.tsx';
import { mayRenew, RenewalNotice, useRenewal } from '../plans/renewal-notice.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { CustomerExportButton } from './customer-export-button.tsx';
import { EraseDialog, isErased } from './erase-dialog.tsx';
import { LoginLinkDialog } from './login-link-dialog.tsx';
import { LoginLinksCard } from './login-links-card.tsx';

const route = getRouteApi('/panel/customers/$customerId');

export function CustomerPage() {
  const { customerId } = route.useParams();
  const openOrder = useOpenOrder();
  const may = useMay();
  const { cursor } = route.useSearch();
  const { data, error, refetch } = useQuery(customerQuery(customerId));
  const renewal = useRenewal(data?.customer.id);
  const back = <BackLink to="/customers">{t`Customers`}</BackLink>;
  if (error !== null && data === undefined) {
    return (
      <PageProblem
        title={t`Customer`}
        back={back}
        error={error}
        onRetry={() => void refetch()}
        missing={{
          title: t`Customer not found`,
          hint: t`Your account has no customer ${customerId}.`,
          action: <ButtonLink to="/customers">{t`All customers`}</ButtonLink>,
        }}
      />
    );
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
                <Badge tone="warn">{t`Ends with the current period`}</Badge>
              ) : null}
            </>
          )
        }
        back={back}
        actions={
          customer === undefined || reference === undefined || isErased(customer) ? undefined : (
            <>
              <Actions
                actions={[
                  {
                    id: 'link',
                    title: t`Login link`,
                    icon: Link2,
                    isOffered: may('customers:write'),
                    dialog: (onClose) => <LoginLinkDialog customer={customer} onClose={onClose} />,
                  },
                ]}
              />
              {may('orders:write') ? (
                <Button icon={ArrowLeftRight} onClick={() => openOrder(orderFor(customer))}>
                  {runs(customer.plan) ? t`Change package` : t`Order a package`}
                </Button>
              ) : null}
              {lastOrder === undefined || !may('orders:write') ? null : (
                <Button
                  icon={RefreshCw}
                  look="primary"
                  disabled={!mayRenew(renewal)}
                  onClick={() => openOrder(renewalOf(lastOrder))}
                >
                  {t`Renew`}
                </Button>
              )}
            </>
          )
        }
      />
      <div className="page-stack gap-5">
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
                value: reference && <Copied text={reference} label={t`Copy reference`} isName />,
              },
              { name: t`Customer ID`, value: customer?.id },
              { name: t`External ID`, value: customer && (customer.external_ref ?? '–') },
              { name: t`Customer since`, value: customer && <Time at={customer.created_at} /> },
            ]}
          />
          {data && (
            <ActionBar actions={actionsOf(data, may)}>
              <CustomerExportButton id={data.customer.id} />
            </ActionBar>
          )}
        </Card>
        {panelMode === 'test' ? null : <LoginLinksCard links={data?.login_links} />}
        <PlanHistory customerId={customerId} cursor={cursor} />
      </div>
    </>
  );
}

function actionsOf(
  { customer, suspended, order_pending: isPending, last_order_id: lastOrderId }: CustomerWithOrders,
  may: ReturnType<typeof useMay>,
): readonly Action[] {
  if (isErased(customer)) return [];
  const { plan } = customer;
  const [mayOrder, mayChange] = [may('orders:write'), may('customers:write')];
  const isChangeable = mayOrder && runs(plan) && !isPending;
  const endsAtPeriodEnd = plan.ends_at_period_end && runs(plan);
  return [
    {
      id: 'auto-renew',
      title: t`Auto-renew`,
      icon: CalendarSync,
      // Only a plan with an order can renew; a free trial has none.
      isOffered: isChangeable && lastOrderId !== null,
      dialog: (onClose) => <AutoRenewDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'suspend',
      title: t`Suspend`,
      icon: Pause,
      isOffered: mayChange && !suspended,
      dialog: (onClose) => <SuspendDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'resume',
      title: suspended ? t`Resume` : t`Undo cancellation`,
      icon: Play,
      isOffered: mayChange && (suspended || endsAtPeriodEnd),
      dialog: (onClose) => <ResumeDialog customer={customer} isHeld={suspended} onClose={onClose} />,
    },
    {
      id: 'edit',
      title: t`Edit`,
      icon: Pencil,
      isOffered: mayChange,
      dialog: (onClose) => <EditCustomerDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'cancel',
      title: t`Cancel plan`,
      icon: Ban,
      look: 'danger',
      isOffered: isChangeable,
      dialog: (onClose) => <CancelDialog customer={customer} onClose={onClose} />,
    },
    {
      id: 'erase',
      title: t`Erase`,
      icon: Eraser,
      look: 'danger',
      isOffered: mayChange && !runs(plan) && !isPending,
      dialog: (onClose) => <EraseDialog customer={customer} onClose={onClose} />,
    },
  ];
}

function Renewal({ plan }: { readonly plan: Customer['plan'] }) {
  if (plan.ends_at_period_end && runs(plan)) return t`Off: the plan ends with its period`;
  if (plan.auto_renew === null) return t`Off`;
  const { months, max_charge: maxCharge, next_at: nextAt, failure } = plan.auto_renew;
  return (
    <span className="flex flex-col sm:text-right">
      <span>
        {nextAt === null ? (
          t`Not until its end date changes`
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
