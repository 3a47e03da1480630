// Owners create, change and delete endpoints. An account owns its endpoints; `operator` owns those for all accounts.
// Invariant: a change, its audit entry and its idempotency key are one transaction under the owner's lock.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Changed, createRunOnce, type Done } from '../../platform/database/idempotent-change.ts';
import { writeRows } from '../../platform/database/table.ts';
import { mintSecret } from '../../platform/outbound/webhook-signature.ts';
import { type Seal, type SealedTexts, sealedChangeValues } from '../../platform/secrets/seal.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { listenToAccount, listenToEverybody } from '../events/event-log.ts';
import type { EventType } from '../events/event-schemas.ts';
import { positionOf, streamEnd } from '../events/event-stream.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import { deleteLog, leaveLog } from './delivery-log.ts';
import { announceWebhook, askForRetries, lockAccount, lockOperator } from './delivery-progress.ts';
import { webhooksPerAccountMax } from './webhook-schemas.ts';
import { operator, secretContext, type Webhook, webhooks } from './webhook-table.ts';

export interface WebhookSettings {
  readonly url: string;
  readonly types: readonly EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
}

export interface Asked {
  readonly accountId: number;
  readonly idempotencyKey: string | null;
  readonly author: AuditAuthor;
  readonly now: EpochSeconds;
}

const newWebhooks = webhooks.pick(
  'accountId',
  'url',
  'types',
  'description',
  'enabled',
  'sealedSecret',
  'createdAt',
  'cursor',
);
const insertWebhook = newWebhooks.insert('insert_webhook', 'returning id');

const listOfOwner: SqlStatement = {
  name: 'list_webhooks',
  text: `select ${webhooks.list('w')} from webhooks w where w.account_id = $1::int order by w.account_id, w.id`,
};

const findOfOwner: SqlStatement = {
  name: 'find_webhook',
  text: `select ${webhooks.list('w')} from webhooks w where w.id = $2::int and w.account_id = $1::int`,
};

export async function listWebhooks(database: Queryable, accountId: number): Promise<Webhook[]> {
  return (await database.query(listOfOwner, [accountId])).map((row) => webhooks.parse(row));
}

export async function findWebhook(
  database: Queryable,
  accountId: number,
  id: number,
): Promise<Webhook | null> {
  const [row] = await database.query(findOfOwner, [accountId, id]);
  return row === undefined ? null : webhooks.parse(row);
}

export interface NewWebhook {
  readonly webhook: Webhook;
  readonly secret: string | null;
}

export async function createWebhook(
  database: Database,
  seal: Seal,
  settings: WebhookSettings,
  asked: Asked,
): Promise<Done<NewWebhook> | Refusal> {
  const { accountId, author, now } = asked;
  // Run outside the transaction, because it visits every account. If it fails, a repeated request continues it.
  if (accountId === operator) await listenToEverybody(database, 'live');
  return owned<NewWebhook>(
    database,
    asked,
    ['create', settings],
    async (transaction) => {
      const others = await listWebhooks(transaction, accountId);
      if (others.length >= webhooksPerAccountMax) {
        return refusal('too_many_webhooks', { limit: webhooksPerAccountMax });
      }
      const secret = mintSecret();
      const cursor = await presentEnd(transaction, accountId);
      const row = {
        ...settings,
        accountId,
        sealedSecret: seal.seal(secret, secretContext(accountId)),
        createdAt: now,
        cursor,
      };
      const [inserted] = await writeRows(transaction, insertWebhook, [row]);
      const id = Number(inserted?.['id']);
      await announceWebhook(transaction, id);
      const entry = { ...author, accountId, action: 'webhook.create', subject: `webhook ${id}` };
      await appendAudit(transaction, { ...entry, before: null, after: auditView(settings) }, now);
      const webhook = await findWebhook(transaction, accountId, id);
      return webhook === null ? refusal('webhook_not_found') : { id, result: { webhook, secret } };
    },
    (webhook) => webhook && { webhook, secret: null },
  );
}

/** The endpoint gets events after this one. Events still in progress get later stream positions, so it gets them too. */
async function presentEnd(transaction: Queryable, accountId: number): Promise<number> {
  if (accountId === operator) return Number(await streamEnd(transaction));
  await listenToAccount(transaction, accountId);
  return (await lockAccount(transaction, accountId)) ?? 0;
}

