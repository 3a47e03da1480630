// Creates a single connection to a PostgreSQL server. Used by postgres.ts for its pools, and by postgres-listener.ts.

import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { DatabaseUnavailable, type Server } from '../database.ts';
import type { DatabaseHost } from './database-hosts.ts';
import { columnTypes, databaseError } from './pg-session.ts';
import type { HostAnswer, PrimaryFinder } from './primary-finder.ts';
import type { ReadThrottleLimits } from './read-throttle.ts';

export const commandSessions = 'sellthrough command';

export interface PostgresOptions {
  readonly connectionString: string;
  readonly applicationName?: string;
  readonly orderConnections: number;
  readonly lookupConnections: number;
  readonly readThrottle: ReadThrottleLimits;
  readonly readConnections: number;
  readonly connectMilliseconds: number;
  readonly hosts: HostLimits;
  /** A connection is dropped when its `orders` or `lookups` statement has had no answer for this long. */
  readonly answerMilliseconds: number;
  readonly readMilliseconds: number;
  /** A long transaction is checked this often, and given up after `heartbeatsMissedMax` checks without an answer. */
  readonly heartbeatMilliseconds: number;
  readonly heartbeatsMissedMax: number;
  /** The listening connection is checked every half second. It is replaced if it does not answer within this time. */
  readonly listenAnswerMilliseconds: number;
  readonly idleInTransactionMilliseconds: number;
  readonly locateMilliseconds: number;
  readonly closeMilliseconds: number;
}

export interface HostLimits {
  /** Keep it below connectMilliseconds, so that a waiting caller gets an error that names each host's problem. */
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

/** Sends corked chunks in one write: a system call with many small chunks takes longer than copying them together. */
export function joinWrites(socket: Socket): void {
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

/** Knows whether its session may write: the server reports that at the start and at every change. */
export class ReportingClient extends pg.Client {
  readonly #readOnlyBy = new Set<unknown>();
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

export function clientOf(finder: PrimaryFinder | null): typeof ReportingClient {
  if (finder === null) return ReportingClient;
  return class extends ReportingClient {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#toPrimary(finder);
      if (callback === undefined) return connected;
      const done: (error?: Error) => void = (error) => Reflect.apply(callback, undefined, [error]);
      connected.then(() => done(), done);
      return undefined;
    }

    async #toPrimary(finder: PrimaryFinder): Promise<pg.Client> {
      const host = await finder.find();
      if (socketOf(this).destroyed) throw new DatabaseUnavailable('The hosts of DATABASE_URL took too long.');
      const ignore = () => undefined;
      this.on('error', ignore);
      try {
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

/** pg reads both fields when it connects, and its own options allow only one host. */
function leadTo(client: pg.Client, { host, port }: DatabaseHost): void {
  Object.assign(client, { host, port });
}

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
