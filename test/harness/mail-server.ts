// A real SMTP server for a test file. It accepts or refuses mail as instructed and parses what arrives.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: string;
  readonly from: string;
  readonly raw: string;
  readonly parsed: ParsedMail;
  readonly isEncrypted: boolean;
  readonly user: string | null;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** How it answers mail for this address: a status such as 450, `hang up` after the last byte, or null for 250. */
  onMail: (to: string) => number | 'hang up' | null;
  take(): readonly ReceivedMail[];
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export const mailLogin = { user: 'billing@example.com', password: 'p@ss/word' };

/** `asksLogin` requires STARTTLS and mailLogin. */
export async function startMailServer({ asksLogin = false } = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let taken = 0;
  let server = createServer();
  let port = 0;

  function createServer(): SMTPServer {
    const made: SMTPServer = new SMTPServer({
      key,
      cert,
      authOptional: !asksLogin,
      disabledCommands: asksLogin ? [] : ['AUTH'],
      onAuth({ username, password }, _session, done) {
        const isRight = username === mailLogin.user && password === mailLogin.password;
        if (isRight) done(null, { user: username });
        else done(Object.assign(new Error('Authentication failed'), { responseCode: 535 }));
      },
      onRcptTo({ address }, _session, done) {
        const said = mailServer.onMail(address);
        if (typeof said === 'number') done(Object.assign(new Error('Not now'), { responseCode: said }));
        else done();
      },
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', async () => {
          const raw = Buffer.concat(chunks).toString('utf8');
          const to = session.envelope.rcptTo[0]?.address ?? '';
          const { mailFrom } = session.envelope;
          mails.push({
            to,
            from: mailFrom === false ? '' : mailFrom.address,
            raw,
            parsed: await simpleParser(raw),
            isEncrypted: session.secure,
            user: typeof session.user === 'string' ? session.user : null,
          });
          if (mailServer.onMail(to) !== 'hang up') return done();
          for (const connection of made.connections) if (connection.id === session.id) connection.close();
        });
      },
    });
    // Ignore errors of connections that were refused.
    made.on('error', () => undefined);
    return made;
  }

  const listen = () =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', () => {
        port = (server.server.address() as AddressInfo).port;
        resolve();
      });
    });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));

  const mailServer: MailServer = {
    get port() {
      return port;
    },
    mails,
    onMail: () => null,
    take() {
      const since = mails.slice(taken);
      taken = mails.length;
      return since;
    },
    goAway: close,
    async comeBack() {
      server = createServer();
      await listen();
    },
    close,
  };
  await listen();
  return mailServer;
}

export function trustMailServer(): void {
  setDefaultCACertificates([...getCACertificates('default'), cert]);
}

export function linkIn({ parsed }: ReceivedMail, beginning: string): string {
  const found = (parsed.text ?? '').split(/\s/).filter((word) => word.startsWith(beginning));
  assert.equal(found.length, 1, parsed.text);
  return found[0] ?? '';
}

// Generated for this file with "openssl req -x509 -newkey ec … -days 36500" and used nowhere else.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgihGP6Nb1AJuvp+OT
qeYhJsHZXWQlBlQCK0ck44ef3EGhRANCAATlZAd3fYoFgFk5wOUWLxH+aesUVnev
ujFzqR0n1kJF4rmKola/s8uz+g5Yf719XESCCogy1P781fVTnNLjmJvq
-----END PRIVATE KEY-----`;

const cert = `-----BEGIN CERTIFICATE-----
MIIBqjCCAU+gAwIBAgIUBgYY4E6KIiUTUgYHk8bZpd1B5xEwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQdGVzdCBtYWlsIHNlcnZlcjAgFw0yNjExMjMwNTAzNTBaGA8y
MTI2MTAzMDA1MDM1MFowGzEZMBcGA1UEAwwQdGVzdCBtYWlsIHNlcnZlcjBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABOVkB3d9igWAWTnA5RYvEf5p6xRWd6+6MXOp
HSfWQkXiuYqiVr+zy7P6Dlh/vX1cRIIKiDLU/vzV9VOc0uOYm+qjbzBtMB0GA1Ud
DgQWBBTkchxLj4pDcO5st4biR9niqEMfcTAfBgNVHSMEGDAWgBTkchxLj4pDcO5s
t4biR9niqEMfcTAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8AAAGCCWxv
Y2FsaG9zdDAKBggqhkjOPQQDAgNJADBGAiEA1cIMZTa3jBf5qezL8PxjQSWrRXuA
lpQwdNUKucWGDpkCIQCYZqo3gAiaD9wm1vBoBgSmBeGMuS7Px92r3/QwXuACww==
-----END CERTIFICATE-----`;