const updateSettings: SqlStatement = {
  name: 'change_webhook',
  text: `update webhooks set url = $2::text, types = $3::text[], description = $4::text, enabled = $5::boolean,
      queue_version = queue_version + $6::int,
      head_step = case when $6::int = 0 then head_step else 0 end,
      due_at = case when $6::int = 0 then due_at end,
      failures_in_a_row = case when $6::int = 0 then failures_in_a_row else 0 end,
      failing_since = case when $6::int = 0 then failing_since end,
      failed_at = case when $6::int = 0 then failed_at end,
      disabled_at = case when $5::boolean then null else disabled_at end,
      disabled_reason = case when $5::boolean then null else disabled_reason end
    where id = $1::int`,
};

/** A new address, other types or enabling make waiting events due at once. */
export function changeWebhook(
  database: Database,
  id: number,
  changes: Partial<WebhookSettings>,
  asked: Asked,
): Promise<Done<Webhook> | Refusal> {
  const { accountId, author, now } = asked;
  return owned(
    database,
    asked,
    ['change', id, changes],
    async (transaction) => {
      const webhook = await findWebhook(transaction, accountId, id);
      if (webhook === null) return refusal('webhook_not_found');
      const { url, types, description, enabled } = { ...webhook, ...changes };
      const after = { url, types, description, enabled };
      const isFresh =
        url !== webhook.url || types.join() !== webhook.types.join() || (enabled && !webhook.enabled);
      await transaction.query(updateSettings, [id, url, types, description, enabled, isFresh ? 1 : 0]);
      const [was, is] = [auditView(webhook), auditView(after)];
      await announceWebhook(transaction, id);
      if (JSON.stringify(was) !== JSON.stringify(is)) {
        const entry = { ...author, accountId, action: 'webhook.update', subject: `webhook ${id}` };
        await appendAudit(transaction, { ...entry, before: was, after: is }, now);
      }
      const changed = await findWebhook(transaction, accountId, id);
      return changed === null ? refusal('webhook_not_found') : { id, result: changed };
    },
    (webhook) => webhook,
  );
}

const deleteRow: SqlStatement = {
  name: 'delete_webhook',
  text: 'delete from webhooks where id = $1::int',
};

export function deleteWebhook(database: Database, id: number, asked: Asked): Promise<Done<true> | Refusal> {
  const { accountId, author, now } = asked;
  return owned(
    database,
    asked,
    ['delete', id],
    async (transaction) => {
      const webhook = await findWebhook(transaction, accountId, id);
      if (webhook === null) return refusal('webhook_not_found');
      // Delete the row first: the deliverer has either written before this, or finds that the endpoint is gone.
      await transaction.query(deleteRow, [id]);
      await deleteLog(transaction, id);
      await announceWebhook(transaction, id);
      const entry = { ...author, accountId, action: 'webhook.delete', subject: `webhook ${id}` };
      await appendAudit(transaction, { ...entry, before: auditView(webhook), after: null }, now);
      return { id, result: true };
    },
    () => true,
  );
}

const deleteRowsOf: SqlStatement = {
  name: 'delete_webhooks_of_account',
  text: 'delete from webhooks where account_id = $1::int returning id',
};

/** Deletes the endpoints of a reset test. A job deletes their logs. */
export async function deleteWebhooksOf(transaction: Queryable, accountId: number): Promise<void> {
  for (const row of await transaction.query(deleteRowsOf, [accountId])) {
    const id = Number(row['id']);
    await leaveLog(transaction, id);
    await announceWebhook(transaction, id);
  }
}

const disableRowsOf: SqlStatement = {
  name: 'disable_webhooks_of_account',
  text: 'update webhooks set enabled = false where account_id = $1::int and enabled returning id',
};

/** For a closed account, in its transaction. */
export async function disableWebhooksOf(transaction: Queryable, accountId: number): Promise<void> {
  for (const row of await transaction.query(disableRowsOf, [accountId]))
    await announceWebhook(transaction, Number(row['id']));
}

const replaceSecret: SqlStatement = {
  name: 'replace_webhook_secret',
  text: `update webhooks set sealed_previous_secret = case when $4::bigint is null then null else sealed_secret end,
      previous_until = to_timestamp($4::bigint), sealed_secret = $3::text
    where id = $1::int and account_id = $2::int`,
};

