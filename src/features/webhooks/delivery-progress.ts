// Writes the deliverer's progress for all endpoints in batches.
// Invariant: every transaction first checks and holds the lease, so a process that lost it writes nothing.

import { unknownActor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { changesChannel, webhookChanged } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement, Transaction } from '../../platform/database/database.ts';
import { describeTable, int, type RowOf, time, writeRows } from '../../platform/database/table.ts';
import { holdLease } from '../../platform/jobs/job-leases.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { appendEvents } from '../events/event-log.ts';
import { type Attempt, webhookAttempts } from './delivery-log.ts';
import { type DisabledReason, operator, type Webhook, webhooks } from './webhook-table.ts';

export const deliveriesKind = 'deliveries';

export interface Fence {
  readonly leaseNumber: number;
}

/** Another process has the lease and continues from what was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

const progress = webhooks.pick(
  'id',
  'queueVersion',
  'cursor',
  'attemptCount',
  'headStep',
  'dueAt',
  'failuresInARow',
  'failingSince',
  'failedAt',
);

export type Progress = RowOf<typeof progress>;

const updateProgress = progress.update('note_webhook_progress', ['id', 'queueVersion'], 'returning t.id');
const insertAttempts = webhookAttempts.insert('insert_webhook_attempts');

export const webhookRetries = describeTable('webhook_retries', {
  webhookId: int('webhook_id'),
  accountId: int('account_id'),
  eventNumber: int('event_number'),
  step: int('step'),
  dueAt: time('due_at'),
  version: int('version'),
});

export type Retry = RowOf<typeof webhookRetries>;
export type EndedRetry = Pick<Retry, 'webhookId' | 'accountId' | 'eventNumber' | 'version'>;

const putRetries = webhookRetries.insert(
  'put_webhook_retries',
  `on conflict (webhook_id, account_id, event_number)
    do update set step = excluded.step, due_at = excluded.due_at
    where webhook_retries.version = excluded.version`,
);

/** Puts these events before all others that are due. The outcome of an attempt already running does not count for them. */
export const askForRetries = webhookRetries.insert(
  'ask_for_webhook_retries',
  `on conflict (webhook_id, account_id, event_number)
    do update set step = excluded.step, due_at = excluded.due_at, version = webhook_retries.version + 1`,
);

const endedRetries = webhookRetries.pick('webhookId', 'accountId', 'eventNumber', 'version');

const deleteRetries: SqlStatement = {
  name: 'end_webhook_retries',
  text: `delete from webhook_retries r using ${endedRetries.sent('row')}
    where r.webhook_id = row.webhook_id and r.account_id = row.account_id and r.event_number = row.event_number
      and r.version = row.version`,
};

const notify: SqlStatement = { name: 'notify_webhook', text: 'select pg_notify($1, $2)' };

/** Call last, before the audit log. The deliverer reads the endpoint again at COMMIT. */
export async function announceWebhook(transaction: Queryable, id: number): Promise<void> {
  await transaction.query(notify, [changesChannel, webhookChanged(id)]);
}

export interface Written {
  readonly progress: readonly Progress[];
  readonly attempts: readonly Attempt[];
  readonly setAside: readonly Retry[];
  readonly ended: readonly EndedRetry[];
}

/** Returns the endpoints that were written; deleted or moved ones are skipped. @throws LeaseLost: nothing is written */
export function writeProgress(
  database: Database,
  { leaseNumber }: Fence,
  written: Written,
): Promise<ReadonlySet<number>> {
  return fenced(database, leaseNumber, async (transaction) => {
    const rows = await writeRows(transaction, updateProgress, written.progress);
    const ids = new Set(rows.map((row) => Number(row['id'])));
    const isOf = ({ webhookId }: { readonly webhookId: number }) => ids.has(webhookId);
    const ended = written.ended.filter(isOf);
    await Promise.all([
      writeRows(transaction, insertAttempts, written.attempts.filter(isOf)),
      writeRows(transaction, putRetries, latest(written.setAside.filter(isOf))),
      ...(ended.length > 0 ? [transaction.query(deleteRetries, endedRetries.values(ended))] : []),
      transaction.commit(),
    ]);
    return ids;
  });
}

/** A statement can write a row only once, so keep the last one of each event. */
function latest(rows: readonly Retry[]): readonly Retry[] {
  return [
    ...new Map(rows.map((row) => [`${row.webhookId} ${row.accountId} ${row.eventNumber}`, row])).values(),
  ];
}

const lockState: SqlStatement = {
  name: 'lock_service_state',
  text: 'select currency from service_state for no key update',
};

/** Locks for changes of the operator's endpoints, like an account's lock does for its own endpoints. */
export async function lockOperator(transaction: Queryable): Promise<void> {
  await transaction.query(lockState);
}

const disable: SqlStatement = {
  name: 'disable_webhook',
  text: `update webhooks set enabled = false, disabled_at = to_timestamp($3::bigint), disabled_reason = $4::text
    where id = $1::int and queue_version = $2::int and enabled returning id`,
};

export async function switchOff(
  database: Database,
  { leaseNumber }: Fence,
  { id, accountId, url, queueVersion }: Pick<Webhook, 'id' | 'accountId' | 'url' | 'queueVersion'>,
  reason: DisabledReason,
  now: EpochSeconds,
): Promise<void> {
  await fenced(database, leaseNumber, async (transaction) => {
    if (accountId === operator) await lockOperator(transaction);
    else await lockAccount(transaction, accountId);
    const rows = await transaction.query(disable, [id, queueVersion, now, reason]);
    if (rows.length === 0) return;
    const data: JsonObject = { webhook: { id, url }, reason };
    if (accountId !== operator) {
      await appendEvents(transaction, accountId, [{ type: 'webhook.disabled', data }], now);
    }
    await announceWebhook(transaction, id);
    const entry = { actorId: unknownActor, accountId, action: 'webhook.disable', subject: `webhook ${id}` };
    await appendAudit(
      transaction,
      { ...entry, before: { enabled: true }, after: { enabled: false, reason } },
      now,
    );
  });
}

const lockAccountRow: SqlStatement = {
  name: 'lock_account_of_webhook',
  text: 'select event_count from accounts where id = $1::int for no key update',
};

/** Returns the account's event count. null: it has no listener, or there is no such account. */
export async function lockAccount(transaction: Queryable, accountId: number): Promise<number | null> {
  const [row] = await transaction.ofAccount(accountId).query(lockAccountRow, [accountId]);
  return row === undefined || row['event_count'] === null ? null : Number(row['event_count']);
}

function fenced<Result>(
  database: Database,
  leaseNumber: number,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.transaction(
    async (transaction) => {
      if (!(await holdLease(transaction, deliveriesKind, leaseNumber))) {
        throw new LeaseLost('Another process delivers by now.');
      }
      return work(transaction);
    },
    { rank: 'reads' },
  );
}
