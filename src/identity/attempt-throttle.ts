// Guessing passwords and codes, slowed down. Failures are counted for each (name, network) and for each network, in
// this process's memory; a network is an address's neighbourhood and, with four times its limits, the /48 around
// it. After `freeFailures` for the pair the next try waits 1, 2, 4 … at most `waitSecondsMax`; a network that failed
// `neighbourhoodFailuresMax` times within `windowSeconds` waits until the oldest of them is over.
// Always true: a try from elsewhere is never held back by it, so nobody locks an honest user out; a try counts before it
// is checked, so that a hundred at once do not pass as one; and one that could not be checked counts for nothing.

import { type Refusal, refusal } from '../contract/error-catalogue.ts';
import { type LimitedNetwork, limitedNetworks } from '../contract/ip-addresses.ts';

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
  /** Pairs and networks remembered; beyond it the oldest are forgotten. */
  readonly rememberedMax: number;
}

/** Finds what was tried to be right, or false. Throws when it cannot find out. */
export type AttemptCheck<Right> = () => Promise<Right | false>;

export interface AttemptThrottle {
  /** A password for a name: what the check says, or a refusal without it. */
  tryPassword<Right>(
    name: string,
    address: string,
    check: AttemptCheck<Right>,
  ): Promise<Right | false | Refusal>;
  /** A code of somebody whose password was right. */
  tryCode<Right>(personId: number, check: AttemptCheck<Right>): Promise<Right | false | Refusal>;
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
  const networks = new Map<string, number[]>();

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

  /** Counts a failure before it is one; the function takes it back. */
  function fail<Key>(
    map: Map<Key, Failures>,
    key: Key,
    at: number,
    free: number,
    waitMax: number,
  ): () => void {
    const before = failuresOf(map, key, at);
    const beyond = before.count + 1 - free;
    const waitSeconds = beyond < 0 ? 0 : Math.min(waitMax, 2 ** Math.min(beyond, 30));
    const counted = { count: before.count + 1, waitUntil: at + waitSeconds * 1000, lastAt: at };
    remember(map, key, counted);
    return () => {
      const known = map.get(key);
      if (known === undefined) return;
      const count = known.count - 1;
      // Whoever was let in had nothing to wait for.
      const waitUntil = known === counted || count < free ? 0 : known.waitUntil;
      if (count > 0) map.set(key, { ...known, count, waitUntil });
      else map.delete(key);
    };
  }

  function recentOf(network: string, at: number): number[] {
    const since = at - limits.windowSeconds * 1000;
    return (networks.get(network) ?? []).filter((time) => time > since);
  }

  function failNetwork(network: string, at: number): () => void {
    remember(networks, network, [...recentOf(network, at), at]);
    return () => {
      const times = networks.get(network) ?? [];
      const index = times.indexOf(at);
      if (index >= 0) times.splice(index, 1);
    };
  }

  /** How long a network must wait for its next try of the name; the longest wait counts. */
  function passwordWait(
    pair: string,
    { network, limitFactor }: LimitedNetwork,
    at: number,
  ): { readonly until: number; readonly refused: Refusal } | null {
    const { waitUntil } = failuresOf(pairs, pair, at);
    const max = limits.neighbourhoodFailuresMax * limitFactor;
    const oldest = recentOf(network, at).at(-max);
    const networkUntil = oldest === undefined ? 0 : oldest + limits.windowSeconds * 1000;
    const until = Math.max(waitUntil, networkUntil);
    if (until <= at) return null;
    const refused =
      waitUntil >= networkUntil
        ? waiting(until - at, limits.freeFailures * limitFactor, limits.forgetSeconds)
        : waiting(until - at, max, limits.windowSeconds);
    return { until, refused };
  }

  return {
    async tryPassword(name, address, check) {
      const at = monotonicNow();
      const tried = limitedNetworks(address).map((limited) => ({
        ...limited,
        pair: `${name}\n${limited.network}`,
      }));
      const waits = tried.flatMap((each) => passwordWait(each.pair, each, at) ?? []);
      const longest = waits.sort((a, b) => b.until - a.until)[0];
      if (longest !== undefined) return longest.refused;
      const ofPairs = tried.map(({ pair, limitFactor }) =>
        fail(pairs, pair, at, limits.freeFailures * limitFactor, limits.waitSecondsMax),
      );
      const ofNetworks = tried.map(({ network }) => failNetwork(network, at));
      return judge(check, {
        right() {
          for (const { pair } of tried) pairs.delete(pair);
          for (const takeBack of ofNetworks) takeBack();
        },
        unknown() {
          for (const takeBack of [...ofPairs, ...ofNetworks]) takeBack();
        },
      });
    },
    async tryCode(personId, check) {
      const at = monotonicNow();
      const { waitUntil } = failuresOf(codes, personId, at);
      if (waitUntil > at) return waiting(waitUntil - at, limits.freeCodeFailures, limits.forgetSeconds);
      const takeBack = fail(codes, personId, at, limits.freeCodeFailures, limits.codeWaitSecondsMax);
      return judge(check, { right: () => codes.delete(personId), unknown: takeBack });
    },
  };
}

/** What was counted as wrong stays so unless the check says otherwise. */
async function judge<Right>(
  check: AttemptCheck<Right>,
  end: { right(): void; unknown(): void },
): Promise<Right | false> {
  try {
    const right = await check();
    if (right !== false) end.right();
    return right;
  } catch (error) {
    end.unknown();
    throw error;
  }
}

function waiting(milliseconds: number, limit: number, windowSeconds: number): Refusal {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return refusal('rate_limited', { limit, window_seconds: windowSeconds, retry_after: seconds });
}
