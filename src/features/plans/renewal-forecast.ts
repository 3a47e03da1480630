// What renewing every plan that ends soon would cost, and on which day the balance no longer covers it. The customers
// are counted in SQL, range by range of the time, so that none of them is sent here and no statement keeps orders
// waiting (`Rank` in database.ts). Called by GET /forecast.
// Always true: a plan is counted once, at its present end, at the price that its group pays in that second. One whose next
// order is paid for and waits for the product is not counted: either that order moves the end, or the plan comes back.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { expectMonths, type Group, type Months } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { dayOf } from '../../shared/times.ts';
import type { Package } from '../packages/package-catalog.ts';
import { beginningsFor, priceAt } from '../packages/price-lines.ts';

export interface ForecastDay {
  /** The UTC day: "2026-01-31". */
  readonly date: string;
  readonly plans: number;
  readonly costCents: bigint;
}

export interface Forecast {
  /** Those on which something ends, soonest first. */
  readonly days: readonly ForecastDay[];
  readonly plans: number;
  readonly totalCents: bigint;
  /** The first day at whose end all that was due up to then is more than the balance; null: there is none. */
  readonly runsOutOn: string | null;
}

/** So many plans of one package and length that end in the span from `since` on, in which no price begins. */
interface EndingPlans {
  readonly since: EpochSeconds;
  readonly packageId: number;
  readonly months: Months;
  readonly plans: number;
}

const daySeconds = 86_400;
const rangeRows = 2_000;

const isEnding = `c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= to_timestamp($3::bigint)`;

// Of a range of the time, up to where it ends. One row at least, which says where that is. Spans are counted from 1.
const countRenewals: SqlStatement = {
  name: 'count_renewals',
  text: `with edge as materialized (
      select coalesce((select c.expires_at from customers c where ${isEnding} order by c.expires_at offset ${rangeRows - 1} limit 1),
        to_timestamp($3::bigint)) as at)
    select c.package_id, coalesce(c.renew_months, o.months) as months,
      width_bucket(extract(epoch from c.expires_at)::bigint, $4::bigint[]) as span,
      count(*) as plans, edge.at as counted_to
    from edge left join customers c on c.account_id = $1::int and c.expires_at > to_timestamp($2::bigint)
      and c.expires_at <= edge.at and c.months_run > 0 and not c.cancelled and not c.ends_at_period_end
      and c.pending_order is null
    left join orders o on c.renew_months is null and o.account_id = c.account_id and o.number = c.last_order
    group by 1, 2, 3, edge.at`,
};

/** Plans that run at `now` and end by `until`. */
export async function forecastRenewals(
  database: Queryable,
  account: { readonly id: number; readonly group: Group; readonly balanceCents: bigint },
  packages: ReadonlyMap<number, Package>,
  now: EpochSeconds,
  until: EpochSeconds,
): Promise<Forecast> {
  const spans = spansOf([...packages.values()], account.group, now, until);
  const days = new Map<string, { plans: number; costCents: bigint }>();
  for await (const { since, packageId, months, plans } of endingPlans(database, account.id, spans, until)) {
    const one = packages.get(packageId);
    // This process has not heard of it yet: what it costs is not known here.
    if (one === undefined) continue;
    const date = dayOf(since);
    const day = days.get(date) ?? { plans: 0, costCents: 0n };
    day.plans += plans;
    day.costCents += priceAt(one, account.group, months, since) * BigInt(plans);
    days.set(date, day);
  }
  const dates = [...days.keys()].sort();
  return summedUp(
    dates.map((date) => ({ date, plans: 0, costCents: 0n, ...days.get(date) })),
    account.balanceCents,
  );
}

/** Where a day or a price begins, from `now` to `until`. */
function spansOf(
  packages: readonly Package[],
  group: Group,
  now: EpochSeconds,
  until: EpochSeconds,
): EpochSeconds[] {
  const begins = packages.flatMap((one) => beginningsFor(one, group));
  for (let at = now - (now % daySeconds) + daySeconds; at <= until; at += daySeconds) begins.push(at);
  const within = begins.filter((at) => at > now && at <= until);
  return [now, ...new Set(within.sort((a, b) => a - b))];
}

async function* endingPlans(
  database: Queryable,
  accountId: number,
  spans: readonly EpochSeconds[],
  until: EpochSeconds,
): AsyncGenerator<EndingPlans> {
  const sentSpans = numberArray(spans);
  for (let after = spans[0] ?? until; after < until; ) {
    const rows: readonly Row[] = await database
      .ofAccount(accountId)
      .query(countRenewals, [accountId, after, until, sentSpans]);
    for (const row of rows) {
      const since = spans[Number(row['span']) - 1];
      // Of a range in which nothing is renewed.
      if (row['package_id'] === null || since === undefined) continue;
      const months = expectMonths(Number(row['months']));
      yield { since, packageId: Number(row['package_id']), months, plans: Number(row['plans']) };
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
