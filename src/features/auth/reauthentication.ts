// Asks for the password again, so that a sensitive action comes from the person who signed in and not from a thief of their
// cookie. A right password confirms the session's further actions for a few minutes.
// Invariant: a wrong password is always refused, logged and throttled together with sign-ins. Signing in confirms nothing.

import type { FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { createBodyReader } from '../../platform/http/body-reader.ts';
import type { SensitiveAction } from '../../platform/http/route-declarations.ts';
import type { AttemptThrottle } from '../../platform/limits/sign-in-throttle.ts';
import { isRightPassword } from '../../platform/secrets/password-hash.ts';
import { randomBase62 } from '../../platform/secrets/random-text.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { addressOwner, plainAddress } from '../../shared/ip-addresses.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { getPasswordHash } from '../identity/find-people.ts';
import type { PersonActor } from '../identity/principal.ts';
import { countMoved, type Moved, mayMove } from './moved-amounts.ts';
import type { Session, SessionStore } from './session-store.ts';
import type { SignInLog } from './sign-in-log.ts';
import { currentPasswordBodySchema, passwordBodySchema } from './sign-in-schemas.ts';

export type Reauthentication = (
  request: FastifyRequest,
  sensitiveAction: SensitiveAction,
) => Promise<Refusal | null>;

export interface ReauthenticationDependencies {
  readonly database: Database;
  readonly throttle: AttemptThrottle;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
  readonly reauthenticatedSeconds: number;
  readonly now: () => EpochSeconds;
}

const readPassword = createBodyReader(passwordBodySchema);
const readCurrentPassword = createBodyReader(currentPasswordBodySchema);

export function createReauthentication(dependencies: ReauthenticationDependencies): Reauthentication {
  const { database, throttle, sessions, signIns, reauthenticatedSeconds, now } = dependencies;

  function isConfirmed({ confirmedAt }: Session): boolean {
    if (confirmedAt === null) return false;
    const age = now() - confirmedAt;
    return age >= 0 && age < reauthenticatedSeconds;
  }

  return async (request, sensitiveAction) => {
    const { principal, session, ip, body } = request;
    if (!isSensitive(body, sensitiveAction)) return null;
    const moved = movedBy(request, sensitiveAction);
    if (moved !== null && (await mayMove(database, moved, sensitiveAction.ifMovedAboveCents ?? 0n, now())))
      return null;
    const confirmed = async () => {
      if (moved !== null) await countMoved(database, moved, now());
      return null;
    };
    const { passwordField } = sensitiveAction;
    const isAskedAlways = isAlwaysAsked(body, sensitiveAction);
    if (!isAskedAlways && !isSent(body, passwordField) && isConfirmed(session)) return confirmed();
    const password = passwordOf(body, passwordField);
    const { id, username } = personOf(principal.actor);
    const isRight = await throttle.tryPassword(username, ip, async () =>
      isRightPassword(password, await getPasswordHash(database, id), addressOwner(ip)),
    );
    if (isRefusal(isRight)) return isRight;
    if (!isRight) {
      const operation = request.routeOptions.schema?.operationId ?? '';
      const sent = {
        accountId: principal.account.id,
        personId: id,
        username,
        address: plainAddress(ip),
        operation,
      };
      await signIns.refusedAction(sent, now());
      return refusal('wrong_password');
    }
    const isOpen = await sessions.confirm(session, !isAskedAlways, now());
    return isOpen ? confirmed() : refusal('not_signed_in');
  };
}

function isSensitive(body: unknown, { ifSent, ifMovedAboveCents }: SensitiveAction): boolean {
  if (ifSent !== undefined && !ifSent.some((field) => isSent(body, field))) return false;
  return ifMovedAboveCents === undefined || amountIn(body) !== null;
}

function amountIn(body: unknown): bigint | null {
  return isJsonObject(body) ? parseAmount(own(body, 'amount')) : null;
}

/** A request that is repeated with its idempotency key counts once. */
function movedBy(
  { principal, params, headers, body }: FastifyRequest,
  sensitiveAction: SensitiveAction,
): Moved | null {
  const cents = amountIn(body);
  if (sensitiveAction.ifMovedAboveCents === undefined || cents === null) return null;
  const sent = headers['idempotency-key'] ?? (isJsonObject(body) ? own(body, 'idempotency_key') : null);
  // The route refuses invalid keys and ids later, so neither may be stored as it was sent.
  const key = isPlain(sent) ? sent : `none ${randomBase62(16)}`;
  const id = isJsonObject(params) ? own(params, 'id') : null;
  const account = isPlain(id) ? id : '';
  const amountCents = cents < 0n ? -cents : cents;
  return { personId: personOf(principal.actor).id, requestKey: `${account} ${key} ${cents}`, amountCents };
}

function isPlain(text: unknown): text is string {
  return typeof text === 'string' && /^[\x21-\x7e]{1,80}$/.test(text);
}

function isAlwaysAsked(
  body: unknown,
  { isAskedAlways = false, askedAlwaysIfSent = [], askedAlwaysIfOwner = false }: SensitiveAction,
): boolean {
  if (isAskedAlways || askedAlwaysIfSent.some((field) => isSent(body, field))) return true;
  return askedAlwaysIfOwner && isJsonObject(body) && own(body, 'role') === 'owner';
}

function isSent(body: unknown, field: string): boolean {
  return isJsonObject(body) && own(body, field) !== undefined;
}

function personOf(actor: { readonly type: 'key' } | PersonActor): PersonActor {
  if (actor.type === 'person') return actor;
  throw new Error('A sensitive action was to be confirmed by someone without a password.');
}

function passwordOf(body: unknown, field: SensitiveAction['passwordField']): string {
  return field === 'password' ? readPassword(body).password : readCurrentPassword(body).current_password;
}
