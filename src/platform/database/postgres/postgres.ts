// The driver for a PostgreSQL server (15 or newer) behind DATABASE_URL. Any number of processes may share
// the server. A pool for each rank of work, so that reads never keep an order or a look-up waiting for a connection;
// and one connection that listens (postgres-listener.ts). Where DATABASE_URL names several hosts, all of them lead to the one
// that takes writes (primary-finder.ts).
// Always true: every statement has a time limit. A transaction that may take longer than its rank lets one be is
// watched from another connection: as long as the server works on it, it goes on.

import type { Socket } from 'node:net';
import pg from 'pg';
import {
  type AccountDivision,
  type Database,
  DatabaseUnavailable,
  type Rank,
  type Row,
  ranked,
  type Server,
  type SqlStatement,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import { readHostList } from './database-hosts.ts';
import {
  citusPlanner,
  createSession,
  lookupPlanner,
  runTransaction,
  type SearchPath,
  type SearchPaths,
  type Session,
  settingsText,
} from './pg-session.ts';
import {
  askHost,
  clientConfig,
  clientOf,
  joinWrites,
  onServer,
  type PostgresOptions,
  ReportingClient,
  socketOf,
  unavailable,
} from './postgres-client.ts';
import { listenForever } from './postgres-listener.ts';
import { createPrimaryFinder } from './primary-finder.ts';
import { createReadThrottle } from './read-throttle.ts';

/** A pool and the milliseconds that a statement in it may take. */
interface RankPool {
  readonly pool: pg.Pool;
  readonly limitMilliseconds: number;
}

export function openPostgres(given: PostgresOptions): Database {
  const list = readHostList(given.connectionString);
  const options = list === null ? given : { ...given, connectionString: list.connectionString };
  const finder =
    list === null
      ? null
      : createPrimaryFinder({
          ...{ ...options.hosts, hosts: list.hosts, onMoved: leaveFormer },
          ask: (host) => askHost(options, host),
        });
  const sessions = new WeakMap<pg.PoolClient, Session>();
  const sockets = new Map<pg.PoolClient, Socket>();
  const counted = new Set<Session>();
  const heardAt = new WeakMap<Socket, number>();
  /** Sessions at work; `isLong`: for longer than their rank lets a statement be. */
  const busy = new Map<pg.PoolClient, { readonly isLong: boolean }>();
  let lostRoundTrips = 0;
  /** The groups are on several servers. */
  let isOverServers = false;
  let following: NodeJS.Timeout | undefined;
  let closed = false;
  const listeners: ReturnType<typeof listenForever>[] = [];

  const allPools = new Set<RankPool>();
  const others = createPool(options.readConnections, options.readMilliseconds);
  const pools: Readonly<Record<Rank, RankPool>> = {
    orders: createPool(options.orderConnections, options.answerMilliseconds),
    lookups: createPool(options.lookupConnections, options.answerMilliseconds),
    // The same connections, of which reads leave one free.
    changes: others,
    reads: others,
  };

  function createPool(max: number, limitMilliseconds: number, server?: Server): RankPool {
    const pool = new pg.Pool({
      Client: clientOf(server === undefined ? finder : null),
      ...clientConfig(server === undefined ? options : onServer(options, server)),
      max,
      connectionTimeoutMillis: options.connectMilliseconds,
      idleTimeoutMillis: 0,
    });
    // An idle connection that breaks is dropped by the pool; without a listener it would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      const socket = socketOf(client);
      sockets.set(client, socket);
      joinWrites(socket);
      heardAt.set(socket, performance.now());
      socket.on('data', () => heardAt.set(socket, performance.now()));
      // Pipelined before whatever the connection was made for. Should it fail, so does reading any time.
      const planner = isOverServers ? citusPlanner : lookupPlanner;
      const settings = [...planner, ...timeouts(options, limitMilliseconds)];
      client.query(settingsText(settings)).catch(() => undefined);
    });
    pool.on('remove', (client) => {
      finder?.doubt(client instanceof ReportingClient ? client.timeline : null);
      sockets.delete(client);
      const session = sessions.get(client);
      if (session === undefined) return;
      lostRoundTrips += session.roundTrips();
      counted.delete(session);
    });
    const created = { pool, limitMilliseconds };
    allPools.add(created);
    return created;
  }

  /** Of silent connections the next ones must not be tried one by one, each for as long as an answer may take. */
  function dropSilent(since: number, which: (client: pg.PoolClient) => boolean): void {
    for (const [client, socket] of sockets) {
      if (which(client) && (heardAt.get(socket) ?? 0) < since)
        socket.destroy(new Error('The database has fallen silent.'));
    }
  }

  /**
   * Of sessions that a former primary has, busy ones too: it may be frozen, or go on as if nothing had happened, and what
   * they did there nobody else knows.
   */
  function leaveFormer(timeline: number): void {
    for (const [client, socket] of sockets) {
      if (client instanceof ReportingClient && client.timeline !== null && client.timeline < timeline)
        socket.destroy(new Error('Another server has become the primary.'));
    }
    for (const listening of listeners) listening.leaveFormer(timeline);
  }

  const isIdle = (client: pg.PoolClient) => !busy.has(client);
  /** A long transaction may be silent for hours; it has its own watch. */
  const isDue = (client: pg.PoolClient) => busy.get(client)?.isLong !== true;

  /** `milliseconds` null: no limit. What takes longer than the rank's limit is watched by whoever asked for it. */
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
    busy.set(client, { isLong: milliseconds === null || milliseconds > limitMilliseconds });
    const giveUp = (reason: string) => {
      gone = true;
      dropSilent(began, isIdle);
      sockets.get(client)?.destroy(new Error(reason));
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
      busy.delete(client);
      client.release(gone || (client instanceof ReportingClient && client.isReadOnly));
    }
  }

  /**
   * Asks on another connection, again and again, whether the server still has the session of this process number.
   * Gives the session up when it does not, or when nobody answers several times in a row.
   */
  function watch(processNumber: () => number | null, giveUp: (reason: string) => void): { end(): void } {
    let missed = 0;
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const ask = async () => {
      const number = processNumber();
      const found = await withSession(pools.lookups, pools.lookups.limitMilliseconds, (session) =>
        session.query(findProcess, [number]),
      ).catch(() => null);
      if (ended) return;
      if (found?.length === 0 && number !== null)
        return giveUp('The server has ended the session of a long transaction.');
      // A session that does not even say its number is as silent as a server that does not answer.
      missed = found === null || number === null ? missed + 1 : 0;
      if (missed >= options.heartbeatsMissedMax)
        return giveUp(`The database has not answered ${missed} times in a row.`);
      start();
    };
    const start = () => {
      timer = setTimeout(ask, options.heartbeatMilliseconds);
    };
    start();
    return {
      end() {
        ended = true;
        clearTimeout(timer);
      },
    };
  }

  function longTransaction<Result>(
    pool: RankPool,
    milliseconds: number | null,
    work: (transaction: Transaction) => Promise<Result>,
    how: Pick<TransactionOptions, 'isSnapshot'>,
    paths: SearchPaths,
  ): Promise<Result> {
    const run = async (session: Session, giveUp: (reason: string) => void) => {
      let number: number | null = null;
      const watching = watch(() => number, giveUp);
      try {
        return await runTransaction(
          session,
          async (transaction) => {
            await transaction.query({
              name: '',
              text: longSettings(milliseconds ?? 0, options.heartbeatMilliseconds),
            });
            const [row] = await transaction.query({ name: '', text: 'select pg_backend_pid() as number' });
            number = Number(row?.['number']);
            return work(transaction);
          },
          how,
          paths,
        );
      } finally {
        watching.end();
      }
    };
    return withSession(pool, milliseconds, run, paths.own);
  }

  function register(client: pg.PoolClient): Session {
    // pg types its client loosely here: `connection.stream` is the socket that our `stream` option made.
    const socket = socketOf(client);
    const session = createSession(client as unknown as pg.Client, socket);
    sessions.set(client, session);
    counted.add(session);
    return session;
  }

  const places = {
    count: Math.max(1, options.readConnections - 1),
    waitMilliseconds: options.connectMilliseconds,
  };
  const throttle = createReadThrottle(options.readThrottle, places, () => performance.now());
  const throttled = <Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> => {
    if (rank === 'orders') return throttle.order(work);
    return rank === 'reads' ? throttle.read(work) : work();
  };

  /** Lanes go where Citus moves their groups: a worker that has a group no more would ask the one that has it. */
  function follow(
    whole: Database,
    orderPools: readonly { current: RankPool }[],
    locate: NonNullable<AccountDivision['locate']>,
    begun: readonly Server[],
  ): void {
    let servers = begun;
    const look = async () => {
      const found = await locate(ranked(whole, 'lookups')).catch(() => null);
      if (closed || found === null) return;
      for (const [index, server] of found.entries()) {
        const before = servers[index];
        const ofOrders = orderPools[index];
        if (ofOrders === undefined || (before?.host === server.host && before.port === server.port)) continue;
        const former = ofOrders.current;
        ofOrders.current = createPool(options.orderConnections, options.answerMilliseconds, server);
        allPools.delete(former);
        void former.pool.end();
      }
      servers = found;
    };
    following = setInterval(look, options.locateMilliseconds);
    following.unref();
  }

  /** `view`: how statements find their tables; `ofOrders`: the pool of the rank `orders`. */
  function databaseOn(
    paths: SearchPaths,
    ofOrders: { current: RankPool },
    divided: DividedDatabase,
  ): Database {
    const poolOf = (rank: Rank) => (rank === 'orders' ? ofOrders.current : pools[rank]);
    const database: Database = {
      kind: 'postgres',
      beginFileCopy: null,
      orderSessions: options.orderConnections,
      accountGroups: () => divided.groups() ?? [database],
      isSpread: paths.isSpread,
      ofAccount: (accountId) => divided.groupOf(accountId) ?? database,

      query(statement, values, rank = 'reads'): Promise<readonly Row[]> {
        const pool = poolOf(rank);
        const { own } = paths;
        return throttled(rank, () =>
          withSession(pool, pool.limitMilliseconds, (session) => session.query(statement, values, own), own),
        );
      },

      transaction<Result>(
        work: (transaction: Transaction) => Promise<Result>,
        { rank = 'changes', timeoutMilliseconds, ...how }: TransactionOptions = {},
      ): Promise<Result> {
        const pool = poolOf(rank);
        const milliseconds = timeoutMilliseconds === undefined ? pool.limitMilliseconds : timeoutMilliseconds;
        if (milliseconds === null || milliseconds > pool.limitMilliseconds)
          return longTransaction(pool, milliseconds, work, how, paths);
        return throttled(rank, () =>
          withSession(pool, milliseconds, (session) => runTransaction(session, work, how, paths), paths.own),
        );
      },

      inGroups({ shared, groups, locate, servers }) {
        const pathOf = (schemas: string, tag: string, isOfViews: boolean): SearchPath => ({
          schemas,
          tag,
          isOfViews,
        });
        const groupPaths = groups.map((group, index) => pathOf(`${group}, ${shared}`, `~${index}`, false));
        const ofAccount = (accountId: number) => groupPaths[accountId % groupPaths.length] ?? null;
        const inGroupsOf: DividedDatabase = {
          groups: () => divisions,
          groupOf: (accountId) => divisions[accountId % divisions.length],
        };
        const isSpread = servers !== undefined;
        if (isSpread) {
          isOverServers = true;
          // What was connected before plans otherwise.
          dropSilent(Number.POSITIVE_INFINITY, isIdle);
        }
        const orderPools = groups.map((_, index) => ({
          current: createPool(options.orderConnections, options.answerMilliseconds, servers?.[index]),
        }));
        const divisions = groupPaths.map((own, index) =>
          databaseOn(
            { own, ofAccount, ofGroups: groupPaths, isSpread },
            orderPools[index] ?? { current: pools.orders },
            inGroupsOf,
          ),
        );
        const all = { own: pathOf(shared, '~', true), ofAccount, ofGroups: groupPaths, isSpread };
        const whole = databaseOn(all, { current: pools.orders }, inGroupsOf);
        if (locate !== undefined && servers !== undefined) follow(whole, orderPools, locate, servers);
        return whole;
      },

      async listen(channel, listener) {
        if (closed) throw new DatabaseUnavailable('The database is closed.');
        const listening = listenForever(options, clientOf(finder), channel, {
          ...listener,
          // The server can be reached again, and what has not been heard since belongs to the time before.
          onHeardAgain: (silentSince) => dropSilent(silentSince, isDue),
        });
        listeners.push(listening);
        await listening.first;
      },

      // Only the event loop can look at a socket.
      poll() {},

      roundTrips() {
        let sum = lostRoundTrips;
        for (const session of counted) sum += session.roundTrips();
        return sum;
      },

      async close() {
        closed = true;
        clearInterval(following);
        finder?.close();
        // A statement that runs for long, or a server that is frozen, must not keep the process.
        const cutOff = setTimeout(() => {
          for (const socket of sockets.values()) socket.destroy();
        }, options.closeMilliseconds);
        await Promise.all([
          ...listeners.map((listener) => listener.close()),
          ...[...allPools].map(({ pool }) => pool.end()),
        ]);
        clearTimeout(cutOff);
      },
    };
    return database;
  }

  return databaseOn(
    { own: null, ofAccount: () => null, ofGroups: null, isSpread: false },
    { current: pools.orders },
    {
      groups: () => null,
      groupOf: () => undefined,
    },
  );
}

