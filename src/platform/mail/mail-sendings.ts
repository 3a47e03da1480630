// The steps of a mail in the outbox: begun, sent, taken back, postponed, given up.
// Invariant: only one process begins a mail, and it can begin again only after it was taken back.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from '../database/database.ts';
import type { OldRows } from '../database/delete-in-pieces.ts';
import { textArray } from '../database/sql-arrays.ts';
import { optionalKinds } from './mail-kinds.ts';
import { type OutgoingMail, outgoingMails } from './mail-outbox.ts';

const isWaiting = 'm.sent_at is null and m.gave_up_at is null';

const listDue: SqlStatement = {
  name: 'list_due_mails',
  // Recent security mail is counted by account, so that another account cannot use up an address's limit.
  text: `select ${outgoingMails.list('m')},
      (select count(*) from mails o where o.to_address = m.to_address and o.sent_at > to_timestamp($2::bigint)
        and case when m.kind = any($4::text[]) then o.kind = any($4::text[])
          else o.kind <> all($4::text[]) and o.account_id is not distinct from m.account_id end) as recent,
      (select count(*) from mails o where o.account_id = m.account_id and o.sent_at > to_timestamp($2::bigint)
        and o.kind = any($4::text[])) as recent_of_account
    from mails m where ${isWaiting} and m.begun_at is null and m.send_after <= to_timestamp($1::bigint)
    order by m.kind = any($4::text[]), m.send_after, m.id limit $3::int`,
};

const countWaiting: SqlStatement = {
  name: 'count_due_mails',
  text: `select count(*) as count from (select 1 from mails m
    where ${isWaiting} and m.begun_at is null and m.send_after <= to_timestamp($1::bigint) limit 1000) due`,
};

const beginOne: SqlStatement = {
  name: 'begin_mail',
  text: `update mails m set begun_at = to_timestamp($2::bigint), attempts = m.attempts + 1
    where m.id = $1::int and ${isWaiting} and m.begun_at is null returning ${outgoingMails.list('m')}`,
};

// Also for a mail that was given up because its outcome was unknown: the outcome is known now.
const endOne: SqlStatement = {
  name: 'end_mail',
  text: `update mails m set sent_at = to_timestamp($2::bigint), sealed_body = null, last_error = null, gave_up_at = null
    where m.id = $1::int and m.sent_at is null`,
};

const takeBack: SqlStatement = {
  name: 'take_back_mail',
  text: `update mails m set begun_at = null, send_after = to_timestamp($2::bigint), last_error = $3
    where m.id = $1::int and ${isWaiting}`,
};

const postponeOne: SqlStatement = {
  name: 'postpone_mail',
  text: `update mails m set send_after = to_timestamp($2::bigint), last_error = $3
    where m.id = $1::int and ${isWaiting} and m.begun_at is null`,
};

const giveUpOne: SqlStatement = {
  name: 'give_up_mail',
  text: `update mails m set gave_up_at = to_timestamp($2::bigint), sealed_body = null, last_error = $3
    where m.id = $1::int and ${isWaiting}`,
};

const giveUpOverdue: SqlStatement = {
  name: 'give_up_overdue_mails',
  text: `update mails m set gave_up_at = to_timestamp($1::bigint), sealed_body = null,
      last_error = coalesce(m.last_error, 'it was not sent in time')
    where ${isWaiting} and m.begun_at is null and m.expires_at <= to_timestamp($1::bigint)
    returning m.id, m.kind, m.last_error as reason`,
};

const giveUpUnknown: SqlStatement = {
  name: 'give_up_unknown_mails',
  text: `update mails m set gave_up_at = to_timestamp($1::bigint), sealed_body = null,
      last_error = 'unknown outcome: the process that sent it ended'
    where ${isWaiting} and m.begun_at <= to_timestamp($2::bigint)
    returning m.id, m.kind, m.last_error as reason`,
};

const deleteAtOnceMax = 1_000;

export const oldMails: OldRows = {
  deletion: {
    name: 'delete_old_mails',
    text: `with gone as (delete from mails where ctid = any(array(
      select ctid from mails where created_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

export interface DueMail {
  readonly mail: OutgoingMail;
  /** Recent mails of its class to this address. For security mail, only those about its account count. */
  readonly recent: number;
  readonly recentOfAccount: number;
}

export async function listDueMails(
  database: Queryable,
  { now, since, limit }: { now: EpochSeconds; since: EpochSeconds; limit: number },
): Promise<DueMail[]> {
  const rows = await database.query(listDue, [now, since, limit, textArray(optionalKinds)]);
  return rows.map((row) => ({
    mail: outgoingMails.parse(row),
    recent: Number(row['recent']),
    recentOfAccount: Number(row['recent_of_account']),
  }));
}

export async function countDueMails(database: Queryable, now: EpochSeconds): Promise<number> {
  const [row] = await database.query(countWaiting, [now]);
  return Number(row?.['count'] ?? 0);
}

/** @returns null if another process has begun the mail, or if it was sent or given up */
export async function beginMail(
  database: Queryable,
  id: number,
  now: EpochSeconds,
): Promise<OutgoingMail | null> {
  const [row] = await database.query(beginOne, [id, now]);
  return row === undefined ? null : outgoingMails.parse(row);
}

export async function endMail(database: Queryable, id: number, now: EpochSeconds): Promise<void> {
  await database.query(endOne, [id, now]);
}

/** For a mail that was certainly not sent: it may begin again. */
export async function takeMailBack(
  database: Queryable,
  id: number,
  { sendAfter, reason }: { sendAfter: EpochSeconds; reason: string },
): Promise<void> {
  await database.query(takeBack, [id, sendAfter, reason]);
}

export async function postponeMail(
  database: Queryable,
  id: number,
  { sendAfter, reason }: { sendAfter: EpochSeconds; reason: string },
): Promise<void> {
  await database.query(postponeOne, [id, sendAfter, reason]);
}

export async function giveMailUp(
  database: Queryable,
  id: number,
  reason: string,
  now: EpochSeconds,
): Promise<void> {
  await database.query(giveUpOne, [id, now, reason]);
}

export interface GivenUpMail {
  readonly id: number;
  readonly kind: string;
  readonly reason: string;
}

/** Expired mails, and those that began before `begunBefore` without a recorded end. */
export async function giveOldMailsUp(
  database: Queryable,
  { now, begunBefore }: { now: EpochSeconds; begunBefore: EpochSeconds },
): Promise<GivenUpMail[]> {
  const [overdue, unknown] = await Promise.all([
    database.query(giveUpOverdue, [now]),
    database.query(giveUpUnknown, [now, begunBefore]),
  ]);
  return [...overdue, ...unknown].map((row) => ({
    id: Number(row['id']),
    kind: String(row['kind']),
    reason: String(row['reason']),
  }));
}
