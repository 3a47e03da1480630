// Sends mail to the operator's SMTP server through nodemailer, over one connection per run, and reports whether the server
// has the mail, has not, or may have.
// Invariant: mail is sent unencrypted, or to a server with an invalid certificate, only where TLS is optional.

import { Readable } from 'node:stream';
import { logoContentId, type MailFace, oneLine } from './mail-content.ts';
import type { SmtpServer } from './smtp-address.ts';

export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: { readonly name: string; readonly address: string } | null;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly logo: MailFace['logo'];
  readonly messageId: string;
  readonly at: Date;
  readonly unsubscribeUrl: string | null;
}

export type MailOutcome =
  | { readonly type: 'taken' }
  /** `isLasting`: the server would refuse this mail again. */
  | { readonly type: 'refused'; readonly isLasting: boolean; readonly reason: string }
  /** The server or connection is at fault, not this mail. */
  | { readonly type: 'unusable'; readonly reason: string }
  | { readonly type: 'unknown'; readonly reason: string };

export interface SmtpSender {
  /** Never rejects. Resolves to `unusable` if it is aborted before the mail was sent. */
  send(message: MailMessage, signal: AbortSignal): Promise<MailOutcome>;
  close(): void;
}

export interface SmtpLimits {
  /** The time limit for each of DNS, connection, greeting and silence. */
  readonly silenceMilliseconds: number;
  readonly sendMilliseconds: number;
}

export function createSmtpSender(server: SmtpServer, limits: SmtpLimits): SmtpSender {
  let open: OpenConnection | null = null;
  const close = () => {
    open?.close();
    open = null;
  };
  return {
    async send(message, signal) {
      let bytes: Buffer;
      try {
        bytes = await compose(message);
      } catch (error) {
        return { type: 'refused', isLasting: true, reason: reasonOf(error) };
      }
      let outcome: MailOutcome;
      try {
        open ??= await connect(server, limits, signal);
        outcome = await open.send({ from: message.from.address, to: message.to }, bytes, signal);
      } catch (error) {
        outcome = { type: 'unusable', reason: reasonOf(error) };
      }
      if (outcome.type !== 'taken') close();
      return outcome;
    },
    close,
  };
}

export async function trySmtpServer(server: SmtpServer, limits: SmtpLimits): Promise<void> {
  const open = await connect(server, limits, new AbortController().signal).catch((error: unknown) => {
    throw new Error(reasonOf(error));
  });
  open.close();
}

interface OpenConnection {
  send(envelope: { from: string; to: string }, bytes: Buffer, signal: AbortSignal): Promise<MailOutcome>;
  close(): void;
}

async function connect(
  { host, port, security, login }: SmtpServer,
  { silenceMilliseconds, sendMilliseconds }: SmtpLimits,
  signal: AbortSignal,
): Promise<OpenConnection> {
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SMTPConnection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    tls: { rejectUnauthorized: security !== 'where_offered' },
    connectionTimeout: silenceMilliseconds,
    greetingTimeout: silenceMilliseconds,
    dnsTimeout: silenceMilliseconds,
    socketTimeout: silenceMilliseconds,
    socketCloseTimeout: 0,
  });
  // An error of the idle connection is reported with the next mail.
  let onBroken: (error: Error) => void = () => undefined;
  connection.on('error', (error: Error) => onBroken(error));
  connection.on('end', () => onBroken(new Error('the connection was closed')));
  let isSound = false;

  function ask<Answer>(
    begin: (done: (error: Error | null | undefined, answer?: Answer) => void) => void,
    aborted: AbortSignal,
  ): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      const end = (error: Error | null | undefined, answer?: Answer) => {
        clearTimeout(timer);
        aborted.removeEventListener('abort', onAbort);
        onBroken = () => undefined;
        if (error) reject(error);
        else resolve(answer);
      };
      const onAbort = () => end(new Error('this process is shutting down'));
      const timer = setTimeout(() => end(new Error('it took too long')), sendMilliseconds);
      onBroken = end;
      if (aborted.aborted) onAbort();
      else aborted.addEventListener('abort', onAbort, { once: true });
      begin(end);
    });
  }

  try {
    await ask<true>((done) => connection.connect((error) => done(error)), signal);
    if (login !== null) {
      const { user, password } = login;
      await ask<boolean>((done) => connection.login({ user, pass: password }, done), signal);
    }
  } catch (error) {
    connection.close();
    throw error;
  }
  isSound = true;

  return {
    async send(envelope, bytes, aborted) {
      isSound = false;
      let hasLeft = false;
      const leaving = new AbortController();
      const stop = () => !hasLeft && leaving.abort();
      aborted.addEventListener('abort', stop, { once: true });
      if (aborted.aborted) stop();
      const message = Readable.from(
        (function* () {
          hasLeft = true;
          yield bytes;
        })(),
      );
      try {
        await ask(
          (done) => connection.send({ ...envelope, size: bytes.length }, message, done),
          leaving.signal,
        );
        isSound = true;
        return { type: 'taken' };
      } catch (error) {
        return outcomeOf(error, hasLeft);
      } finally {
        aborted.removeEventListener('abort', stop);
      }
    },
    close() {
      if (isSound) connection.quit();
      else connection.close();
    },
  };
}

function outcomeOf(error: unknown, hasLeft: boolean): MailOutcome {
  const { responseCode = 0, command = '', code = '' } = factsOf(error);
  const reason = reasonOf(error);
  const isOfThisMail = ['RCPT TO', 'DATA'].includes(command) || ['EENVELOPE', 'EMESSAGE'].includes(code);
  if (responseCode >= 400 && responseCode < 500) {
    return isOfThisMail || hasLeft
      ? { type: 'refused', isLasting: false, reason }
      : { type: 'unusable', reason };
  }
  // If the server refuses the sender or the password, the operator has to fix that. Other mails would fail too.
  if (isOfThisMail && command !== 'MAIL FROM' && (responseCode >= 500 || !hasLeft))
    return { type: 'refused', isLasting: true, reason };
  return hasLeft ? { type: 'unknown', reason: `unknown outcome: ${reason}` } : { type: 'unusable', reason };
}

function factsOf(error: unknown): { responseCode?: number; command?: string; code?: string } {
  if (!(error instanceof Error)) return {};
  return {
    ...('responseCode' in error && typeof error.responseCode === 'number'
      ? { responseCode: error.responseCode }
      : {}),
    ...('command' in error && typeof error.command === 'string' ? { command: error.command } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  };
}

const reasonLengthMax = 300;

/** Safe to store: servers repeat addresses in their answers, but no bodies or passwords. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return oneLine(said).slice(0, reasonLengthMax).toWellFormed();
}

async function compose({ unsubscribeUrl, at, replyTo, logo, ...message }: MailMessage): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const oneClick =
    unsubscribeUrl === null
      ? {}
      : {
          'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        };
  const composer = new MailComposer({
    ...message,
    ...(replyTo === null ? {} : { replyTo }),
    attachments: logo === null ? [] : [logoPart(logo)],
    date: at,
    headers: { 'Auto-Submitted': 'auto-generated', ...oneClick },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Attached, because few programs show remote images unasked, and loading them reveals the reader. */
function logoPart(logo: NonNullable<MailFace['logo']>) {
  return {
    content: logo.bytes,
    contentType: logo.type,
    contentDisposition: 'inline',
    filename: logo.type === 'image/png' ? 'logo.png' : 'logo.jpg',
    cid: logoContentId(logo),
  } as const;
}
