// A transaction that may exceed its rank's time limit for as long as the server works on it.

import type { SqlStatement, Transaction, TransactionOptions } from '../database.ts';
import { runTransaction, type SearchPaths, type Session } from './pg-session.ts';
import type { PostgresOptions } from './postgres-client.ts';
import type { RankPool, SessionPools } from './session-pools.ts';

export interface LongTransactionServer {
  readonly options: PostgresOptions;
  readonly sessions: SessionPools;
  readonly lookups: RankPool;
}

export function longTransaction<Result>(
  server: LongTransactionServer,
  pool: RankPool,
  milliseconds: number | null,
  work: (transaction: Transaction) => Promise<Result>,
  how: Pick<TransactionOptions, 'isSnapshot'>,
  paths: SearchPaths,
): Promise<Result> {
  const run = async (session: Session, giveUp: (reason: string) => void) => {
    let number: number | null = null;
    const watching = watch(server, () => number, giveUp);
    try {
      return await runTransaction(
        session,
        async (transaction) => {
          await transaction.query({
            name: '',
            text: longSettings(milliseconds ?? 0, server.options.heartbeatMilliseconds),
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
  return server.sessions.withSession(pool, milliseconds, run, paths.own);
}

/** Polls the server. Gives the session up when the server no longer has it, or after several polls without an answer. */
function watch(
  { sessions, lookups, options }: LongTransactionServer,
  processNumber: () => number | null,
  giveUp: (reason: string) => void,
): { end(): void } {
  let missed = 0;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const ask = async () => {
    const number = processNumber();
    const found = await sessions
      .withSession(lookups, lookups.limitMilliseconds, (session) => session.query(findProcess, [number]))
      .catch(() => null);
    if (ended) return;
    if (found?.length === 0 && number !== null)
      return giveUp('The server has ended the session of a long transaction.');
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

const findProcess: SqlStatement = {
  name: 'find_process',
  text: 'select 1 from pg_stat_activity where pid = $1::int',
};

/** The server checks the connection even during a statement (not on Windows), to free the locks of a vanished client. */
function longSettings(milliseconds: number, checkMilliseconds: number): string {
  return `select set_config(name, setting, true)
    from (values ('statement_timeout', '${milliseconds}'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
        ('idle_in_transaction_session_timeout', '${longIdleMilliseconds}'),
        ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
        ('client_connection_check_interval', case when version() ~* 'visual c|mingw' then '0' else '${checkMilliseconds}' end)
      ) wanted (name, setting)
    where name in (select name from pg_settings)`;
}

const longIdleMilliseconds = 120_000;
