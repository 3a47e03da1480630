// Rows of the order path's tables, parsed once as they leave the database. Used by the batch and by reads.

import { expectMonths, type Group } from '../contract/periods.ts';
import type { Row } from '../database/database.ts';
import { bigint, oneOf } from '../database/row-values.ts';
import type { PaidPeriod } from '../plans/plan-terms.ts';
import type { OrderKind, OrderRecord } from './order-commands.ts';
import type { AccountState, CustomerState } from './order-state.ts';

/** The columns that parseOrder reads, but for the customer's `reference`. */
export function orderColumns(table: string): string {
  return `${table}.account_id, ${table}.number, ${table}.customer_number, ${table}.package_id, ${table}.months,
    ${table}.kind, ${table}.price_cents, ${table}.refund_cents, ${table}.balance_after_cents, ${table}.created_at,
    ${table}.expires_at, ${table}.idempotency_key, ${table}.fingerprint`;
}

export function parseOrder(row: Row): OrderRecord {
  return {
    accountId: Number(row['account_id']),
    number: Number(row['number']),
    customerNumber: Number(row['customer_number']),
    customerReference: String(row['reference']),
    packageId: Number(row['package_id']),
    months: expectMonths(Number(row['months'])),
    kind: oneOf(['activate', 'renew', 'change'] satisfies OrderKind[], row['kind']),
    priceCents: bigint(row['price_cents']),
    refundCents: bigint(row['refund_cents']),
    balanceAfterCents: bigint(row['balance_after_cents']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
    idempotencyKey: String(row['idempotency_key']),
    fingerprint: String(row['fingerprint']),
  };
}

export function parseAccountState(row: Row): AccountState {
  return {
    id: Number(row['id']),
    group: oneOf(['reseller', 'distributor'] satisfies Group[], row['group_name']),
    accessVersion: Number(row['access_version']),
    isHalted: row['is_halted'] === true,
    balanceCents: bigint(row['balance_cents']),
    orderCount: Number(row['order_count']),
    customerCount: Number(row['customer_count']),
    entryCount: Number(row['entry_count']),
  };
}

export function parseCustomerState(row: Row): CustomerState {
  return {
    accountId: Number(row['account_id']),
    number: Number(row['number']),
    reference: String(row['reference']),
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    plan: {
      packageId: Number(row['package_id']),
      anchorAt: Number(row['anchor_at']),
      monthsRun: Number(row['months_run']),
      expiresAt: Number(row['expires_at']),
      paidPeriods: parsePaidPeriods(row['paid_periods']),
    },
  };
}

/** [start, end, cents, start, end, cents, …] */
function parsePaidPeriods(value: unknown): PaidPeriod[] {
  if (!Array.isArray(value)) throw new Error('paid_periods is not an array.');
  const periods: PaidPeriod[] = [];
  for (let index = 0; index + 2 < value.length; index += 3) {
    periods.push({
      startsAt: Number(value[index]),
      endsAt: Number(value[index + 1]),
      paidCents: bigint(value[index + 2]),
    });
  }
  return periods;
}
