// The first order with the TypeScript client: the balance, the packages, an order, and the same order again.
//
//   SELLTHROUGH_URL=https://sell.example.com SELLTHROUGH_KEY=sk_test_… node first-order.ts ada@example.com

import { isSellthroughError, Sellthrough } from '@sellthrough/client';

const [customer = stop('usage: first-order.ts <e-mail address or username>')] = process.argv.slice(2);
const client = new Sellthrough({
  baseUrl: process.env['SELLTHROUGH_URL'] ?? stop('SELLTHROUGH_URL is missing'),
  apiKey: process.env['SELLTHROUGH_KEY'] ?? stop('SELLTHROUGH_KEY is missing'),
});

const { balance, currency } = await client.getBalance();
console.log(`balance: ${balance} ${currency}`);

const { data: packages } = await client.listPackages();
for (const { id, name, prices } of packages) {
  console.log(`${id} ${name}: ${prices.map(({ period, price }) => `${price} ${period}`).join(', ')}`);
}

for (const attempt of ['first', 'again']) {
  try {
    // Your own name for this order. No matter what happens on the way, send it again with the same key: it is charged once.
    const idempotencyKey = `first-order-of-${customer}`;
    const placed = await client.placeOrder({ package_id: 1, customer }, { idempotencyKey });
    const { order } = placed;
    const what = placed.replayed ? 'the same order' : `order ${order.id}`;
    console.log(
      `${attempt}: ${what}, ${order.package.name} until ${order.expires_at}, ${placed.balance} left`,
    );
  } catch (error) {
    if (isSellthroughError(error, 'insufficient_credit')) {
      stop(`The balance is ${error.details.balance}, the order needs ${error.details.required}.`);
    }
    throw error;
  }
}

function stop(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
