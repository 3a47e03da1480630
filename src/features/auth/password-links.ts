// Links that set a password: invitations (mailed, and shown to the inviter) and resets (only mailed). The only writer of
// password_links, except for people-rows.ts. Links are made in the background, so that timing reveals no names.
// Invariant: a link works once. It carries a password_version, so it ends when the password or address changes, the account
// is blocked or the person is removed.

import { createHash, randomBytes } from 'node:crypto';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import {
  describeTable,
  int,
  nullableText,
  oneOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import type { MailOutbox, MailToQueue } from '../../platform/mail/mail-outbox.ts';
import type { TextKey } from '../../platform/text/english-texts.ts';
import type { TextValues } from '../../platform/text/translator.ts';
import type { Language } from '../../shared/languages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Account, accounts } from '../identity/account-table.ts';
import {
  credentials,
  isOwnLogin,
  mailAddressOf,
  type Person,
  people,
  personAction,
} from '../identity/people-table.ts';
import { languageAt } from '../identity/reading-language.ts';

export interface PasswordLinkLimits {
  readonly resetValidSeconds: number;
  readonly invitationValidSeconds: number;
  /** A person gets at most one reset link in this time. */
  readonly restSeconds: number;
  /** How many people with the same address are mailed, in total and per account. */
  readonly peopleMax: number;
  readonly peopleOfAccountMax: number;
  readonly pendingMax: number;
}

const purposes = ['invitation', 'password_reset'] as const;
type Purpose = (typeof purposes)[number];

const links = describeTable('password_links', {
  tokenHash: text('token_hash'),
  personId: int('person_id'),
  purpose: oneOf('purpose', purposes),
  passwordVersion: int('password_version'),
  /** A colleague's username. null: the operator invited them, or it is a reset. */
  invitedBy: nullableText('invited_by'),
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
});

const insertLink = links.insert('insert_password_link');

/** The typed username comes first, then confirmed addresses, so a claimed address displaces no owner. */
const findHolders: SqlStatement = {
  name: 'find_mail_holders',
  text: `with holders as (
    select ${credentials.list('p', 'p_')}, ${accounts.list('a')},
      case when p.username = $1 then 0 else 1 end as by_address,
      case when exists (select 1 from mail_addresses c where c.account_id = a.id and c.confirmed_at is not null
        and c.address = lower(coalesce(p.email, a.email))) then 0 else 1 end as is_unconfirmed
    from (
        select n.id from people n where n.username = $1 and n.removed_at is null
        union select m.id from people m where lower(m.email) = $1 and m.email is not null and m.removed_at is null
        union select o.id from accounts o where lower(o.email) = $1 and o.email is not null) named
      join people p on p.id = named.id join accounts a on a.id = p.account_id
    where (p.email is not null or (p.id = a.id and a.email is not null))
      and p.removed_at is null and not a.blocked),
    placed as (select h.*, row_number() over (partition by p_account_id
      order by by_address, is_unconfirmed, p_id) as place from holders h)
    select * from placed where place <= $3::int
    order by by_address, is_unconfirmed, place, p_id limit $2::int`,
};

const findOpenLink: SqlStatement = {
  name: 'find_password_link',
  text: `select l.purpose as link_purpose, l.invited_by as link_invited_by,
      extract(epoch from l.expires_at)::bigint as link_expires_at, ${credentials.list('p', 'p_')}, ${accounts.list('a')}
    from password_links l join people p on p.id = l.person_id join accounts a on a.id = p.account_id
    where l.token_hash = $1 and l.expires_at > to_timestamp($2::bigint) and l.password_version = p.password_version
      and p.removed_at is null and not a.blocked`,
};

const findAccountOfLink: SqlStatement = {
  name: 'find_account_of_password_link',
  text: `select p.account_id from password_links l join people p on p.id = l.person_id where l.token_hash = $1`,
};

const findOwnLogin: SqlStatement = {
  name: 'find_own_login',
  text: `select ${credentials.list('p')} from people p where p.id = $1::int`,
};

const deleteAtOnceMax = 5_000;

const expiredRows: OldRows = {
  deletion: {
    name: 'delete_expired_password_links',
    text: `with gone as (delete from password_links where ctid = any(array(
      select ctid from password_links where expires_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

export interface OpenPasswordLink {
  readonly person: Person;
  readonly account: Account;
  readonly passwordVersion: number;
  readonly purpose: Purpose;
  readonly invitedBy: string | null;
  readonly expiresAt: EpochSeconds;
}

type Invited = Person & { readonly passwordVersion: number };

/** The inviter passes this link on. The first person to open it chooses the password. */
export interface Invitation {
  readonly url: string;
  readonly expiresAt: EpochSeconds;
}

export interface Asker {
  readonly address: string;
  readonly language: Language | null;
}

export interface PasswordLinks {
  readonly isOn: boolean;
  /** Mails everyone with this name or address, without revealing whether there is anyone. False: too many are pending. */
  requestReset(nameOrAddress: string, from: Asker, now: EpochSeconds): boolean;
  settled(): Promise<void>;
  /** Call in the transaction that creates the account. Mails the first password link of its own login. */
  inviteOwner(transaction: Queryable, account: Account, now: EpochSeconds): Promise<Invitation>;
  /** Call in the invitation's transaction. Mails the link if possible. `invitedBy` is null for the operator. */
  invite(
    transaction: Queryable,
    person: Invited,
    account: Account,
    invitedBy: string | null,
    now: EpochSeconds,
  ): Promise<Invitation>;
  find(token: string, now: EpochSeconds): Promise<OpenPasswordLink | null>;
  deleteExpired(now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export interface PasswordLinksDependencies {
  readonly database: Database;
  readonly mails: MailOutbox;
  readonly publicUrl: () => string;
  readonly limits: PasswordLinkLimits;
  readonly onProblem: (error: unknown) => void;
}

export function createPasswordLinks(dependencies: PasswordLinksDependencies): PasswordLinks {
  const { database, mails, publicUrl, limits, onProblem } = dependencies;
  const pending = new Set<Promise<void>>();

  const urlOf = (token: string) => `${publicUrl()}/panel/reset-password#token=${token}`;

  async function storeLink(
    transaction: Queryable,
    token: string,
    { id: personId, passwordVersion }: Invited,
    link: { purpose: Purpose; invitedBy: string | null; expiresAt: EpochSeconds; now: EpochSeconds },
  ): Promise<void> {
    const { now: createdAt, ...made } = link;
    const row = { ...made, tokenHash: hashOf(token), personId, passwordVersion, createdAt };
    await writeRows(transaction, insertLink, [row]);
  }

  async function mailLink(
    transaction: Queryable,
    person: Invited,
    account: Account,
    link: { token: string; purpose: Purpose; occasion: string; expiresAt: EpochSeconds },
    words: LinkWords,
    now: EpochSeconds,
  ): Promise<boolean> {
    const to = mailAddressOf(person, account);
    if (to === null) return false;
    const { token, purpose, occasion, expiresAt } = link;
    const known = person.language ?? words.language;
    const mail: MailToQueue = {
      accountId: account.id,
      to,
      kind: purpose,
      occasion: `${purpose} ${person.id} ${occasion}`,
      expiresAt,
      language: known ?? (await languageAt(transaction, account.id, to)),
      content: linkContent(person, urlOf(token), expiresAt, words),
    };
    return mails.queueMail(transaction, mail, now);
  }

  async function invite(
    transaction: Queryable,
    person: Invited,
    account: Account,
    invitedBy: string | null,
    now: EpochSeconds,
  ): Promise<Invitation> {
    const [token, purpose] = [mintToken(), 'invitation'] as const;
    const expiresAt = now + limits.invitationValidSeconds;
    await storeLink(transaction, token, person, { purpose, invitedBy, expiresAt, now });
    const link = { token, purpose, occasion: String(person.passwordVersion), expiresAt };
    const words = isOwnLogin(person) ? ownerWords : invitationWords(account.displayName);
    await mailLink(transaction, person, account, link, words, now);
    return { url: urlOf(token), expiresAt };
  }

  async function mailResets(nameOrAddress: string, from: Asker, now: EpochSeconds): Promise<void> {
    const { peopleMax: limit, peopleOfAccountMax } = limits;
    const first = { columns: ['by_address', 'is_unconfirmed', 'place', 'p_id'], limit };
    const values = [nameOrAddress, limit, peopleOfAccountMax];
    const rows = await queryShards(database, findHolders, values, { first });
    for (const row of rows) {
      const { passwordHash: _, ...person } = credentials.parse(row, 'p_');
      const account = accounts.parse(row);
      await database.transaction(async (transaction) => {
        const [token, purpose] = [mintToken(), 'password_reset'] as const;
        const occasion = `${person.passwordVersion} ${Math.floor(now / limits.restSeconds)}`;
        const expiresAt = now + limits.resetValidSeconds;
        const link = { token, purpose, occasion, expiresAt };
        if (!(await mailLink(transaction, person, account, link, resetWords(from, now), now))) return;
        await storeLink(transaction, token, person, { purpose, invitedBy: null, expiresAt, now });
        const entry = {
          actorId: account.id,
          ...personAction(person, 'mail_password_link'),
          before: null,
          after: { address: from.address },
        };
        await appendAudit(transaction, entry, now);
      });
    }
  }

  return {
    isOn: mails.isOn,
    requestReset(nameOrAddress, from, now) {
      if (pending.size >= limits.pendingMax) return false;
      const made: Promise<void> = mailResets(nameOrAddress.trim().toLowerCase(), from, now)
        .catch(onProblem)
        .finally(() => pending.delete(made));
      pending.add(made);
      return true;
    },
    async settled() {
      await Promise.all(pending);
    },
    async inviteOwner(transaction, account, now) {
      const [row] = await transaction.query(findOwnLogin, [account.id]);
      return invite(transaction, credentials.parse(row ?? {}), account, null, now);
    },
    invite,
    async find(token, now) {
      if (!isToken(token)) return null;
      const [row] = await queryShards(database, findOpenLink, [hashOf(token), now], {
        holding: findAccountOfLink,
        by: [hashOf(token)],
      });
      if (row === undefined) return null;
      const { passwordVersion } = credentials.parse(row, 'p_');
      const [person, account] = [people.parse(row, 'p_'), accounts.parse(row)];
      return {
        person,
        account,
        passwordVersion,
        purpose: row['link_purpose'] === 'invitation' ? 'invitation' : 'password_reset',
        invitedBy: nullable(String, row['link_invited_by']),
        expiresAt: Number(row['link_expires_at']),
      };
    },
    deleteExpired: (now, signal) => deleteInPieces(database, expiredRows, [now], signal),
  };
}

function linkContent(
  { username }: Invited,
  url: string,
  expiresAt: EpochSeconds,
  words: LinkWords,
): MailToQueue['content'] {
  return ({ t, moment }) => ({
    subject: t(words.subject),
    parts: [
      { type: 'text', text: t(words.before, words.values(moment)) },
      { type: 'link', label: t(words.label), url: url },
      {
        type: 'facts',
        facts: [
          [t('mail_username'), username],
          [t('mail_link_until'), moment(expiresAt)],
        ],
      },
      { type: 'text', text: t(words.after) },
    ],
  });
}

interface LinkWords extends Record<'subject' | 'before' | 'after' | 'label', TextKey> {
  readonly values: (moment: (seconds: EpochSeconds) => string) => TextValues;
  readonly language: Language | null;
}

const ownerWords: LinkWords = {
  subject: 'mail_owner_subject',
  label: 'mail_choose',
  before: 'mail_owner_before',
  after: 'mail_owner_after',
  values: () => ({}),
  language: null,
};

function invitationWords(accountName: string): LinkWords {
  return {
    subject: 'mail_invited_subject',
    label: 'mail_choose',
    before: 'mail_invited_before',
    after: 'mail_invited_after',
    values: () => ({ account: accountName }),
    language: null,
  };
}

function resetWords({ address, language }: Asker, now: EpochSeconds): LinkWords {
  return {
    subject: 'mail_reset_subject',
    label: 'mail_reset_label',
    before: 'mail_reset_before',
    after: 'mail_reset_after',
    values: (moment) => ({ time: moment(now), address }),
    language,
  };
}

function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
