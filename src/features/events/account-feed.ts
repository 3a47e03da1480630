// Reads an account's event feed, and lets requests wait for the next event.

import {
  type Database,
  type Queryable,
  ranked,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { type AccountEvent, events, listenToAccount } from './event-log.ts';
import type { EventType } from './event-schemas.ts';

export interface FeedQuestion {
  readonly accountId: number;
  /** 0 if the reader knows none. */
  readonly after: number;
  readonly type: EventType | null;
  readonly limit: number;
}

export type FeedOutcome =
  | {
      readonly type: 'found';
      readonly events: readonly AccountEvent[];
      readonly lookedTo: number;
      readonly hasMore: boolean;
      readonly lastNumber: number;
    }
  /** No event has the number `after`. */
  | { readonly type: 'unknown' }
  /** Events after `after` have expired, or `after` is from before a restore. `oldest`: the oldest event kept. */
  | { readonly type: 'gone'; readonly oldest: number | null };

export const findExtent: SqlStatement = {
  name: 'find_event_extent',
  text: `select a.event_count, (select e.number from events e where e.account_id = a.id order by e.number limit 1) as oldest,
      gap.first_number as gap_first, gap.last_number as gap_last
    from accounts a left join lateral (select first_number, last_number from event_gaps g
      where g.account_id = a.id and g.last_number >= $2::int order by g.last_number limit 1) gap on true
    where a.id = $1::int`,
};

const listUp: SqlStatement = {
  name: 'list_events',
  text: `select ${events.list('e')} from events e where e.account_id = $1::int and e.number > $2::int
    order by e.number limit $3::int`,
};

/** For exports: by number, oldest first. */
export async function listEvents(
  database: Queryable,
  accountId: number,
  after: number,
  limit: number,
): Promise<readonly AccountEvent[]> {
  const rows = await database.ofAccount(accountId).query(listUp, [accountId, after, limit]);
  return rows.map((row) => events.parse(row));
}

const listOfType: SqlStatement = {
  name: 'list_events_of_type',
  text: `select ${events.list('e')} from events e
    where e.account_id = $1::int and e.type = $4::text and e.number > $2::int
    order by e.account_id, e.type, e.number limit $3::int`,
};

const findEvent: SqlStatement = {
  name: 'find_event',
  text: `select ${events.list('e')} from events e where e.account_id = $1::int and e.number = $2::int`,
};

/** The first call starts recording the account's events. */
export async function readFeed(
  database: Database,
  { accountId, after, type, limit }: FeedQuestion,
): Promise<FeedOutcome> {
  const [extent] = await database.ofAccount(accountId).query(findExtent, [accountId, after]);
  if (extent?.['event_count'] === null) await listenToAccount(database, accountId);
  const total = Number(extent?.['event_count'] ?? 0);
  const oldest = extent?.['oldest'] == null ? null : Number(extent['oldest']);
  if (after > total) return { type: 'unknown' };
  const gap = {
    first: nullable(Number, extent?.['gap_first']) ?? Number.POSITIVE_INFINITY,
    last: nullable(Number, extent?.['gap_last']) ?? Number.POSITIVE_INFINITY,
  };
  // Only the lost database can have issued this number, so it is not part of this history.
  if (after > 0 && gap.first <= after) return { type: 'gone', oldest };
  // After a gap, numbering resumes with a number that has no event either, so skip that one too.
  const next = gap.first === after + 1 ? gap.last + 2 : after + 1;
  if (after > 0 && next <= total && (oldest === null || oldest > next)) return { type: 'gone', oldest };
  const rows =
    type === null
      ? await database.ofAccount(accountId).query(listUp, [accountId, after, limit + 1])
      : await database.ofAccount(accountId).query(listOfType, [accountId, after, limit + 1, type]);
  const found = rows.slice(0, limit).map((row) => events.parse(row));
  const hasMore = rows.length > limit;
  const last = found.at(-1)?.number ?? after;
  // More events may have been added since the count was read.
  return {
    type: 'found',
    events: found,
    lookedTo: hasMore || type === null ? last : Math.max(last, total),
    hasMore,
    lastNumber: Math.max(last, total),
  };
}

export async function findAccountEvent(
  database: Queryable,
  accountId: number,
  number: number,
): Promise<AccountEvent | null> {
  const [row] = await database.ofAccount(accountId).query(findEvent, [accountId, number]);
  return row === undefined ? null : events.parse(row);
}

const findEventCounts: SqlStatement = {
  name: 'count_events',
  text: 'select id, event_count from accounts where id = any($1::int[])',
};

export async function countEvents(
  database: Queryable,
  accountIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (accountIds.length === 0) return new Map();
  const rows = await queryShards(database, findEventCounts, [], { accounts: accountIds });
  return new Map(rows.map((row) => [Number(row['id']), Number(row['event_count'] ?? 0)]));
}

export interface EventWaits {
  /** Resolves after the next event or `seconds`; to false at once if too many requests wait or the service stops. */
  wait(accountId: number, after: number, seconds: number): Promise<boolean>;
  /** Resolves to false when the service stops. */
  rest(): Promise<boolean>;
  notify(accountIds: Iterable<number>): void;
  close(): void;
}

export interface EventWaitLimits {
  readonly waitingMax: number;
  readonly waitingOfAccountMax: number;
  readonly pollMilliseconds: number;
}

interface Waiting {
  readonly accountId: number;
  readonly after: number;
  end(): void;
}

/** Polls for events of other processes while requests wait. Events of this process are reported at once. */
export function createEventWaits(database: Database, limits: EventWaitLimits): EventWaits {
  const waiting = new Set<Waiting>();
  const resting = new Set<() => void>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const look = async () => {
    const ids = [...waiting].map(({ accountId }) => accountId);
    try {
      const counts = await countEvents(ranked(database, 'lookups'), ids);
      for (const one of waiting) if ((counts.get(one.accountId) ?? 0) > one.after) one.end();
    } catch {
      // Ignore it: waiting requests read once more when their time is up.
    }
  };
  const poll = () => {
    if (timer !== undefined || waiting.size === 0 || isClosed) return;
    timer = setTimeout(async () => {
      await look();
      timer = undefined;
      poll();
    }, limits.pollMilliseconds);
    timer.unref();
  };

  const countOf = (accountId: number) => {
    let count = 0;
    for (const one of waiting) if (one.accountId === accountId) count += 1;
    return count;
  };

  return {
    wait(accountId, after, seconds) {
      const isFull = waiting.size >= limits.waitingMax;
      if (isClosed || isFull || countOf(accountId) >= limits.waitingOfAccountMax)
        return Promise.resolve(false);
      return new Promise((resolve) => {
        const timeout = setTimeout(() => one.end(), seconds * 1_000);
        const one: Waiting = {
          accountId,
          after,
          end() {
            clearTimeout(timeout);
            waiting.delete(one);
            resolve(!isClosed);
          },
        };
        waiting.add(one);
        poll();
      });
    },
    rest() {
      if (isClosed || resting.size >= limits.waitingMax) return Promise.resolve(false);
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timeout);
          resting.delete(end);
          resolve(!isClosed);
        };
        const timeout = setTimeout(end, limits.pollMilliseconds);
        resting.add(end);
      });
    },
    notify(accountIds) {
      if (waiting.size === 0) return;
      const changed = new Set(accountIds);
      for (const one of waiting) if (changed.has(one.accountId)) one.end();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const one of waiting) one.end();
      for (const end of resting) end();
    },
  };
}
