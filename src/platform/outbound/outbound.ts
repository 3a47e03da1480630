// All calls to addresses that users enter (webhooks, the product) go through here, filtered by address
// (docs/decisions/0035-outbound-calls.md).
// Invariant: every address of a name is checked, and the name is not resolved again before connecting. `send` always returns
// a value within its time limit.

import { isIP } from 'node:net';
import { programVersion } from '../../shared/version.ts';
import { createAddressFilter } from './outbound-addresses.ts';
import { type ConnectionLimits, createConnections, type OutboundConnection } from './outbound-connections.ts';
import { type Exchange, exchange } from './outbound-exchange.ts';
import { type OutboundFailure, OutboundProblem } from './outbound-problem.ts';
import { type OutboundTarget, parseTarget, targetProblem } from './outbound-target.ts';
import { createPerOriginConcurrency } from './per-origin-concurrency.ts';
import { createNameResolver, type NameLimits } from './resolve-name.ts';

export type { OutboundFailure } from './outbound-problem.ts';

export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Test calls have their own concurrency limit, so that hanging ones never delay real calls to the same origin. */
  readonly isTest?: boolean;
}

export type OutboundResult =
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly answer: string;
      readonly milliseconds: number;
    }
  | { readonly type: 'failed'; readonly reason: OutboundFailure; readonly milliseconds: number };

export interface Outbound {
  /** Follows no redirects. Resends if a kept connection turns out to be closed, so the receiver may get a request twice. */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** "must …" if the URL may not be called; null if it may. */
  problemOf(url: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface OutboundLimits extends ConnectionLimits, NameLimits {
  /** Time limit of the whole call: waiting for its turn, DNS, connection and answer. */
  readonly callMilliseconds: number;
  /** After this much of an answer the connection is dropped. The answer's status still counts. */
  readonly answerBytesMax: number;
  readonly callsOfOriginMax: number;
}

export function createOutbound(options: {
  readonly allow: readonly string[];
  readonly limits: OutboundLimits;
  /** Addresses in the order to try; [] if the name does not exist. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}): Outbound {
  const { allow, limits } = options;
  const filter = createAddressFilter(allow);
  const names = createNameResolver({ usesSystem: allow.length > 0, limits });
  const resolve = options.resolve ?? names.resolve;
  const connections = createConnections(limits);
  const turns = createPerOriginConcurrency(limits.callsOfOriginMax);
  const underWay = new Set<AbortController>();
  let isClosed = false;

  /** The signal aborts with an OutboundProblem at the limit or on `close`. */
  async function withinLimit<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (isClosed) throw new OutboundProblem('connection_lost');
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new OutboundProblem('timeout')), limits.callMilliseconds);
    underWay.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  }

  async function addressesOf({ hostname }: OutboundTarget, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(hostname) !== 0) return [hostname];
    const found = await abortable(
      resolve(hostname).catch(() => []),
      signal,
    );
    if (found.length === 0) throw new OutboundProblem('name_not_found');
    return found;
  }

  /** One bad address among them is enough to refuse the target. */
  function problemAt(target: OutboundTarget, addresses: readonly string[]): string | null {
    for (const address of addresses) {
      const problem = targetProblem(target, filter.place(address));
      if (problem !== null) return problem;
    }
    return null;
  }

  async function openConnection(target: OutboundTarget, signal: AbortSignal): Promise<OutboundConnection> {
    const addresses = await addressesOf(target, signal);
    if (problemAt(target, addresses) !== null) throw new OutboundProblem('address_refused');
    return connections.open(target, addresses, signal);
  }

  async function call(request: OutboundRequest, signal: AbortSignal): Promise<Exchange> {
    const target = parseTarget(request.url);
    if (typeof target === 'string') throw new OutboundProblem('address_refused');
    const headers = { ...request.headers, 'user-agent': userAgent };
    const message = { path: target.path, headers, body: request.body };
    const callOn = async (connection: OutboundConnection): Promise<Exchange> => {
      const exchanged = await exchange(connection, message, limits.answerBytesMax, signal);
      if (exchanged.type === 'answered' && exchanged.isWhole) connections.release(connection);
      else connections.drop(connection);
      return exchanged;
    };
    const line = request.isTest === true ? `${target.origin} tests` : target.origin;
    await turns.take(line, signal);
    try {
      const kept = connections.findIdle(target.origin);
      const exchanged = kept === null ? null : await callOn(kept);
      if (exchanged !== null && !wasClosedBefore(exchanged)) return exchanged;
      return await callOn(await openConnection(target, signal));
    } finally {
      turns.end(line);
    }
  }

  return {
    async send(request) {
      const begunAt = performance.now();
      const spent = () => Math.round(performance.now() - begunAt);
      try {
        const exchanged = await withinLimit((signal) => call(request, signal));
        if (exchanged.type === 'failed') {
          return { type: 'failed', reason: exchanged.reason, milliseconds: spent() };
        }
        const { status, answer } = exchanged;
        return { type: 'answered', status, answer, milliseconds: spent() };
      } catch (error) {
        if (!(error instanceof OutboundProblem)) throw error;
        return { type: 'failed', reason: error.reason, milliseconds: spent() };
      }
    },
    async problemOf(url) {
      const target = parseTarget(url);
      if (typeof target === 'string') return target;
      // Avoids a DNS look-up for a URL that is not allowed at any address.
      const problem = allow.length === 0 ? targetProblem(target, 'public') : null;
      if (problem !== null) return problem;
      try {
        return problemAt(target, await withinLimit((signal) => addressesOf(target, signal)));
      } catch (error) {
        if (!(error instanceof OutboundProblem)) throw error;
        return 'must name a host that can be found';
      }
    },
    async close() {
      isClosed = true;
      names.close();
      for (const controller of underWay) controller.abort(new OutboundProblem('connection_lost'));
      await connections.close();
    },
  };
}

const userAgent = `Sellthrough/${programVersion}`;

/** True if a kept connection closed while the request was on its way. The receiver most likely got nothing. */
function wasClosedBefore(exchanged: Exchange): boolean {
  return exchanged.type === 'failed' && exchanged.reason === 'connection_lost' && !exchanged.hasBegun;
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(OutboundProblem.of(signal.reason));
    const leave = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).finally(leave);
  });
}
