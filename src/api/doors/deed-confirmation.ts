// What makes sure that a dangerous deed is done by the person who signed in, and not by whoever has their cookie: the
// one place that decides it, called by the session's door before the routes that declare such a deed. Today it takes
// the password, with every request; wrong ones are slowed down as those of a sign-in are, and with them.

import type { FastifyRequest } from 'fastify';
import { getPasswordHash } from '../../accounts/find-accounts.ts';
import { isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import { addressOwner } from '../../contract/ip-addresses.ts';
import { isJsonObject, own } from '../../contract/json.ts';
import { currentPasswordBodySchema, passwordBodySchema } from '../../contract/panel-schemas.ts';
import type { Queryable } from '../../database/database.ts';
import { createBodyReader } from '../../http/body-reader.ts';
import type { Danger } from '../../http/declared-routes.ts';
import type { AttemptThrottle } from '../../identity/attempt-throttle.ts';
import { isRightPassword } from '../../identity/password.ts';

/** null: the deed may be done. */
export type DeedConfirmation = (request: FastifyRequest, danger: Danger) => Promise<Refusal | null>;

const readPassword = createBodyReader(passwordBodySchema);
const readCurrentPassword = createBodyReader(currentPasswordBodySchema);

export function createDeedConfirmation(database: Queryable, throttle: AttemptThrottle): DeedConfirmation {
  return async ({ principal: { account }, ip, body }, { passwordField, ifSent }) => {
    const isSent = (field: string) => isJsonObject(body) && own(body, field) !== undefined;
    if (ifSent !== undefined && !ifSent.some(isSent)) return null;
    const password = passwordOf(body, passwordField);
    if (isRefusal(password)) return password;
    const isRight = await throttle.tryPassword(account.username, ip, async () =>
      isRightPassword(password, await getPasswordHash(database, account.id), addressOwner(ip)),
    );
    if (isRefusal(isRight)) return isRight;
    return isRight ? null : refusal('wrong_password');
  };
}

function passwordOf(body: unknown, field: Danger['passwordField']): string | Refusal {
  if (field === 'password') {
    const read = readPassword(body);
    return isRefusal(read) ? read : read.password;
  }
  const read = readCurrentPassword(body);
  return isRefusal(read) ? read : read.current_password;
}
