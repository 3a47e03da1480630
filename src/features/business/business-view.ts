// Makes the answers and CSV files of the business figures.

import { formatAmount } from '../../shared/amounts.ts';
import { type CsvCell, csvLines } from '../../shared/csv-text.ts';
import { dayOf } from '../../shared/times.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import {
  type BusinessSpan,
  type CohortFigures,
  type ForecastDayFigures,
  type MonthFigures,
  monthlyCents,
  type PackageFigures,
  percent,
  type Stock,
} from './business-figures.ts';
import type { AccountBusiness } from './business-reads.ts';
import type {
  AccountBusinessView,
  BusinessForecastView,
  BusinessMonthView,
  BusinessPackageView,
  CohortView,
} from './business-schemas.ts';
import type { PlanFigures } from './plan-movements.ts';

const monthly = (yearCents: bigint) => formatAmount(monthlyCents(yearCents));

function movementsView(figures: PlanFigures) {
  return {
    new_plans: figures.newPlans,
    new_mrr: monthly(figures.newCents),
    returned_plans: figures.returnedPlans,
    returned_mrr: monthly(figures.returnedCents),
    lost_plans: figures.lostPlans,
    lost_mrr: monthly(figures.lostCents),
    expansion_mrr: monthly(figures.raisedCents),
    contraction_mrr: monthly(figures.loweredCents),
    changed_in_plans: figures.movedInPlans,
    changed_in_mrr: monthly(figures.movedInCents),
    changed_out_plans: figures.movedOutPlans,
    changed_out_mrr: monthly(figures.movedOutCents),
  };
}

function stockView({ plans, yearCents }: Stock) {
  return { active_plans: plans, mrr: monthly(yearCents) };
}

export function monthView(figures: MonthFigures): BusinessMonthView {
  const { opening, closing, duePlans, lostPlans, lostCents } = figures;
  const renewed = duePlans - lostPlans;
  return {
    month: figures.month,
    running: figures.isRunning,
    ...stockView(closing),
    arr: formatAmount(closing.yearCents),
    customers: figures.customers,
    ...movementsView(figures),
    due_plans: duePlans,
    renewed_plans: renewed,
    renewal_percent: percent(renewed, duePlans),
    churn_percent: percent(lostPlans, opening.plans),
    mrr_churn_percent: percent(lostCents, opening.yearCents),
  };
}

export function packageView(figures: PackageFigures, catalog: PackageCatalog): BusinessPackageView {
  const { packageId, opening, closing } = figures;
  return {
    package: { id: packageId, name: catalog.byId.get(packageId)?.name ?? '' },
    ...stockView(closing),
    before: stockView(opening),
    ...movementsView(figures),
  };
}

export function cohortView({ cohort, customers, yearCents, kept }: CohortFigures): CohortView {
  return {
    month: cohort,
    customers,
    mrr: monthly(yearCents),
    kept: kept.map((stock) => ({
      plans: stock.plans,
      mrr: monthly(stock.yearCents),
      percent: percent(stock.plans, customers),
    })),
  };
}

/** `overMonths`: the months that are over and give the rate. */
export function forecastView(
  days: readonly ForecastDayFigures[],
  overMonths: readonly MonthFigures[],
  { until }: BusinessSpan,
): Pick<BusinessForecastView, 'until' | 'plans' | 'total' | 'renewal_percent' | 'expected' | 'days'> {
  const total = days.reduce((sum, { cents }) => sum + cents, 0n);
  const due = overMonths.reduce((sum, { duePlans }) => sum + duePlans, 0);
  const renewed = overMonths.reduce((sum, { duePlans, lostPlans }) => sum + duePlans - lostPlans, 0);
  const expected = due > 0 ? (total * BigInt(renewed)) / BigInt(due) : total;
  return {
    until: dayOf(Date.parse(until) / 1000 - 1),
    plans: days.reduce((sum, { plans }) => sum + plans, 0),
    total: formatAmount(total),
    renewal_percent: percent(renewed, due),
    expected: formatAmount(expected),
    days: days.map(({ date, plans, cents }) => ({ date, plans, amount: formatAmount(cents) })),
  };
}

export function accountView(one: AccountBusiness): AccountBusinessView {
  return {
    account: { id: one.id, username: one.username, display_name: one.displayName },
    ...stockView(one),
    balance: formatAmount(one.balanceCents),
    due_plans: one.duePlans,
    due: formatAmount(one.dueCents),
    runs_out_on: one.runsOutOn,
  };
}

const cell = (value: unknown): CsvCell => (value === null ? '' : String(value));

async function* fileOf(
  header: readonly string[],
  rows: readonly (readonly CsvCell[])[],
): AsyncGenerator<string> {
  yield csvLines([header, ...rows]);
}

/** Rows of equal shape, with their own field names as the header. */
function tableCsv<Name extends string>(
  names: readonly Name[],
  rows: readonly Readonly<Record<Name, unknown>>[],
  currency: string,
): AsyncGenerator<string> {
  return fileOf(
    [...names, 'currency'],
    rows.map((row) => [...names.map((name) => cell(row[name])), currency]),
  );
}

const monthColumns = [
  ...(['month', 'running', 'active_plans', 'mrr', 'arr', 'customers', 'new_plans', 'new_mrr'] as const),
  ...([
    'returned_plans',
    'returned_mrr',
    'lost_plans',
    'lost_mrr',
    'expansion_mrr',
    'contraction_mrr',
  ] as const),
  ...(['changed_in_plans', 'changed_in_mrr', 'changed_out_plans', 'changed_out_mrr', 'due_plans'] as const),
  ...(['renewed_plans', 'renewal_percent', 'churn_percent', 'mrr_churn_percent'] as const),
];

export function businessCsv(months: readonly BusinessMonthView[], currency: string): AsyncGenerator<string> {
  return tableCsv(monthColumns, months, currency);
}

export function forecastCsv(days: BusinessForecastView['days'], currency: string): AsyncGenerator<string> {
  return tableCsv(['date', 'plans', 'amount'], days, currency);
}

/** A row for each month of each cohort. */
export function cohortsCsv(cohorts: readonly CohortView[], currency: string): AsyncGenerator<string> {
  const rows = cohorts.flatMap(({ month, customers, kept }) =>
    kept.map(({ plans, mrr, percent: part }, after) => ({
      cohort: month,
      customers,
      months_after: after,
      plans,
      percent: part,
      mrr,
    })),
  );
  return tableCsv(['cohort', 'customers', 'months_after', 'plans', 'percent', 'mrr'], rows, currency);
}

export function accountsCsv(
  accounts: readonly AccountBusinessView[],
  currency: string,
): AsyncGenerator<string> {
  return fileOf(
    [
      'account_id',
      'username',
      'display_name',
      'active_plans',
      'mrr',
      'balance',
      'due_plans',
      'due',
      'runs_out_on',
      'currency',
    ],
    accounts.map((one) => [
      String(one.account.id),
      { text: one.account.username },
      { text: one.account.display_name },
      String(one.active_plans),
      one.mrr,
      one.balance,
      String(one.due_plans),
      one.due,
      cell(one.runs_out_on),
      currency,
    ]),
  );
}
