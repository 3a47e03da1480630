import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { anyCustomerQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { AccountLink } from '../../ui/page-links.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { CustomerFacts } from './customer-facts.tsx';
import { priceFact, spentFact } from './customer-money.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';

interface AnyCustomerDrawerProps {
  readonly id: string;
  readonly opened: OpenRow<PanelCustomer>;
}

export function AnyCustomerDrawer({ id, opened }: AnyCustomerDrawerProps) {
  const [asked, setAsked] = useState(false);
  const may = useMay();
  const { data, error, refetch } = useQuery(anyCustomerQuery(id));
  const customer = data?.customer ?? opened.row;
  const account = data?.customer.account;
  return (
    <Drawer
      title={<bdi>{customer?.name ?? t`Customer`}</bdi>}
      description={
        customer ? <CustomerBadge customer={customer} /> : <Skeleton className="my-[0.15625rem] w-16" />
      }
      opened={opened}
      actions={
        <>
          <ButtonLink to="/admin/customers/$customerId" params={{ customerId: id }}>
            {t`Open page`}
          </ButtonLink>
          {data === undefined || !may('admin:accounts') ? null : (
            <Button onClick={() => setAsked(true)}>
              {data.customer.status === 'suspended' ? t`Resume` : t`Suspend`}
            </Button>
          )}
        </>
      }
    >
      {error !== null && customer === undefined ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <CustomerFacts
          customer={customer}
          orders={data?.orders}
          orderPage="/admin/orders/$orderId"
          first={[
            {
              name: t`Account`,
              value: account && <AccountLink id={account.id}>{account.username}</AccountLink>,
            },
            priceFact(data),
            spentFact(data),
          ]}
        />
      )}
      {asked && data !== undefined ? (
        <SuspendDialog customer={data.customer} onClose={() => setAsked(false)} />
      ) : null}
    </Drawer>
  );
}