/** The account groups of a database, once they are known. */
interface DividedDatabase {
  groups(): readonly Database[] | null;
  groupOf(accountId: number): Database | undefined;
}

function timeouts(
  { answerMilliseconds, idleInTransactionMilliseconds }: PostgresOptions,
  limitMilliseconds: number,
): string[] {
  // A process that stalled, or whose network went away, must not hold accounts locked for ever.
  return [
    `statement_timeout = ${limitMilliseconds}`,
    `idle_in_transaction_session_timeout = ${Math.min(answerMilliseconds, idleInTransactionMilliseconds)}`,
  ];
}

const findProcess: SqlStatement = {
  name: 'find_process',
  text: 'select 1 from pg_stat_activity where pid = $1::int',
};

/**
 * Of a transaction that may take hours: the server's own limits do not end it, and a process that vanished meanwhile
 * is noticed, in the middle of a statement too, so that its locks are let go. Windows has no look at the connection,
 * only newer servers have transaction_timeout: hence what pg_settings knows.
 */
function longSettings(milliseconds: number, checkMilliseconds: number): string {
  return `select set_config(name, setting, true)
    from (values ('statement_timeout', '${milliseconds}'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
        ('idle_in_transaction_session_timeout', '${longIdleMilliseconds}'),
        ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
        ('client_connection_check_interval', case when version() ~* 'visual c|mingw' then '0' else '${checkMilliseconds}' end)
      ) wanted (name, setting)
    where name in (select name from pg_settings)`;
}

/** Between two statements of a long transaction: whoever pauses for longer is gone. */
const longIdleMilliseconds = 120_000;
