// Begins a session after the password was verified, at sign-in and at the end of an invitation.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedLanguage } from '../../platform/http/request-language.ts';
import { plainAddress } from '../../shared/ip-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import type { Person } from '../identity/people-table.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { SessionGuard } from './session-auth.ts';
import type { SessionStore } from './session-store.ts';
import type { SignInLog } from './sign-in-log.ts';

interface BeginSessionDependencies {
  readonly guard: SessionGuard;
  readonly knownAddresses: KnownAddresses;
  readonly now: () => EpochSeconds;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
}

interface Entering {
  readonly account: Account;
  readonly person: Person;
  readonly passwordVersion: number;
}

/** Sets the cookie and ends the browser's previous session. */
export async function beginSession(
  { guard, sessions, signIns, knownAddresses, now }: BeginSessionDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, person, passwordVersion }: Entering,
): Promise<void> {
  const earlier = guard.sentToken(request);
  if (earlier !== null) await sessions.end(earlier);
  const from = {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    language: acceptedLanguage(request.headers['accept-language']),
  };
  const entry = signIns.entryOf(
    { id: account.id, username: person.username },
    plainAddress(request.ip),
    person.id,
  );
  const at = now();
  const token = await sessions.begin({ id: person.id, passwordVersion }, from, at, entry, (transaction) =>
    knownAddresses.noteSignIn(transaction, account, person, from, at),
  );
  guard.setCookie(reply, token);
}
