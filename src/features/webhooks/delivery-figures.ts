// Sums of delivery attempts for the pages. Each statement reads the latest attempts up to a limit, so a busy endpoint's
// figures are those of its latest attempts.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { type Attempt, webhookAttempts } from './delivery-log.ts';

/** Per endpoint of the list, and for the page of one. */
const listedMax = 2_000;
const summedMax = 20_000;

const latest = (
  webhook: string,
  limit: number,
) => `select * from webhook_attempts a where a.webhook_id = ${webhook}
      order by a.webhook_id desc, a.number desc limit ${limit}`;

const countOfAll: SqlStatement = {
  name: 'count_webhook_deliveries',
  text: `select w.id, sums.* from webhooks w cross join lateral (
      select count(*) filter (where t.outcome = 'delivered') as delivered,
        count(*) filter (where t.outcome <> 'delivered') as failed
      from (${latest('w.id', listedMax)}) t where t.at >= to_timestamp($2::bigint)) sums
    where w.account_id = $1::int order by w.id`,
};

const sumByDay: SqlStatement = {
  name: 'sum_webhook_deliveries',
  text: `select to_char(t.at at time zone 'UTC', 'YYYY-MM-DD') as day,
      count(*) filter (where t.outcome = 'delivered') as delivered,
      count(*) filter (where t.outcome <> 'delivered') as failed,
      percentile_disc(0.5) within group (order by t.milliseconds) as median,
      percentile_disc(0.95) within group (order by t.milliseconds) as p95
    from (${latest('$1::int', summedMax)}) t where t.at >= to_timestamp($2::bigint)
    group by grouping sets ((1), ())`,
};

const ofEvent: SqlStatement = {
  name: 'list_webhook_attempts_of_event',
  text: `select ${webhookAttempts.list('t')} from webhooks w cross join lateral (
      select * from (${latest('w.id', listedMax)}) l where l.account_id = $1::int and l.event_number = $2::int limit 20) t
    where w.account_id = $1::int order by t.at desc, t.webhook_id, t.number desc`,
};

export interface DeliveryCounts {
  readonly delivered: number;
  readonly failed: number;
  /** True if the limit was reached, so older attempts may be missing. */
  readonly isMore: boolean;
}

/** By the id of the endpoint. */
export async function countDeliveries(
  database: Queryable,
  accountId: number,
  since: EpochSeconds,
): Promise<ReadonlyMap<number, DeliveryCounts>> {
  const rows = await database.query(countOfAll, [accountId, since]);
  return new Map(rows.map((row) => [Number(row['id']), countsOf(row, listedMax)]));
}

export interface DeliveryFigures extends DeliveryCounts {
  readonly medianMilliseconds: number | null;
  readonly p95Milliseconds: number | null;
  /** All UTC days since then, oldest first. */
  readonly days: readonly { readonly date: string; readonly delivered: number; readonly failed: number }[];
}

export async function sumDeliveries(
  database: Queryable,
  webhookId: number,
  { since, now }: { readonly since: EpochSeconds; readonly now: EpochSeconds },
): Promise<DeliveryFigures> {
  const rows = await database.query(sumByDay, [webhookId, since]);
  const total = rows.find((row) => row['day'] === null) ?? {};
  const byDay = new Map(rows.map((row) => [row['day'], countsOf(row, summedMax)]));
  const dates: string[] = [];
  for (let at = since; dayOf(at) <= dayOf(now); at += 86_400) dates.push(dayOf(at));
  return {
    ...countsOf(total, summedMax),
    medianMilliseconds: nullable(Number, total['median']),
    p95Milliseconds: nullable(Number, total['p95']),
    days: dates.map((date) => {
      const { delivered = 0, failed = 0 } = byDay.get(date) ?? {};
      return { date, delivered, failed };
    }),
  };
}

function countsOf(row: Readonly<Record<string, unknown>>, max: number): DeliveryCounts {
  const [delivered, failed] = [Number(row['delivered'] ?? 0), Number(row['failed'] ?? 0)];
  return { delivered, failed, isMore: delivered + failed >= max };
}

/** Newest first, of the latest attempts of each of the account's endpoints. */
export async function listDeliveriesOfEvent(
  database: Database,
  accountId: number,
  eventNumber: number,
): Promise<readonly Attempt[]> {
  const rows = await database.query(ofEvent, [accountId, eventNumber]);
  return rows.map((row) => webhookAttempts.parse(row));
}
