// A process that is told to end says so at /readyz before it does, and serves on meanwhile: proxies send their requests
// elsewhere before anything of it is closed. Called by create-service.ts; probe-routes.ts tells it of every question.
// It takes as long as whoever asks needs to be told, and no time where nobody asks (docs/decisions/0044-restarts.md).

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

export interface GracefulDrainLimits {
  /** Who asked twice within this time is expected to ask again; whoever asks once a minute is not waited for. */
  readonly askedTwiceMilliseconds: number;
  /** Some take a process out only after this many answers of 503. */
  readonly answers: number;
  readonly millisecondsMax: number;
  /** Addresses that are remembered. */
  readonly askersMax: number;
}

export interface GracefulDrain {
  /** Before each answer of /readyz. The address is the peer's. */
  asked(address: string): void;
  /** Whether /readyz says that the process is going. */
  isAnnounced(): boolean;
  /**
   * Resolves when each address that keeps asking was told often enough, or after the longest time, or when it is to
   * hurry; at once where nobody keeps asking.
   */
  announce(hurry: AbortSignal): Promise<void>;
}

interface Asker {
  previousAt: number;
  lastAt: number;
  /** Answers of 503 that it was given. */
  answers: number;
}

export function createGracefulDrain(monotonicNow: () => number, limits: GracefulDrainLimits): GracefulDrain {
  // The one that asked last is the last one.
  const askers = new Map<string, Asker>();
  let waitedFor: Set<Asker> | null = null;
  let onAllAnswered = () => {};

  return {
    asked(address) {
      const now = monotonicNow();
      const asker = askers.get(address) ?? { previousAt: Number.NEGATIVE_INFINITY, lastAt: now, answers: 0 };
      if (askers.delete(address)) asker.previousAt = asker.lastAt;
      asker.lastAt = now;
      askers.set(address, asker);
      const [oldest] = askers.keys();
      if (askers.size > limits.askersMax && oldest !== undefined) askers.delete(oldest);
      if (waitedFor === null) return;
      asker.answers += 1;
      // The question after the last answer: whoever asks again has read it.
      if (asker.answers > limits.answers && waitedFor.delete(asker) && waitedFor.size === 0) onAllAnswered();
    },
    isAnnounced: () => waitedFor !== null,
    async announce(hurry) {
      const since = monotonicNow() - limits.askedTwiceMilliseconds;
      waitedFor = new Set([...askers.values()].filter(({ previousAt }) => previousAt >= since));
      if (waitedFor.size === 0 || hurry.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onAllAnswered = resolve;
      hurry.addEventListener('abort', () => resolve(), { once: true });
      const timer = setTimeout(resolve, limits.millisecondsMax);
      await promise;
      clearTimeout(timer);
    },
  };
}

/**
 * Closes the port and leaves the connections open. Whoever has one may be sending a request on it at this moment, and
 * proxies that ask nothing at /readyz do so until the port refuses them: each connection ends with its next answer, and
 * is not cut under a request. Resolves when none is left, after `milliseconds`, or when it is to hurry.
 */
export async function letConnectionsBeUsedUp(
  server: HttpServer,
  milliseconds: number,
  hurry: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, hurry]);
  const usedUp = once(server, 'close', { signal });
  closePort(server, signal);
  await Promise.race([usedUp, pause(milliseconds, undefined, { signal })]).catch(() => undefined);
  over.abort();
  // What has arrived by now is read first: a request that met the end of our patience is still answered.
  await nextTurn();
  server.closeIdleConnections();
}

/**
 * The system takes connections before the process does, and resets those that wait as the port closes. So it closes behind
 * a connection of our own: whatever came before that one was taken.
 */
function closePort(server: Server, signal: AbortSignal): void {
  const address = server.address();
  if (address === null || typeof address === 'string') return void Server.prototype.close.call(server);
  const own = connect({ port: address.port, host: address.address });
  const onConnection = ({ remotePort }: Socket) => {
    if (remotePort === own.localPort) close();
  };
  const close = () => {
    server.off('connection', onConnection).off('drop', close);
    // Not the HTTP server's own close(), which cuts what is idle.
    Server.prototype.close.call(server);
    own.destroy();
  };
  server.on('connection', onConnection).on('drop', close);
  own.on('error', close);
  signal.addEventListener('abort', close, { once: true });
}
