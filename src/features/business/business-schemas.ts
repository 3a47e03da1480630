// Schemas of the business figures. Their definitions are in docs/business.md.

import Type, { type Static } from 'typebox';
import { oneOfParameter } from '../../shared/list-schemas.ts';
import {
  amount,
  count,
  currency,
  databaseIntegerMax,
  id,
  nullable,
  packageName,
  signedAmount,
  text,
} from '../../shared/schema-parts.ts';

export const businessMonthsMax = 120;
export const businessMonthsDefault = 12;

const month = (description: string) =>
  Type.String({ description, pattern: '^\\d{4}-\\d{2}$', maxLength: 7, examples: ['2026-01'] });
const day = (description: string) =>
  Type.String({ description, pattern: '^\\d{4}-\\d{2}-\\d{2}$', maxLength: 10, examples: ['2026-01-31'] });
const percent = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const asOf = day('The UTC day of the figures. They include its orders, and plans that end on it still run.');
const ready = Type.Boolean({
  description:
    'false: the orders of before an upgrade are still being summed up, so there are no figures yet. Ask again in a minute.',
});

const movements = {
  new_plans: count('Customers who had never ordered before.'),
  new_mrr: amount('The MRR of these.'),
  returned_plans: count('Customers whose plan had ended in an earlier month.'),
  returned_mrr: amount('The MRR of these.'),
  lost_plans: count('Plans that ended and were not renewed by the end of the month.'),
  lost_mrr: amount('The MRR that these had.'),
  expansion_mrr: amount('MRR gained by renewals and changes at a higher price.'),
  contraction_mrr: amount('MRR lost by renewals and changes at a lower price.'),
  changed_in_plans: count('Plans that changed to another package, counted there.'),
  changed_in_mrr: amount('The MRR that these had before.'),
  changed_out_plans: count('Plans that changed to another package, counted where they were.'),
  changed_out_mrr: amount('The MRR that these had.'),
};
const closing = {
  active_plans: count('Plans that run at the end of the month, or today. Trials are not counted.'),
  mrr: signedAmount('Monthly recurring revenue: the price of each active plan’s last order, for one month.'),
  arr: signedAmount('The same for twelve months.'),
};

export const businessMonthSchema = Type.Object(
  {
    month: month('The UTC month.'),
    running: Type.Boolean({ description: 'It is not over. Lost and due count what ended before today.' }),
    ...closing,
    customers: count('Customers who ever ordered, by the end of the month.'),
    ...movements,
    due_plans: count('Plans whose paid time ended in the month, without those that changed before.'),
    renewed_plans: count('Those of them that were renewed by the end of the month.'),
    renewal_percent: percent('renewed_plans of due_plans. null: none were due.'),
    churn_percent: percent('lost_plans of the plans at the start of the month. null: there were none.'),
    mrr_churn_percent: percent('lost_mrr of the MRR at the start of the month. null: there was none.'),
  },
  { $id: 'BusinessMonth' },
);

const packageOfBusiness = Type.Object({
  package: Type.Object({ id: id('The id of the package.'), name: packageName }),
  active_plans: closing.active_plans,
  mrr: closing.mrr,
  before: Type.Object(
    { active_plans: count('Active plans.'), mrr: signedAmount('Their MRR.') },
    { description: 'At the start of the first month.' },
  ),
  ...movements,
});

const businessSchema = Type.Object(
  {
    as_of: asOf,
    ready,
    currency,
    months: Type.Array(Type.Ref('BusinessMonth'), {
      description: 'Oldest first. The last one is the present month.',
      maxItems: businessMonthsMax,
    }),
    packages: Type.Array(packageOfBusiness, {
      description: 'Packages with plans, over all these months. Highest MRR first.',
      maxItems: 10_000,
    }),
  },
  { $id: 'Business' },
);

