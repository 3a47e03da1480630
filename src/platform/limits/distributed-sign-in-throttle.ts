// Counts failed passwords and codes across processes, on the server of the shared limits. Each process also counts locally,
// for when the server is away. Names are sent as hashes, because people sometimes type a password into the name field.

import { hash } from 'node:crypto';
import {
  backOperation,
  forgetOperation,
  type SharedFailures,
  type SharedWindow,
  type TryAnswer,
  tryOperation,
  undoOperation,
} from './limit-operations.ts';
import type { LimitServer } from './limit-server.ts';
import {
  type AttemptCounts,
  type AttemptLimits,
  type CountedTry,
  type LocalAttemptCounts,
  type Tried,
  waitRefusal,
} from './sign-in-throttle.ts';

export interface SharedAttemptCountsOptions {
  readonly server: LimitServer;
  readonly local: LocalAttemptCounts;
  readonly limits: AttemptLimits;
  readonly monotonicNow: () => number;
}

export function createSharedAttemptCounts(options: SharedAttemptCountsOptions): AttemptCounts {
  const { server, local, limits, monotonicNow } = options;

  function failuresOf({ failures }: Tried): readonly SharedFailures[] {
    return failures.map(({ kind, id, free, waitSecondsMax }) => ({
      key: `sellthrough:1:${kind}:${kind === 'pair' ? hash('sha256', id, 'base64url') : id}`,
      free,
      waitSecondsMax,
      forgetSeconds: limits.forgetSeconds,
    }));
  }

  function windowsOf({ networks }: Tried): readonly SharedWindow[] {
    return networks.map(({ network, failuresMax }) => ({
      key: `sellthrough:1:sign-in:${network}`,
      seconds: limits.windowSeconds,
      limit: failuresMax,
    }));
  }

  function countedThere(tried: Tried, { now, failures, windows }: TryAnswer): CountedTry {
    const sharedFailures = failuresOf(tried);
    const ofNetworks = backOperation(
      windowsOf(tried).map((window, place) => ({ window, moment: windows[place]?.moment ?? 0, count: 1 })),
    );
    return {
      right() {
        server.send(forgetOperation(sharedFailures));
        server.send(ofNetworks);
      },
      unknown() {
        const undone = sharedFailures.map((each, place) => ({
          failures: each,
          count: failures[place]?.count ?? 0,
          moment: now,
        }));
        server.send(undoOperation(undone));
        server.send(ofNetworks);
      },
    };
  }

  return {
    async count(tried) {
      const answer = await server.ask(tryOperation(failuresOf(tried), windowsOf(tried)));
      if (answer === null) return local.count(tried);
      const refused = waitRefusal(
        tried,
        {
          failures: answer.failures.map(({ waitMilliseconds }) => waitMilliseconds),
          networks: answer.windows.map(({ waitMilliseconds }) => waitMilliseconds),
        },
        limits,
      );
      if (refused !== null) return refused;
      const there = countedThere(tried, answer);
      // After an outage the local counts apply too, except those by name: another process may have let the person in since.
      const since = server.thereSince();
      const isDoubtful = since === null || monotonicNow() - since < limits.windowSeconds * 1000;
      const own = isDoubtful ? local.refusal({ ...tried, failures: [] }) : null;
      if (own !== null) {
        there.unknown();
        return own;
      }
      const here = local.note(tried);
      return {
        right() {
          there.right();
          here.right();
        },
        unknown() {
          there.unknown();
          here.unknown();
        },
      };
    },
  };
}
