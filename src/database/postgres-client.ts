// How one connection to a PostgreSQL server is made, and what there is to know of it. Used by postgres.ts for its pools,
// and by postgres-listener.ts.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseUnavailable } from './database.ts';
import { columnTypes, databaseError } from './pg-session.ts';
import type { ReadPaceLimits } from './read-pace.ts';

/** What sessions are called that are no service's. */
export const commandSessions = 'sellthrough command';

export interface PostgresOptions {
  readonly connectionString: string;
  /** What the sessions are called: one word, or what key-holders.ts makes of a service. */
  readonly applicationName?: string;
  /** Connections for the order path: one for each lane. */
  readonly orderConnections: number;
  readonly lookupConnections: number;
  readonly readPace: ReadPaceLimits;
  readonly readConnections: number;
  readonly connectMilliseconds: number;
  /** An order's or a look-up's statement without an answer for this long gives its connection up. */
  readonly answerMilliseconds: number;
  /** The same for a statement of rank `reads`. */
  readonly readMilliseconds: number;
  /** How often a long transaction is checked on, and after how many failed checks in a row it is given up. */
  readonly heartbeatMilliseconds: number;
  readonly heartbeatsMissedMax: number;
  /**
   * The same for the connection that listens. It is looked at every half second, so silence is found within two
   * seconds: the pause, an answer that does not come, and a new connection.
   */
  readonly listenAnswerMilliseconds: number;
  /** A transaction whose next statement does not come for this long is ended by the server, which frees its locks. */
  readonly idleInTransactionMilliseconds: number;
  /** When closing: after this long without a farewell from the server its connections are cut. */
  readonly closeMilliseconds: number;
}

export function clientConfig(options: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: options.connectionString,
    application_name: options.applicationName ?? commandSessions,
    pipeline: true,
    types: columnTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: options.connectMilliseconds,
  } as pg.ClientConfig;
}

export function socketOf(client: pg.PoolClient | pg.Client): Socket {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  return connection.stream;
}

export function unavailable(error: unknown): Error {
  const mapped = databaseError(error, 'connect');
  return mapped instanceof DatabaseUnavailable
    ? mapped
    : new DatabaseUnavailable(mapped.message, { cause: error });
}

/** A client that knows whether its session may write: servers say so as it begins and whenever it changes. */
export class ReportingClient extends pg.Client {
  readonly #readOnlyBy = new Set<unknown>();

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
      if (name !== 'default_transaction_read_only' && name !== 'in_hot_standby') return;
      if (value === 'on') this.#readOnlyBy.add(name);
      else this.#readOnlyBy.delete(name);
    });
  }

  get isReadOnly(): boolean {
    return this.#readOnlyBy.size > 0;
  }
}
