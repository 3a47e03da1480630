// One customer beside the list: the plan, its end, the last orders, and what can be done. Everything else is on their page.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, RefreshCw } from 'lucide-react';
import { useMay } from '../api/person.ts';
import { runs } from '../api/plan-runs.ts';
import { customerQuery } from '../api/queries.ts';
import type { PanelCustomer } from '../api/shapes.ts';
import { useOpenOrder } from '../order/open-order.ts';
import { planTimeLeft } from '../text/plan-time.ts';
import { orderKindWord } from '../text/words.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Facts } from '../ui/facts.tsx';
import { Money } from '../ui/money.tsx';
import type { OpenRow } from '../ui/open-row.ts';
import { TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';
import { CustomerBadge } from './customer-columns.tsx';
import { RenewalNotice, useRenewal } from './renewal-notice.tsx';

const ordersShown = 5;

export function CustomerDrawer({
  id,
  opened,
}: {
  readonly id: string;
  readonly opened: OpenRow<PanelCustomer>;
}) {
  const openOrder = useOpenOrder();
  const mayOrder = useMay()('orders:write');
  const { data, error, refetch } = useQuery(customerQuery(id));
  const customer = data?.customer ?? opened.row;
  const renewal = useRenewal(customer?.id);
  const last = data?.orders.find((order) => order.id === data.last_order_id);
  return (
    <Drawer
      title={<bdi>{customer?.name ?? t`Customer`}</bdi>}
      description={customer && <CustomerBadge customer={customer} />}
      onClose={opened.close}
      onNewer={opened.onNewer}
      onOlder={opened.onOlder}
      actions={
        <>
          <ButtonLink to="/customers/$customerId" params={{ customerId: id }}>
            <Trans>Open page</Trans>
          </ButtonLink>
          {customer === undefined || !mayOrder ? null : (
            <Button
              onClick={() =>
                openOrder({
                  type: 'place',
                  customer: customer.reference,
                  ...(runs(customer.plan) && { runningPackage: customer.plan.package }),
                })
              }
            >
              <ArrowLeftRight aria-hidden="true" className="size-4" />
              {runs(customer.plan) ? t`Change package` : t`Order a package`}
            </Button>
          )}
          {customer === undefined || last === undefined || renewal === undefined ? null : (
            <Button
              look="primary"
              disabled={renewal.refusal !== null}
              onClick={() =>
                openOrder({
                  type: 'renew',
                  orderId: last.id,
                  customer: customer.reference,
                  packageName: last.package.name,
                  months: last.months,
                })
              }
            >
              <RefreshCw aria-hidden="true" className="size-4" />
              <Trans>Renew</Trans>
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
          <Facts
            facts={[
              { name: t`Package`, value: customer && <bdi>{customer.plan.package}</bdi> },
              { name: t`Time left`, value: customer && planTimeLeft(customer.seconds_left) },
              {
                name: customer === undefined || runs(customer.plan) ? t`Runs until` : t`Ended`,
                value: customer && <Time at={customer.plan.expires_at} />,
              },
              {
                name: t`Renews itself`,
                value: customer && (customer.plan.auto_renew === null ? t`No` : t`Yes`),
              },
              {
                name: t`Ordered as`,
                value: customer && (
                  <span className="inline-flex items-center gap-1">
                    <bdi className="wrap-anywhere">{customer.reference}</bdi>
                    <CopyButton text={customer.reference} label={t`Copy reference`} />
                  </span>
                ),
              },
              { name: t`Customer id`, value: customer?.id },
              ...(customer?.external_ref === undefined
                ? []
                : [{ name: t`Your id`, value: <bdi>{customer.external_ref}</bdi> }]),
              { name: t`First seen`, value: customer && <Time at={customer.created_at} /> },
            ]}
          />
          {data === undefined || data.orders.length === 0 ? null : (
            <section>
              <h3 className="mb-1 font-medium">
                <Trans>Last orders</Trans>
              </h3>
              <ul>
                {data.orders.slice(0, ordersShown).map((order) => (
                  <li
                    key={order.id}
                    className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2"
                  >
                    <span>
                      <TextLink to="/orders/$orderId" params={{ orderId: String(order.id) }}>
                        {orderKindWord(order.kind)}
                      </TextLink>{' '}
                      <bdi className="text-soft">{order.package.name}</bdi>
                    </span>
                    <span className="inline-flex gap-3 text-soft">
                      <Time at={order.created_at} style="day" />
                      <Money amount={order.price} currency={order.currency} />
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
