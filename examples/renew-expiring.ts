// Renews, every night, the plans that end within a few days, in bulks of a hundred; the one that ends first goes first.
//
//   SELLTHROUGH_URL=… SELLTHROUGH_KEY=… node renew-expiring.ts [days, 3 by default]
//
// Run it as often as you like, even twice at once: the idempotency key names the customer and the end of the
// plan that is renewed, so each end is moved once. Exits with 0 when everything is renewed, 2 when the balance
// did not suffice (what is left out is printed), 1 when something else went wrong.

import { type Customer, type Order, type RefusedInBulk, Sellthrough } from '@sellthrough/client';

const client = new Sellthrough({
  baseUrl: process.env['SELLTHROUGH_URL'] ?? '',
  apiKey: process.env['SELLTHROUGH_KEY'] ?? '',
  totalTimeoutMs: 10 * 60_000, // nobody waits at night: sit out a rate limit or a restart
  onRetry: ({ error, delayMs }) => console.error(`waiting ${Math.round(delayMs)} ms: ${error.message}`),
});
const days = Number(process.argv[2] ?? 3);

const expiring: Customer[] = [];
for await (const customer of client.eachCustomer()) {
  const { active, days_left: daysLeft } = customer.plan;
  if (active && daysLeft <= days && customer.status === 'active') expiring.push(customer);
}
expiring.sort((one, other) => one.plan.expires_at.localeCompare(other.plan.expires_at) || one.id - other.id);
console.log(`${expiring.length} plans end within ${days} days`);

const orders = await latestOrders(new Set(expiring.map(({ id }) => id)));
const renewals = expiring.flatMap((customer) => {
  const order = orders.get(customer.id);
  if (order === undefined)
    console.log(`not renewed: ${customer.reference}: a trial, there is no order to renew`);
  return order === undefined ? [] : [{ customer, order }];
});
// A hundred count as ten requests of the rate limit. A call that is cut off is sent again as it is.
for (let from = 0; from < renewals.length; from += 100) {
  const bulk = renewals.slice(from, from + 100);
  const { results } = await client.placeOrdersInBulk({
    orders: bulk.map(({ customer, order }) => ({
      renew: order.id,
      idempotency_key: `renew-${customer.id}-${customer.plan.expires_at}`,
    })),
  });
  for (const [index, { customer }] of bulk.entries()) {
    const result = results[index];
    if (result !== undefined && 'order' in result) {
      const { package: renewed, price, currency, expires_at: end } = result.order;
      console.log(`renewed: ${customer.reference}: ${renewed.name} until ${end} for ${price} ${currency}`);
    } else if (result?.error.code === 'idempotency_conflict') {
      // The key is there, for an order that was older when it was read: another run was faster. Nothing was charged.
      console.log(`renewed already: ${customer.reference}`);
    } else if (result !== undefined) {
      console.log(
        `not renewed: ${customer.reference}, ends ${customer.plan.expires_at}: ${reasonOf(result)}`,
      );
    }
  }
}

function reasonOf({ error: { code, message, details } }: RefusedInBulk): string {
  if (code !== 'insufficient_credit') {
    process.exitCode = 1;
    return String(details['reason'] ?? message);
  }
  process.exitCode ??= 2;
  return `the balance is ${details['balance']} ${details['currency']}, it needs ${details['required']}`;
}

/** The latest order of each of these customers. The newest orders come first, so this seldom reads them all. */
async function latestOrders(customerIds: ReadonlySet<number>): Promise<ReadonlyMap<number, Order>> {
  const found = new Map<number, Order>();
  if (customerIds.size === 0) return found;
  for await (const order of client.eachOrder()) {
    const { id } = order.customer;
    if (customerIds.has(id) && !found.has(id)) found.set(id, order);
    if (found.size === customerIds.size) break;
  }
  return found;
}
