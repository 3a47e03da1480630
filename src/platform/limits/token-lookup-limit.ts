// Limits look-ups by tokens sent without a sign-in (sessions, customers' sessions, login links): misses count per address
// like invalid keys, and beyond the limit nothing is looked up.
// Invariant: a token issued or found here, and not failed since, is exempt, so a flood does not affect others behind its
// address.

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../shared/awaitable.ts';
import { isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenLookups {
  /** null: not found; a refusal: not looked up. */
  find<Found>(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null | Refusal>;
  know(token: string): void;
}

const knownMax = 100_000;

/** `admitKnown`: a limit per known token, where no other limit applies. */
export function createTokenLookups(
  limiter: RateLimiter,
  admitKnown: (tokenHash: string, reply: FastifyReply) => Awaitable<Refusal | null> = () => null,
): TokenLookups {
  const known = new Set<string>();

  function remember(tokenHash: string): void {
    const [oldest] = known.size < knownMax ? [] : known;
    if (oldest !== undefined) known.delete(oldest);
    known.add(tokenHash);
  }

  return {
    know: (token) => remember(hashOf(token)),
    async find(token, { ip }, reply, look) {
      const tokenHash = hashOf(token);
      const isGuess = !known.has(tokenHash);
      const limited = isGuess ? null : await admitKnown(tokenHash, reply);
      if (limited !== null) return limited;
      const found = isGuess ? await limiter.guess(ip, reply, look) : await look();
      if (found === null) known.delete(tokenHash);
      else if (isGuess && !isRefusal(found)) remember(tokenHash);
      return found;
    },
  };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
