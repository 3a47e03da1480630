// From where a person signs in, and the mail that says when that is new. Called in the transaction that begins a
// session. An address is known for 90 days after the last sign-in from it; for IPv6 its /64 is one address, which
// changes by itself within it. The only writer of known_addresses.
// Always true: the first sign-in of a person tells nobody anything: every address would be new.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import type { MailOutbox, MailToQueue } from '../../platform/mail/mail-outbox.ts';
import { addressNeighbourhood, plainAddress } from '../../shared/ip-addresses.ts';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { mailAddressOf, type Person } from '../identity/people-table.ts';

// Of two sign-ins at once the second one waits here for the first.
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

// Each person's last one stays, unless they were removed: without any, their next sign-in would be a first one.
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
  /** The browser's; null: it names none. */
  readonly language: Language | null;
}

export interface KnownAddresses {
  /** In the transaction that begins the session. */
  noteSignIn(
    transaction: Queryable,
    account: Pick<Account, 'email'>,
    person: Pick<Person, 'id' | 'accountId' | 'email' | 'username' | 'language'>,
    from: SignInPlace,
    now: EpochSeconds,
  ): Promise<void>;
  /** Whether some may be left, because the signal said stop. */
  deleteOld(database: Queryable, now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export function createKnownAddresses(mails: MailOutbox, knownSeconds: number): KnownAddresses {
  return {
    async noteSignIn(transaction, account, person, from, now) {
      const { id, accountId, username } = person;
      const email = mailAddressOf(person, account);
      const network = addressNeighbourhood(from.address);
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

/** Notes it as seen now. */
async function isKnown(
  transaction: Queryable,
  { id, network, now, since }: { id: number; network: string; now: EpochSeconds; since: EpochSeconds },
): Promise<boolean> {
  const inserted = await transaction.query(insertAddress, [id, network, now]);
  if (inserted.length > 0) return false;
  const [seen] = await transaction.query(seeAddress, [id, network, now, since]);
  return seen?.['is_known'] === true;
}
