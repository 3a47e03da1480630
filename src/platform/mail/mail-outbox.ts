// What is to be mailed, in the transaction of what it tells of: it is mailed if that is committed, and only then. Whoever
// tells people something calls queueMail, which says it in their language; the job "mail" writes it with the operator's
// face and sends it (send-mails.ts). The only writer of mails.
// Always true: an address is told of an occasion once, however often it is queued; no body lies here readable, and none is
// kept that was sent or given up.

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

/** A row of the outbox that is being sent. */
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
  /** null: it is about no account; then nobody can be unsubscribed from it. */
  readonly accountId: number | null;
  readonly to: string;
  readonly kind: MailKind;
  /** What it tells of, in a few words that never come back for another occasion: "balance_low 17". */
  readonly occasion: string;
  /** The one that whoever receives it reads; null: nobody knows, so the operator's. */
  readonly language: Language | null;
  readonly content: (translator: Translator) => MailContent;
  /** When nobody wants it any more; at most and otherwise `keptTryingSeconds` from now. */
  readonly expiresAt?: EpochSeconds;
}

export interface MailOutbox {
  /** Whether this service sends mail: SMTP_URL is set. */
  readonly isOn: boolean;
  /**
   * Writes it into the outbox. False: nothing was written, because this service sends no mail, the address was told of
   * this occasion before, or wants no mail of this kind.
   */
  queueMail(transaction: Queryable, mail: MailToQueue, now: EpochSeconds): Promise<boolean>;
}

export interface MailOutboxDependencies {
  readonly isOn: boolean;
  readonly seal: Seal;
  /** Of whoever has not said which one they read. */
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

/** What waits: not yet with the operator's face, which is that of the moment in which it is sent. */
export interface MailBody {
  readonly language: Language;
  readonly parts: readonly MailPart[];
  readonly unsubscribeUrl: string | null;
}

/** @throws when it was sealed under a key that is not known here */
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

/** Binds a body to its mail: swapped rows do not open. */
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
