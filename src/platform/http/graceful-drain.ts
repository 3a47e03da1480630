// Before a process ends, it answers /readyz with 503 while it goes on serving, so that proxies redirect traffic first. It
// waits only as long as the probers need, and not at all if nothing probes it (docs/decisions/0044-restarts.md).

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

export interface GracefulDrainLimits {
  /** An address that probed twice within this time is expected to probe again. Slower probers are not waited for. */
  readonly askedTwiceMilliseconds: number;
  /** Some proxies remove a process only after this many 503 answers. */
  readonly answers: number;
  readonly millisecondsMax: number;
  readonly askersMax: number;
}

export interface GracefulDrain {
  /** Call before each answer of /readyz, with the peer's address. */
  asked(address: string): void;
  isAnnounced(): boolean;
  /** Resolves when every regular prober has received enough 503s, at the time limit, or when `hurry` aborts. */
  announce(hurry: AbortSignal): Promise<void>;
}

interface Asker {
  previousAt: number;
  lastAt: number;
  answers: number;
}

export function createGracefulDrain(monotonicNow: () => number, limits: GracefulDrainLimits): GracefulDrain {
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
      // When an address probes again, it has read the last answer.
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

/** Closes the port, but keeps each connection until its next answer. Resolves when none is left, or at a limit. */
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
  // First read what has arrived, so that a request that came at the last moment is still answered.
  await nextTurn();
  server.closeIdleConnections();
}

/**
 * The kernel accepts connections before the process does. Once a connection of our own is accepted, all earlier ones are
 * too.
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
    // The HTTP server's own close() would cut idle connections.
    Server.prototype.close.call(server);
    own.destroy();
  };
  server.on('connection', onConnection).on('drop', close);
  own.on('error', close);
  signal.addEventListener('abort', close, { once: true });
}