export function rotateSecret(
  database: Database,
  seal: Seal,
  id: number,
  overlapHours: number,
  asked: Asked,
): Promise<Done<NewWebhook> | Refusal> {
  const { accountId, author, now } = asked;
  return owned<NewWebhook>(
    database,
    asked,
    ['secret', id, overlapHours],
    async (transaction) => {
      if ((await findWebhook(transaction, accountId, id)) === null) return refusal('webhook_not_found');
      const secret = mintSecret();
      const until = overlapHours === 0 ? null : now + overlapHours * 3_600;
      const sealed = seal.seal(secret, secretContext(accountId));
      await transaction.query(replaceSecret, [id, accountId, sealed, until]);
      await announceWebhook(transaction, id);
      const entry = { ...author, accountId, action: 'webhook.new_secret', subject: `webhook ${id}` };
      await appendAudit(transaction, { ...entry, before: null, after: { overlap_hours: overlapHours } }, now);
      const webhook = await findWebhook(transaction, accountId, id);
      return webhook === null ? refusal('webhook_not_found') : { id, result: { webhook, secret } };
    },
    (webhook) => webhook && { webhook, secret: null },
  );
}

const findEventExists: SqlStatement = {
  name: 'find_event_to_redeliver',
  text: 'select true as found from events where account_id = $1::int and number = $2::int',
};

/** This time is before any scheduled one. */
const atOnce: EpochSeconds = 0;

export interface EventName {
  readonly accountId: number;
  readonly number: number;
}

/** The event goes ahead of waiting ones. A disabled endpoint gets it once it is enabled. */
export function redeliverOne(
  database: Database,
  id: number,
  { accountId: eventAccountId, number: eventNumber }: EventName,
  asked: Asked,
): Promise<Done<Webhook> | Refusal> {
  const { accountId } = asked;
  return owned(
    database,
    asked,
    ['redeliver', id, eventAccountId, eventNumber],
    async (transaction) => {
      const webhook = await findWebhook(transaction, accountId, id);
      if (webhook === null) return refusal('webhook_not_found');
      const isTheirs = accountId === operator || accountId === eventAccountId;
      const [found] = isTheirs ? await transaction.query(findEventExists, [eventAccountId, eventNumber]) : [];
      if (found === undefined) return refusal('event_not_found');
      const retry = {
        webhookId: id,
        accountId: eventAccountId,
        eventNumber,
        step: 0,
        dueAt: atOnce,
        version: 1,
      };
      await writeRows(transaction, askForRetries, [retry]);
      await announceWebhook(transaction, id);
      return { id, result: webhook };
    },
    (webhook) => webhook,
  );
}

const turnBack: SqlStatement = {
  name: 'turn_webhook_back',
  text: `update webhooks set cursor = least(cursor, $2::bigint), queue_version = queue_version + 1, head_step = 0, due_at = null
    where id = $1::int`,
};

// Times rise with numbers and positions, so a binary search by number finds a time without an index.
const findAtNumber: SqlStatement = {
  name: 'find_event_at_number',
  text: `select number as place, extract(epoch from created_at)::bigint as at from events
    where account_id = $1::int and number >= $2::bigint order by account_id, number limit 1`,
};

const findAtPosition: SqlStatement = {
  name: 'find_event_at_position',
  text: `select position as place, extract(epoch from created_at)::bigint as at from event_stream
    where $1::int = 0 and position >= $2::bigint order by position limit 1`,
};

async function findFirstSince(
  transaction: Queryable,
  accountId: number,
  at: EpochSeconds,
): Promise<number | null> {
  const end =
    accountId === operator
      ? Number(await streamEnd(transaction))
      : ((await lockAccount(transaction, accountId)) ?? 0);
  return findFirstUpTo(transaction, accountId, at, end);
}

export async function findFirstUpTo(
  transaction: Queryable,
  accountId: number,
  at: EpochSeconds,
  end: number,
): Promise<number | null> {
  const isWhole = accountId === operator;
  let found: number | null = null;
  for (let [low, high] = [1, end]; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await transaction.query(isWhole ? findAtPosition : findAtNumber, [accountId, middle]);
    const place = row === undefined ? null : Number(row['place']);
    if (place !== null && Number(row?.['at']) < at) low = place + 1;
    else {
      if (place !== null) found = place;
      high = middle - 1;
    }
  }
  return found;
}

export type Since = { readonly at: EpochSeconds } | { readonly event: EventName };

