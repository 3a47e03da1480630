// The limits on requests: each account has its own per minute (specification "Limits"), each session of the
// panel and each person one of their own, and each address a limit on failed authentications. They are independent:
// wrong keys from an address cannot use up an account's budget, nor can requests that are refused before they count;
// and a right key that was seen before is never refused for what others sent from its address.

import type { FastifyReply } from 'fastify';
import { type Refusal, refusal } from '../contract/error-catalogue.ts';
import { addressNeighbourhood, limitedNetworks } from '../contract/ip-addresses.ts';
import {
  createSlidingWindowLimiter,
  type RateLimitDecision,
  type RateLimitState,
  type SlidingWindowLimiter,
  windowSeconds,
} from './sliding-window.ts';

/** Whose requests are counted. */
export interface LimitedAccount {
  readonly id: number;
  readonly rateLimitPerMinute: number;
}

/** Its account's limit is over all its keys; `key`: one that has a limit of its own as well. */
export interface LimitedCaller {
  readonly account: LimitedAccount;
  readonly key: LimitedAccount | null;
}

/** `grant`: an invitation or a new key. `deed`: what else takes the password. */
export type AccessChange = 'allow_list' | 'deed' | 'grant';

export interface RateLimiter {
  /** Counts a request, writes the RateLimit headers of the limit with least left, and refuses beyond either. */
  admit(caller: LimitedCaller, reply: FastifyReply): Refusal | null;
  /**
   * Counts a request that was admitted at `at` as many, in all: beyond the limit none of them is counted, itself neither.
   * What could never pass is told when as many as possible would.
   */
  admitAsMany(caller: LimitedCaller, count: number, at: number, reply: FastifyReply): Refusal | null;
  /** Refuses beyond the limit, as admit does; within it nothing is counted yet. */
  foresee(caller: LimitedCaller, reply: FastifyReply): Refusal | null;
  /** Writes the RateLimit headers of a request that was refused before it counted. */
  show(caller: LimitedCaller, reply: FastifyReply): void;
  /** Counts a request of an account that may not come in, apart from those that may, and refuses beyond that limit. */
  refused(caller: LimitedCaller, reply: FastifyReply): Refusal | null;
  /** Counts a request that was refused for what it would have counted as, after its body was read: apart, with the others that were refused. */
  refusedWhole(accountId: number): void;
  /** Before the next such body is read: refuses where so many were refused. */
  foreseeRefused(accountId: number, reply: FastifyReply): Refusal | null;
  /** How the account's limit stands, without counting. */
  stateOf(account: LimitedAccount): RateLimitState;
  /** Counts a request of a session of the panel: for the session, and for all sessions of its person together. */
  admitSession(sessionId: string, personId: number, reply: FastifyReply): Refusal | null;
  /** As admitAsMany. */
  admitSessionAsMany(
    sessionId: string,
    personId: number,
    count: number,
    at: number,
    reply: FastifyReply,
  ): Refusal | null;
  /** What admitAsMany takes as `at`. */
  now(): number;
  /**
   * Counts a person's change of who gets into their account, which the audit log keeps for ever. Deeds that take the
   * password are counted apart: a stolen session must not keep its owner from them. So is what lets somebody else in: whoever
   * has invited many can still take a key back.
   */
  admitAccessChange(personId: number, what: AccessChange, reply: FastifyReply): Refusal | null;
  /** Counts a failed authentication; beyond the limit the answer says so instead of what was wrong. */
  failed(address: string, answer: Refusal, reply: FastifyReply): Refusal;
  /**
   * Looks up what may have been made up: a key, a token. It counts before the database is asked, so that a thousand at once
   * do not pass as one, and counts for nothing if it was found or could not be looked up. Beyond the limit of the
   * address nothing is looked up.
   */
  guess<Found>(
    address: string,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null | Refusal>;
  /** Counts a request of a customer, by the hash of the link or of the session that was sent. */
  admitVisit(tokenHash: string, reply: FastifyReply): Refusal | null;
}

export interface RateLimiterOptions {
  /** Milliseconds that only ever grow. */
  readonly monotonicNow: () => number;
  readonly accountsMax: number;
  readonly failuresPerMinute: number;
  /** Of an account that may not come in. */
  readonly refusalsPerMinute: number;
  readonly sessionRequestsPerMinute: number;
  /** Of all sessions of a person together. */
  readonly panelRequestsPerMinute: number;
  /** Of a person, of each kind: keys, the allow-list, people, the own password and second factor. */
  readonly accessChangesPerHour: number;
  readonly sessionsMax: number;
  readonly addressesMax: number;
}

const hourSeconds = 3_600;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const accounts = createSlidingWindowLimiter<number>(options.monotonicNow, options.accountsMax);
  const keys = createSlidingWindowLimiter<number>(options.monotonicNow, options.accountsMax);
  const refusals = createSlidingWindowLimiter<number>(options.monotonicNow, options.accountsMax);
  const lookups = createSlidingWindowLimiter<string>(options.monotonicNow, options.addressesMax);
  const failures = createSlidingWindowLimiter<string>(options.monotonicNow, options.addressesMax);
  const sessions = createSlidingWindowLimiter<string>(options.monotonicNow, options.sessionsMax);
  const panels = createSlidingWindowLimiter<number>(options.monotonicNow, options.accountsMax);
  const changes = createSlidingWindowLimiter<string>(options.monotonicNow, options.accountsMax, hourSeconds);

