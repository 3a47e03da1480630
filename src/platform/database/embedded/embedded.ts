// The driver for the embedded database: PGlite in a worker thread. One session runs everything, orders and look-ups first
// (ranked-queue.ts); statements cannot be interrupted, so reads must be split. If PostgreSQL dies, the next caller restarts
// it.

import pg from 'pg';
import {
  type ChangeListener,
  type CopyGuard,
  type Database,
  DatabaseUnavailable,
  isSpread,
  type Rank,
  type SqlStatement,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import {
  columnTypes,
  createSession,
  lookupPlanner,
  runTransaction,
  type Session,
  settingsText,
} from '../postgres/pg-session.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
import { createRankedQueue, type RankedQueue, type RankedQueueLimits } from './ranked-queue.ts';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly queue: RankedQueueLimits;
}

export interface EmbeddedDatabase extends Database {
  readonly kind: 'embedded';
  fsyncCount(): number;
}

interface Connected {
  readonly server: EmbeddedServer;
  readonly client: pg.Client;
  readonly session: Session;
}

const beginCopy: SqlStatement = {
  name: 'begin_file_copy',
  text: "select pg_backup_start('sellthrough', true)",
};

const endCopy: SqlStatement = {
  name: 'end_file_copy',
  text: 'select labelfile as label from pg_backup_stop(false)',
};

const restartPauseMilliseconds = 500;

/** Makes ANALYZE sample 3,000 rows. With its default of 30,000 it blocked the session for 300 ms. Orders need only counts. */
const smallSamples = 'default_statistics_target = 10';

export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const listeners: { readonly channel: string; readonly listener: ChangeListener }[] = [];
  let roundTripsBefore = 0;
  let closed = false;
  /** The server that has died, if any. It holds the folder's lock until it is closed. */
  let dead: EmbeddedServer | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let current: Connected | null = await connect();

  async function connect(): Promise<Connected> {
    const server = await startEmbeddedServer(options);
    try {
      const stream = server.connect();
      // lookupPlanner is needed here even more than on a server: without autovacuum, the statistics are old.
      const config = { stream: () => stream, pipeline: true, types: columnTypes, user: 'postgres' };
      const client = new pg.Client({
        ...config,
        options: `-c timezone=UTC ${lookupPlanner}`,
      } as pg.ClientConfig);
      client.on('error', () => undefined);
      await client.connect();
      await client.query(settingsText([...lookupPlanner, smallSamples]));
      client.on('notification', ({ channel: name, payload = '' }) => {
        for (const { channel, listener } of listeners) if (channel === name) listener.onMessage(payload);
      });
      const connected = { server, client, session: createSession(client, stream) };
      for (const { channel } of listeners) await connected.session.command(`listen ${channel}`);
      server.failed.then(() => {
        if (closed || current !== connected) return;
        roundTripsBefore += connected.session.roundTrips();
        current = null;
        dead = server;
        for (const { listener } of listeners) listener.onLost();
      });
      return connected;
    } catch (error) {
      await server.close().catch(() => undefined);
      throw error;
    }
  }

  async function connected(): Promise<Connected> {
    if (current !== null) return current;
    if (performance.now() - failedAt < restartPauseMilliseconds) {
      throw new DatabaseUnavailable('The embedded database has not restarted yet.');
    }
    try {
      await dead?.close();
      dead = null;
      current = await connect();
    } catch (error) {
      failedAt = performance.now();
      throw new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
    }
    for (const { listener } of listeners) listener.onRestored();
    return current;
  }

  // No other statement may run inside a transaction.
  const queue = createRankedQueue(options.queue, () => performance.now());
  const inTurn = <Result>(rank: Rank, work: (session: Session) => Promise<Result>): Promise<Result> => {
    if (closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    return queue.run(rank === 'reads' ? 'second' : 'first', async () => work((await connected()).session));
  };

  const database: EmbeddedDatabase = {
    kind: 'embedded',
    beginFileCopy: createFileCopies(queue, connected),
    accountGroups: () => [database],
    ofAccount: () => database,
    [isSpread]: false,
    inGroups() {
      throw new Error('The embedded database holds all accounts in one group.');
    },
    orderSessions: 1,
    query: (statement, values, rank = 'reads') => inTurn(rank, (session) => session.query(statement, values)),
    transaction<Result>(
      work: (transaction: Transaction) => Promise<Result>,
      { rank = 'changes', ...options }: TransactionOptions = {},
    ) {
      return inTurn(rank, (session) => runTransaction(session, work, options));
    },
    async listen(channel, listener) {
      listeners.push({ channel, listener });
      await inTurn('lookups', (session) => session.command(`listen ${channel}`));
      listener.onRestored();
    },
    poll: () => current?.server.poll(),
    roundTrips: () => roundTripsBefore + (current?.session.roundTrips() ?? 0),
    fsyncCount: () => current?.server.fsyncCount() ?? 0,
    async close() {
      closed = true;
      await queue.idle();
      await current?.client.end();
      await (current?.server ?? dead)?.close();
    },
  };
  return database;
}

function createFileCopies(queue: RankedQueue, connected: () => Promise<Connected>): () => Promise<CopyGuard> {
  let isCopied = false;

  return async () => {
    if (isCopied) throw new DatabaseUnavailable('A backup of this database is already running.');
    isCopied = true;
    let held: Connected | null = null;
    let isBegun = false;
    let longest = 0;
    const ask = (statement: SqlStatement) =>
      queue.run('first', async () => {
        const now = await connected();
        held ??= now;
        if (held !== now) throw new DatabaseUnavailable('The database restarted in the meantime.');
        held.server.holdCheckpoints(true);
        const began = performance.now();
        const rows = await held.session.query(statement);
        longest = Math.max(longest, performance.now() - began);
        return rows;
      });
    const end = async () => {
      const [row] = await ask(endCopy);
      isBegun = false;
      return String(row?.['label']);
    };
    const release = async () => {
      // Without this the session would stay in backup mode.
      if (isBegun) await end().catch(() => undefined);
      held?.server.holdCheckpoints(false);
      isCopied = false;
    };
    try {
      await ask(beginCopy);
      isBegun = true;
      return { end, release, heldMilliseconds: () => longest };
    } catch (error) {
      await release();
      throw error;
    }
  };
}
