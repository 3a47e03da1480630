import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeftRight, Link2, RefreshCw } from 'lucide-react';
import { panelMode } from '../../api/panel-mode.ts';
import { useMay } from '../../api/person.ts';
import { hasStarted, runs } from '../../api/plan-runs.ts';
import { customerQuery } from '../../api/queries.ts';
import type { Customer } from '../../api/shapes.ts';
import { periodWord, renewalFailureWord } from '../../text/words.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { Actions, MoreActions } from '../../ui/actions.tsx';
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
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';
import { PlanHistory } from '../plans/plan-history.tsx';
import { mayRenew, RenewalNotice, useRenewal } from '../plans/renewal-notice.tsx';
import { customerActions } from './customer-actions.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { CustomerStats } from './customer-stats.tsx';
import { isErased } from './erase-dialog.tsx';
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
          data === undefined || customer === undefined ? undefined : (
            <>
              <MoreActions actions={customerActions(data, may)} menu={ActionMenu} />
              <Actions
                actions={[
                  {
                    id: 'link',
                    title: t`Login link`,
                    icon: Link2,
                    isOffered: may('customers:write') && !isErased(customer),
                    dialog: (onClose) => <LoginLinkDialog customer={customer} onClose={onClose} />,
                  },
                ]}
              />
              {may('orders:write') && !isErased(customer) ? (
                <Button icon={ArrowLeftRight} onClick={() => openOrder(orderFor(customer))}>
                  {runs(customer.plan) ? t`Change package` : t`Order a package`}
                </Button>
              ) : null}
              {lastOrder === undefined || !may('orders:write') || isErased(customer) ? null : (
                <Button
                  icon={RefreshCw}
                  look="primary"
                  disabled={!mayRenew(renewal)}
                  onClick={() => openOrder(renewalOf(lastOrder, customer.name))}
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
        <CustomerStats found={data} renewal={renewal} />
        <Card>
          <Facts
            columns={2}
            facts={[
              // For a running plan, the figures above show it.
              ...(customer === undefined || runs(customer.plan) ? [] : [timeLeftFact(customer)]),
              planEndFact(customer),
              {
                name: t`Plan since`,
                value: customer && (hasStarted(customer.plan) ? <Time at={customer.plan.starts_at} /> : '–'),
              },
              { name: t`Auto-renew`, value: customer && <Renewal plan={customer.plan} /> },
              {
                name: t`Email or username`,
                value: reference && <Copied text={reference} label={t`Copy reference`} isName />,
              },
              { name: t`Customer ID`, value: customer?.id },
              ...(customer?.external_ref === undefined
                ? []
                : [{ name: t`External ID`, value: <bdi>{customer.external_ref}</bdi> }]),
            ]}
          />
        </Card>
        <PlanHistory customerId={customerId} cursor={cursor} />
        {panelMode === 'test' ? null : <LoginLinksCard links={data?.login_links} />}
      </div>
    </>
  );
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
