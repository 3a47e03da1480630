// The only way out: every call that the service makes to an address that somebody typed in (webhooks, the product) goes
// through here, with the address filter at connection (docs/decisions/0035-outbound-calls.md).
// Always true: a connection goes to an address that was resolved and checked for it, all addresses of its name at once,
// and no name is resolved between check and connection; whatever the other side does, `send` answers within its limit,
// with a value, and keeps no more of the answer than its first KiB.

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
  /** Calls of tests wait for turns of their own: where they hang, a real call to the same origin has all of its turns. */
  readonly isTest?: boolean;
}

export type OutboundResult =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** The first KiB, as text. */
      readonly answer: string;
      readonly milliseconds: number;
    }
  | { readonly type: 'failed'; readonly reason: OutboundFailure; readonly milliseconds: number };

export interface Outbound {
  /**
   * POSTs once. A redirect is an answer like any other. A kept connection that turns out to have been closed counts as
   * none: then the request is sent again, so the other side may in rare cases see it twice.
   */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Why a URL may not be called, as a few words that end a sentence ("must …"); null: it may. */
  problemOf(url: string): Promise<string | null>;
  /** What is under way fails with `connection_lost`. */
  close(): Promise<void>;
}

export interface OutboundLimits extends ConnectionLimits, NameLimits {
  /** Of a whole call: the wait for its turn, the name, the connection, the answer to its end. */
  readonly callMilliseconds: number;
  /** Of an answer, after which its connection is dropped; its status counts. */
  readonly answerBytesMax: number;
  /** Under way at once for one origin; others wait for their turn. */
  readonly callsOfOriginMax: number;
}

export function createOutbound(options: {
  /** OUTBOUND_ALLOW: addresses and CIDR ranges of one's own. */
  readonly allow: readonly string[];
  readonly limits: OutboundLimits;
  /** All addresses of a name, in the order in which they are tried; none: there is no such name. */
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

  /** Runs until the limit passes or `close` is called: then the signal aborts with an OutboundProblem. */
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

  /** All of them. @throws OutboundProblem */
  async function addressesOf({ hostname }: OutboundTarget, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(hostname) !== 0) return [hostname];
    const found = await abortable(
      resolve(hostname).catch(() => []),
      signal,
    );
    if (found.length === 0) throw new OutboundProblem('name_not_found');
    return found;
  }

  /** One bad address is enough. */
  function problemAt(target: OutboundTarget, addresses: readonly string[]): string | null {
    for (const address of addresses) {
      const problem = targetProblem(target, filter.place(address));
      if (problem !== null) return problem;
    }
    return null;
  }

  /** @throws OutboundProblem */
  async function openConnection(target: OutboundTarget, signal: AbortSignal): Promise<OutboundConnection> {
    const addresses = await addressesOf(target, signal);
    if (problemAt(target, addresses) !== null) throw new OutboundProblem('address_refused');
    return connections.open(target, addresses, signal);
  }

  /** @throws OutboundProblem */
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
      // Nobody need be asked for the name of what no address would make good.
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

/** A kept connection that the other side closed while the request was on its way: it has most likely seen nothing of it. */
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
