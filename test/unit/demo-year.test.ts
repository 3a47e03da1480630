// The demo's year can be played on every day: no slot, which is one batch, has two orders for one customer, or an order
// beside a change of an account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoShop, OrderAnswer } from '../../src/setup/demo-year/demo-shop.ts';
import { playDemoYear } from '../../src/setup/demo-year/play-demo-year.ts';

const daySeconds = 86_400;
const packages = new Map(
  ['Classic', 'Starter', 'Business', 'Agency', 'Free trial'].map((name, at) => [name, at + 1]),
);

/** Takes orders in slots of a day, so that far more of them meet than in a real demo. */
function createNaiveShop(): DemoShop {
  const balances = new Map<number, bigint>();
  const references = new Map<number, string>();
  const inSlot = new Set<string>();
  let clock = 0;
  let last = 0;

  async function order(
    accountId: number,
    reference: string,
    packageId: number,
    months: 1 | 3 | 12,
  ): Promise<OrderAnswer> {
    assert.ok(!inSlot.has('a change'), 'no order beside a change of an account');
    assert.ok(!inSlot.has(reference), `one order for ${reference} in a slot`);
    const balance = (balances.get(accountId) ?? 0n) - BigInt(packageId * months) * 1_000n;
    if (balance < 0n) return 'insufficient_credit';
    inSlot.add(reference);
    balances.set(accountId, balance);
    last += 1;
    references.set(last, reference);
    const expiresAt = clock + months * 30 * daySeconds;
    return { orderId: last, customerId: last, packageId, months, expiresAt, balanceCents: balance };
  }

  const credit = async (accountId: number, cents: bigint) => {
    balances.set(accountId, (balances.get(accountId) ?? 0n) + cents);
  };
  return {
    traffic: null,
    slotSeconds: () => daySeconds,
    setClock(seconds) {
      clock = seconds;
      inSlot.clear();
    },
    listPackages: async () => packages,
    async openAccount() {
      last += 1;
      return last;
    },
    credit,
    pay: async () => false,
    place: (accountId, { person, packageId, months }) =>
      order(accountId, person.reference, packageId, months),
    renew: (accountId, orderId) => order(accountId, references.get(orderId) ?? '', 1, 1),
    grantTrial: async () => undefined,
    suspend: async () => undefined,
    async act() {
      assert.equal(inSlot.size, 0, 'no order beside a change of an account');
      inSlot.add('a change');
    },
  };
}

test('on any of 40 days no slot has two orders for one customer, or an order beside a change', async () => {
  for (let day = 0; day < 40; day += 1) {
    const until = Date.UTC(2026, 10, 1 + day, 12) / 1000;
    const orders = await playDemoYear({
      shop: createNaiveShop(),
      seed: 1,
      share: 1,
      until,
      say: () => undefined,
    });
    assert.ok(orders > 1_000, `${orders} orders`);
  }
});
