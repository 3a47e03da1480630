// Every delivery attempt, numbered per endpoint, shown to the endpoint's owner. A job shortens it.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import {
  describeTable,
  int,
  int8,
  nullableInt,
  nullableText,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { eventTypes } from '../events/event-schemas.ts';
import { type DeliveryStatus, deliveryStatuses } from './webhook-schemas.ts';

export const webhookAttempts = describeTable('webhook_attempts', {
  webhookId: int('webhook_id'),
  number: int8('number'),
  accountId: int('account_id'),
  eventNumber: int('event_number'),
  eventType: oneOf('event_type', eventTypes),
  /** Starts at 1 for each schedule of the event. */
  attempt: int('attempt'),
  at: time('at'),
  outcome: oneOf('outcome', deliveryStatuses),
  status: nullableInt('status'),
  reason: nullableText('reason'),
  milliseconds: int('milliseconds'),
  answer: text('answer'),
});

export type Attempt = RowOf<typeof webhookAttempts>;

const listAttempts: SqlStatement = {
  name: 'list_webhook_attempts',
  text: `select ${webhookAttempts.list('t')} from webhook_attempts t
    where t.webhook_id = $1::int and t.number < $2::bigint order by t.webhook_id, t.number desc limit $3::int`,
};

const listWithOutcome: SqlStatement = {
  name: 'list_webhook_attempts_by_outcome',
  text: `select ${webhookAttempts.list('t')} from webhook_attempts t
    where t.webhook_id = $1::int and t.outcome = $4::text and t.number < $2::bigint
    order by t.webhook_id, t.outcome, t.number desc limit $3::int`,
};

export interface AttemptQuestion {
  readonly webhookId: number;
  readonly outcome: DeliveryStatus | null;
  readonly before: number | null;
  readonly limit: number;
}

/** Newest first. `next` is the cursor for older attempts, or null. */
export async function listDeliveries(
  database: Queryable,
  { webhookId, outcome, before, limit }: AttemptQuestion,
): Promise<{ readonly attempts: readonly Attempt[]; readonly next: number | null }> {
  const values = [webhookId, before ?? Number.MAX_SAFE_INTEGER, limit + 1];
  const rows = await (outcome === null
    ? database.query(listAttempts, values)
    : database.query(listWithOutcome, [...values, outcome]));
  const attempts = rows.slice(0, limit).map((row) => webhookAttempts.parse(row));
  return { attempts, next: rows.length > limit ? (attempts.at(-1)?.number ?? null) : null };
}

const deleteAtOnceMax = 1_000;

const oldestAttempts: OldRows = {
  deletion: {
    name: 'delete_old_webhook_attempts',
    text: `with oldest as (
      select number, at from webhook_attempts where webhook_id = $1::int order by number limit ${deleteAtOnceMax}),
    gone as (
      delete from webhook_attempts t using oldest o
      where t.webhook_id = $1::int and t.number = o.number
        and (o.at < to_timestamp($2::bigint) or o.number <= $3::bigint) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

const deleteRetries: SqlStatement = {
  name: 'delete_webhook_retries',
  text: 'delete from webhook_retries where webhook_id = $1::int',
};

const noteLeftover: SqlStatement = {
  name: 'note_webhook_leftover',
  text: 'insert into webhook_leftovers (webhook_id) values ($1::int) on conflict do nothing',
};

const forEver = 1_000_000_000_000;
/** With these values, every row counts as too old. */
const everything = [forEver, Number.MAX_SAFE_INTEGER];

/** Call in the transaction that deletes the endpoint. A job deletes what exceeds one statement. */
export async function deleteLog(transaction: Queryable, webhookId: number): Promise<void> {
  await transaction.query(deleteRetries, [webhookId]);
  const [row] = await transaction.query(oldestAttempts.deletion, [webhookId, ...everything]);
  if (Number(row?.['count'] ?? 0) >= deleteAtOnceMax) await transaction.query(noteLeftover, [webhookId]);
}

export async function leaveLog(transaction: Queryable, webhookId: number): Promise<void> {
  await transaction.query(deleteRetries, [webhookId]);
  await transaction.query(noteLeftover, [webhookId]);
}

const listLogs: SqlStatement = {
  name: 'list_webhook_logs',
  text: `select id, attempt_count from webhooks where id > $1::int and attempt_count > 0 order by id limit 500`,
};

const listLeftovers: SqlStatement = {
  name: 'list_webhook_leftovers',
  text: 'select webhook_id from webhook_leftovers order by webhook_id limit 500',
};

const endLeftover: SqlStatement = {
  name: 'end_webhook_leftover',
  text: 'delete from webhook_leftovers where webhook_id = $1::int',
};

export interface LogLimits {
  readonly keptSeconds: number;
  readonly keptPerWebhookMax: number;
}

export async function shortenLogs(
  database: Database,
  { keptSeconds, keptPerWebhookMax }: LogLimits,
  now: EpochSeconds,
  signal: AbortSignal,
): Promise<number> {
  const before = now - keptSeconds;
  for (;;) {
    const rows = await database.query(listLeftovers);
    if (rows.length === 0) break;
    for (const row of rows) {
      const id = Number(row['webhook_id']);
      if (await deleteInPieces(database, oldestAttempts, [id, ...everything], signal)) return rows.length;
      await database.query(endLeftover, [id]);
    }
  }
  let last = 0;
  for (;;) {
    const rows = await database.query(listLogs, [last]);
    for (const row of rows) {
      const id = Number(row['id']);
      const tooMany = Number(row['attempt_count']) - keptPerWebhookMax;
      if (await deleteInPieces(database, oldestAttempts, [id, before, tooMany], signal)) return 1;
      last = id;
    }
    if (rows.length === 0) return 0;
  }
}
