// One customer of any account: who they are, what happened to their plan, and what an administrator does about it.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowLeftRight, Ban, Gift, Link2, type LucideIcon, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/person.ts';
import { runs } from '../../api/plan-runs.ts';
import { anyCustomerQuery } from '../../api/queries.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { ChangePackageDialog } from '../orders/change-package-dialog.tsx';
import { CancelDialog } from '../plans/plan-dialogs.tsx';
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';
import { PlanHistory } from '../plans/plan-history.tsx';
import { TrialDialog } from '../plans/trial-dialog.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { LoginLinkDialog } from './login-link-dialog.tsx';
import { LoginLinksCard } from './login-links-card.tsx';
import { isSuspended, SuspendDialog } from './suspend-dialog.tsx';

const route = getRouteApi('/panel/admin/customers/$customerId');

export function AnyCustomerPage() {
  const { customerId } = route.useParams();
  const { before } = route.useSearch();
  const [asked, setAsked] = useState<Action | null>(null);
  const close = () => setAsked(null);
  const { data, error, refetch } = useQuery(anyCustomerQuery(customerId));
  const back = <BackLink to="/admin/customers">{t`All customers`}</BackLink>;
  if (error !== null && data === undefined) {
    return <PageProblem title={t`Customer`} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const customer = data?.customer;
  const lastOrder = data?.orders.find(({ id }) => id === customer?.plan.last_order_id);
  return (
    <>
      <PageHeader
        title={customer?.name ?? t`Customer`}
        mark={customer && <CustomerBadge customer={customer} />}
        back={back}
        {...(customer !== undefined &&
          customer.reference !== customer.name && { description: <bdi>{customer.reference}</bdi> })}
        actions={
          <>
            <ButtonLink to="/admin/audit" search={{ target: `customer:${customerId}` }}>
              {t`History`}
            </ButtonLink>
            {customer === undefined ? null : (
              <ButtonLink
                to="/admin/accounts/$accountId"
                params={{ accountId: String(customer.account.id) }}
                search={{ tab: 'orders', customer: customer.reference }}
              >
                {t`Orders`}
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-5">
        <Card>
          <Facts
            columns={2}
            facts={[
              {
                name: t`Account`,
                value: customer && (
                  <AccountLink id={customer.account.id}>{customer.account.username}</AccountLink>
                ),
              },
              { name: t`Reference`, value: customer && <bdi>{customer.reference}</bdi> },
              { name: t`Package`, value: customer && <bdi>{customer.plan.package}</bdi> },
              planEndFact(customer),
              timeLeftFact(customer),
              {
                name: t`Auto-renew`,
                value: customer && (customer.plan.auto_renew === null ? t`Off` : t`On`),
              },
              { name: t`Customer id`, value: customer?.id },
              { name: t`The account’s own id`, value: customer && <bdi>{customer.external_ref ?? '–'}</bdi> },
            ]}
          />
          {customer === undefined ? null : <Actions customer={customer} onAction={setAsked} />}
        </Card>
        <LoginLinksCard links={data?.login_links} isOperator />
        <PlanHistory customerId={customerId} before={before} isOperator />
      </div>
      {asked === 'suspension' && customer !== undefined ? (
        <SuspendDialog customer={customer} onClose={close} />
      ) : null}
      {asked === 'link' && customer !== undefined ? (
        <LoginLinkDialog customer={customer} isOperator onClose={close} />
      ) : null}
      {asked === 'cancel' && customer !== undefined ? (
        <CancelDialog customer={customer} isOperator onClose={close} />
      ) : null}
      {asked === 'package' && customer !== undefined ? (
        <ChangePackageDialog customer={customer} months={lastOrder?.months ?? 1} onClose={close} />
      ) : null}
      {asked === 'trial' && customer !== undefined ? (
        <TrialDialog account={customer.account} customer={customer.reference} onClose={close} />
      ) : null}
    </>
  );
}

type Action = 'link' | 'trial' | 'suspension' | 'package' | 'cancel';

interface ActionsProps {
  readonly customer: AccountCustomer;
  readonly onAction: (action: Action) => void;
}

/** What the plan's state and the role of the administrator allow. */
function Actions({ customer, onAction }: ActionsProps) {
  const may = useMay();
  const isChangeable = may('admin:credit') && runs(customer.plan) && !customer.order_pending;
  const canAccess = may('admin:accounts');
  const actions: readonly { action: Action; title: string; icon: LucideIcon; isOffered: boolean }[] = [
    { action: 'link', title: t`Make a login link`, icon: Link2, isOffered: canAccess },
    { action: 'package', title: t`Change package`, icon: ArrowLeftRight, isOffered: isChangeable },
    { action: 'trial', title: t`Give a free trial`, icon: Gift, isOffered: canAccess },
    {
      action: 'suspension',
      title: isSuspended(customer) ? t`Lift the suspension` : t`Suspend`,
      icon: isSuspended(customer) ? Play : Pause,
      isOffered: canAccess,
    },
    { action: 'cancel', title: t`Cancel plan`, icon: Ban, isOffered: isChangeable },
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
