// The driver for a PostgreSQL server (15 or newer). Each rank has its own pool, so that reads never hold up orders or
// look-ups; one more connection listens. With several hosts, all connections go to the writable one (primary-finder.ts).
// Invariant: every statement has a time limit, except in a long transaction, which is watched from another connection.

import {
  type AccountDivision,
  type ChangeListener,
  type Database,
  DatabaseUnavailable,
  isSpread,
  type Rank,
  type Row,
  ranked,
  type Server,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import { readHostList } from './database-hosts.ts';
import { type LongTransactionServer, longTransaction } from './long-transaction.ts';
import { runTransaction, type SearchPaths } from './pg-session.ts';
import { askHost, clientOf, type PostgresOptions } from './postgres-client.ts';
import { listenForever } from './postgres-listener.ts';
import { createPrimaryFinder, type PrimaryFinder } from './primary-finder.ts';
import { createReadThrottle } from './read-throttle.ts';
import { createSessionPools, type RankPool } from './session-pools.ts';

interface PostgresServer extends LongTransactionServer {
  readonly finder: PrimaryFinder | null;
  readonly pools: Readonly<Record<Rank, RankPool>>;
  readonly throttled: <Result>(rank: Rank, work: () => Promise<Result>) => Promise<Result>;
  readonly listeners: ReturnType<typeof listenForever>[];
  following: NodeJS.Timeout | undefined;
  isClosed: boolean;
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
  const sessions = createSessionPools(options, finder);
  const listeners: PostgresServer['listeners'] = [];
  function leaveFormer(timeline: number): void {
    sessions.open.leaveFormer(timeline);
    for (const listening of listeners) listening.leaveFormer(timeline);
  }

  const others = sessions.create(options.readConnections, options.readMilliseconds);
  const pools: Readonly<Record<Rank, RankPool>> = {
    orders: sessions.create(options.orderConnections, options.answerMilliseconds),
    lookups: sessions.create(options.lookupConnections, options.answerMilliseconds),
    changes: others,
    reads: others,
  };

  const places = {
    count: Math.max(1, options.readConnections - 1),
    waitMilliseconds: options.connectMilliseconds,
  };
  const throttle = createReadThrottle(options.readThrottle, places, () => performance.now());
  const throttled = <Result>(rank: Rank, work: () => Promise<Result>): Promise<Result> => {
    if (rank === 'orders') return throttle.order(work);
    return rank === 'reads' ? throttle.read(work) : work();
  };

  const server: PostgresServer = {
    ...{ options, finder, sessions, pools, throttled, listeners, lookups: pools.lookups },
    following: undefined,
    isClosed: false,
  };
  return databaseOn(
    server,
    { own: null, ofAccount: () => null, ofGroups: null, isSpread: false },
    { current: pools.orders },
    { groups: () => null, groupOf: () => undefined },
  );
}

interface DividedDatabase {
  groups(): readonly Database[] | null;
  groupOf(accountId: number): Database | undefined;
}

function databaseOn(
  server: PostgresServer,
  paths: SearchPaths,
  ofOrders: { current: RankPool },
  divided: DividedDatabase,
): Database {
  const { options, sessions, pools, throttled } = server;
  const poolOf = (rank: Rank) => (rank === 'orders' ? ofOrders.current : pools[rank]);
  const database: Database = {
    kind: 'postgres',
    beginFileCopy: null,
    orderSessions: options.orderConnections,
    accountGroups: () => divided.groups() ?? [database],
    [isSpread]: paths.isSpread,
    ofAccount: (accountId) => divided.groupOf(accountId) ?? database,

    query(statement, values, rank = 'reads'): Promise<readonly Row[]> {
      const pool = poolOf(rank);
      const { own } = paths;
      return throttled(rank, () =>
        sessions.withSession(
          pool,
          pool.limitMilliseconds,
          (session) => session.query(statement, values, own),
          own,
        ),
      );
    },

    transaction<Result>(
      work: (transaction: Transaction) => Promise<Result>,
      { rank = 'changes', timeoutMilliseconds, ...how }: TransactionOptions = {},
    ): Promise<Result> {
      const pool = poolOf(rank);
      const milliseconds = timeoutMilliseconds === undefined ? pool.limitMilliseconds : timeoutMilliseconds;
      if (milliseconds === null || milliseconds > pool.limitMilliseconds)
        return longTransaction(server, pool, milliseconds, work, how, paths);
      return throttled(rank, () =>
        sessions.withSession(
          pool,
          milliseconds,
          (session) => runTransaction(session, work, how, paths),
          paths.own,
        ),
      );
    },

    inGroups: (division) => divide(server, division),
    listen: (channel, listener) => listenOn(server, channel, listener),
    poll() {},
    roundTrips: sessions.roundTrips,
    close: () => close(server),
  };
  return database;
}

function divide(server: PostgresServer, { shared, groups, locate, servers }: AccountDivision): Database {
  const { options, sessions, pools } = server;
  const groupPaths = groups.map((group, index) => ({
    schemas: `${group}, ${shared}`,
    tag: `~${index}`,
    isOfViews: false,
  }));
  const ofAccount = (accountId: number) => groupPaths[accountId % groupPaths.length] ?? null;
  const inGroupsOf: DividedDatabase = {
    groups: () => divisions,
    groupOf: (accountId) => divisions[accountId % divisions.length],
  };
  const areApart = servers !== undefined;
  if (areApart) sessions.planForCitus();
  const orderPools = groups.map((_, index) => ({
    current: sessions.create(options.orderConnections, options.answerMilliseconds, servers?.[index]),
  }));
  const divisions = groupPaths.map((own, index) =>
    databaseOn(
      server,
      { own, ofAccount, ofGroups: groupPaths, isSpread: areApart },
      orderPools[index] ?? { current: pools.orders },
      inGroupsOf,
    ),
  );
  const all = {
    own: { schemas: shared, tag: '~', isOfViews: true },
    ofAccount,
    ofGroups: groupPaths,
    isSpread: areApart,
  };
  const whole = databaseOn(server, all, { current: pools.orders }, inGroupsOf);
  if (locate !== undefined && servers !== undefined) follow(server, whole, orderPools, locate, servers);
  return whole;
}

/** When Citus moves a shard, gives its orders a pool on the new server. The old server would forward every statement. */
function follow(
  server: PostgresServer,
  whole: Database,
  orderPools: readonly { current: RankPool }[],
  locate: NonNullable<AccountDivision['locate']>,
  begun: readonly Server[],
): void {
  const { options, sessions } = server;
  let servers = begun;
  const look = async () => {
    const found = await locate(ranked(whole, 'lookups')).catch(() => null);
    if (server.isClosed || found === null) return;
    for (const [index, place] of found.entries()) {
      const before = servers[index];
      const ofOrders = orderPools[index];
      if (ofOrders === undefined || (before?.host === place.host && before.port === place.port)) continue;
      const former = ofOrders.current;
      ofOrders.current = sessions.create(options.orderConnections, options.answerMilliseconds, place);
      sessions.retire(former);
    }
    servers = found;
  };
  server.following = setInterval(look, options.locateMilliseconds);
  server.following.unref();
}

async function listenOn(server: PostgresServer, channel: string, listener: ChangeListener): Promise<void> {
  if (server.isClosed) throw new DatabaseUnavailable('The database is closed.');
  const listening = listenForever(server.options, clientOf(server.finder), channel, {
    ...listener,
    // Once the server answers again, a connection that stays silent is dead.
    onHeardAgain: server.sessions.open.dropSilent,
  });
  server.listeners.push(listening);
  await listening.first;
}

async function close(server: PostgresServer): Promise<void> {
  server.isClosed = true;
  clearInterval(server.following);
  server.finder?.close();
  await Promise.all([...server.listeners.map((listener) => listener.close()), server.sessions.close()]);
}
