// One customer of any account: who they are, what was ordered for them, and what an administrator does about it.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { CustomerBadge } from '../account/customer-columns.tsx';
import { orderColumns } from '../account/order-columns.tsx';
import { useMay } from '../api/person.ts';
import { anyCustomerQuery } from '../api/queries.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Facts } from '../ui/facts.tsx';
import { BackLink, PageHeader } from '../ui/page-header.tsx';
import { PageProblem } from '../ui/page-problem.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';

const route = getRouteApi('/panel/admin/customers/$customerId');
const columns = orderColumns({ withCustomer: false, orderPage: '/admin/orders/$orderId' });

export function AnyCustomerPage() {
  const { customerId } = route.useParams();
  const [asked, setAsked] = useState(false);
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
            {customer === undefined || !may('admin:accounts') ? null : (
              <Button onClick={() => setAsked(true)}>
                {customer.status === 'suspended' ? t`Lift the suspension` : t`Suspend`}
              </Button>
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
              { name: t`Plan`, value: customer && <bdi>{customer.plan.package}</bdi> },
              { name: t`Ends`, value: customer && <Time at={customer.plan.expires_at} /> },
            ]}
          />
        </Card>
        <Card title={t`Orders`} flush>
          <DataTable
            caption={t`Orders of this customer`}
            columns={columns}
            rows={data?.orders}
            rowKey={({ id }) => id}
            error={error}
            onRetry={() => void refetch()}
            empty={<EmptyState icon={Inbox} title={t`No orders`} />}
          />
        </Card>
      </div>
      {asked && customer !== undefined ? (
        <SuspendDialog customer={customer} onClose={() => setAsked(false)} />
      ) : null}
    </>
  );
}
