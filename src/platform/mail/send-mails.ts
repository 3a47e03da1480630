// The job "mail": sends due mail, gives up what cannot be sent, deletes old rows.
// Invariant: no mail is sent twice. A mail with an unknown outcome (connection broken after the last byte, process died) is
// given up and reported.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable } from '../database/database.ts';
import { deleteInPieces } from '../database/delete-in-pieces.ts';
import { JobProblem } from '../jobs/job-runner.ts';
import type { Seal } from '../secrets/seal.ts';
import { translatorOf } from '../text/translator.ts';
import { type MailFace, writeMail } from './mail-content.ts';
import { isOptionalMail } from './mail-kinds.ts';
import { type MailBody, type OutgoingMail, openMailBody } from './mail-outbox.ts';
import {
  beginMail,
  countDueMails,
  type DueMail,
  endMail,
  type GivenUpMail,
  giveMailUp,
  giveOldMailsUp,
  listDueMails,
  oldMails,
  postponeMail,
  takeMailBack,
} from './mail-sendings.ts';
import type { MailSenderName, SmtpServer } from './smtp-address.ts';
import { createSmtpSender, type MailOutcome, type SmtpLimits, type SmtpSender } from './smtp-sender.ts';

export interface MailLimits extends SmtpLimits {
  readonly perRunMax: number;
  readonly atOnceMax: number;
  /** Mails to one address in an hour. Optional mails count by address, security mails by address and account. */
  readonly perRecipientHourMax: number;
  readonly perAccountHourMax: number;
  readonly keptTryingSeconds: number;
  readonly retrySecondsMin: number;
  readonly retrySecondsMax: number;
  /** A process that began a mail longer ago than this has died. Must be longer than any sending. */
  readonly unknownAfterSeconds: number;
}

export interface MailSettings {
  readonly server: SmtpServer;
  readonly from: MailSenderName;
}

export interface SendMailsDependencies {
  readonly database: Queryable;
  readonly seal: Seal;
  readonly settings: MailSettings | null;
  readonly face: () => MailFace;
  readonly publicUrl: () => string;
  readonly now: () => EpochSeconds;
  readonly limits: MailLimits;
  readonly keptSeconds: number;
  readonly onGivenUp: (mail: GivenUpMail) => void;
}

const hourSeconds = 3_600;

/** @returns the number of due mails left @throws JobProblem when the mail server is unusable, so that the job retries */
export async function sendMails(dependencies: SendMailsDependencies, signal: AbortSignal): Promise<number> {
  const { database, settings, now, limits, keptSeconds, onGivenUp } = dependencies;
  const begunBefore = now() - limits.unknownAfterSeconds;
  const givenUp = await giveOldMailsUp(database, { now: now(), begunBefore });
  for (const mail of givenUp) onGivenUp(mail);
  const isLeft = await deleteInPieces(database, oldMails, [now() - keptSeconds], signal);
  if (settings === null) return isLeft ? 1 : 0;
  const sender = createSmtpSender(settings.server, limits);
  try {
    await sendDue(dependencies, settings, sender, signal);
  } finally {
    sender.close();
  }
  return countDueMails(database, now());
}

async function sendDue(
  dependencies: SendMailsDependencies,
  settings: MailSettings,
  sender: SmtpSender,
  signal: AbortSignal,
): Promise<void> {
  const { database, now, limits } = dependencies;
  for (let left = limits.perRunMax; left > 0; ) {
    const limit = Math.min(left, limits.atOnceMax);
    const due = await listDueMails(database, { now: now(), since: now() - hourSeconds, limit });
    left -= due.length;
    await sendThese(dependencies, settings, sender, due, signal);
    if (due.length < limit || signal.aborted) return;
  }
}

async function sendThese(
  dependencies: SendMailsDependencies,
  settings: MailSettings,
  sender: SmtpSender,
  due: readonly DueMail[],
  signal: AbortSignal,
): Promise<void> {
  const { database, now, limits } = dependencies;
  const sentNow = new Map<string, number>();
  const sentOf = (key: string) => sentNow.get(key) ?? 0;
  for (const { mail, recent, recentOfAccount } of due) {
    if (signal.aborted) return;
    const isOptional = isOptionalMail(mail.kind);
    const address = isOptional ? mail.toAddress : `${mail.toAddress} of ${mail.accountId}`;
    const account = isOptional ? `account ${mail.accountId}` : null;
    const reason =
      recent + sentOf(address) >= limits.perRecipientHourMax
        ? 'this address had its mails of this hour'
        : account !== null && recentOfAccount + sentOf(account) >= limits.perAccountHourMax
          ? 'this account had its optional mails of this hour'
          : null;
    if (reason !== null) {
      // A link in a security mail may be valid for only an hour, so retry well within it.
      const sendAfter = now() + (isOptional ? hourSeconds : hourSeconds / 6);
      await postponeMail(database, mail.id, { sendAfter, reason });
      continue;
    }
    const begun = await beginMail(database, mail.id, now());
    if (begun === null) continue;
    const outcome = await sendOne(dependencies, settings, sender, begun, signal);
    if (outcome.type === 'taken')
      for (const key of [address, account]) if (key !== null) sentNow.set(key, sentOf(key) + 1);
    await note(dependencies, begun, outcome);
    if (outcome.type === 'unusable' && !signal.aborted) {
      throw new JobProblem(`The mail server ${settings.server.host} cannot be used: ${outcome.reason}`);
    }
  }
}

async function sendOne(
  { seal, face: currentFace, publicUrl, now }: SendMailsDependencies,
  { from }: MailSettings,
  sender: SmtpSender,
  mail: OutgoingMail,
  signal: AbortSignal,
): Promise<MailOutcome> {
  let body: MailBody;
  try {
    body = openMailBody(seal, mail);
  } catch {
    return {
      type: 'refused',
      isLasting: true,
      reason: 'its body was sealed under a key that is not known here',
    };
  }
  const { language, parts, unsubscribeUrl } = body;
  const face = currentFace();
  const { issuer: name, supportAddress, logo } = face;
  const look = { face, translator: translatorOf(language), unsubscribeUrl };
  const message = {
    ...writeMail({ subject: mail.subject, parts }, look),
    unsubscribeUrl,
    from: { name, address: from.address },
    replyTo: supportAddress === null ? null : { name, address: supportAddress },
    logo,
    to: mail.toAddress,
    messageId: messageIdOf(mail, publicUrl()),
    at: new Date(now() * 1000),
  };
  return sender.send(message, signal);
}

/** The same for every try, so that a duplicate can be recognized. */
function messageIdOf({ id, createdAt }: OutgoingMail, publicUrl: string): string {
  return `<${createdAt}.${id}@${new URL(publicUrl).hostname.replace(/[[\]]/g, '')}>`;
}

async function note(
  { database, now, limits, onGivenUp }: SendMailsDependencies,
  { id, kind, attempts, sendAfter }: OutgoingMail,
  outcome: MailOutcome,
): Promise<void> {
  if (outcome.type === 'taken') return endMail(database, id, now());
  const { reason } = outcome;
  // The server is at fault, so the mail stays due: the job is retried as a whole.
  if (outcome.type === 'unusable') return takeMailBack(database, id, { sendAfter, reason });
  if (outcome.type === 'refused' && !outcome.isLasting) {
    const seconds = Math.min(
      limits.retrySecondsMax,
      limits.retrySecondsMin * 2 ** Math.min(attempts - 1, 20),
    );
    return takeMailBack(database, id, { sendAfter: now() + seconds, reason });
  }
  await giveMailUp(database, id, reason, now());
  onGivenUp({ id, kind, reason });
}
