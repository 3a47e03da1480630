// The password of whoever is signed in, asked for again before anything that a borrowed browser must not do.

import type { FastifyRequest } from 'fastify';
import { getPasswordHash } from '../../accounts/account-store.ts';
import { isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import { addressOwner } from '../../contract/ip-addresses.ts';
import type { Queryable } from '../../database/database.ts';
import type { AttemptThrottle } from '../../identity/attempt-throttle.ts';
import { isRightPassword } from '../../identity/password.ts';

/** null: it is right. Wrong ones are slowed down like those of a sign-in. */
export type PasswordCheck = (request: FastifyRequest, password: string) => Promise<Refusal | null>;

export function createPasswordCheck(database: Queryable, throttle: AttemptThrottle): PasswordCheck {
  return async ({ principal: { account }, ip }, password) => {
    const isRight = await throttle.tryPassword(account.username, ip, async () =>
      isRightPassword(password, await getPasswordHash(database, account.id), addressOwner(ip)),
    );
    if (isRefusal(isRight)) return isRight;
    return isRight ? null : refusal('wrong_password');
  };
}