  /** Each has its own limit of the same requests; the one with least left is shown. */
  function takeMany(
    counts: readonly {
      peek(wanted?: number): RateLimitState;
      add(count: number): void;
      giveBack(at: number): void;
    }[],
    count: number,
    at: number,
    reply: FastifyReply,
  ): Refusal | null {
    for (const each of counts) each.giveBack(at);
    const short = counts.find((each) => each.peek().remaining < count);
    if (short === undefined) for (const each of counts) each.add(count);
    const [least] = counts.map((each) => each.peek()).sort((one, other) => one.remaining - other.remaining);
    if (least !== undefined) writeHeaders(reply, least);
    if (short === undefined) return null;
    const { limit, remaining } = short.peek();
    const wanted = Math.min(count, limit);
    const resetSeconds = remaining >= wanted ? 1 : short.peek(wanted).resetSeconds;
    return refuseLimited(reply, { limit, remaining, resetSeconds });
  }

  function windowFor<Key>(windows: SlidingWindowLimiter<Key>, key: Key, limit: number) {
    return {
      peek: (wanted?: number) => windows.peek(key, limit, wanted),
      add: (count: number) => windows.add(key, count),
      giveBack: (at: number) => windows.giveBack(key, at),
    };
  }

  /** As the caller is told: the limit with least left. */
  function peek({ account, key }: LimitedCaller): RateLimitState {
    const all = accounts.peek(account.id, account.rateLimitPerMinute);
    if (key === null) return all;
    const own = keys.peek(key.id, key.rateLimitPerMinute);
    return own.remaining < all.remaining ? own : all;
  }

  function show(caller: LimitedCaller, reply: FastifyReply): void {
    writeHeaders(reply, peek(caller));
  }

  /** Of a request that either refuses neither counts. */
  function take({ account, key }: LimitedCaller): RateLimitDecision {
    if (key === null) return accounts.take(account.id, account.rateLimitPerMinute);
    const own = keys.take(key.id, key.rateLimitPerMinute);
    if (!own.admitted) return own;
    const all = accounts.take(account.id, account.rateLimitPerMinute);
    if (!all.admitted) keys.giveBack(key.id);
    return all.admitted && own.remaining < all.remaining ? own : all;
  }

  return {
    admit(caller, reply) {
      const state = take(caller);
      writeHeaders(reply, state);
      return state.admitted ? null : refuseLimited(reply, state);
    },
    admitAsMany({ account, key }, count, at, reply) {
      const all = windowFor(accounts, account.id, account.rateLimitPerMinute);
      const counts = key === null ? [all] : [all, windowFor(keys, key.id, key.rateLimitPerMinute)];
      return takeMany(counts, count, at, reply);
    },
    foresee(caller, reply) {
      const state = peek(caller);
      if (state.remaining > 0) return null;
      writeHeaders(reply, state);
      return refuseLimited(reply, state);
    },
    show,
    refused(caller, reply) {
      const state = refusals.take(caller.account.id, options.refusalsPerMinute);
      if (state.admitted) return null;
      show(caller, reply);
      return refuseLimited(reply, state);
    },
    refusedWhole: (accountId) => void refusals.take(accountId, options.refusalsPerMinute),
    foreseeRefused(accountId, reply) {
      const state = refusals.peek(accountId, options.refusalsPerMinute);
      return state.remaining > 0 ? null : refuseLimited(reply, state);
    },
    stateOf: (account) => accounts.peek(account.id, account.rateLimitPerMinute),
    admitSession(sessionId, personId, reply) {
      const own = sessions.take(sessionId, options.sessionRequestsPerMinute);
      const all = own.admitted ? panels.take(personId, options.panelRequestsPerMinute) : own;
      const state = all.admitted && own.remaining <= all.remaining ? own : all;
      writeHeaders(reply, state);
      return state.admitted ? null : refuseLimited(reply, state);
    },
    admitSessionAsMany(sessionId, personId, count, at, reply) {
      const counts = [
        windowFor(sessions, sessionId, options.sessionRequestsPerMinute),
        windowFor(panels, personId, options.panelRequestsPerMinute),
      ];
      return takeMany(counts, count, at, reply);
    },
    now: options.monotonicNow,
    admitAccessChange(personId, what, reply) {
      const state = changes.take(`${what} ${personId}`, options.accessChangesPerHour);
      return state.admitted ? null : refuseLimited(reply, state, hourSeconds);
    },
    failed(address, answer, reply) {
      const state = failures.take(addressNeighbourhood(address), options.failuresPerMinute);
      return state.admitted ? answer : refuseLimited(reply, state);
    },
    async guess(address, reply, look) {
      const counted: string[] = [];
      const giveBack = () => {
        for (const network of counted) lookups.giveBack(network);
      };
      for (const { network, limitFactor } of limitedNetworks(address)) {
        const state = lookups.take(network, options.failuresPerMinute * limitFactor);
        if (!state.admitted) {
          giveBack();
          return refuseLimited(reply, state);
        }
        counted.push(network);
      }
      let isMissing = false;
      try {
        const found = await look();
        isMissing = found === null;
        return found;
      } finally {
        if (!isMissing) giveBack();
      }
    },
    admitVisit(tokenHash, reply) {
      const state = sessions.take(tokenHash, options.sessionRequestsPerMinute);
      return state.admitted ? null : refuseLimited(reply, state);
    },
  };
}

/** RateLimit and RateLimit-Policy as in the IETF draft "RateLimit header fields for HTTP". */
function writeHeaders(reply: FastifyReply, { limit, remaining, resetSeconds }: RateLimitState): void {
  reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
}

function refuseLimited(
  reply: FastifyReply,
  { limit, resetSeconds }: RateLimitState,
  window = windowSeconds,
): Refusal {
  reply.header('retry-after', resetSeconds);
  return refusal('rate_limited', { limit, window_seconds: window, retry_after: resetSeconds });
}
