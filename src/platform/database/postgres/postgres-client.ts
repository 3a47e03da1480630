// How one connection to a PostgreSQL server is made, and what there is to know of it. Used by postgres.ts for its pools,
// and by postgres-listener.ts.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseUnavailable, type Server } from '../database.ts';
import type { DatabaseHost } from './database-hosts.ts';
import { columnTypes, databaseError } from './pg-session.ts';
import type { HostAnswer, PrimaryFinder } from './primary-finder.ts';
import type { ReadThrottleLimits } from './read-throttle.ts';

/** What sessions are called that are no service's. */
export const commandSessions = 'sellthrough command';

export interface PostgresOptions {
  readonly connectionString: string;
  /** What the sessions are called: one word, or what secret-key-sessions.ts makes of a service. */
  readonly applicationName?: string;
  /** Connections for the order path: one for each lane. */
  readonly orderConnections: number;
  readonly lookupConnections: number;
  readonly readThrottle: ReadThrottleLimits;
  readonly readConnections: number;
  readonly connectMilliseconds: number;
  /** Where DATABASE_URL names several hosts: what primary-finder.ts has for each, and for all of them. */
  readonly hosts: HostLimits;
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
  /** How often it is asked which servers have the account groups, where they are on several. */
  readonly locateMilliseconds: number;
  /** When closing: after this long without a farewell from the server its connections are cut. */
  readonly closeMilliseconds: number;
}

export interface HostLimits {
  /** Below connectMilliseconds: who waits for a connection is told what each host said. */
  readonly answerMilliseconds: number;
  readonly patienceMilliseconds: number;
  readonly retryMilliseconds: number;
  readonly lookMilliseconds: number;
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

/** The same roles and database on another server. */
export function onServer(options: PostgresOptions, { host, port }: Server): PostgresOptions {
  const url = new URL(options.connectionString);
  url.hostname = host;
  url.port = String(port);
  return { ...options, connectionString: url.href };
}

export function socketOf(client: pg.PoolClient | pg.Client): Socket {
  const { connection } = client as unknown as { connection: { stream: Socket } };
  return connection.stream;
}

/** What was corked leaves as one piece: a list of many small ones takes the system longer than copying them together. */
export function joinWrites(socket: Socket): void {
  // So Node's streams call what is no text; their types do not say so.
  const encoding = 'buffer' as BufferEncoding;
  socket._writev = (chunks: readonly { chunk: Buffer }[], done) =>
    socket._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), encoding, done);
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
  /** Of the server that it found among several hosts; null: there is one host, and nobody asks. */
  timeline: number | null = null;

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

/** What a pool makes: with several hosts, clients that connect to whichever takes writes. */
export function clientOf(finder: PrimaryFinder | null): typeof ReportingClient {
  if (finder === null) return ReportingClient;
  return class extends ReportingClient {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#toPrimary(finder);
      if (callback === undefined) return connected;
      // As pg calls it: with nothing when it went well.
      const done: (error?: Error) => void = (error) => Reflect.apply(callback, undefined, [error]);
      connected.then(() => done(), done);
      return undefined;
    }

    async #toPrimary(finder: PrimaryFinder): Promise<pg.Client> {
      const host = await finder.find();
      // Whoever waited has given up.
      if (socketOf(this).destroyed) throw new DatabaseUnavailable('The hosts of DATABASE_URL took too long.');
      const ignore = () => undefined;
      this.on('error', ignore);
      try {
        // Whoever waited has given up.
        if (socketOf(this).destroyed)
          throw new DatabaseUnavailable('The hosts of DATABASE_URL took too long.');
        leadTo(this, host);
        await super.connect();
        const answer = await answerOf(this);
        finder.accept(host, answer);
        this.timeline = answer.timeline;
        return this;
      } catch (error) {
        finder.doubt(this.timeline);
        socketOf(this).destroy();
        throw error;
      } finally {
        this.off('error', ignore);
      }
    }
  };
}

/** Asks one host who it is, on a connection of its own. Rejects when it does not answer in the time that a host has. */
export async function askHost(options: PostgresOptions, host: DatabaseHost): Promise<HostAnswer> {
  const client = new pg.Client(clientConfig(options));
  client.on('error', () => undefined);
  leadTo(client, host);
  const limit = setTimeout(
    () => socketOf(client).destroy(new Error('no answer')),
    options.hosts.answerMilliseconds,
  );
  try {
    await client.connect();
    return await answerOf(client);
  } finally {
    clearTimeout(limit);
    client.end().catch(() => undefined);
  }
}

/** pg reads both as it connects, and knows no other way to use one address with several hosts. */
function leadTo(client: pg.Client, { host, port }: DatabaseHost): void {
  Object.assign(client, { host, port });
}

/** On the database that it connected to. Any role may call these functions. */
const whoAnswers = `select system_identifier::text as system_identifier,
  case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
  current_setting('default_transaction_read_only') = 'on' as is_read_only,
  to_regclass('schema_migrations') is null as is_empty
  from pg_control_system()`;

async function answerOf(client: pg.Client): Promise<HostAnswer> {
  const { rows } = await client.query(whoAnswers);
  const row: Readonly<Record<string, unknown>> = rows[0] ?? {};
  return {
    systemIdentifier: String(row['system_identifier']),
    timeline: row['timeline'] === null ? null : Number(row['timeline']),
    isReadOnly: row['is_read_only'] === true,
    isEmpty: row['is_empty'] === true,
  };
}
