// Slows down guessing of passwords and codes. Failures count per pair of name and network, and per network. A network is the
// neighborhood of an address or, with four times the limits, its /48. After `freeFailures` a pair waits 1, 2, 4 … seconds;
// after `neighborhoodFailuresMax` failures in `windowSeconds` a network waits.
// Invariant: a try from another network is never delayed, so no attacker locks a user out. A try counts as a failure before
// the check, so that simultaneous tries all count.

import type { Awaitable } from '../../shared/awaitable.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { limitedNetworks } from '../../shared/ip-addresses.ts';

export interface AttemptLimits {
  readonly freeFailures: number;
  readonly waitSecondsMax: number;
  readonly forgetSeconds: number;
  readonly neighborhoodFailuresMax: number;
  readonly windowSeconds: number;
  /** Wrong codes after the right password, from any network. Each guess has a chance of 1 in 333,333. */
  readonly freeCodeFailures: number;
  readonly codeWaitSecondsMax: number;
  readonly rememberedMax: number;
}

/** Throws if the password or code cannot be checked. */
export type AttemptCheck<Right> = () => Promise<Right | false>;

export interface AttemptThrottle {
  tryPassword<Right>(
    name: string,
    address: string,
    check: AttemptCheck<Right>,
  ): Promise<Right | false | Refusal>;
  tryCode<Right>(personId: number, check: AttemptCheck<Right>): Promise<Right | false | Refusal>;
}

export interface Tried {
  /** Pairs of a name and a network, or a person whose password was right. */
  readonly failures: readonly TriedFailures[];
  readonly networks: readonly TriedNetwork[];
}

export interface TriedFailures {
  readonly kind: 'pair' | 'code';
  readonly id: string;
  readonly free: number;
  readonly waitSecondsMax: number;
}

export interface TriedNetwork {
  readonly network: string;
  readonly failuresMax: number;
}

export interface CountedTry {
  right(): void;
  unknown(): void;
}

export interface AttemptCounts {
  count(tried: Tried): Awaitable<CountedTry | Refusal>;
}

export interface LocalAttemptCounts extends AttemptCounts {
  count(tried: Tried): CountedTry | Refusal;
  /** The refusal that count() would return, without counting; null if the try is allowed. */
  refusal(tried: Tried): Refusal | null;
  note(tried: Tried): CountedTry;
}

export function createAttemptThrottle(
  monotonicNow: () => number,
  limits: AttemptLimits,
  counts: AttemptCounts = createAttemptCounts(monotonicNow, limits),
): AttemptThrottle {
  async function attempt<Right>(tried: Tried, check: AttemptCheck<Right>): Promise<Right | false | Refusal> {
    const found = counts.count(tried);
    const counted = found instanceof Promise ? await found : found;
    return isRefusal(counted) ? counted : judge(check, counted);
  }

  return {
    tryPassword(name, address, check) {
      const networks = limitedNetworks(address);
      return attempt(
        {
          failures: networks.map(({ network, limitFactor }) => ({
            kind: 'pair',
            id: `${name}\n${network}`,
            free: limits.freeFailures * limitFactor,
            waitSecondsMax: limits.waitSecondsMax,
          })),
          networks: networks.map(({ network, limitFactor }) => ({
            network,
            failuresMax: limits.neighborhoodFailuresMax * limitFactor,
          })),
        },
        check,
      );
    },
    tryCode(personId, check) {
      const { freeCodeFailures: free, codeWaitSecondsMax: waitSecondsMax } = limits;
      const failures = [{ kind: 'code', id: String(personId), free, waitSecondsMax }] as const;
      return attempt({ failures, networks: [] }, check);
    },
  };
}

interface Failures {
  count: number;
  waitUntil: number;
  lastAt: number;
}

