// Renewals for `sellthrough bulk --renew-ending`. Idempotency keys contain customer and end, so repeated or simultaneous
// runs extend each plan once.

import { type Customer, isSellthroughError, type Sellthrough } from '../../sdk/src/index.ts';
import type { FileOrder } from './bulk-file.ts';

const daySeconds = 86_400;

export async function readEndingPlans(service: Sellthrough, days: number): Promise<FileOrder[]> {
  const from = await currentTime(service);
  const until = new Date(from.getTime() + days * daySeconds * 1000);
  const ending: Customer[] = [];
  const filter = { active: true, expires_from: timeText(from), expires_to: timeText(until) } as const;
  for await (const customer of service.eachFoundCustomer(filter)) {
    if (customer.plan.last_order_id !== null) ending.push(customer);
  }
  ending.sort((one, other) => one.plan.expires_at.localeCompare(other.plan.expires_at) || one.id - other.id);
  return ending.map(({ id, plan }, index) => ({
    line: index + 1,
    order: { renew_customer: id, idempotency_key: `renew-${id}-${plan.expires_at}` },
  }));
}

/** With a test key, that of the test clock. */
async function currentTime({ testMode }: Sellthrough): Promise<Date> {
  try {
    return new Date((await testMode.getTestClock()).now);
  } catch (error) {
    if (isSellthroughError(error, 'test_mode_only')) return new Date();
    throw error;
  }
}

function timeText(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
