import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { orderQuery } from '../../api/queries.ts';
import type { ListedOrder, PanelOrder } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { entryKindWord } from '../../text/words.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Copied } from '../../ui/copied.tsx';
import { TwoLines } from '../../ui/data-table.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { AccountLink } from '../../ui/page-links.tsx';
import { RuledPrice } from '../../ui/ruled-price.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EntryLink, NamedCustomer, RequestLink } from '../../ui/source-links.tsx';
import { Time } from '../../ui/time.tsx';
import { renewalOf, useOpenOrder } from './open-order.ts';
import { OrderBadges, OrderedEnd, SoldPackage } from './order-facts.tsx';
import { failureFacts } from './order-failure.tsx';
import { useOrderRenewal } from './order-renewal.ts';

interface OrderDrawerProps {
  readonly id: string;
  readonly opened: OpenRow<PanelOrder>;
  /** null means the signed-in account. */
  readonly accountId: number | null;
  /** Shown where the list has orders of several accounts. */
  readonly account?: ListedOrder['account'] | undefined;
}

export default function OrderDrawer({ id, opened, accountId, account }: OrderDrawerProps) {
  const { data, error, refetch } = useQuery(orderQuery(id, accountId));
  const isOwn = accountId === null;
  const order = data?.order ?? opened.row;
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const { isOffered } = useOrderRenewal(isOwn ? order : undefined);
  return (
    <Drawer
      title={t`Order ${id}`}
      description={
        order === undefined ? <Skeleton className="my-[0.15625rem] w-16" /> : <OrderBadges order={order} />
      }
      opened={opened}
      actions={
        <>
          <ButtonLink to={isOwn ? '/orders/$orderId' : '/admin/orders/$orderId'} params={{ orderId: id }}>
            {t`Open page`}
          </ButtonLink>
          {order === undefined ? null : (
            <ButtonLink
              to={isOwn ? '/customers/$customerId' : '/admin/customers/$customerId'}
              params={{ customerId: String(order.customer.id) }}
            >
              {t`Open customer`}
            </ButtonLink>
          )}
          {order === undefined || !isOwn || !mayOrder ? null : (
            <Button
              icon={RefreshCw}
              look="primary"
              disabled={!isOffered}
              onClick={() => openOrder(renewalOf(order, order.customer.name))}
            >
              {t`Renew`}
            </Button>
          )}
        </>
      }
    >
      {error !== null && order === undefined ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Facts
            facts={[
              ...(account === undefined
                ? []
                : [
                    {
                      name: t`Account`,
                      value: <AccountLink id={account.id}>{account.username}</AccountLink>,
                    },
                  ]),
              {
                name: t`Customer`,
                value: order && <NamedCustomer customer={order.customer} isOperator={!isOwn} />,
              },
              { name: t`Package`, value: order && <SoldPackage order={order} isOperator={!isOwn} /> },
              { name: t`Price`, value: order && <RuledPrice of={order} /> },
              ...(order === undefined || order.refund === '0.00' || order.failure !== undefined
                ? []
                : [
                    {
                      name: t`Refund`,
                      value: <Money amount={order.refund} currency={order.currency} />,
                    },
                  ]),
              ...failureFacts(order),
              { name: t`Ordered`, value: order && <Time at={order.created_at} /> },
              ...(data?.course.request == null
                ? []
                : [
                    {
                      name: t`Placed with`,
                      value: (
                        <RequestLink id={data.course.request.id} accountId={accountId}>
                          {t`API request`}
                        </RequestLink>
                      ),
                    },
                  ]),
              { name: t`New plan end`, value: order && <OrderedEnd order={order} /> },
              {
                name: t`Idempotency key`,
                value: order && <Copied text={order.idempotency_key} label={t`Copy idempotency key`} />,
              },
            ]}
          />
          {order === undefined || data === undefined ? null : (
            <section>
              <h3 className="mb-1 font-medium">{t`Ledger entries`}</h3>
              <ul>
                {data.entries.map((entry) => (
                  <li key={entry.id} className="flex justify-between gap-4 border-t border-line py-2">
                    <TwoLines
                      first={
                        <EntryLink entry={entry} accountId={accountId}>
                          {`${entryKindWord(entry.kind)} ${entry.number}`}
                        </EntryLink>
                      }
                      second={<Time at={entry.created_at} />}
                    />
                    <span className="text-right leading-snug">
                      <Money amount={entry.amount} currency={order.currency} signed />
                      <span className="block text-xs text-soft">
                        <Trans>Balance {formatMoney(entry.balance_after, order.currency)}</Trans>
                      </span>
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </Drawer>
  );
}
