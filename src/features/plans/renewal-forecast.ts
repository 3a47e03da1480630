// What it costs to renew all plans that end soon, and the day on which the balance runs out. SQL counts short ranges of
// time, so that orders never wait long (`Rank` in database.ts).
// Invariant: each plan counts once, at its current end and the price of that second. Plans whose next paid order waits for
// the product are left out.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { expectMonths, type Months } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { dayOf } from '../../shared/times.ts';
import { heldPlans, packagesWithHolds, runFromRow } from '../order-engine/records/held-plans.ts';
import type { Package } from '../packages/package-catalog.ts';
import { type Payer, priceChangesFor, priceFor, type Run } from '../packages/price-rules.ts';

export interface ForecastDay {
  readonly date: string;
  readonly plans: number;
  readonly costCents: bigint;
}

export interface Forecast {
  /** Only days on which plans end, soonest first. */
  readonly days: readonly ForecastDay[];
  readonly plans: number;
  readonly totalCents: bigint;
  /** The first day by whose end the renewals cost more than the balance, or null. */
  readonly runsOutOn: string | null;
}

/** Plans of one package and length that end in one span. No price begins within a span; `since` is its start. */
interface EndingPlans {
  readonly since: EpochSeconds;
  readonly packageId: number;
  readonly months: Months;
  readonly run: Run | null;
  readonly plans: number;
}

const daySeconds = 86_400;
const rangeRows = 2_000;

const isEnding = `c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= to_timestamp($3::bigint)`;

// Counts one range up to its end. Returns at least one row, which has that end. Spans are numbered from 1.
const held = heldPlans('coalesce(c.renew_months, o.months)', '$5');

const countRenewals: SqlStatement = {
  name: 'count_renewals',
  text: `with edge as materialized (
      select coalesce((select c.expires_at from customers c where ${isEnding} order by c.expires_at offset ${rangeRows - 1} limit 1),
        to_timestamp($3::bigint)) as at)
    select c.package_id, coalesce(c.renew_months, o.months) as months,
      width_bucket(extract(epoch from c.expires_at)::bigint, $4::bigint[]) as span,
      ${held.columns}, count(*) as plans, edge.at as counted_to
    from edge left join customers c on c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= edge.at and c.months_run > 0 and not c.cancelled and not c.ends_at_period_end
      and c.pending_order is null
    left join orders o on c.renew_months is null and o.account_id = c.account_id and o.number = c.last_order
    ${held.join}
    group by 1, 2, 3, ${held.groups}, edge.at`,
};

export async function forecastRenewals(
  database: Queryable,
  account: { readonly id: number; readonly payer: Payer; readonly balanceCents: bigint },
  packages: ReadonlyMap<number, Package>,
  now: EpochSeconds,
  until: EpochSeconds,
): Promise<Forecast> {
  const { id, payer, balanceCents } = account;
  const spans = spansOf([...packages.values()], payer, now, until);
  const days = new Map<string, { plans: number; costCents: bigint }>();
  const withHolds = packagesWithHolds(packages.values());
  for await (const { since, packageId, months, run, plans } of endingPlans(database, id, spans, {
    until,
    withHolds,
  })) {
    const one = packages.get(packageId);
    // This process does not know the package yet, so its price is unknown.
    if (one === undefined) continue;
    const date = dayOf(since);
    const day = days.get(date) ?? { plans: 0, costCents: 0n };
    day.plans += plans;
    day.costCents += priceFor(one, payer, months, since, run).cents * BigInt(plans);
    days.set(date, day);
  }
  const dates = [...days.keys()].sort();
  return summedUp(
    dates.map((date) => ({ date, plans: 0, costCents: 0n, ...days.get(date) })),
    balanceCents,
  );
}

function spansOf(
  packages: readonly Package[],
  payer: Payer,
  now: EpochSeconds,
  until: EpochSeconds,
): EpochSeconds[] {
  const begins = packages.flatMap((one) => [...priceChangesFor(one, payer)]);
  for (let at = now - (now % daySeconds) + daySeconds; at <= until; at += daySeconds) begins.push(at);
  const within = begins.filter((at) => at > now && at <= until);
  return [now, ...new Set(within.sort((a, b) => a - b))];
}

async function* endingPlans(
  database: Queryable,
  accountId: number,
  spans: readonly EpochSeconds[],
  { until, withHolds }: { readonly until: EpochSeconds; readonly withHolds: string },
): AsyncGenerator<EndingPlans> {
  const sentSpans = numberArray(spans);
  for (let after = spans[0] ?? until; after < until; ) {
    const rows: readonly Row[] = await database
      .ofAccount(accountId)
      .query(countRenewals, [accountId, after, until, sentSpans, withHolds]);
    for (const row of rows) {
      const since = spans[Number(row['span']) - 1];
      if (row['package_id'] === null || since === undefined) continue;
      const months = expectMonths(Number(row['months']));
      const run = runFromRow(row);
      yield { since, packageId: Number(row['package_id']), months, run, plans: Number(row['plans']) };
    }
    after = Number(rows[0]?.['counted_to'] ?? until);
  }
}

function summedUp(days: readonly ForecastDay[], balanceCents: bigint): Forecast {
  let plans = 0;
  let totalCents = 0n;
  let runsOutOn: string | null = null;
  for (const day of days) {
    plans += day.plans;
    totalCents += day.costCents;
    if (totalCents > balanceCents) runsOutOn ??= day.date;
  }
  return { days, plans, totalCents, runsOutOn };
}
