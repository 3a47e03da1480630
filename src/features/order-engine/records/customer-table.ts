// A row of `customers`: who it is, whether an administrator suspended them, the plan that the orders and the plan
// changes made, and what it was told besides (plan-life.ts). Written by the
// order batch, except for the account’s own id of the customer.

import { bigint } from '../../../platform/database/row-values.ts';
import { numberArray, textArray } from '../../../platform/database/sql-arrays.ts';
import {
  boolean,
  type Column,
  cents,
  describeTable,
  int,
  months,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { customerStatuses, type PlanLife, plainLife } from './plan-life.ts';
import type { PaidPeriod } from './plan-terms.ts';

const columns = {
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
  lastOrder: nullableInt('last_order'),
  suspended: boolean('suspended'),
  cancelled: boolean('cancelled'),
  endsAtPeriodEnd: boolean('ends_at_period_end'),
  renewMonths: orNull(months('renew_months')),
  renewMaxCents: orNull(cents('renew_max_cents')),
  renewHoursBefore: nullableInt('renew_hours_before'),
  renewAt: nullableTime('renew_at'),
  renewFailure: nullableText('renew_failure'),
  endNoticeDays: nullableInt('end_notice_days'),
  pendingOrder: nullableInt('pending_order'),
};

/** What orders write. */
export const customers = describeTable('customers', columns);

/** The columns of the plan's life. A plain order reads them, and writes none of them. */
export const lifeColumns = [
  'suspended',
  'cancelled',
  'endsAtPeriodEnd',
  'renewMonths',
  'renewMaxCents',
  'renewHoursBefore',
  'renewAt',
  'renewFailure',
  'endNoticeDays',
  'pendingOrder',
] as const;

export const customerLives = customers.pick('accountId', 'number', ...lifeColumns);
export const customersWithoutLives = customers.without(...lifeColumns);

export type CustomerRow = RowOf<typeof customers>;
type LifeRow = Pick<CustomerRow, (typeof lifeColumns)[number]>;

/** `plainLife` itself, where that is what it is. */
export function lifeOf(row: LifeRow): PlanLife {
  const { suspended, cancelled, endsAtPeriodEnd, renewMonths, renewHoursBefore, endNoticeDays } = row;
  const hasAutoRenew = renewMonths !== null && renewHoursBefore !== null;
  const { pendingOrder } = row;
  const isPlain =
    !suspended &&
    !cancelled &&
    !endsAtPeriodEnd &&
    !hasAutoRenew &&
    pendingOrder === null &&
    endNoticeDays === null;
  if (isPlain) return plainLife;
  const { renewMaxCents: maxChargeCents, renewAt, renewFailure } = row;
  const autoRenew = hasAutoRenew
    ? { months: renewMonths, maxChargeCents, hoursBefore: renewHoursBefore }
    : null;
  return {
    suspended,
    cancelled,
    endsAtPeriodEnd,
    autoRenew,
    renewAt,
    renewFailure,
    endNoticeDays,
    pendingOrder,
  };
}

export function lifeRow({ autoRenew, ...life }: PlanLife): LifeRow {
  return {
    ...life,
    renewMonths: autoRenew?.months ?? null,
    renewMaxCents: autoRenew?.maxChargeCents ?? null,
    renewHoursBefore: autoRenew?.hoursBefore ?? null,
  };
}

/** Which customers are looked up. */
export const customerPlaces = customers.pick('accountId', 'number');

/** Whose customer a reference is: claimed by the first order, for ever. */
export const customerReferences = describeTable('customer_references', {
  reference: text('reference'),
  accountId: int('account_id'),
  number: int('customer_number'),
});

/** The same among tests. */
export const testCustomerReferences = describeTable('test_customer_references', {
  reference: text('reference'),
  accountId: int('account_id'),
  number: int('customer_number'),
});

/** A whole row. The account's own id of the customer is written by edit-customer.ts alone. */
export const wholeCustomers = describeTable('customers', {
  ...columns,
  externalRef: nullableText('external_ref'),
});

/** What the pages and answers about a customer show. */
export const shownCustomers = wholeCustomers.pick(
  'accountId',
  'number',
  'reference',
  'name',
  'status',
  'createdAt',
  'packageId',
  'anchorAt',
  'expiresAt',
  'lastOrder',
  'externalRef',
  ...lifeColumns,
);

export type Customer = RowOf<typeof shownCustomers>;

/** Flat: start, end (seconds since 1970), cents, start, end, cents, … An array of arrays would have to be square. */
function paidPeriods(name: string): Column<readonly PaidPeriod[]> {
  return {
    name,
    arrayType: 'text[]',
    // As array_in reads it, whose result hangs on settings: Citus takes none of that kind in an update.
    cast: (value) => `string_to_array(btrim(${value}, '{}'), ',')::bigint[]`,
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
