// Remembers from where people sign in, and mails them about a new place. An address (an IPv6 /64) is known for 90 days after
// its last use. The only writer of known_addresses.
// Invariant: a person's first sign-in sends no mail.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import type { MailOutbox, MailToQueue } from '../../platform/mail/mail-outbox.ts';
import { addressNeighborhood, plainAddress } from '../../shared/ip-addresses.ts';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { mailAddressOf, type Person } from '../identity/people-table.ts';

// If a person signs in twice at once, the second transaction waits here for the first.
const insertAddress: SqlStatement = {
  name: 'insert_known_address',
  text: `insert into known_addresses (person_id, network, last_seen_at)
    values ($1::int, $2, to_timestamp($3::bigint)) on conflict do nothing returning 1`,
};

const seeAddress: SqlStatement = {
  name: 'see_known_address',
  text: `with earlier as (select last_seen_at from known_addresses where person_id = $1::int and network = $2 for update)
    update known_addresses k set last_seen_at = to_timestamp($3::bigint) from earlier
    where k.person_id = $1::int and k.network = $2
    returning earlier.last_seen_at > to_timestamp($4::bigint) as is_known`,
};

const hasOthers: SqlStatement = {
  name: 'has_other_known_addresses',
  text: `select exists (select 1 from known_addresses where person_id = $1::int and network <> $2) as has`,
};

const deleteAtOnceMax = 1_000;

// Keeps each person's latest row, because without it their next sign-in would count as their first.
const oldRows: OldRows = {
  deletion: {
    name: 'delete_old_known_addresses',
    text: `with gone as (delete from known_addresses where ctid = any(array(
      select k.ctid from known_addresses k where k.last_seen_at < to_timestamp($1::bigint)
        and (exists (select 1 from known_addresses o where o.person_id = k.person_id
            and (o.last_seen_at, o.network) > (k.last_seen_at, k.network))
          or exists (select 1 from people p where p.id = k.person_id and p.removed_at is not null))
      limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

export interface SignInPlace {
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language | null;
}

export interface KnownAddresses {
  noteSignIn(
    transaction: Queryable,
    account: Pick<Account, 'email'>,
    person: Pick<Person, 'id' | 'accountId' | 'email' | 'username' | 'language'>,
    from: SignInPlace,
    now: EpochSeconds,
  ): Promise<void>;
  deleteOld(database: Queryable, now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export function createKnownAddresses(mails: MailOutbox, knownSeconds: number): KnownAddresses {
  return {
    async noteSignIn(transaction, account, person, from, now) {
      const { id, accountId, username } = person;
      const email = mailAddressOf(person, account);
      const network = addressNeighborhood(from.address);
      if (await isKnown(transaction, { id, network, now, since: now - knownSeconds })) return;
      const [others] = await transaction.query(hasOthers, [id, network]);
      if (email === null || others?.['has'] !== true) return;
      const mail: MailToQueue = {
        accountId,
        to: email,
        kind: 'new_sign_in',
        occasion: `new_sign_in ${id} ${network} ${now}`,
        language: person.language ?? from.language,
        content: ({ t, moment }) => ({
          subject: t('mail_sign_in_subject'),
          parts: [
            { type: 'text', text: t('mail_sign_in_before') },
            {
              type: 'facts',
              facts: [
                [t('mail_username'), username],
                [t('mail_time'), moment(now)],
                [t('mail_address'), plainAddress(from.address)],
                [t('mail_browser'), from.userAgent || t('mail_browser_unknown')],
              ],
            },
            { type: 'text', text: t('mail_sign_in_after') },
          ],
        }),
      };
      await mails.queueMail(transaction, mail, now);
    },
    deleteOld: (database, now, signal) => deleteInPieces(database, oldRows, [now - knownSeconds], signal),
  };
}

async function isKnown(
  transaction: Queryable,
  { id, network, now, since }: { id: number; network: string; now: EpochSeconds; since: EpochSeconds },
): Promise<boolean> {
  const inserted = await transaction.query(insertAddress, [id, network, now]);
  if (inserted.length > 0) return false;
  const [seen] = await transaction.query(seeAddress, [id, network, now, since]);
  return seen?.['is_known'] === true;
}