const stock = {
  plans: count('Customers of the cohort whose plan runs at the end of the month.'),
  mrr: signedAmount('Their MRR.'),
  percent: percent('plans of customers.'),
};
const cohort = Type.Object({
  month: month('The UTC month of the customers’ first orders.'),
  customers: count('Customers whose first order was in the month.'),
  mrr: signedAmount('Their MRR at the end of it.'),
  kept: Type.Array(Type.Object(stock), {
    description:
      'At the end of the month of the first order, of the month after, and so on, as far as they are over.',
    maxItems: businessMonthsMax,
  }),
});
const cohortsSchema = Type.Object(
  {
    as_of: asOf,
    ready,
    currency,
    cohorts: Type.Array(cohort, { description: 'Oldest first.', maxItems: businessMonthsMax }),
  },
  { $id: 'Cohorts' },
);

export const businessForecastSchema = Type.Object(
  {
    as_of: asOf,
    ready,
    currency,
    until: day('The last day of the forecast.'),
    plans: count('Plans that end by then.'),
    total: amount('Their renewals at the price of each one’s last order, for the same period.'),
    renewal_percent: percent('Renewed of due in the last three months that are over. null: none were due.'),
    expected: amount('total at that rate.'),
    days: Type.Array(
      Type.Object({
        date: day('The UTC day.'),
        plans: count('Plans that end on it.'),
        amount: amount('Their renewals.'),
      }),
      { description: 'Days on which a plan ends, soonest first.', maxItems: 91 },
    ),
  },
  { $id: 'BusinessForecast' },
);

export const businessOfAccountsSchema = Type.Object(
  {
    as_of: asOf,
    ready,
    currency,
    accounts: Type.Array(
      Type.Object({
        account: Type.Object({
          id: id('The id of the account.'),
          username: text('The account’s name for signing in.', 64),
          display_name: text('The name shown to people.', 500),
        }),
        active_plans: closing.active_plans,
        mrr: closing.mrr,
        balance: amount('The balance now.'),
        due_plans: count('Plans that end within 90 days.'),
        due: amount('Their renewals at the price of each one’s last order.'),
        runs_out_on: nullable(
          day(
            'The first UTC day by whose end these renewals cost more than the balance. null: it covers them all.',
          ),
        ),
      }),
      { maxItems: 100 },
    ),
  },
  { $id: 'BusinessOfAccounts' },
);

const whole = (description: string, maximum: number) =>
  Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1, maximum, description }));
const months = whole(
  `How many months, with the present one: ${businessMonthsDefault} unless sent.`,
  businessMonthsMax,
);
const packageId = whole('Only plans of this package.', databaseIntegerMax);
const accountId = whole('Only this account. All accounts unless sent.', databaseIntegerMax);
const format = oneOfParameter(
  ['json', 'csv'] as const,
  'csv: the rows as a file. Also by the Accept header.',
);

export const businessQuerySchema = Type.Object({ months, package_id: packageId, format });
export const cohortsQuerySchema = Type.Object({ months, format });
export const businessQueryOfAnySchema = Type.Object({
  months,
  account_id: accountId,
  package_id: packageId,
  format,
});
export const cohortsQueryOfAnySchema = Type.Object({ months, account_id: accountId, format });
export const forecastQueryOfAnySchema = Type.Object({ account_id: accountId, package_id: packageId, format });
export const accountSorts = ['mrr', 'runs_out_on'] as const;
export const businessOfAccountsQuerySchema = Type.Object({
  sort: oneOfParameter(
    accountSorts,
    'mrr: the highest first. runs_out_on: only accounts that run out of balance, the soonest first.',
  ),
  format,
});

export const businessSchemas = [
  businessMonthSchema,
  businessSchema,
  cohortsSchema,
  businessForecastSchema,
  businessOfAccountsSchema,
];

export type BusinessMonthView = Static<typeof businessMonthSchema>;
export type CohortView = Static<typeof cohort>;
export type BusinessPackageView = Static<typeof packageOfBusiness>;
export type BusinessForecastView = Static<typeof businessForecastSchema>;
export type AccountBusinessView = Static<typeof businessOfAccountsSchema>['accounts'][number];
