// Limits look-ups of tokens sent without a sign-in (sessions, login links). Misses count per address, like invalid keys.
// Invariant: a token that this process issued or found is exempt until it fails, so a flood does not affect others behind
// its address.

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../shared/awaitable.ts';
import { isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenLookups {
  /** @returns null if the token was not found, a refusal if it was not looked up */
  find<Found>(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null | Refusal>;
  know(token: string): void;
}

const knownMax = 100_000;

/** `admitKnown`: limits the requests with one known token, where no other limit applies. */
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
