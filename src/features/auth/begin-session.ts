// A session for somebody whose password is known to be right: at the sign-in, and at the end of an invitation.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedLanguage } from '../../platform/http/request-language.ts';
import type { PanelDependencies } from '../../service/panel-routes.ts';
import { plainAddress } from '../../shared/ip-addresses.ts';
import type { Account } from '../identity/account-table.ts';
import type { Person } from '../identity/people-table.ts';

interface Entering {
  readonly account: Account;
  readonly person: Person;
  readonly passwordVersion: number;
}

/** Its cookie comes with the answer. The session that this browser had before ends. */
export async function beginSession(
  { guard, sessions, signIns, knownAddresses, now }: PanelDependencies,
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
