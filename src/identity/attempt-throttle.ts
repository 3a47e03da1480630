// Guessing passwords and codes, slowed down. Failures are counted for each (name, address neighbourhood) and
// for each neighbourhood, in this process's memory. After `freeFailures` for the pair the next try waits 1,
// 2, 4 … at most `waitSecondsMax`; a neighbourhood that failed `neighbourhoodFailuresMax` times within
// `windowSeconds` waits until the oldest of them is over.
// Always true: a try from another neighbourhood is never held back by it, so nobody locks an honest user out;
// and a try counts before its password is checked, so that a hundred at once do not pass as one.

import { type Refusal, refusal } from '../contract/error-catalogue.ts';
import { addressNeighbourhood } from '../contract/ip-addresses.ts';

export interface AttemptLimits {
  readonly freeFailures: number;
  readonly waitSecondsMax: number;
  /** After this long without a failure the pair begins anew. */
  readonly forgetSeconds: number;
  readonly neighbourhoodFailuresMax: number;
  readonly windowSeconds: number;
  /** Wrong codes after a right password, from anywhere: whoever knows the password has one in 333,333 a try. */
  readonly freeCodeFailures: number;
  readonly codeWaitSecondsMax: number;
  /** Pairs and neighbourhoods remembered; beyond it the oldest are forgotten. */
  readonly rememberedMax: number;
}

/** A try that was let through. It has failed unless it is said to have been right. */
export interface Attempt {
  succeeded(): void;
}

export interface AttemptThrottle {
  /** A password for a name. */
  beginPassword(name: string, address: string): Attempt | Refusal;
  /** A code for an account whose password was right. */
  beginCode(accountId: number): Attempt | Refusal;
}

interface Failures {
  count: number;
  /** Milliseconds of the clock: no try before it. */
  waitUntil: number;
  lastAt: number;
}

export function createAttemptThrottle(monotonicNow: () => number, limits: AttemptLimits): AttemptThrottle {
  const pairs = new Map<string, Failures>();
  const codes = new Map<number, Failures>();
  const neighbourhoods = new Map<string, number[]>();

  /** Oldest first out: the map keeps the order in which keys were last written. */
  function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    map.delete(key);
    if (map.size >= limits.rememberedMax) {
      const [oldest] = map.keys();
      if (oldest !== undefined) map.delete(oldest);
    }
    map.set(key, value);
  }

  function failuresOf<Key>(map: Map<Key, Failures>, key: Key, at: number): Failures {
    const known = map.get(key);
    const isOver = known === undefined || known.lastAt + limits.forgetSeconds * 1000 < at;
    return isOver ? { count: 0, waitUntil: 0, lastAt: at } : known;
  }

  function fail<Key>(map: Map<Key, Failures>, key: Key, at: number, free: number, waitMax: number): void {
    const { count } = failuresOf(map, key, at);
    const beyond = count + 1 - free;
    const waitSeconds = beyond < 0 ? 0 : Math.min(waitMax, 2 ** Math.min(beyond, 30));
    remember(map, key, { count: count + 1, waitUntil: at + waitSeconds * 1000, lastAt: at });
  }

  function recentOf(neighbourhood: string, at: number): number[] {
    const since = at - limits.windowSeconds * 1000;
    return (neighbourhoods.get(neighbourhood) ?? []).filter((time) => time > since);
  }

  return {
    beginPassword(name, address) {
      const at = monotonicNow();
      const neighbourhood = addressNeighbourhood(address);
      const pair = `${name}\n${neighbourhood}`;
      const before = failuresOf(pairs, pair, at);
      if (before.waitUntil > at) {
        return waiting(before.waitUntil - at, limits.freeFailures, limits.forgetSeconds);
      }
      const recent = recentOf(neighbourhood, at);
      const oldest = recent.at(-limits.neighbourhoodFailuresMax);
      if (oldest !== undefined) {
        const left = oldest + limits.windowSeconds * 1000 - at;
        return waiting(left, limits.neighbourhoodFailuresMax, limits.windowSeconds);
      }
      fail(pairs, pair, at, limits.freeFailures, limits.waitSecondsMax);
      remember(neighbourhoods, neighbourhood, [...recent, at]);
      return {
        succeeded() {
          pairs.delete(pair);
          const times = neighbourhoods.get(neighbourhood) ?? [];
          const index = times.indexOf(at);
          if (index >= 0) times.splice(index, 1);
        },
      };
    },
    beginCode(accountId) {
      const at = monotonicNow();
      const before = failuresOf(codes, accountId, at);
      if (before.waitUntil > at) {
        return waiting(before.waitUntil - at, limits.freeCodeFailures, limits.forgetSeconds);
      }
      fail(codes, accountId, at, limits.freeCodeFailures, limits.codeWaitSecondsMax);
      return { succeeded: () => void codes.delete(accountId) };
    },
  };
}

function waiting(milliseconds: number, limit: number, windowSeconds: number): Refusal {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return refusal('rate_limited', { limit, window_seconds: windowSeconds, retry_after: seconds });
}
