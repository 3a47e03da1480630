// One order of the account, and renewing it.

import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { orderQuery } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { BackLink, PageHeader } from '../components/page-header.tsx';
import { PageProblem } from '../components/page-problem.tsx';
import { TextLink } from '../components/text-link.tsx';
import { useOpenOrder } from '../shell/open-order.ts';
import { OrderSheet } from './order-sheet.tsx';

const route = getRouteApi('/panel/orders/$orderId');

export function OrderPage() {
  const { orderId } = route.useParams();
  const openOrder = useOpenOrder();
  const { data, error, refetch } = useQuery(orderQuery(orderId));
  const back = <BackLink to="/orders">Orders</BackLink>;
  if (error !== null && data === undefined) {
    return (
      <PageProblem title={`Order ${orderId}`} back={back} error={error} onRetry={() => void refetch()} />
    );
  }
  const order = data?.order;
  return (
    <>
      <PageHeader
        title={`Order ${orderId}`}
        mark={<CopyButton text={orderId} label="Copy order id" />}
        back={back}
        actions={
          order === undefined ? undefined : (
            <Button
              onClick={() =>
                openOrder({
                  type: 'renew',
                  orderId: order.id,
                  customer: order.customer.reference,
                  packageName: order.package.name,
                  months: order.months,
                })
              }
            >
              <RefreshCw aria-hidden="true" className="size-4" />
              Renew
            </Button>
          )
        }
      />
      <OrderSheet
        found={data}
        customer={({ customer }) => (
          <TextLink to="/customers/$customerId" params={{ customerId: String(customer.id) }}>
            <bdi>{customer.reference}</bdi>
          </TextLink>
        )}
      />
    </>
  );
}
