// The client of the Valkey server that counts limits for all processes, with one call per event-loop turn. After a timeout
// or an invalid answer it rests, then probes with one call.
// Invariant: every `ask` is answered, with null if the request must be counted locally.

import {
  type AnswerNumbers,
  answerNumbers,
  type Call,
  type LimitOperation,
  microsecondsOfSecond,
} from './limit-operations.ts';
import { type ValkeyAddress, valkeyName } from './valkey-address.ts';
import { openValkey, type ValkeyConnection } from './valkey-client.ts';

export interface LimitServerLimits {
  readonly answerMilliseconds: number;
  readonly restMilliseconds: number;
  readonly connectMilliseconds: number;
  readonly leaseMilliseconds: number;
  /** The operations of one turn are split into calls of this size, so that none blocks the server for long. */
  readonly operationsPerCall: number;
}

export interface LimitServerOptions {
  readonly address: ValkeyAddress;
  readonly limits: LimitServerLimits;
  readonly monotonicNow: () => number;
  readonly onAway: (reason: string) => void;
  /** `milliseconds`: the length of the outage; null for the first connection. */
  readonly onBack: (milliseconds: number | null) => void;
}

export interface LimitServerState {
  readonly server: string;
  readonly isThere: boolean;
  readonly problem: string | null;
  readonly milliseconds: number;
}

export interface LimitServer {
  readonly leaseMilliseconds: number;
  /** Since when the server has been reachable, by the monotonic clock; null while it is away. */
  thereSince(): number | null;
  ask<Answer>(operation: LimitOperation<Answer>): Promise<Answer | null>;
  /** Sends an operation that has no answer. It is dropped while the server is away. */
  send(operation: LimitOperation<null>): void;
  state(): LimitServerState;
  /** Resolves after the first attempt to connect. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

interface Asked {
  write(call: Call): void;
  /** Returns a function that delivers the answer. It is called only if all answers of the call could be parsed. */
  read(answer: AnswerNumbers): () => void;
  giveUp(): void;
}

interface Flight {
  readonly asked: readonly Asked[];
  readonly sentAt: number;
}

export function createLimitServer({
  address,
  limits,
  monotonicNow,
  onAway,
  onBack,
}: LimitServerOptions): LimitServer {
  const leaseMicroseconds = (limits.leaseMilliseconds / 1000) * microsecondsOfSecond;
  const flights = new Set<Flight>();
  let connection: ValkeyConnection | null = null;
  const waiting: Asked[] = [];
  let sending: NodeJS.Immediate | null = null;
  let watching: NodeJS.Timeout | null = null;
  let trying: NodeJS.Timeout | null = null;
  let isClosed = false;
  let since = monotonicNow();
  let problem: string | null = 'it was not asked yet';
  let hasBeenAway = false;

  function send(): void {
    sending = null;
    while (waiting.length > 0) sendCall(waiting.splice(0, limits.operationsPerCall));
  }

  function sendCall(asked: readonly Asked[]): void {
    if (connection === null) {
      for (const each of asked) each.giveUp();
      return;
    }
    const flight = { asked, sentAt: monotonicNow() };
    const call = emptyCall();
    for (const each of asked) each.write(call);
    flights.add(flight);
    watch(limits.answerMilliseconds);
    connection.run(call).then(
      (answer) => {
        if (!flights.has(flight)) return;
        let handOut: readonly (() => void)[];
        try {
          const numbers = answerNumbers(answer);
          handOut = asked.map((each) => each.read(numbers));
        } catch (error) {
          fall(reasonOf(error));
          return;
        }
        flights.delete(flight);
        for (const give of handOut) give();
      },
      (error: unknown) => {
        if (flights.has(flight)) fall(reasonOf(error));
      },
    );
  }

  function emptyCall(): Call {
    return { keys: [], words: [leaseMicroseconds] };
  }

  function watch(milliseconds: number): void {
    // setImmediate: first read answers that arrived while this process was busy.
    watching ??= setTimeout(() => setImmediate(look), milliseconds);
  }

  function look(): void {
    watching = null;
    const [oldest] = flights;
    if (oldest === undefined) return;
    const left = oldest.sentAt + limits.answerMilliseconds - monotonicNow();
    if (left > 0) watch(left);
    else fall(`no answer within ${limits.answerMilliseconds} ms`);
  }

  function fall(reason: string): void {
    const broken = connection;
    if (broken === null || isClosed) return;
    connection = null;
    since = monotonicNow();
    problem = reason;
    hasBeenAway = true;
    broken.close();
    onAway(reason);
    giveUpFlights();
    tryLater();
  }

  function giveUpFlights(): void {
    const given = [...flights].flatMap(({ asked }) => asked);
    flights.clear();
    if (watching !== null) clearTimeout(watching);
    watching = null;
    for (const each of given) each.giveUp();
  }

  function tryLater(): void {
    if (!isClosed) trying = setTimeout(tryAgain, limits.restMilliseconds);
  }

  async function tryAgain(): Promise<void> {
    trying = null;
    let found: ValkeyConnection | null = null;
    try {
      found = await openValkey(address, {
        connectMilliseconds: limits.connectMilliseconds,
        onBroken: (reason) => {
          if (found !== null && connection === found) fall(reason);
        },
      });
      answerNumbers(await inTime(found.run(emptyCall())));
    } catch (error) {
      found?.close();
      if (isClosed) return;
      const reason = reasonOf(error);
      if (!hasBeenAway) onAway(reason);
      hasBeenAway = true;
      problem = reason;
      tryLater();
      return;
    }
    if (isClosed) {
      found.close();
      return;
    }
    const awayMilliseconds = hasBeenAway ? monotonicNow() - since : null;
    connection = found;
    since = monotonicNow();
    problem = null;
    onBack(awayMilliseconds);
  }

  async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { promise, reject } = Promise.withResolvers<never>();
    const milliseconds = limits.answerMilliseconds;
    const timer = setTimeout(
      () => setImmediate(() => reject(new Error(`no answer within ${milliseconds} ms`))),
      milliseconds,
    );
    try {
      return await Promise.race([answer, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  function put(asked: Asked): void {
    waiting.push(asked);
    sending ??= setImmediate(send);
  }

  return {
    leaseMilliseconds: limits.leaseMilliseconds,
    thereSince: () => (connection === null ? null : since),
    ask<Answer>(operation: LimitOperation<Answer>) {
      if (connection === null) return Promise.resolve(null);
      return new Promise<Answer | null>((resolve) => {
        put({
          write: (call) => operation.write(call),
          read(numbers) {
            const answer = operation.read(numbers);
            return () => resolve(answer);
          },
          giveUp: () => resolve(null),
        });
      });
    },
    send(operation) {
      const nothing = () => undefined;
      if (connection === null) return;
      put({ write: (call) => operation.write(call), read: () => nothing, giveUp: nothing });
    },
    state: () => ({
      server: valkeyName(address),
      isThere: connection !== null,
      problem,
      milliseconds: monotonicNow() - since,
    }),
    tried: tryAgain(),
    async close() {
      if (isClosed) return;
      if (sending !== null) clearImmediate(sending);
      send();
      const last = connection;
      if (last !== null && flights.size > 0) {
        await inTime(last.run(emptyCall())).catch(() => undefined);
      }
      isClosed = true;
      connection = null;
      if (trying !== null) clearTimeout(trying);
      giveUpFlights();
      last?.close();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
