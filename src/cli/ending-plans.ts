// The renewals of `sellthrough bulk --renew-ending`: one filtered walk of the customers whose plans end soon. Each key names
// the customer and the end, so a run that is repeated, or two at once, move each end once.

import { type Customer, isSellthroughError, type Sellthrough } from '../../sdk/src/index.ts';
import type { FileOrder } from './bulk-file.ts';

const daySeconds = 86_400;

/** Those that end first come first: if the balance runs out, they are renewed. Free trials are left out. */
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

/** Of a test key: the time of its test. */
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
