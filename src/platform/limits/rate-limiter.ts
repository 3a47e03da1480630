// Limits requests per account and minute (docs/rate-limits.md), requests per panel session and person, and failed
// authentications per address. These limits are independent: wrong keys and refused requests never use up an account's
// limit. A known good key is never refused because of its address.
// Local counts answer at once; shared counts may need a call to the server.

import type { FastifyReply } from 'fastify';
import { type Awaitable, after } from '../../shared/awaitable.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { addressNeighborhood, limitedNetworks } from '../../shared/ip-addresses.ts';
import { type CountedWindow, type RequestCounts, secondsOf, type Taking } from './request-counts.ts';
import { type RateLimitState, windowSeconds } from './sliding-window.ts';

export interface LimitedAccount {
  readonly id: number;
  readonly rateLimitPerMinute: number;
}

/** The account's limit covers all its keys. `key`: set if the key has a limit of its own as well. */
export interface LimitedCaller {
  readonly account: LimitedAccount;
  readonly key: LimitedAccount | null;
}

/** `grant`: an invitation or a new key. `sensitive_action`: any other action that asks for the password. */
export type AccessChange = 'allow_list' | 'sensitive_action' | 'grant';

export interface RateLimiter {
  /** Counts a request, writes the RateLimit headers of the scarcest limit, and refuses a request beyond any limit. */
  admit(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  /**
   * If they do not all fit, the request is uncounted. Beyond the limit itself, Retry-After says when the full limit is free.
   */
  admitAsMany(
    caller: LimitedCaller,
    count: number,
    at: number,
    reply: FastifyReply,
  ): Awaitable<Refusal | null>;
  foresee(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  show(caller: LimitedCaller, reply: FastifyReply): Awaitable<void>;
  /** Counts a request of a blocked account against a separate limit. */
  refused(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  /** Counts a bulk as a refused request, because it exceeded the rate limit after its body was read. */
  refusedWhole(accountId: number): void;
  /** Called before the body of a bulk is read: refuses it if the account has too many refused requests. */
  foreseeRefused(accountId: number, reply: FastifyReply): Awaitable<Refusal | null>;
  stateOf(account: LimitedAccount): Awaitable<RateLimitState>;
  admitSession(sessionId: string, personId: number, reply: FastifyReply): Awaitable<Refusal | null>;
  admitSessionAsMany(
    sessionId: string,
    personId: number,
    count: number,
    at: number,
    reply: FastifyReply,
  ): Awaitable<Refusal | null>;
  now(): number;
  /** The audit log keeps each one forever. Grants count apart, so that a stolen session cannot lock its owner out. */
  admitAccessChange(personId: number, what: AccessChange, reply: FastifyReply): Awaitable<Refusal | null>;
  /** Counts a failed authentication. @returns `answer` or, beyond the limit, the refusal of the rate limit */
  failed(address: string, answer: Refusal, reply: FastifyReply): Awaitable<Refusal>;
  /**
   * Counts a failure before the look-up, so that simultaneous guesses all count, and uncounts it after a hit or an error.
   */
  guess<Found>(
    address: string,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null | Refusal>;
  /** By the hash of the link or session. */
  admitVisit(tokenHash: string, reply: FastifyReply): Awaitable<Refusal | null>;
}

export interface RateLimiterOptions {
  readonly counts: RequestCounts;
  readonly monotonicNow: () => number;
  readonly failuresPerMinute: number;
  readonly refusalsPerMinute: number;
  readonly sessionRequestsPerMinute: number;
  /** Over all sessions of a person. */
  readonly panelRequestsPerMinute: number;
  /** Per person and kind of access change. */
  readonly accessChangesPerHour: number;
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { counts } = options;
  /** The shared server's identifiers of a request's admissions, one for each window, in case it is counted again as many. */
  const moments = new WeakMap<FastifyReply, readonly number[]>();

  const accountWindow = ({ id, rateLimitPerMinute: limit }: LimitedAccount): CountedWindow => ({
    kind: 'account',
    id,
    limit,
  });

  function windowsOf({ account, key }: LimitedCaller): readonly CountedWindow[] {
    const all = accountWindow(account);
    return key === null ? [all] : [{ kind: 'key', id: key.id, limit: key.rateLimitPerMinute }, all];
  }

  function refusalWindow(id: number): CountedWindow {
    return { kind: 'refusal', id, limit: options.refusalsPerMinute };
  }

  function sessionWindows(sessionId: string, personId: number): readonly CountedWindow[] {
    return [
      { kind: 'session', id: sessionId, limit: options.sessionRequestsPerMinute },
      { kind: 'panel', id: personId, limit: options.panelRequestsPerMinute },
    ];
  }

  /** Headers come from the limit that refused, else from the scarcest; `which` decides ties. */
  function send(taking: Taking, which: 'first' | 'last', reply: FastifyReply): Refusal | null {
    const { states, refusedBy } = taking;
    const refused = refusedBy === null ? undefined : states[refusedBy];
    const state = refused ?? leastLeft(states, which);
    writeHeaders(reply, state);
    if (refused !== undefined) return refuseLimited(reply, state);
    if (taking.moments !== null) moments.set(reply, taking.moments);
    return null;
  }

  function takeMany(
    windows: readonly CountedWindow[],
    count: number,
    admitted: Parameters<RequestCounts['takeMany']>[2],
    reply: FastifyReply,
  ): Awaitable<Refusal | null> {
    return after(counts.takeMany(windows, count, admitted), ({ states, refusedBy, waitSeconds }) => {
      writeHeaders(reply, leastLeft(states, 'first'));
      const short = refusedBy === null ? undefined : states[refusedBy];
      return short === undefined ? null : refuseLimited(reply, { ...short, resetSeconds: waitSeconds });
    });
  }

  function takeQuietly(window: CountedWindow, reply: FastifyReply): Awaitable<Refusal | null> {
    return after(counts.take([window]), (taking) => quietRefusal(window, taking, reply));
  }

  function quietRefusal(
    { kind }: CountedWindow,
    { states: [state], refusedBy }: Taking,
    reply: FastifyReply,
  ): Refusal | null {
    return refusedBy === null || state === undefined ? null : refuseLimited(reply, state, secondsOf(kind));
  }

  function show(caller: LimitedCaller, reply: FastifyReply): Awaitable<void> {
    return after(counts.peek(windowsOf(caller)), (states) => writeHeaders(reply, leastLeft(states, 'last')));
  }

  return {
    admit(caller, reply) {
      const taking = counts.take(windowsOf(caller));
      return taking instanceof Promise
        ? taking.then((taken) => send(taken, 'last', reply))
        : send(taking, 'last', reply);
    },
    admitAsMany(caller, count, at, reply) {
      const admitted = { at, moments: moments.get(reply)?.toReversed() ?? null };
      return takeMany(windowsOf(caller).toReversed(), count, admitted, reply);
    },
    foresee(caller, reply) {
      return after(counts.peek(windowsOf(caller)), (states) => {
        const state = leastLeft(states, 'last');
        if (state.remaining > 0) return null;
        writeHeaders(reply, state);
        return refuseLimited(reply, state);
      });
    },
    show,
    refused(caller, reply) {
      const window = refusalWindow(caller.account.id);
      return after(counts.take([window]), (taking) => {
        if (taking.refusedBy === null) return null;
        return after(show(caller, reply), () => quietRefusal(window, taking, reply));
      });
    },
    refusedWhole: (accountId) => void counts.take([refusalWindow(accountId)]),
    foreseeRefused(accountId, reply) {
      return after(counts.peek([refusalWindow(accountId)]), (states) => {
        const state = leastLeft(states, 'first');
        return state.remaining > 0 ? null : refuseLimited(reply, state);
      });
    },
    stateOf: (account) =>
      after(counts.peek([accountWindow(account)]), (states) => leastLeft(states, 'first')),
    admitSession: (sessionId, personId, reply) =>
      after(counts.takeInTurn(sessionWindows(sessionId, personId)), (taking) => send(taking, 'first', reply)),
    admitSessionAsMany(sessionId, personId, count, at, reply) {
      const admitted = { at, moments: moments.get(reply) ?? null };
      return takeMany(sessionWindows(sessionId, personId), count, admitted, reply);
    },
    now: options.monotonicNow,
    admitAccessChange: (personId, what, reply) =>
      takeQuietly({ kind: 'change', id: `${what} ${personId}`, limit: options.accessChangesPerHour }, reply),
    failed(address, answer, reply) {
      const id = addressNeighborhood(address);
      const limited = takeQuietly({ kind: 'failure', id, limit: options.failuresPerMinute }, reply);
      return after(limited, (refused) => refused ?? answer);
    },
    async guess(address, reply, look) {
      const windows = limitedNetworks(address).map(
        ({ network, limitFactor }): CountedWindow => ({
          kind: 'lookup',
          id: network,
          limit: options.failuresPerMinute * limitFactor,
        }),
      );
      const counted = counts.take(windows);
      const taking = counted instanceof Promise ? await counted : counted;
      const { states, refusedBy } = taking;
      const refused = refusedBy === null ? undefined : states[refusedBy];
      if (refused !== undefined) return refuseLimited(reply, refused);
      let isMissing = false;
      try {
        const found = await look();
        isMissing = found === null;
        return found;
      } finally {
        if (!isMissing) counts.giveBack(windows, taking.moments);
      }
    },
    admitVisit: (tokenHash, reply) =>
      takeQuietly({ kind: 'session', id: tokenHash, limit: options.sessionRequestsPerMinute }, reply),
  };
}

function leastLeft(states: readonly RateLimitState[], which: 'first' | 'last'): RateLimitState {
  let least = states[0];
  if (least === undefined) throw new Error('Nothing was counted.');
  if (states.length === 1) return least;
  for (const state of states)
    if (state.remaining < least.remaining || (which === 'last' && state.remaining === least.remaining))
      least = state;
  return least;
}

/** IETF draft "RateLimit header fields for HTTP". */
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
