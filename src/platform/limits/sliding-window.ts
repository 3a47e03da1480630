// An exact rate limit: a request is admitted when fewer than `limit` were admitted in the 60 seconds
// before it (or in the seconds of another window). So no window of 60 seconds, wherever it begins, holds more than the limit, and Retry-After
// is the moment the oldest admitted request leaves the window. Memory: eight bytes for each admitted
// request of the last minute. Counted in this process (see docs/decisions/0004-rate-limit.md).

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until at least one more request is admitted (1 or more when none is left). */
  readonly resetSeconds: number;
}

export interface RateLimitDecision extends RateLimitState {
  readonly admitted: boolean;
}

export interface SlidingWindowLimiter<Key> {
  /** Counts one request of the key if it is within the limit. */
  take(key: Key, limit: number): RateLimitDecision;
  /** Counts as many more, whether or not they are within the limit: the caller has looked. */
  add(key: Key, count: number): void;
  /** Takes back one request that was admitted just now; or the last one that was admitted until `at`. */
  giveBack(key: Key, at?: number): void;
  /** How things stand, without counting; `resetSeconds` is until as many as `wanted` are admitted, one unless given. */
  peek(key: Key, limit: number, wanted?: number): RateLimitState;
}

export const windowSeconds = 60;

/** @param keysMax keys held at once; beyond it the one that was idle the longest is forgotten */
export function createSlidingWindowLimiter<Key>(
  now: () => number,
  keysMax: number,
  seconds = windowSeconds,
): SlidingWindowLimiter<Key> {
  const windowMilliseconds = seconds * 1000;
  const windows = new Map<Key, AdmittedTimes>();

  function windowOf(key: Key): AdmittedTimes {
    const existing = windows.get(key);
    if (existing !== undefined) return existing;
    if (windows.size >= keysMax) {
      const [oldest] = windows.keys();
      if (oldest !== undefined) windows.delete(oldest);
    }
    const fresh = createAdmittedTimes();
    windows.set(key, fresh);
    return fresh;
  }

  function state(times: AdmittedTimes | undefined, limit: number, at: number, wanted = 1): RateLimitState {
    const used = times?.size() ?? 0;
    const remaining = Math.max(0, limit - used);
    // A lowered limit may have to wait for more than the oldest to leave.
    const leaving = times?.at(remaining >= wanted ? 0 : used + wanted - limit - 1);
    const resetSeconds =
      leaving === undefined ? seconds : Math.ceil((leaving + windowMilliseconds - at) / 1000);
    return { limit, remaining, resetSeconds: Math.max(1, resetSeconds) };
  }

  return {
    take(key, limit) {
      const at = now();
      const times = windowOf(key);
      times.dropUntil(at - windowMilliseconds);
      // Most recently used last: a key that only asks in vain is not idle.
      windows.delete(key);
      windows.set(key, times);
      const admitted = times.size() < limit;
      if (admitted) times.push(at);
      return { admitted, ...state(times, limit, at) };
    },
    add(key, count) {
      const at = now();
      const times = windowOf(key);
      for (let added = 0; added < count; added += 1) times.push(at);
    },
    giveBack(key, at = Number.POSITIVE_INFINITY) {
      windows.get(key)?.dropLast(at);
    },
    peek(key, limit, wanted) {
      const at = now();
      const times = windows.get(key);
      times?.dropUntil(at - windowMilliseconds);
      return state(times, limit, at, wanted);
    },
  };
}

type AdmittedTimes = ReturnType<typeof createAdmittedTimes>;

/** A queue of times in a ring that grows by doubling and shrinks when it has emptied. */
function createAdmittedTimes() {
  const capacityMin = 16;
  let ring = new Float64Array(capacityMin);
  let first = 0;
  let count = 0;

  return {
    size: () => count,
    at: (index: number): number | undefined =>
      index < count ? ring[(first + index) % ring.length] : undefined,
    push(time: number): void {
      if (count === ring.length) {
        const larger = new Float64Array(ring.length * 2);
        for (let index = 0; index < count; index += 1)
          larger[index] = ring[(first + index) % ring.length] ?? 0;
        ring = larger;
        first = 0;
      }
      ring[(first + count) % ring.length] = time;
      count += 1;
    },
    /** The newest that is not later than `until`: what came after it moves up. */
    dropLast(until: number): void {
      let index = count - 1;
      while (index >= 0 && (ring[(first + index) % ring.length] ?? 0) > until) index -= 1;
      if (index < 0) return;
      for (; index < count - 1; index += 1)
        ring[(first + index) % ring.length] = ring[(first + index + 1) % ring.length] ?? 0;
      count -= 1;
    },
    dropUntil(time: number): void {
      while (count > 0 && (ring[first] ?? 0) <= time) {
        first = (first + 1) % ring.length;
        count -= 1;
      }
      if (count === 0 && ring.length > capacityMin) {
        ring = new Float64Array(capacityMin);
        first = 0;
      }
    },
  };
}
