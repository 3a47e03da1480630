// Which of the provider's events are handled, and up to which time all are. Events of payments are not noted: the payment's
// own row says that it is credited. The only writer of payment_events and payment_event_cursors.
// Invariant: an event counts as handled only once its effect is committed.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const find: SqlStatement = {
  name: 'find_payment_event',
  text: 'select event_id from payment_events where provider = $1::text and event_id = $2::text',
};

const insert: SqlStatement = {
  name: 'insert_payment_event',
  text: `insert into payment_events (provider, event_id, handled_at) values ($1::text, $2::text, to_timestamp($3::bigint))
    on conflict do nothing`,
};

export async function isHandled(database: Queryable, provider: string, eventId: string): Promise<boolean> {
  return (await database.query(find, [provider, eventId])).length > 0;
}

export async function noteHandled(
  database: Queryable,
  provider: string,
  eventId: string,
  now: EpochSeconds,
): Promise<void> {
  await database.query(insert, [provider, eventId, now]);
}

const findCursor: SqlStatement = {
  name: 'find_payment_event_cursor',
  text: 'select occurred_at from payment_event_cursors where provider = $1::text',
};

const writeCursor: SqlStatement = {
  name: 'set_payment_event_cursor',
  text: `insert into payment_event_cursors (provider, occurred_at) values ($1::text, to_timestamp($2::bigint))
    on conflict (provider) do update set occurred_at = excluded.occurred_at`,
};

/** By the provider's clock; null: no event was seen yet. */
export async function findEventCursor(database: Queryable, provider: string): Promise<EpochSeconds | null> {
  const [row] = await database.query(findCursor, [provider]);
  return nullable(Number, row?.['occurred_at'] ?? null);
}

export async function moveEventCursor(
  database: Queryable,
  provider: string,
  occurredAt: EpochSeconds,
): Promise<void> {
  await database.query(writeCursor, [provider, occurredAt]);
}

const rowsAtOnce = 1_000;
/** The provider sends an event again for three days, and lists it for thirty. */
const keptSeconds = 40 * 86_400;

const deleteOld: SqlStatement = {
  name: 'delete_old_payment_events',
  text: `delete from payment_events where (provider, event_id) in (
    select provider, event_id from payment_events where handled_at < to_timestamp($1::bigint) limit ${rowsAtOnce})
    returning event_id`,
};

/** @returns whether some are left */
export async function deleteOldPaymentEvents(database: Database, now: EpochSeconds): Promise<boolean> {
  return (await database.query(deleteOld, [now - keptSeconds])).length === rowsAtOnce;
}
