// The driver for the embedded database: PGlite in DATA_DIR, in a worker thread, made durable by
// embedded-server.ts. One process, one session: whatever runs has the session to itself, in order.

import pg from 'pg';
import { type Database, DatabaseUnavailable, type Transaction } from './database.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded-server.ts';
import { columnTypes, createSession, runTransaction } from './pg-session.ts';

export interface EmbeddedDatabase extends Database {
  readonly kind: 'embedded';
  /** fsyncs that reached the operating system since the start. */
  fsyncCount(): number;
}

// One session for everything, so it has the order path's planner: see postgres.ts. Without autovacuum
// nobody gathers statistics here, which is one more reason to rule sequential scans out.
const sessionSettings = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_bitmapscan', 'jit'];

/** @throws DataFolderInUse (data-lock.ts) when another process has the folder open */
export async function openEmbedded(options: { readonly dataDir: string }): Promise<EmbeddedDatabase> {
  const server: EmbeddedServer = await startEmbeddedServer(options);
  const stream = server.connect();
  const client = new pg.Client({
    stream: () => stream,
    pipeline: true,
    types: columnTypes,
    user: 'postgres',
  } as pg.ClientConfig);
  client.on('error', () => undefined);
  await client.connect();
  const session = createSession(client, stream);
  await session.command("set timezone to 'UTC'");
  for (const setting of sessionSettings) await session.command(`set ${setting} to off`);

  // The queue of the one session: a transaction must not have foreign statements inside it.
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    kind: 'embedded',
    query: (statement, values) => inTurn(() => session.query(statement, values)),
    transaction<Result>(work: (transaction: Transaction) => Promise<Result>) {
      return inTurn(() => runTransaction(session, work));
    },
    async listen(channel, listener) {
      client.on('notification', ({ channel: heard, payload = '' }) => {
        if (heard === channel) listener.onMessage(payload);
      });
      await inTurn(() => session.command(`listen ${channel}`));
      listener.onRestored();
    },
    roundTrips: () => session.roundTrips(),
    fsyncCount: () => server.fsyncCount(),
    async close() {
      closed = true;
      await last;
      await client.end();
      await server.close();
    },
  };
}
