// Computes the figures of the business from CSV exports of orders alone, naively: for each month it looks at every customer
// before and after. It shares nothing with src. Try it on your own exports:
// node proof/oracle/business-oracle.ts 2026-11-27T12:00:00Z orders-ada.csv orders-bob.csv

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

interface ExportedOrder {
  readonly id: number;
  readonly customer: string;
  readonly packageId: number;
  readonly kind: string;
  /** Cents of a year. */
  readonly year: number;
  readonly created: string;
  readonly expires: string;
}

export interface OracleMonth {
  readonly month: string;
  readonly activePlans: number;
  readonly mrr: string;
  readonly arr: string;
  readonly customers: number;
  readonly newPlans: number;
  readonly returnedPlans: number;
  readonly lostPlans: number;
  readonly lostMrr: string;
  readonly changedPlans: number;
  readonly duePlans: number;
  readonly renewedPlans: number;
  readonly churnPercent: number | null;
  readonly renewalPercent: number | null;
}

export interface OracleCohort {
  readonly month: string;
  readonly customers: number;
  readonly kept: readonly { readonly plans: number; readonly mrr: string }[];
}

export interface OracleBusiness {
  readonly months: readonly OracleMonth[];
  readonly cohorts: readonly OracleCohort[];
}

export function businessOf(
  exports: readonly string[],
  now: string,
  count: number,
  packageId: number | null = null,
): OracleBusiness {
  const customers = new Map<string, ExportedOrder[]>();
  for (const order of exports.flatMap(ordersOf)) {
    const orders = customers.get(order.customer) ?? [];
    customers.set(
      order.customer,
      [...orders, order].sort((one, other) => one.id - other.id),
    );
  }
  const all = [...customers.values()];
  const today = now.slice(0, 10);
  const months = lastMonths(now, count);
  const isOf = (order: ExportedOrder) => packageId === null || order.packageId === packageId;
  /** The plan that a customer had at the end of a month: their last order, if it went on after it. */
  const planAt = (orders: readonly ExportedOrder[], month: string): ExportedOrder | null => {
    const end = month === now.slice(0, 7) ? today : `${nextOf(month)}-01`;
    const last = orders.filter(({ created }) => created.slice(0, 7) <= month).at(-1);
    return last !== undefined && last.expires >= end ? last : null;
  };
  const sumOf = (orders: readonly (ExportedOrder | null)[]) =>
    orders.reduce((sum, order) => sum + (order?.year ?? 0), 0);

  return {
    months: months.map((month) => {
      const before = all.map((orders) => planAt(orders, previousOf(month)));
      const after = all.map((orders) => planAt(orders, month));
      const isNew = (orders: readonly ExportedOrder[]) => orders[0]?.created.slice(0, 7) === month;
      const active = after.filter((plan) => plan !== null && isOf(plan));
      const opening = before.filter((plan) => plan !== null && isOf(plan));
      const lost = before.filter((plan, index) => plan !== null && after[index] === null && isOf(plan));
      const steps = all.flatMap((orders) =>
        orders.map((order, index) => ({ order, next: orders[index + 1] })),
      );
      const isOver = ({ expires }: ExportedOrder) =>
        expires.slice(0, 7) === month && (month !== now.slice(0, 7) || expires < today);
      const due = steps.filter(
        ({ order, next }) =>
          isOf(order) &&
          isOver(order) &&
          !(next !== undefined && next.created < order.expires && next.kind !== 'renew'),
      );
      const renewed = due.filter(({ next }) => next !== undefined && next.created.slice(0, 7) <= month);
      return {
        month,
        activePlans: active.length,
        mrr: monthly(sumOf(active)),
        arr: decimal(sumOf(active)),
        customers: all.filter((orders) => (orders[0]?.created.slice(0, 7) ?? '9') <= month).length,
        newPlans: all.filter((orders) => isNew(orders) && orders.slice(0, 1).every(isOf)).length,
        // Counted for the package of the order they came back with, even if they changed it in the same month.
        returnedPlans: all.filter(
          (orders, index) =>
            !isNew(orders) &&
            before[index] === null &&
            orders
              .filter(({ created }) => created.slice(0, 7) === month)
              .slice(0, 1)
              .some(isOf),
        ).length,
        lostPlans: lost.length,
        lostMrr: monthly(sumOf(lost)),
        changedPlans: steps.filter(
          ({ order, next }) =>
            next !== undefined &&
            next.created.slice(0, 7) === month &&
            isOf(next) &&
            next.packageId !== order.packageId &&
            order.expires.slice(0, 7) >= month,
        ).length,
        duePlans: due.length,
        renewedPlans: renewed.length,
        churnPercent: percent(lost.length, opening.length),
        renewalPercent: percent(renewed.length, due.length),
      };
    }),
    cohorts: months.map((cohort) => {
      const own = all.filter(([first]) => first?.created.slice(0, 7) === cohort);
      const over = months.filter((month) => month >= cohort && (month === cohort || month < now.slice(0, 7)));
      return {
        month: cohort,
        customers: own.length,
        kept: over.map((month) => {
          const plans = own.map((orders) => planAt(orders, month)).filter((plan) => plan !== null);
          return { plans: plans.length, mrr: monthly(sumOf(plans)) };
        }),
      };
    }),
  };
}

function ordersOf(text: string): ExportedOrder[] {
  const [header = [], ...rows] = cellsOf(text);
  const at = (row: readonly string[], name: string) => row[header.indexOf(name)] ?? '';
  return rows
    .filter((row) => at(row, 'status') === 'completed')
    .map((row) => ({
      id: Number(at(row, 'id')),
      customer: at(row, 'customer_id'),
      packageId: Number(at(row, 'package_id')),
      kind: at(row, 'kind'),
      year: (Number(at(row, 'price').replace('.', '')) * 12) / Number(at(row, 'months')),
      created: at(row, 'created_at'),
      expires: at(row, 'expires_at'),
    }));
}

function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}

function lastMonths(now: string, count: number): string[] {
  const months = [now.slice(0, 7)];
  while (months.length < count) months.unshift(previousOf(months[0] ?? ''));
  return months;
}

function nextOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}

function previousOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

function decimal(cents: number): string {
  return (cents / 100).toFixed(2);
}

function monthly(year: number): string {
  return decimal(Math.round(year / 12));
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part * 1000) / whole) / 10;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [now = '', ...files] = process.argv.slice(2);
  const { months, cohorts } = businessOf(
    files.map((file) => readFileSync(file, 'utf8')),
    now,
    12,
  );
  console.table(months);
  console.table(
    cohorts.map(({ month, customers, kept }) => ({
      month,
      customers,
      kept: kept.map(({ plans }) => plans).join(' '),
    })),
  );
}
