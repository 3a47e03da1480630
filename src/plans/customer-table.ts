// A row of `customers`: who it is, whether an administrator suspended them, and the plan that the orders and the plan
// changes made. Written by the order batch alone.

import { bigint } from '../database/row-values.ts';
import { numberArray, textArray } from '../database/sql-arrays.ts';
import { type Column, describeTable, int, oneOf, type RowOf, text, time } from '../database/table.ts';
import type { PaidPeriod } from './plan-terms.ts';

export const customerStatuses = ['active', 'suspended'] as const;
export type CustomerStatus = (typeof customerStatuses)[number];

export const customers = describeTable('customers', {
  accountId: int('account_id'),
  number: int('number'),
  reference: text('reference'),
  name: text('name'),
  status: oneOf('status', customerStatuses),
  createdAt: time('created_at'),
  packageId: int('package_id'),
  anchorAt: time('anchor_at'),
  monthsRun: int('months_run'),
  expiresAt: time('expires_at'),
  paidPeriods: paidPeriods('paid_periods'),
});

export type CustomerRow = RowOf<typeof customers>;

/** Which customers are looked up. */
export const customerPlaces = customers.pick('accountId', 'number');

/** Whose customer a reference is: claimed by the first order, for ever. */
export const customerReferences = describeTable('customer_references', {
  reference: text('reference'),
  accountId: int('account_id'),
  number: int('customer_number'),
});

/** What the pages and answers about a customer show. */
export const shownCustomers = customers.pick(
  'accountId',
  'number',
  'reference',
  'name',
  'status',
  'createdAt',
  'packageId',
  'anchorAt',
  'expiresAt',
);

export type Customer = RowOf<typeof shownCustomers>;

/** Flat: start, end (seconds since 1970), cents, start, end, cents, … An array of arrays would have to be square. */
function paidPeriods(name: string): Column<readonly PaidPeriod[]> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::bigint[]`,
    toArray: (values) =>
      textArray(
        values.map((periods) =>
          numberArray(periods.flatMap(({ startsAt, endsAt, paidCents }) => [startsAt, endsAt, paidCents])),
        ),
      ),
    parse(value) {
      if (!Array.isArray(value)) throw new Error(`${name} is not an array.`);
      const periods: PaidPeriod[] = [];
      for (let index = 0; index + 2 < value.length; index += 3) {
        periods.push({
          startsAt: Number(value[index]),
          endsAt: Number(value[index + 1]),
          paidCents: bigint(value[index + 2]),
        });
      }
      return periods;
    },
  };
}
