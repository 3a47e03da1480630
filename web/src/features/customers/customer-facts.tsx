import { t } from '@lingui/core/macro';
import type { Order, PanelCustomer } from '../../api/shapes.ts';
import { orderKindWord } from '../../text/words.ts';
import { Copied } from '../../ui/copied.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { UnsettledBadge } from '../orders/order-columns.tsx';
import { planEndFact, timeLeftFact } from '../plans/plan-facts.tsx';

interface CustomerFactsProps {
  readonly customer: PanelCustomer | undefined;
  readonly orders: readonly Order[] | undefined;
  readonly orderPage?: '/orders/$orderId' | '/admin/orders/$orderId';
  readonly first?: readonly Fact[];
}

const ordersShown = 5;

export function CustomerFacts({
  customer,
  orders = [],
  orderPage = '/orders/$orderId',
  first = [],
}: CustomerFactsProps) {
  return (
    <>
      <Facts
        facts={[
          ...first,
          { name: t`Package`, value: customer && <bdi>{customer.plan.package}</bdi> },
          timeLeftFact(customer),
          planEndFact(customer),
          { name: t`Auto-renew`, value: customer && (customer.plan.auto_renew === null ? t`Off` : t`On`) },
          {
            name: t`Email or username`,
            value: customer && <Copied text={customer.reference} label={t`Copy reference`} isName />,
          },
          { name: t`Customer ID`, value: customer?.id },
          ...(customer?.external_ref === undefined
            ? []
            : [{ name: t`External ID`, value: <bdi>{customer.external_ref}</bdi> }]),
          { name: t`Customer since`, value: customer && <Time at={customer.created_at} /> },
        ]}
      />
      {orders.length === 0 ? null : (
        <section>
          <h3 className="mb-1 font-medium">{t`Recent orders`}</h3>
          <ul>
            {orders.slice(0, ordersShown).map((order) => (
              <li key={order.id} className="flex flex-wrap justify-between gap-x-4 border-t border-line py-2">
                <span>
                  <TextLink to={orderPage} params={{ orderId: String(order.id) }}>
                    {orderKindWord(order.kind)} · <bdi>{order.package.name}</bdi>
                  </TextLink>{' '}
                  <UnsettledBadge status={order.status} />
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
  );
}
