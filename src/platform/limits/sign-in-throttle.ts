// Guessing passwords and codes, slowed down. Failures are counted for each (name, network) and for each network; a
// network is an address's neighbourhood and, with four times its limits, the /48 around it. They are counted in this process's
// memory, or over all processes (distributed-sign-in-throttle.ts). After `freeFailures` for the pair the next try waits 1, 2, 4 … at most `waitSecondsMax`; a network that failed
// `neighbourhoodFailuresMax` times within `windowSeconds` waits until the oldest of them is over.
// Always true: a try from elsewhere is never held back by it, so nobody locks an honest user out; a try counts before it
// is checked, so that a hundred at once do not pass as one; and one that could not be checked counts for nothing.

import type { Awaitable } from '../../shared/awaitable.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';
import { limitedNetworks } from '../../shared/ip-addresses.ts';

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

/** What a try is counted under. */
export interface Tried {
  /** A name from a network, or a person whose password was right. */
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

/** A try that counts as failed until it is known to be something else. */
export interface CountedTry {
  right(): void;
  /** It could not be checked. */
  unknown(): void;
}

export interface AttemptCounts {
  /** Counts the try, or says why it may not be made. */
  count(tried: Tried): Awaitable<CountedTry | Refusal>;
}

export interface LocalAttemptCounts extends AttemptCounts {
  count(tried: Tried): CountedTry | Refusal;
  /** Why the try may not be made; null: it may. Counts nothing. */
  refusal(tried: Tried): Refusal | null;
  /** Counts what was let through. */
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
            failuresMax: limits.neighbourhoodFailuresMax * limitFactor,
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
  /** Milliseconds of the clock: no try before it. */
  waitUntil: number;
  lastAt: number;
}

/** In this process's memory. */
export function createAttemptCounts(monotonicNow: () => number, limits: AttemptLimits): LocalAttemptCounts {
  const known: Readonly<Record<TriedFailures['kind'], Map<string, Failures>>> = {
    pair: new Map(),
    code: new Map(),
  };
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

  function failuresOf({ kind, id }: TriedFailures, at: number): Failures {
    const found = known[kind].get(id);
    const isOver = found === undefined || found.lastAt + limits.forgetSeconds * 1000 < at;
    return isOver ? { count: 0, waitUntil: 0, lastAt: at } : found;
  }

  /** Counts a failure before it is one; the function takes it back. */
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
      // Whoever was let in had nothing to wait for.
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

/**
 * The longest of these waits, if there is any. In milliseconds, as what they are of; a pair and its network stand at the same
 * place.
 */
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

/** What was counted as wrong stays so unless the check says otherwise. */
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
