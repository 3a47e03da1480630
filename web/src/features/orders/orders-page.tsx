import { t } from '@lingui/core/macro';
import { useMay } from '../../api/person.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { useOpenOrder } from './open-order.ts';
import { OrderList } from './order-list.tsx';
import { PlaceOrderButton } from './place-order-button.tsx';

export function OrdersPage() {
  const openOrder = useOpenOrder();
  const may = useMay();
  const place = () => openOrder({ type: 'place' });
  return (
    <>
      <PageHeader title={t`Orders`} actions={<PlaceOrderButton onClick={place} />} />
      <OrderList
        accountId={null}
        first={
          may('orders:write') ? (
            <>
              <Button look="primary" onClick={place}>
                {t`Place your first order`}
              </Button>
              {may('keys:read') ? <ButtonLink to="/api-access">{t`Order through the API`}</ButtonLink> : null}
            </>
          ) : undefined
        }
      />
    </>
  );
}
