// One click, and an address gets no more alerts of an account (RFC 8058). The link says whose address it is, signed under
// SECRET_KEY: it works without a session and as long as that key is known, and nobody can make one for somebody else.
// Whoever has it may also change their mind. The only writer of mail_unsubscribes.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { plainMailAddress } from '../../shared/mail-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';

/** Below PUBLIC_URL. */
export const unsubscribePath = '/panel/unsubscribe/';

export interface MailSubscriber {
  readonly accountId: number;
  readonly address: string;
}

const insertUnsubscribe: SqlStatement = {
  name: 'insert_mail_unsubscribe',
  text: `insert into mail_unsubscribes (account_id, address, unsubscribed_at)
    values ($1::int, $2, to_timestamp($3::bigint)) on conflict do nothing`,
};

const deleteUnsubscribe: SqlStatement = {
  name: 'delete_mail_unsubscribe',
  text: 'delete from mail_unsubscribes where account_id = $1::int and address = $2',
};

/** Below unsubscribePath: letters, digits, dots, "-" and "_". */
export function unsubscribeToken(seal: Seal, { accountId, address }: MailSubscriber): string {
  const plain = plainMailAddress(address);
  const written = Buffer.from(plain).toString('base64url');
  return `${accountId}.${written}.${seal.sign(signedText(accountId, plain))}`;
}

/** null: it was not made here. */
export function readUnsubscribeToken(seal: Seal, token: string): MailSubscriber | null {
  const [, id, written = '', signature = ''] =
    /^([1-9]\d{0,6})\.([\w-]{1,400})\.([\w-]{22})$/.exec(token) ?? [];
  if (id === undefined) return null;
  const [accountId, address] = [Number(id), Buffer.from(written, 'base64url').toString()];
  return seal.isSigned(signedText(accountId, address), signature) ? { accountId, address } : null;
}

function signedText(accountId: number, address: string): string {
  return `mail to ${address} of account ${accountId}`;
}

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
