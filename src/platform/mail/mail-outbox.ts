// Queues mail in the transaction of its cause, so that the mail is sent only if that transaction commits. Only this file
// adds rows to `mails`; send-mails.ts sends them.
// Invariant: an address gets one mail per occasion. Bodies are sealed, and deleted once the mail is sent or given up.

import { isJsonObject } from '../../shared/json.ts';
import { type Language, languages } from '../../shared/languages.ts';
import { plainMailAddress } from '../../shared/mail-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from '../database/database.ts';
import {
  describeTable,
  int,
  nullableInt,
  nullableText,
  nullableTime,
  type RowOf,
  text,
  time,
  writeRows,
} from '../database/table.ts';
import type { Seal, SealedTexts } from '../secrets/seal.ts';
import { sealedChangeValues } from '../secrets/seal.ts';
import { type Translator, translatorOf } from '../text/translator.ts';
import { type MailContent, type MailPart, subjectOf } from './mail-content.ts';
import { canUnsubscribe, type MailKind } from './mail-kinds.ts';
import { unsubscribePath, unsubscribeToken } from './unsubscribe-token.ts';

const allMails = describeTable('mails', {
  id: int('id'),
  accountId: nullableInt('account_id'),
  toAddress: text('to_address'),
  kind: text('kind'),
  occasion: text('occasion'),
  subject: text('subject'),
  sealedBody: nullableText('sealed_body'),
  createdAt: time('created_at'),
  sendAfter: time('send_after'),
  expiresAt: time('expires_at'),
  attempts: int('attempts'),
  begunAt: nullableTime('begun_at'),
});

export const outgoingMails = allMails;
export type OutgoingMail = RowOf<typeof outgoingMails>;

const newMails = allMails.without('id', 'attempts', 'begunAt');

const queueAlways = newMails.insert('queue_mail', 'on conflict do nothing returning id');
const queueUnlessUnsubscribed = newMails.insert(
  'queue_wanted_mail',
  `where not exists (select 1 from mail_unsubscribes u where u.account_id = row.account_id and u.address = row.to_address)
    on conflict do nothing returning id`,
);

export interface MailToQueue {
  /** null if the mail is about no account. The recipient cannot unsubscribe from it then. */
  readonly accountId: number | null;
  readonly to: string;
  readonly kind: MailKind;
  /** A unique key of the cause, such as "balance_low 17". */
  readonly occasion: string;
  /** null if unknown: the mail is in the operator's language then. */
  readonly language: Language | null;
  readonly content: (translator: Translator) => MailContent;
  /** Default and maximum: `keptTryingSeconds` after now. */
  readonly expiresAt?: EpochSeconds;
}

export interface MailOutbox {
  readonly isOn: boolean;
  /** @returns false if mail is off, or the address already got a mail for this occasion or unsubscribed from this kind */
  queueMail(transaction: Queryable, mail: MailToQueue, now: EpochSeconds): Promise<boolean>;
}

export interface MailOutboxDependencies {
  readonly isOn: boolean;
  readonly seal: Seal;
  readonly language: () => Language;
  readonly publicUrl: () => string;
  readonly keptTryingSeconds: number;
}

export function createMailOutbox(dependencies: MailOutboxDependencies): MailOutbox {
  const { isOn, seal, publicUrl, keptTryingSeconds } = dependencies;
  return {
    isOn,
    async queueMail(transaction, { accountId, to, kind, occasion, content, expiresAt, ...mail }, now) {
      if (!isOn) return false;
      const isOptional = accountId !== null && canUnsubscribe(kind);
      const unsubscribeUrl = isOptional
        ? publicUrl() + unsubscribePath + unsubscribeToken(seal, { accountId, address: to })
        : null;
      const language = mail.language ?? dependencies.language();
      const { subject, parts } = content(translatorOf(language));
      const body: MailBody = { language, parts, unsubscribeUrl };
      const toAddress = plainMailAddress(to);
      const latest = now + keptTryingSeconds;
      const row = {
        accountId,
        toAddress,
        kind,
        occasion,
        subject: subjectOf(subject),
        sealedBody: seal.seal(JSON.stringify(body), sealContext({ toAddress, occasion })),
        createdAt: now,
        sendAfter: now,
        expiresAt: Math.min(expiresAt ?? latest, latest),
      };
      const rows = await writeRows(transaction, isOptional ? queueUnlessUnsubscribed : queueAlways, [row]);
      return rows.length > 0;
    },
  };
}

export interface MailBody {
  readonly language: Language;
  readonly parts: readonly MailPart[];
  readonly unsubscribeUrl: string | null;
}

/** @throws if it was sealed under an unknown key */
export function openMailBody(
  seal: Seal,
  mail: Pick<OutgoingMail, 'toAddress' | 'occasion' | 'sealedBody'>,
): MailBody {
  const parsed: unknown = JSON.parse(seal.open(mail.sealedBody ?? '', sealContext(mail)));
  if (!isMailBody(parsed)) throw new Error('The body of a mail is not one.');
  return parsed;
}

function isMailBody(value: unknown): value is MailBody {
  return (
    isJsonObject(value) &&
    languages.some((known) => known === value['language']) &&
    (value['unsubscribeUrl'] === null || typeof value['unsubscribeUrl'] === 'string') &&
    Array.isArray(value['parts']) &&
    value['parts'].every(isMailPart)
  );
}

function isMailPart(value: unknown): value is MailPart {
  if (!isJsonObject(value)) return false;
  const { type, text, facts, label, url } = value;
  if (type === 'text') return typeof text === 'string';
  if (type === 'link') return typeof label === 'string' && typeof url === 'string';
  const isFact = (fact: unknown) =>
    Array.isArray(fact) && fact.length === 2 && fact.every((word) => typeof word === 'string');
  return type === 'facts' && Array.isArray(facts) && facts.every(isFact);
}

/** Binds a body to its mail, so that a body copied to another row cannot be opened. */
function sealContext({ toAddress, occasion }: Pick<OutgoingMail, 'toAddress' | 'occasion'>): string {
  return `mail to ${toAddress}: ${occasion}`;
}

const listSealed: SqlStatement = {
  name: 'list_sealed_mails',
  text: `select id, to_address, occasion, sealed_body from mails
    where id > $1::int and sealed_body is not null order by id limit 200`,
};

const replaceSealed: SqlStatement = {
  name: 'replace_sealed_mails',
  text: `update mails m set sealed_body = new.sealed
    from unnest($1::int[], $2::text[], $3::text[]) as new (id, earlier, sealed)
    where m.id = new.id and m.sealed_body = new.earlier`,
};

export const sealedMails: SealedTexts = {
  async list(database, after) {
    const rows = await database.query(listSealed, [after]);
    return rows.map((row) => ({
      id: Number(row['id']),
      sealed: String(row['sealed_body']),
      context: sealContext({ toAddress: String(row['to_address']), occasion: String(row['occasion']) }),
    }));
  },
  async replace(database, changes) {
    await database.query(replaceSealed, sealedChangeValues(changes));
  },
};

const dropWaiting: SqlStatement = {
  name: 'drop_waiting_mails',
  text: `update mails set gave_up_at = now(), sealed_body = null, last_error = coalesce(last_error, 'the account was closed')
    where account_id = $1::int and sent_at is null and gave_up_at is null`,
};

/** For a closed account, in its transaction. */
export async function dropWaitingMails(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(dropWaiting, [accountId]);
}
