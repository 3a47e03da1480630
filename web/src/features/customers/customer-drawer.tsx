import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, RefreshCw } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { runs } from '../../api/plan-runs.ts';
import { customerQuery } from '../../api/queries.ts';
import type { PanelCustomer } from '../../api/shapes.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { orderFor, renewalOf, useOpenOrder } from '../orders/open-order.ts';
import { mayRenew, RenewalNotice, useRenewal } from '../plans/renewal-notice.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { CustomerFacts } from './customer-facts.tsx';

interface CustomerDrawerProps {
  readonly id: string;
  readonly opened: OpenRow<PanelCustomer>;
}

export function CustomerDrawer({ id, opened }: CustomerDrawerProps) {
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const { data, error, refetch } = useQuery(customerQuery(id));
  const customer = data?.customer ?? opened.row;
  const renewal = useRenewal(customer?.id);
  const last = data?.orders.find((order) => order.id === data.last_order_id);
  return (
    <Drawer
      title={<bdi>{customer?.name ?? t`Customer`}</bdi>}
      description={
        customer ? <CustomerBadge customer={customer} /> : <Skeleton className="my-[0.15625rem] w-16" />
      }
      opened={opened}
      actions={
        <>
          <ButtonLink to="/customers/$customerId" params={{ customerId: id }}>
            {t`Open page`}
          </ButtonLink>
          {customer === undefined || !mayOrder ? null : (
            <Button icon={ArrowLeftRight} onClick={() => openOrder(orderFor(customer))}>
              {runs(customer.plan) ? t`Change package` : t`Order a package`}
            </Button>
          )}
          {customer === undefined || last === undefined || renewal === undefined ? null : (
            <Button
              icon={RefreshCw}
              look="primary"
              disabled={!mayRenew(renewal)}
              onClick={() => openOrder(renewalOf(last))}
            >
              {t`Renew`}
            </Button>
          )}
        </>
      }
    >
      {error !== null && customer === undefined ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <RenewalNotice renewal={renewal} />
          <CustomerFacts customer={customer} orders={data?.orders} />
        </>
      )}
    </Drawer>
  );
}
