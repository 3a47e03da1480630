// What the panel asks before it sends events again: how many there are, and whether one is still waiting.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { countEvents } from '../events/account-feed.ts';
import { countSkippedNumbers } from '../events/event-gaps.ts';
import { findFirstUpTo } from './webhook-store.ts';
import type { Webhook } from './webhook-table.ts';

const countedMax = 10_000;

const countOfTypes: SqlStatement = {
  name: 'count_events_of_types',
  text: `select sum((select count(*) from (
      select 1 from events e
      where e.account_id = $1::int and e.type = wanted.type and e.number between $3::int and $4::int
      limit ${countedMax + 1}) few)) as count
    from unnest($2::text[]) wanted (type)`,
};

export interface EventCount {
  readonly count: number;
  readonly isMore: boolean;
}

export async function countSince(
  database: Database,
  { types }: Pick<Webhook, 'types'>,
  accountId: number,
  at: EpochSeconds,
): Promise<EventCount> {
  const ofAccount = database.ofAccount(accountId);
  const end = (await countEvents(database, [accountId])).get(accountId) ?? 0;
  const first = await findFirstUpTo(ofAccount, accountId, at, end);
  if (first === null) return { count: 0, isMore: false };
  if (types.length === 0) {
    const skipped = await countSkippedNumbers(database, accountId, { first, last: end });
    return { count: end - first + 1 - skipped, isMore: false };
  }
  const [row] = await ofAccount.query(countOfTypes, [accountId, textArray(types), first, end]);
  const count = Number(row?.['count'] ?? 0);
  return { count: Math.min(count, countedMax), isMore: count > countedMax };
}

const findRetry: SqlStatement = {
  name: 'find_webhook_retry',
  text: `select extract(epoch from r.due_at)::bigint as due_at from webhook_retries r
    where r.webhook_id = $1::int and r.account_id = $2::int and r.event_number = $3::int`,
};

/** Returns null if the event is not waiting. `dueAt` is null if it will be sent in its turn. */
export async function findWaiting(
  database: Database,
  webhook: Webhook,
  event: { readonly number: number; readonly type: string | null },
): Promise<{ readonly dueAt: EpochSeconds | null } | null> {
  const [retry] = await database.query(findRetry, [webhook.id, webhook.accountId, event.number]);
  if (retry !== undefined) return { dueAt: nullable(Number, retry['due_at']) };
  const { cursor, types, dueAt } = webhook;
  const isOfThem = types.length === 0 || types.some((type) => type === event.type);
  return event.number > cursor && isOfThem ? { dueAt } : null;
}
