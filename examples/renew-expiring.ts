// Renews, every night, the plans that end within a few days, in bulks of a hundred; the one that ends first goes first.
//
//   SELLTHROUGH_URL=… SELLTHROUGH_KEY=… node renew-expiring.ts [days, 3 by default]
//
// Run it as often as you like, even twice at once: the idempotency key names the customer and the end of the
// plan that is renewed, so each end is moved once. Exits with 0 when everything is renewed, 2 when the balance
// did not suffice (what is left out is printed), 1 when something else went wrong.

import { type Customer, type RefusedInBulk, Sellthrough } from '@sellthrough/client';

const apiKey = process.env['SELLTHROUGH_KEY'] ?? '';
const client = new Sellthrough({
  baseUrl: process.env['SELLTHROUGH_URL'] ?? '',
  apiKey,
  totalTimeoutMs: 10 * 60_000, // no one waits at night: sit out a rate limit or a restart
  onRetry: ({ error, delayMs }) => console.error(`waiting ${Math.round(delayMs)} ms: ${error.message}`),
});
const days = Number(process.argv[2] ?? 3);
// A test has a clock of its own.
const now = apiKey.startsWith('sk_test_') ? (await client.testMode.getTestClock()).now : Date.now();
const endsAfter = new Date(now);
const endsBefore = new Date(endsAfter.getTime() + days * 86_400_000);
const inSeconds = (time: Date) => time.toISOString().replace(/\.\d+/, '');

const expiring: Customer[] = [];
for await (const customer of client.eachFoundCustomer({
  active: true,
  expires_from: inSeconds(endsAfter),
  expires_to: inSeconds(endsBefore),
})) {
  expiring.push(customer);
}
expiring.sort((one, other) => one.plan.expires_at.localeCompare(other.plan.expires_at) || one.id - other.id);
console.log(`${expiring.length} plans end within ${days} days`);

const isTrial = ({ plan }: Customer) => plan.last_order_id === null;
for (const { reference } of expiring.filter(isTrial)) {
  console.log(`not renewed: ${reference}: a trial, there is no order to renew`);
}
const renewals = expiring.filter((customer) => !isTrial(customer));
// A hundred count as ten requests of the rate limit. A call that is cut off is sent again as it is.
for (let from = 0; from < renewals.length; from += 100) {
  const bulk = renewals.slice(from, from + 100);
  const { results } = await client.placeOrdersInBulk({
    orders: bulk.map(({ id, plan }) => ({
      renew_customer: id,
      idempotency_key: `renew-${id}-${plan.expires_at}`,
    })),
  });
  for (const [index, customer] of bulk.entries()) {
    const result = results[index];
    if (result !== undefined && 'order' in result) {
      const { package: renewed, price, currency, expires_at: end } = result.order;
      const what = result.replayed ? 'renewed already' : 'renewed';
      console.log(`${what}: ${customer.reference}: ${renewed.name} until ${end} for ${price} ${currency}`);
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
