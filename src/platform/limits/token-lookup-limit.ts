// Look-ups by tokens that arrive without a sign-in: sessions, customers' sessions, login links. Anybody can make tokens up, so
// an address looks up only so many that open nothing, counted as made-up keys are, and beyond that none is looked for.
// Always true: a token that was handed out here, or opened something here, and has not failed since, is no guess: whoever
// shares an address with a flood goes on.

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Awaitable } from '../../shared/awaitable.ts';
import { isRefusal, type Refusal } from '../../shared/error-catalogue.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenLookups {
  /** What `look` finds by the token, or null; a refusal: nothing was looked for. */
  find<Found>(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null | Refusal>;
  /** This token was handed out just now. */
  know(token: string): void;
}

/** Beyond it the oldest is forgotten: a guess again, which costs it nothing without a flood. */
const knownMax = 100_000;

/** @param admitKnown the limit of one token that is known, where nothing else limits what is done with it */
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
