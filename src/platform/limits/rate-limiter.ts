// The limits on requests: each account has its own per minute (specification "Limits"), each session of the
// panel and each person one of their own, and each address a limit on failed authentications. They are independent:
// wrong keys from an address cannot use up an account's budget, nor can requests that are refused before they count;
// and a right key that was seen before is never refused for what others sent from its address.
// Counted in this process, each answer is there at once; counted over all processes, some take a call to their server.

import type { FastifyReply } from 'fastify';
import { type Awaitable, after } from '../../shared/awaitable.ts';
import { type Refusal, refusal } from '../../shared/error-catalogue.ts';
import { addressNeighbourhood, limitedNetworks } from '../../shared/ip-addresses.ts';
import { type CountedWindow, type RequestCounts, secondsOf, type Taking } from './request-counts.ts';
import { type RateLimitState, windowSeconds } from './sliding-window.ts';

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

/** `grant`: an invitation or a new key. `sensitive_action`: what else takes the password. */
export type AccessChange = 'allow_list' | 'sensitive_action' | 'grant';

export interface RateLimiter {
  /** Counts a request, writes the RateLimit headers of the limit with least left, and refuses beyond either. */
  admit(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  /**
   * Counts a request that was admitted at `at` as many, in all: beyond the limit none of them is counted, itself neither.
   * What could never pass is told when as many as possible would.
   */
  admitAsMany(
    caller: LimitedCaller,
    count: number,
    at: number,
    reply: FastifyReply,
  ): Awaitable<Refusal | null>;
  /** Refuses beyond the limit, as admit does; within it nothing is counted yet. */
  foresee(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  /** Writes the RateLimit headers of a request that was refused before it counted. */
  show(caller: LimitedCaller, reply: FastifyReply): Awaitable<void>;
  /** Counts a request of an account that may not come in, apart from those that may, and refuses beyond that limit. */
  refused(caller: LimitedCaller, reply: FastifyReply): Awaitable<Refusal | null>;
  /** Counts a request that was refused for what it would have counted as, after its body was read: apart, with the others that were refused. */
  refusedWhole(accountId: number): void;
  /** Before the next such body is read: refuses where so many were refused. */
  foreseeRefused(accountId: number, reply: FastifyReply): Awaitable<Refusal | null>;
  /** How the account's limit stands, without counting. */
  stateOf(account: LimitedAccount): Awaitable<RateLimitState>;
  /** Counts a request of a session of the panel: for the session, and for all sessions of its person together. */
  admitSession(sessionId: string, personId: number, reply: FastifyReply): Awaitable<Refusal | null>;
  /** As admitAsMany. */
  admitSessionAsMany(
    sessionId: string,
    personId: number,
    count: number,
    at: number,
    reply: FastifyReply,
  ): Awaitable<Refusal | null>;
  /** What admitAsMany takes as `at`. */
  now(): number;
  /**
   * Counts a person's change of who gets into their account, which the audit log keeps for ever. Actions that take the
   * password are counted apart: a stolen session must not keep its owner from them. So is what lets somebody else in: whoever
   * has invited many can still take a key back.
   */
  admitAccessChange(personId: number, what: AccessChange, reply: FastifyReply): Awaitable<Refusal | null>;
  /** Counts a failed authentication; beyond the limit the answer says so instead of what was wrong. */
  failed(address: string, answer: Refusal, reply: FastifyReply): Awaitable<Refusal>;
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
  admitVisit(tokenHash: string, reply: FastifyReply): Awaitable<Refusal | null>;
}

export interface RateLimiterOptions {
  readonly counts: RequestCounts;
  /** Milliseconds that only ever grow. */
  readonly monotonicNow: () => number;
  readonly failuresPerMinute: number;
  /** Of an account that may not come in. */
  readonly refusalsPerMinute: number;
  readonly sessionRequestsPerMinute: number;
  /** Of all sessions of a person together. */
  readonly panelRequestsPerMinute: number;
  /** Of a person, of each kind: keys, the allow-list, people, the own password and second factor. */
  readonly accessChangesPerHour: number;
}

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { counts } = options;
  /** By which a server knows a request that may yet count as many: of its windows in their order. */
  const moments = new WeakMap<FastifyReply, readonly number[]>();

  const accountWindow = ({ id, rateLimitPerMinute: limit }: LimitedAccount): CountedWindow => ({
    kind: 'account',
    id,
    limit,
  });

  /** First the key's own. */
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

  /** Writes the headers of the limit that refused; otherwise of the one with least left, of several the one that `which` says. */
  function tell(taking: Taking, which: 'first' | 'last', reply: FastifyReply): Refusal | null {
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

  /** One request in one window, of which the answer says nothing until it refuses. */
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
        ? taking.then((taken) => tell(taken, 'last', reply))
        : tell(taking, 'last', reply);
    },
    admitAsMany(caller, count, at, reply) {
      // First the account's.
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
      after(counts.takeInTurn(sessionWindows(sessionId, personId)), (taking) => tell(taking, 'first', reply)),
    admitSessionAsMany(sessionId, personId, count, at, reply) {
      const admitted = { at, moments: moments.get(reply) ?? null };
      return takeMany(sessionWindows(sessionId, personId), count, admitted, reply);
    },
    now: options.monotonicNow,
    admitAccessChange: (personId, what, reply) =>
      takeQuietly({ kind: 'change', id: `${what} ${personId}`, limit: options.accessChangesPerHour }, reply),
    failed(address, answer, reply) {
      const id = addressNeighbourhood(address);
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

/** Of several with as much left the first or the last. */
function leastLeft(states: readonly RateLimitState[], which: 'first' | 'last'): RateLimitState {
  let least = states[0];
  if (least === undefined) throw new Error('Nothing was counted.');
  if (states.length === 1) return least;
  for (const state of states)
    if (state.remaining < least.remaining || (which === 'last' && state.remaining === least.remaining))
      least = state;
  return least;
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
