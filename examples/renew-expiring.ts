// Renews, every night, the plans that end within a few days; the one that ends first goes first.
//
//   SELLTHROUGH_URL=… SELLTHROUGH_KEY=… node renew-expiring.ts [days, 3 by default]
//
// Run it as often as you like, even twice at once: the idempotency key names the customer and the end of the
// plan that is renewed, so each end is moved once. Exits with 0 when everything is renewed, 2 when the balance
// did not suffice (what is left out is printed), 1 when something else went wrong.

import { type Customer, isSellthroughError, type Order, Sellthrough } from '@sellthrough/client';

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
for (const [index, customer] of expiring.entries()) {
  const order = orders.get(customer.id);
  if (order === undefined) {
    console.log(`not renewed: ${customer.reference}: a trial, there is no order to renew`);
    continue;
  }
  const { reference } = customer;
  try {
    const idempotencyKey = `renew-${customer.id}-${customer.plan.expires_at}`;
    const renewed = await client.renewOrder(order.id, {}, { idempotencyKey });
    const { price, currency, expires_at: expiresAt } = renewed.order;
    console.log(`renewed: ${reference}: ${order.package.name} until ${expiresAt} for ${price} ${currency}`);
  } catch (error) {
    if (isSellthroughError(error, 'insufficient_credit')) {
      const { balance, required, currency } = error.details;
      console.log(`stopped: the balance is ${balance} ${currency}, the next renewal needs ${required}`);
      for (const { reference: left, plan } of expiring.slice(index)) {
        console.log(`not renewed: ${left}: ends ${plan.expires_at}`);
      }
      process.exitCode = 2;
      break;
    }
    if (isSellthroughError(error, 'idempotency_conflict')) {
      // The key is there, for an order that was older when it was read: another run was faster. Nothing was charged.
      console.log(`renewed already: ${reference}`);
      continue;
    }
    if (!isSellthroughError(error, 'order_failed')) throw error;
    console.log(`not renewed: ${reference}: ${error.details.reason}`);
    process.exitCode = 1;
  }
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
