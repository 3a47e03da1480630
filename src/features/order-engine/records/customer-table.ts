// The table customers: identity, the operator's suspension, the plan, and the plan's life (plan-life.ts). Written by the
// order batch, except for the account's own id.

import type { Row } from '../../../platform/database/database.ts';
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
  texts,
  time,
} from '../../../platform/database/table.ts';
import { publicId } from '../../../shared/identifiers.ts';
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

export const customers = describeTable('customers', columns);

/** Plain orders read these columns but do not write them. */
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

export const customerPlaces = customers.pick('accountId', 'number');

/** The reference, and the name, of an erased customer. */
export function erasedReference(accountId: number, number: number): string {
  return `erased-${publicId(accountId, number)}`;
}

export function isErased({
  accountId,
  number,
  reference,
}: Pick<CustomerRow, 'accountId' | 'number' | 'reference'>): boolean {
  return reference.startsWith('erased-') && reference === erasedReference(accountId, number);
}

/** Claims of references, former ones included. */
export const customerReferences = describeTable('customer_references', {
  reference: text('reference'),
  accountId: int('account_id'),
  number: int('customer_number'),
});

export const testCustomerReferences = describeTable('test_customer_references', {
  reference: text('reference'),
  accountId: int('account_id'),
  number: int('customer_number'),
});

/** A column with the references that the customer `c` had before; for a product, which may know the customer by one of them. */
export const formerReferencesOf = (
  c: string,
) => `array(select f.reference from former_references f where f.account_id = ${c}.account_id
    and f.customer_number = ${c}.number order by f.reference) as former_references`;

export function parseFormerReferences(row: Row): readonly string[] {
  return formerReferences.parse(row['former_references']);
}

const formerReferences = texts('former_references');

/** Only edit-customer.ts writes the account's own id. */
export const wholeCustomers = describeTable('customers', {
  ...columns,
  externalRef: nullableText('external_ref'),
});

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

/** A flat list: start, end, cents, start, end, cents, … All rows of a nested PostgreSQL array must have the same length. */
function paidPeriods(name: string): Column<readonly PaidPeriod[]> {
  return {
    name,
    arrayType: 'text[]',
    // Do not use array_in: its result depends on settings, and Citus refuses such functions in updates.
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