export function createAttemptCounts(monotonicNow: () => number, limits: AttemptLimits): LocalAttemptCounts {
  const known: Readonly<Record<TriedFailures['kind'], Map<string, Failures>>> = {
    pair: new Map(),
    code: new Map(),
  };
  const networks = new Map<string, number[]>();

  /** A Map keeps insertion order, so the first key is the oldest. */
  function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    map.delete(key);
    if (map.size >= limits.rememberedMax) {
      const [oldest] = map.keys();
      if (oldest !== undefined) map.delete(oldest);
    }
    map.set(key, value);
  }

  function failuresOf({ kind, id }: TriedFailures, at: number): Failures {
    const found = known[kind].get(id);
    const isOver = found === undefined || found.lastAt + limits.forgetSeconds * 1000 < at;
    return isOver ? { count: 0, waitUntil: 0, lastAt: at } : found;
  }

  /** Counts a failure in advance; returns a function that uncounts it. */
  function fail(tried: TriedFailures, at: number): () => void {
    const { kind, id, free, waitSecondsMax } = tried;
    const before = failuresOf(tried, at);
    const beyond = before.count + 1 - free;
    const waitSeconds = beyond < 0 ? 0 : Math.min(waitSecondsMax, 2 ** Math.min(beyond, 30));
    const counted = { count: before.count + 1, waitUntil: at + waitSeconds * 1000, lastAt: at };
    remember(known[kind], id, counted);
    return () => {
      const found = known[kind].get(id);
      if (found === undefined) return;
      const count = found.count - 1;
      // End the wait that this try caused, unless other tries failed since.
      const waitUntil = found === counted || count < free ? 0 : found.waitUntil;
      if (count > 0) known[kind].set(id, { ...found, count, waitUntil });
      else known[kind].delete(id);
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

  function networkWait({ network, failuresMax }: TriedNetwork, at: number): number {
    const oldest = recentOf(network, at).at(-failuresMax);
    return oldest === undefined ? 0 : Math.max(0, oldest + limits.windowSeconds * 1000 - at);
  }

  function note(tried: Tried): CountedTry {
    const at = monotonicNow();
    const ofFailures = tried.failures.map((each) => fail(each, at));
    const ofNetworks = tried.networks.map(({ network }) => failNetwork(network, at));
    return {
      right() {
        for (const { kind, id } of tried.failures) known[kind].delete(id);
        for (const takeBack of ofNetworks) takeBack();
      },
      unknown() {
        for (const takeBack of [...ofFailures, ...ofNetworks]) takeBack();
      },
    };
  }

  function refusalOf(tried: Tried): Refusal | null {
    const at = monotonicNow();
    const waits = {
      failures: tried.failures.map((each) => Math.max(0, failuresOf(each, at).waitUntil - at)),
      networks: tried.networks.map((each) => networkWait(each, at)),
    };
    return waitRefusal(tried, waits, limits);
  }

  return { note, refusal: refusalOf, count: (tried) => refusalOf(tried) ?? note(tried) };
}

/** Refuses for the longest of the waits, in milliseconds; null if there is none. A pair and its network share an index. */
export function waitRefusal(
  { failures, networks }: Tried,
  waits: { readonly failures: readonly number[]; readonly networks: readonly number[] },
  limits: AttemptLimits,
): Refusal | null {
  let longest = 0;
  let refused: Refusal | null = null;
  for (let place = 0; place < Math.max(failures.length, networks.length); place += 1) {
    const wait = waits.failures[place] ?? 0;
    const networkWait = waits.networks[place] ?? 0;
    if (Math.max(wait, networkWait) <= longest) continue;
    longest = Math.max(wait, networkWait);
    refused =
      wait >= networkWait
        ? waiting(wait, failures[place]?.free ?? 0, limits.forgetSeconds)
        : waiting(networkWait, networks[place]?.failuresMax ?? 0, limits.windowSeconds);
  }
  return refused;
}

async function judge<Right>(check: AttemptCheck<Right>, counted: CountedTry): Promise<Right | false> {
  try {
    const right = await check();
    if (right !== false) counted.right();
    return right;
  } catch (error) {
    counted.unknown();
    throw error;
  }
}

function waiting(milliseconds: number, limit: number, windowSeconds: number): Refusal {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return refusal('rate_limited', { limit, window_seconds: windowSeconds, retry_after: seconds });
}
