// Checks which refusals of an order come before and after that of an unsold period, without a database.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideOrders } from '../../src/features/order-engine/decisions/decide-orders.ts';
import type { OrderCommand } from '../../src/features/order-engine/decisions/order-commands.ts';
import type { Package } from '../../src/features/packages/package-catalog.ts';
import { priceTable, steadyPrices } from '../../src/features/packages/price-lines.ts';
import { type Months, type Period, periodNames } from '../../src/shared/periods.ts';
import { accountState, orderState } from '../harness/order-states.ts';

const now = 1_800_000_000;
const [sold, retired, trial] = [1, 2, 3];
const periods: readonly Period[] = ['monthly', 'yearly'];

function packageOf(id: number, changed: Partial<Package> = {}): Package {
  return {
    id,
    name: `Package ${id}`,
    description: null,
    features: [],
    limits: {},
    createdAt: 0,
    isTrial: false,
    durationDays: 30,
    periods,
    retired: false,
    ...steadyPrices(priceTable(() => 1_000n)),
    ...changed,
  };
}

/** Nothing can be ordered for this account: it is halted and has no balance. */
const state = orderState(accountState({ isHalted: true }), {
  foreignReferences: [{ reference: 'theirs', accountId: 2 }],
  packages: new Map([
    [sold, packageOf(sold)],
    [retired, packageOf(retired, { retired: true })],
    [trial, packageOf(trial, { isTrial: true, periods: periodNames })],
  ]),
});

function refusalOf(packageId: number, months: Months, customerReference: string) {
  const command: OrderCommand = {
    type: 'place',
    accountId: 1,
    accessVersion: 1,
    idempotencyKey: 'k',
    keyIsMinted: false,
    maxChargeCents: 0n,
    packageId,
    customerReference,
    customerName: null,
    months,
    loginLink: null,
  };
  const { outcomes, changes } = decideOrders(state, [command], now);
  assert.deepEqual([changes.orders, changes.entries], [[], []]);
  const [outcome] = outcomes;
  assert.ok(outcome?.type === 'refused');
  return outcome.refusal;
}

/** package | months | customer | refusal */
const table = `
  ${99}      | 3 | theirs | invalid_package
  ${retired} | 3 | theirs | package_unavailable
  ${trial}   | 3 | theirs | package_unavailable
  ${sold}    | 3 | theirs | invalid_months
  ${sold}    | 3 | mine   | invalid_months
  ${sold}    | 1 | theirs | customer_not_yours
  ${sold}    | 12 | mine  | order_failed`;

test('a period that is not sold is refused after the package, and before customer, account and price', () => {
  for (const line of table.trim().split('\n')) {
    const [packageId = '', months = '', customer = '', expected] = line.split('|').map((cell) => cell.trim());
    assert.equal(refusalOf(Number(packageId), Number(months) as Months, customer).code, expected, line);
  }
});

test('the refusal names the field and the sold periods', () => {
  assert.deepEqual(refusalOf(sold, 3, 'mine').details, {
    field: 'months',
    reason: 'must be a period that the package is sold for: monthly, yearly',
    periods,
  });
});
