// The only writer of mail_unsubscribes.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { MailSubscriber } from '../../platform/mail/unsubscribe-token.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const insertUnsubscribe: SqlStatement = {
  name: 'insert_mail_unsubscribe',
  text: `insert into mail_unsubscribes (account_id, address, unsubscribed_at)
    values ($1::int, $2, to_timestamp($3::bigint)) on conflict do nothing`,
};

const deleteUnsubscribe: SqlStatement = {
  name: 'delete_mail_unsubscribe',
  text: 'delete from mail_unsubscribes where account_id = $1::int and address = $2',
};

export async function unsubscribe(
  database: Queryable,
  { accountId, address }: MailSubscriber,
  now: EpochSeconds,
): Promise<void> {
  await database.query(insertUnsubscribe, [accountId, address, now]);
}

export async function subscribeAgain(
  database: Queryable,
  { accountId, address }: MailSubscriber,
): Promise<void> {
  await database.query(deleteUnsubscribe, [accountId, address]);
}
