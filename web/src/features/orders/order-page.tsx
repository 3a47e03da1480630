import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { orderQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { RenewalNotice } from '../plans/renewal-notice.tsx';
import { renewalOf, useOpenOrder } from './open-order.ts';
import { OrderBadges } from './order-facts.tsx';
import { useOrderRenewal } from './order-renewal.ts';
import { OrderSheet } from './order-sheet.tsx';

const route = getRouteApi('/panel/orders/$orderId');

export function OrderPage() {
  const { orderId } = route.useParams();
  const openOrder = useOpenOrder();
  const may = useMay();
  const { data, error, refetch } = useQuery(orderQuery(orderId));
  const { renewal, isReplaced, isOffered } = useOrderRenewal(data?.order);
  const back = <BackLink to="/orders">{t`Orders`}</BackLink>;
  if (error !== null && data === undefined) {
    return (
      <PageProblem
        title={t`Order ${orderId}`}
        back={back}
        error={error}
        onRetry={() => void refetch()}
        missing={{
          title: t`Order not found`,
          hint: t`Your account has no order ${orderId}.`,
          action: <ButtonLink to="/orders">{t`All orders`}</ButtonLink>,
        }}
      />
    );
  }
  const order = data?.order;
  return (
    <>
      <PageHeader
        title={t`Order ${orderId}`}
        mark={
          <>
            <CopyButton text={orderId} label={t`Copy order ID`} />
            {order && <OrderBadges order={order} />}
          </>
        }
        back={back}
        actions={
          order === undefined || !may('orders:write') ? undefined : (
            <Button
              icon={RefreshCw}
              disabled={!isOffered}
              onClick={() => openOrder(renewalOf(order, order.customer.name))}
            >
              {t`Renew`}
            </Button>
          )
        }
      />
      <div className="mb-5 empty:hidden">
        {isReplaced ? (
          <Notice tone="info">
            {t`The customer now has a different package. Open the customer and renew from there.`}
          </Notice>
        ) : (
          <RenewalNotice renewal={renewal} />
        )}
      </div>
      <OrderSheet found={data} accountId={null} />
    </>
  );
}