export function redeliverSince(
  database: Database,
  id: number,
  since: Since,
  asked: Asked,
): Promise<Done<Webhook> | Refusal> {
  const { accountId, author, now } = asked;
  return owned(
    database,
    asked,
    ['redeliver', id, since],
    async (transaction) => {
      if ((await findWebhook(transaction, accountId, id)) === null) return refusal('webhook_not_found');
      const before = await placeBefore(transaction, accountId, since);
      if (before === 'unknown') return refusal('event_not_found');
      if (before !== null) await transaction.query(turnBack, [id, before]);
      await announceWebhook(transaction, id);
      const from = 'at' in since ? formatTime(since.at) : publicId(since.event.accountId, since.event.number);
      const entry = { ...author, accountId, action: 'webhook.redeliver', subject: `webhook ${id}` };
      await appendAudit(transaction, { ...entry, before: null, after: { from } }, now);
      const webhook = await findWebhook(transaction, accountId, id);
      return webhook === null ? refusal('webhook_not_found') : { id, result: webhook };
    },
    (webhook) => webhook,
  );
}

async function placeBefore(
  transaction: Queryable,
  accountId: number,
  since: Since,
): Promise<number | null | 'unknown'> {
  if ('at' in since) {
    const first = await findFirstSince(transaction, accountId, since.at);
    return first === null ? null : first - 1;
  }
  const { event } = since;
  if (accountId !== operator && accountId !== event.accountId) return 'unknown';
  const [found] = await transaction.query(findEventExists, [event.accountId, event.number]);
  if (found === undefined) return 'unknown';
  if (accountId !== operator) return event.number - 1;
  // An event without a stream position is still on its way to the endpoint.
  const position = await positionOf(transaction, event.accountId, event.number);
  return position === null ? null : Number(position) - 1;
}

const listDisabledRows: SqlStatement = {
  name: 'list_disabled_webhooks',
  text: `select ${webhooks.list('w')} from webhooks w
    where w.account_id = $1::int and w.disabled_at is not null order by w.account_id, w.id`,
};

/** Endpoints that the service disabled and that are not enabled again. */
export async function listDisabledWebhooks(database: Queryable, accountId: number): Promise<Webhook[]> {
  return (await database.query(listDisabledRows, [accountId])).map((row) => webhooks.parse(row));
}

const runOnce = createRunOnce('webhook_requests', 'webhook_id');

/** `again` makes the result of a replay from the current endpoint. It returns null if the endpoint is gone. */
async function owned<Result>(
  database: Database,
  { accountId, idempotencyKey, now }: Asked,
  what: readonly unknown[],
  work: (transaction: Queryable) => Promise<Changed<Result> | Refusal>,
  again: (webhook: Webhook | null) => Result | null,
): Promise<Done<Result> | Refusal> {
  return database.transaction(async (transaction): Promise<Done<Result> | Refusal> => {
    if (accountId === operator) await lockOperator(transaction);
    else if (!(await lockAccountInUse(transaction, accountId))) return refusal('reset_in_progress');
    return runOnce(
      transaction,
      { accountId, idempotencyKey, what, now },
      () => work(transaction),
      async (id) => again(await findWebhook(transaction, accountId, id)) ?? refusal('webhook_not_found'),
    );
  });
}

function auditView({ url, types, description, enabled }: WebhookSettings): JsonObject {
  return { url, types: [...types], description, enabled };
}

function sealedColumn(column: 'sealed_secret' | 'sealed_previous_secret'): SealedTexts {
  const list: SqlStatement = {
    name: `list_webhook_${column}s`,
    text: `select w.id, w.account_id, w.${column} as sealed from webhooks w
      where w.id > $1::int and w.${column} is not null order by w.id limit 200`,
  };
  const replace: SqlStatement = {
    name: `replace_webhook_${column}s`,
    text: `update webhooks w set ${column} = new.sealed
      from unnest($1::int[], $2::text[], $3::text[]) as new (id, earlier, sealed)
      where w.id = new.id and w.${column} = new.earlier`,
  };
  return {
    async list(database, after) {
      const rows = await database.query(list, [after]);
      return rows.map((row) => ({
        id: Number(row['id']),
        sealed: String(row['sealed']),
        context: secretContext(Number(row['account_id'])),
      }));
    },
    async replace(database, changes) {
      await database.query(replace, sealedChangeValues(changes));
    },
  };
}

export const sealedWebhookSecrets: readonly SealedTexts[] = [
  sealedColumn('sealed_secret'),
  sealedColumn('sealed_previous_secret'),
];
