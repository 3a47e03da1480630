// What makes sure that a sensitive action is done by the person who signed in, and not by whoever has their cookie: the
// one place that decides it, called by the session's guard before the routes that declare such an action. It takes the password
// with the request; a right one is good for further actions of this session for a few minutes, without being sent again.
// Always true: a wrong password is refused, whenever it is sent, stands in the audit log, and is slowed down as those of a
// sign-in are, and with them; a sign-in alone confirms nothing, and a new password ends what the old one had confirmed. Nor
// does a session that ended while the password was looked at.

import type { FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { createBodyReader } from '../../platform/http/body-reader.ts';
import type { SensitiveAction } from '../../platform/http/route-declarations.ts';
import type { AttemptThrottle } from '../../platform/limits/sign-in-throttle.ts';
import { isRightPassword } from '../../platform/secrets/password-hash.ts';
import { randomBase62 } from '../../platform/secrets/random-text.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';
import { addressOwner, plainAddress } from '../../shared/ip-addresses.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { getPasswordHash } from '../identity/find-people.ts';
import type { PersonActor } from '../identity/principal.ts';
import { countMoved, type Moved, mayMove } from './moved-amounts.ts';
import type { Session, SessionStore } from './session-store.ts';
import type { SignInLog } from './sign-in-log.ts';
import { currentPasswordBodySchema, passwordBodySchema } from './sign-in-schemas.ts';

/** null: the action may be done. */
export type Reauthentication = (
  request: FastifyRequest,
  sensitiveAction: SensitiveAction,
) => Promise<Refusal | null>;

export interface ReauthenticationDependencies {
  readonly database: Database;
  readonly throttle: AttemptThrottle;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
  /** How long a right password is good for further actions. */
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

/** A request that is sent again with its idempotency key counts once. */
function movedBy(
  { principal, params, headers, body }: FastifyRequest,
  sensitiveAction: SensitiveAction,
): Moved | null {
  const cents = amountIn(body);
  if (sensitiveAction.ifMovedAboveCents === undefined || cents === null) return null;
  const sent = headers['idempotency-key'] ?? (isJsonObject(body) ? own(body, 'idempotency_key') : null);
  // The route refuses a key or an id that cannot be one: neither is stored as it was sent.
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

/** Keys are not asked: what is confirmed is behind the session's guard. */
function personOf(actor: { readonly type: 'key' } | PersonActor): PersonActor {
  if (actor.type === 'person') return actor;
  throw new Error('A sensitive action was to be confirmed by somebody without a password.');
}

/** @throws RequestRefused */
function passwordOf(body: unknown, field: SensitiveAction['passwordField']): string {
  return field === 'password' ? readPassword(body).password : readCurrentPassword(body).current_password;
}
