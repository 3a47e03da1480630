// The pools of a PostgreSQL server: they open sessions, lend them and drop them when they fall silent.

import pg from 'pg';
import { DatabaseUnavailable, type Server } from '../database.ts';
import { createOpenConnections, type OpenConnections } from './open-connections.ts';
import {
  citusPlanner,
  createSession,
  lookupPlanner,
  type SearchPath,
  type Session,
  settingsText,
} from './pg-session.ts';
import {
  clientConfig,
  clientOf,
  onServer,
  type PostgresOptions,
  ReportingClient,
  socketOf,
  unavailable,
} from './postgres-client.ts';
import type { PrimaryFinder } from './primary-finder.ts';

export interface RankPool {
  readonly pool: pg.Pool;
  readonly limitMilliseconds: number;
}

export interface SessionPools {
  create(max: number, limitMilliseconds: number, server?: Server): RankPool;
  retire(pool: RankPool): void;
  /** `milliseconds` null: no limit. The caller must then watch the session for as long as it exceeds the rank's limit. */
  withSession<Result>(
    pool: RankPool,
    milliseconds: number | null,
    work: (session: Session, giveUp: (reason: string) => void) => Promise<Result>,
    path?: SearchPath | null,
  ): Promise<Result>;
  readonly open: OpenConnections;
  /** Called when the shards are on several servers. Replaces connections, as open ones have the wrong planner settings. */
  planForCitus(): void;
  roundTrips(): number;
  close(): Promise<void>;
}

export function createSessionPools(options: PostgresOptions, finder: PrimaryFinder | null): SessionPools {
  const sessions = new WeakMap<pg.PoolClient, Session>();
  const counted = new Set<Session>();
  const open = createOpenConnections();
  let lostRoundTrips = 0;
  let isOverServers = false;
  const allPools = new Set<RankPool>();

  function createPool(max: number, limitMilliseconds: number, server?: Server): RankPool {
    const pool = new pg.Pool({
      Client: clientOf(server === undefined ? finder : null),
      ...clientConfig(server === undefined ? options : onServer(options, server)),
      max,
      connectionTimeoutMillis: options.connectMilliseconds,
      idleTimeoutMillis: 0,
    });
    // The pool drops an idle connection that breaks; without a listener the error would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      open.add(client);
      // Sent ahead of the first statement. If it fails, the time zone is not set, and parsing any time fails as well.
      const planner = isOverServers ? citusPlanner : lookupPlanner;
      const settings = [...planner, ...timeouts(options, limitMilliseconds)];
      client.query(settingsText(settings)).catch(() => undefined);
    });
    pool.on('remove', (client) => {
      finder?.doubt(client instanceof ReportingClient ? client.timeline : null);
      open.remove(client);
      const session = sessions.get(client);
      if (session === undefined) return;
      lostRoundTrips += session.roundTrips();
      counted.delete(session);
    });
    const created = { pool, limitMilliseconds };
    allPools.add(created);
    return created;
  }

  async function withSession<Result>(
    { pool, limitMilliseconds }: RankPool,
    milliseconds: number | null,
    work: (session: Session, giveUp: (reason: string) => void) => Promise<Result>,
    path: SearchPath | null = null,
  ): Promise<Result> {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
    const session = sessions.get(client) ?? register(client);
    if (path !== null) session.search(path, false);
    let gone = false;
    const began = performance.now();
    open.begin(client, milliseconds === null || milliseconds > limitMilliseconds);
    const giveUp = (reason: string) => {
      gone = true;
      open.dropSilentIdle(began);
      open.cut(client, reason);
    };
    const timer =
      milliseconds === null
        ? undefined
        : setTimeout(() => giveUp(`No answer from the database for ${milliseconds} ms.`), milliseconds);
    try {
      return await work(session, giveUp);
    } catch (error) {
      gone ||= error instanceof DatabaseUnavailable;
      throw error;
    } finally {
      clearTimeout(timer);
      open.end(client);
      client.release(gone || (client instanceof ReportingClient && client.isReadOnly));
    }
  }

  function register(client: pg.PoolClient): Session {
    // pg's type for a client from a pool is narrower, but the object is a pg.Client.
    const socket = socketOf(client);
    const session = createSession(client as unknown as pg.Client, socket);
    sessions.set(client, session);
    counted.add(session);
    return session;
  }

  return {
    create: createPool,
    withSession,
    open,

    retire(former) {
      allPools.delete(former);
      void former.pool.end();
    },

    planForCitus() {
      isOverServers = true;
      open.dropSilentIdle(Number.POSITIVE_INFINITY);
    },

    roundTrips() {
      let sum = lostRoundTrips;
      for (const session of counted) sum += session.roundTrips();
      return sum;
    },

    async close() {
      // A long statement or a frozen server must not keep the process alive.
      const cutOff = setTimeout(open.cutAll, options.closeMilliseconds);
      await Promise.all([...allPools].map(({ pool }) => pool.end()));
      clearTimeout(cutOff);
    },
  };
}

function timeouts(
  { answerMilliseconds, idleInTransactionMilliseconds }: PostgresOptions,
  limitMilliseconds: number,
): string[] {
  // If this process stalls or loses its network, the server must not keep accounts locked for it forever.
  return [
    `statement_timeout = ${limitMilliseconds}`,
    `idle_in_transaction_session_timeout = ${Math.min(answerMilliseconds, idleInTransactionMilliseconds)}`,
  ];
}
