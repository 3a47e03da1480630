// What a customer's plan costs and when it renews, for the console. From the customer's last orders (at most 50).

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { AnyCustomer, Order } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { periodWord } from '../../text/words.ts';
import type { Fact } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { Time } from '../../ui/time.tsx';

const ordersMax = 50;

export function lastOrderOf({ customer, orders }: AnyCustomer): Order | undefined {
  return orders.find(({ id }) => id === customer.plan.last_order_id);
}

export function priceFact(found: AnyCustomer | undefined): Fact {
  return { name: t`Price`, value: found && <Price order={lastOrderOf(found)} /> };
}

function Price({ order }: { readonly order: Order | undefined }) {
  if (order === undefined) return '–';
  return (
    <>
      <Money amount={order.price} currency={order.currency} /> · {periodWord(order.months)}
    </>
  );
}

export function renewalFact(found: AnyCustomer | undefined): Fact {
  return { name: t`Auto-renew`, value: found && <Renewal found={found} /> };
}

function Renewal({ found }: { readonly found: AnyCustomer }) {
  const { auto_renew: renewal, expires_at: end, ends_at_period_end: ends } = found.customer.plan;
  if (renewal === null || ends) return t`Off`;
  const order = lastOrderOf(found);
  const price = order?.months === renewal.months ? formatMoney(order.price, order.currency) : null;
  return (
    <>
      <Trans>
        On <Time at={renewal.next_at ?? end} style="day" />
      </Trans>
      {' · '}
      {price === null ? periodWord(renewal.months) : t`${price} at the last price`}
    </>
  );
}

export function spentFact(found: AnyCustomer | undefined): Fact {
  return { name: t`Spent on orders`, value: found && spentOn(found.orders) };
}

function spentOn(orders: readonly Order[]): string {
  const paid = orders.filter(({ status }) => status !== 'failed');
  const [first] = paid;
  if (first === undefined) return '–';
  const cents = paid.reduce((sum, { price, refund }) => sum + toCents(price) - toCents(refund), 0n);
  const amount = formatMoney(fromCents(cents), first.currency);
  return orders.length < ordersMax
    ? plural(paid.length, { one: `${amount}, # order`, other: `${amount}, # orders` })
    : plural(paid.length, { one: `${amount}, last order`, other: `${amount}, last # orders` });
}
