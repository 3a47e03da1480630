// Keeps the shop's name on the customer's page for ten minutes after logout.
// Invariant: the cookie is sealed. Visitors can neither read the account's number nor make the page name another shop.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface LoggedOutCookie {
  set(reply: FastifyReply, accountId: number): void;
  /** null without a cookie, or if it has expired or cannot be opened */
  accountOf(request: FastifyRequest): number | null;
  clear(request: FastifyRequest, reply: FastifyReply): void;
}

const keptSeconds = 600;
const sealContext = 'shop of the logged-out page';

export function createLoggedOutCookie(
  seal: Seal,
  now: () => EpochSeconds,
  isSecure: boolean,
): LoggedOutCookie {
  const name = isSecure ? '__Host-sellthrough_logged_out' : 'sellthrough_logged_out';
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  return {
    set(reply, accountId) {
      const sealed = seal.seal(`${accountId} ${now() + keptSeconds}`, sealContext);
      reply.setCookie(name, sealed, { ...attributes, maxAge: keptSeconds });
    },
    accountOf({ cookies }) {
      const sealed = cookies[name];
      if (sealed === undefined) return null;
      try {
        const [accountId = 0, until = 0] = seal.open(sealed, sealContext).split(' ').map(Number);
        return until > now() ? accountId : null;
      } catch {
        return null;
      }
    },
    clear({ cookies }, reply) {
      if (cookies[name] !== undefined) reply.clearCookie(name, attributes);
    },
  };
}
