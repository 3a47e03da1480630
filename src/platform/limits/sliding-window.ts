// An exact sliding-window rate limit (docs/decisions/0004-rate-limit.md): no window of 60 seconds (or `seconds`) holds more
// than `limit` requests. It takes 8 bytes per request in the window.

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until one more request is admitted or, with room left, until the oldest expires; at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimitDecision extends RateLimitState {
  readonly admitted: boolean;
}

export interface SlidingWindowLimiter<Key> {
  take(key: Key, limit: number): RateLimitDecision;
  add(key: Key, count: number): void;
  /** Uncounts the newest request, or the newest not later than `at`. */
  giveBack(key: Key, at?: number): void;
  /** Counts nothing. `resetSeconds`: seconds until `wanted` more requests (default 1) would be admitted. */
  peek(key: Key, limit: number, wanted?: number): RateLimitState;
}

export const windowSeconds = 60;

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
    // After the limit was lowered, several of the oldest requests may have to expire first.
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
      // Move the key to the end, which is for the most recently used, even if it is refused.
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
