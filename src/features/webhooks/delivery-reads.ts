// The deliverer's reads: endpoints with their progress, accounts with new events, and events for many endpoints at once.

import { byGroup, type Queryable, type Row, type SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { countEvents } from '../events/account-feed.ts';
import { type EventGap, findLastGaps } from '../events/event-gaps.ts';
import { events } from '../events/event-log.ts';
import { readStream } from '../events/event-stream.ts';
import type { EndedRetry } from './delivery-progress.ts';
import type { QueuedEvent, SetAside } from './endpoint-queue.ts';
import { type Webhook, webhooks } from './webhook-table.ts';

export interface LoadedWebhook {
  readonly webhook: Webhook;
  /** The number of the account's last event; 0 for the operator. */
  readonly eventCount: number;
  /** The event numbers that the last restore skipped. */
  readonly gap: EventGap | null;
  readonly retriesDueAt: EpochSeconds | null;
}

const loaded = `${webhooks.list('w')},
    (select extract(epoch from min(r.due_at))::bigint from webhook_retries r where r.webhook_id = w.id) as retries_due_at
  from webhooks w`;

const loadedAtOnce = 1_000;

const loadEnabled: SqlStatement = {
  name: 'load_webhooks',
  text: `select ${loaded} where w.id > $1::int and w.enabled order by w.id limit ${loadedAtOnce}`,
};

const loadNamed: SqlStatement = {
  name: 'load_webhooks_by_id',
  text: `select ${loaded} where w.id = any($1::int[]) and w.enabled`,
};

export async function loadWebhooks(database: Queryable): Promise<LoadedWebhook[]> {
  const all: LoadedWebhook[] = [];
  for (;;) {
    const rows = await database.query(loadEnabled, [all.at(-1)?.webhook.id ?? 0]);
    all.push(...(await asLoaded(database, rows)));
    if (rows.length < loadedAtOnce) return all;
  }
}

export async function loadWebhooksById(
  database: Queryable,
  ids: readonly number[],
): Promise<LoadedWebhook[]> {
  return asLoaded(database, await database.query(loadNamed, [numberArray(ids)]));
}

async function asLoaded(database: Queryable, rows: readonly Row[]): Promise<LoadedWebhook[]> {
  const parsed = rows.map((row) => webhooks.parse(row));
  const accountIds = parsed.flatMap(({ accountId }) => accountId ?? []);
  const [counts, gaps] = await Promise.all([
    countEvents(database, accountIds),
    findLastGaps(database, accountIds),
  ]);
  return parsed.map((webhook, index) => ({
    webhook,
    eventCount: counts.get(webhook.accountId ?? 0) ?? 0,
    gap: gaps.get(webhook.accountId ?? 0) ?? null,
    retriesDueAt: nullable(Number, rows[index]?.['retries_due_at']),
  }));
}

export interface NewEvents {
  readonly accountId: number;
  readonly position: number;
  readonly lastNumber: number;
}

export const newEventsAtOnce = 1_000;

const listNew: SqlStatement = {
  name: 'list_new_events',
  text: `select position, account_id, first_number, last_number from event_stream
    where position > $1::bigint order by position limit ${newEventsAtOnce}`,
};

export async function listNewEvents(database: Queryable, after: number): Promise<NewEvents[]> {
  const rows = await database.query(listNew, [after]);
  return rows.map((row) => {
    const lastNumber = Number(row['last_number']);
    return {
      accountId: Number(row['account_id']),
      position: Number(bigint(row['position'])) + lastNumber - Number(row['first_number']),
      lastNumber,
    };
  });
}

export interface Wish {
  readonly accountId: number;
  readonly after: number;
  readonly wanted: number;
  /** The last event number that is known to be committed. */
  readonly available: number;
}

export interface Granted {
  readonly events: readonly QueuedEvent[];
  readonly readTo: number;
}

const readWanted: SqlStatement = {
  name: 'read_wanted_events',
  text: `select q.place, ${events.list('e')}
    from unnest($1::int[], $2::bigint[], $3::int[]) with ordinality q (account_id, after, wanted, place)
    cross join lateral (
      select * from events one where one.account_id = q.account_id and one.number > q.after
      order by one.account_id, one.number limit q.wanted) e
    order by q.place, e.number`,
};

export async function readWantedEvents(database: Queryable, wishes: readonly Wish[]): Promise<Granted[]> {
  if (wishes.length === 0) return [];
  const byWish = new Map<Wish, readonly Row[]>();
  for (const [ofGroup, some] of byGroup(database, wishes, ({ accountId }) => accountId)) {
    const rows = await database
      .ofAccount(ofGroup)
      .query(readWanted, [
        numberArray(some.map(({ accountId }) => accountId)),
        numberArray(some.map(({ after }) => after)),
        numberArray(some.map(({ wanted }) => wanted)),
      ]);
    const byPlace = Map.groupBy(rows, (row) => Number(row['place']));
    for (const [index, wish] of some.entries()) byWish.set(wish, byPlace.get(index + 1) ?? []);
  }
  return wishes.map((wish) => {
    const { after, wanted, available } = wish;
    const read = (byWish.get(wish) ?? []).map((row) => {
      const event = events.parse(row);
      return { cursor: event.number, event };
    });
    // If there are fewer events than wanted, the missing ones have expired.
    const last = read.at(-1)?.cursor ?? after;
    return { events: read, readTo: read.length < wanted ? Math.max(last, available) : last };
  });
}

export async function readWantedOfAll(
  database: Queryable,
  { after, wanted, available }: Omit<Wish, 'accountId'>,
): Promise<Granted> {
  const read = await readStream(database, {
    after: BigInt(after),
    accountId: null,
    limit: wanted,
    mode: 'live',
  });
  const queued = read.map(({ position, ...event }) => ({ cursor: Number(position), event }));
  const last = queued.at(-1)?.cursor ?? after;
  return { events: queued, readTo: read.length < wanted ? Math.max(last, available) : last };
}

const retriesAtOnce = 20;

const readRetries: SqlStatement = {
  name: 'read_webhook_retries',
  text: `select q.webhook_id, r.account_id as retry_account_id, r.event_number, r.step, r.version,
      extract(epoch from r.due_at)::bigint as due_at, ${events.list('e')}
    from unnest($1::int[]) q (webhook_id)
    cross join lateral (
      select * from webhook_retries one where one.webhook_id = q.webhook_id
      order by one.webhook_id, one.due_at limit ${retriesAtOnce + 1}) r
    left join events e on e.account_id = r.account_id and e.number = r.event_number
    order by q.webhook_id, r.due_at, r.account_id, r.event_number`,
};

export interface DueRetries {
  readonly retries: readonly SetAside[];
  readonly nextDueAt: EpochSeconds | null;
  /** Retries whose events have expired. */
  readonly gone: readonly Omit<EndedRetry, 'webhookId'>[];
}

export async function readDueRetries(
  database: Queryable,
  webhookIds: readonly number[],
  isDue: (dueAt: EpochSeconds) => boolean,
): Promise<ReadonlyMap<number, DueRetries>> {
  const rows = await database.query(readRetries, [numberArray(webhookIds)]);
  const found = Map.groupBy(rows, (row) => Number(row['webhook_id']));
  return new Map(
    webhookIds.map((id) => {
      const all = found.get(id) ?? [];
      const due = all.slice(0, retriesAtOnce).filter((row) => isDue(Number(row['due_at'])));
      const next = all.find((row) => !due.includes(row));
      return [
        id,
        {
          retries: due
            .filter((row) => row['number'] !== null)
            .map((row) => ({
              event: events.parse(row),
              step: Number(row['step']),
              dueAt: Number(row['due_at']),
              version: Number(row['version']),
            })),
          nextDueAt: nullable(Number, next?.['due_at']),
          gone: due
            .filter((row) => row['number'] === null)
            .map((row) => ({
              accountId: Number(row['retry_account_id']),
              eventNumber: Number(row['event_number']),
              version: Number(row['version']),
            })),
        },
      ];
    }),
  );
}
