import { t } from '@lingui/core/macro';
import { useMay } from '../../api/person.ts';
import { withTexts } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { useOpenOrder } from '../orders/open-order.ts';
import { PlaceOrderButton } from '../orders/place-order-button.tsx';
import { CustomerList } from './customer-list.tsx';

const CustomerDrawer = lazyEarly(
  withTexts(async () => ({ default: (await import('./customer-drawer.tsx')).CustomerDrawer })),
);

export function CustomersPage() {
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const place = () => openOrder({ type: 'place' });
  return (
    <>
      <PageHeader title={t`Customers`} actions={<PlaceOrderButton onClick={place} />} />
      <CustomerList
        accountId={null}
        first={
          mayOrder ? (
            <Button look="primary" onClick={place}>
              {t`Place your first order`}
            </Button>
          ) : undefined
        }
        drawer={(id, opened) => <CustomerDrawer id={id} opened={opened} />}
      />
    </>
  );
}
