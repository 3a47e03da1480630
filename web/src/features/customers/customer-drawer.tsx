import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Link2, RefreshCw } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { runs } from '../../api/plan-runs.ts';
import { customerQuery } from '../../api/queries.ts';
import type { CustomerWithOrders, PanelCustomer } from '../../api/shapes.ts';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { type Action, MoreActions } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { orderFor, renewalOf, useOpenOrder } from '../orders/open-order.ts';
import { mayRenew, RenewalNotice, useRenewal } from '../plans/renewal-notice.tsx';
import { customerActions } from './customer-actions.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { CustomerFacts } from './customer-facts.tsx';
import { useNextRenewal } from './customer-stats.tsx';
import { isErased } from './erase-dialog.tsx';
import { LoginLinkDialog } from './login-link-dialog.tsx';

interface CustomerDrawerProps {
  readonly id: string;
  readonly opened: OpenRow<PanelCustomer>;
}

export function CustomerDrawer({ id, opened }: CustomerDrawerProps) {
  const openOrder = useOpenOrder();
  const may = useMay();
  const { data, error, refetch } = useQuery(customerQuery(id));
  const customer = data?.customer ?? opened.row;
  const renewal = useRenewal(customer?.id);
  const last = data?.orders.find((order) => order.id === data.last_order_id);
  const next = useNextRenewal(customer, renewal);
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
          {data === undefined ? null : (
            <MoreActions actions={moreActions(data, may, openOrder)} menu={ActionMenu} />
          )}
          {customer === undefined || last === undefined || renewal === undefined ? null : (
            <Button
              icon={RefreshCw}
              look="primary"
              disabled={!mayRenew(renewal)}
              onClick={() => openOrder(renewalOf(last, customer.name))}
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
          <CustomerFacts
            customer={customer}
            orders={data?.orders}
            first={[
              {
                name: t`Next renewal`,
                value: next.value && (
                  <span className="flex flex-wrap justify-end gap-x-2">
                    <span className="font-semibold">{next.value}</span>
                    <span className="text-soft">{next.note}</span>
                  </span>
                ),
              },
            ]}
          />
        </>
      )}
    </Drawer>
  );
}

const inDrawer = new Set(['auto-renew', 'suspend', 'resume']);

function moreActions(
  found: CustomerWithOrders,
  may: ReturnType<typeof useMay>,
  openOrder: ReturnType<typeof useOpenOrder>,
): readonly Action[] {
  const { customer } = found;
  return [
    {
      id: 'package',
      title: runs(customer.plan) ? t`Change package` : t`Order a package`,
      icon: ArrowLeftRight,
      isOffered: may('orders:write') && !isErased(customer),
      run: () => openOrder(orderFor(customer)),
    },
    {
      id: 'link',
      title: t`Login link`,
      icon: Link2,
      isOffered: may('customers:write') && !isErased(customer),
      dialog: (onClose) => <LoginLinkDialog customer={customer} onClose={onClose} />,
    },
    ...customerActions(found, may).filter(({ id }) => inDrawer.has(id)),
  ];
}
