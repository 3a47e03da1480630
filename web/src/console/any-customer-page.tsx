// One customer of any account: who they are, what happened to their plan, and what an administrator does about it.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Gift } from 'lucide-react';
import { useState } from 'react';
import { CustomerBadge } from '../account/customer-columns.tsx';
import { planEndFact, timeLeftFact } from '../account/plan-facts.tsx';
import { useMay } from '../api/person.ts';
import { anyCustomerQuery } from '../api/queries.ts';
import { PlanHistory } from '../plan/plan-history.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Facts } from '../ui/facts.tsx';
import { BackLink, PageHeader } from '../ui/page-header.tsx';
import { PageProblem } from '../ui/page-problem.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';
import { TrialDialog } from './trial-dialog.tsx';

const route = getRouteApi('/panel/admin/customers/$customerId');

export function AnyCustomerPage() {
  const { customerId } = route.useParams();
  const { before } = route.useSearch();
  const [asked, setAsked] = useState<'suspension' | 'trial' | null>(null);
  const close = () => setAsked(null);
  const may = useMay();
  const { data, error, refetch } = useQuery(anyCustomerQuery(customerId));
  const back = (
    <BackLink to="/admin/customers">
      <Trans>All customers</Trans>
    </BackLink>
  );
  if (error !== null && data === undefined) {
    return <PageProblem title={t`Customer`} back={back} error={error} onRetry={() => void refetch()} />;
  }
  const customer = data?.customer;
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
              <Trans>History</Trans>
            </ButtonLink>
            {customer === undefined ? null : (
              <ButtonLink
                to="/admin/accounts/$accountId"
                params={{ accountId: String(customer.account.id) }}
                search={{ tab: 'orders', customer: customer.reference }}
              >
                <Trans>Orders</Trans>
              </ButtonLink>
            )}
            {customer === undefined || !may('admin:accounts') ? null : (
              <>
                <Button onClick={() => setAsked('trial')}>
                  <Gift aria-hidden="true" className="size-4" />
                  <Trans>Give a free trial</Trans>
                </Button>
                <Button onClick={() => setAsked('suspension')}>
                  {customer.status === 'suspended' ? t`Lift the suspension` : t`Suspend`}
                </Button>
              </>
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
                  <TextLink
                    to="/admin/accounts/$accountId"
                    params={{ accountId: String(customer.account.id) }}
                  >
                    <bdi>{customer.account.username}</bdi>
                  </TextLink>
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
        </Card>
        <PlanHistory customerId={customerId} before={before} isOperator />
      </div>
      {asked === 'suspension' && customer !== undefined ? (
        <SuspendDialog customer={customer} onClose={close} />
      ) : null}
      {asked === 'trial' && customer !== undefined ? (
        <TrialDialog account={customer.account} customer={customer.reference} onClose={close} />
      ) : null}
    </>
  );
}
