// One PostgreSQL protocol connection, used by both drivers: a server's socket (postgres.ts) or the embedded stream
// (embedded.ts). Statements of one event-loop turn leave in one write; errors arrive as the two classes of database.ts.

import { channel } from 'node:diagnostics_channel';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import {
  DatabaseUnavailable,
  isSpread,
  type Queryable,
  type Row,
  type SqlStatement,
  StatementFailed,
  type Transaction,
  type TransactionOptions,
  TransactionRolledBack,
} from '../database.ts';
import { accountTables } from '../shards/sharded-tables.ts';
import { type KnownRows, SkippedInGroup, StatementPipeline } from './statement-pipeline.ts';

/** The search_path of a statement on a divided database (find-shards.ts). */
export interface SearchPath {
  readonly schemas: string;
  /** Suffix of prepared statement names, because a plan belongs to one path. */
  readonly tag: string;
  readonly isOfViews: boolean;
}

export interface Session {
  query(
    statement: SqlStatement,
    values?: readonly unknown[],
    path?: SearchPath | null,
  ): Promise<readonly Row[]>;
  /** Only for this transaction if `isLocal`. Travels with the next statement. */
  search(path: SearchPath, isLocal: boolean): void;
  currentPath: SearchPath | null;
  /** A statement without parameters; resolves to its command tag. A BEGIN is pipelined with what follows. */
  command(text: string): Promise<string>;
  roundTrips(): number;
}

export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === pg.types.builtins.INT8) return BigInt;
      if (oid === pg.types.builtins.TIMESTAMPTZ) return parseTimestamp;
      if (oid === int8ArrayOid) return parseBigintArray;
    }
    return pg.types.getTypeParser(oid, format);
  },
};

const int8ArrayOid = 1016;

/**
 * Planner settings of every session. A named statement planned while tables were empty keeps its sequential scan for hours:
 * throughput fell from 13,000 to 2,500 orders/s without an error. Orders and reads only look up by index; verification,
 * which reads whole tables, overrides this.
 * force_generic_plan: an array of one looks cheaper to the planner than one of unknown length, so it would replan every
 * batch, which took longer than running it.
 */
export const lookupPlanner: readonly string[] = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_bitmapscan = off',
  'jit = off',
  'plan_cache_mode = force_generic_plan',
];

/** Citus plans for the shards of the given values, so a generic plan is impossible. */
export const citusPlanner: readonly string[] = lookupPlanner.filter(
  (setting) => !setting.startsWith('plan_cache_mode'),
);

export function settingsText(settings: readonly string[]): string {
  return ["timezone = 'UTC'", ...settings].map((setting) => `set ${setting}`).join('; ');
}

/** For the tests, which check that each statement runs on both databases and on several shards. */
const statementChannel = channel('sellthrough:statement');

export function createSession(client: pg.Client, stream: Duplex): Session {
  let groups = 0;
  let groupOpen = false;
  let isInTransaction = false;
  let together: StatementPipeline | null = null;
  const known: KnownRows = new Map();

  // Cork at the first statement of a turn and uncork at its end, so that all of them leave in one write.
  const joinGroup = () => {
    if (groupOpen) return;
    groupOpen = true;
    groups += 1;
    stream.cork();
    process.nextTick(() => {
      groupOpen = false;
      sendTogether();
      stream.uncork();
    });
  };

  const sendTogether = () => {
    const group = together;
    together = null;
    if (group !== null) client.query(group);
  };

  const join = (statement: SqlStatement, values: readonly unknown[] = []) => {
    together ??= new StatementPipeline(known, columnTypes);
    return together.add(statement, values);
  };

  return {
    currentPath: null,
    search(path, isLocal) {
      if (path === this.currentPath) return;
      this.currentPath = path;
      joinGroup();
      sendTogether();
      // On failure the next statement would use another shard's tables, so drop the connection.
      client
        .query(`set ${isLocal ? 'local ' : ''}search_path = ${path.schemas}`)
        .catch((error: unknown) => stream.destroy(error instanceof Error ? error : undefined));
    },
    async query(statement, values = [], path = null) {
      joinGroup();
      if (statementChannel.hasSubscribers) statementChannel.publish(statement.name);
      try {
        if (path?.isOfViews === true) refuseLockOfView(statement);
        const name = path === null || statement.name === '' ? statement.name : `${statement.name}${path.tag}`;
        if (isInTransaction && name !== '') return await join({ ...statement, name }, values);
        sendTogether();
        const result = await client.query({
          name,
          text: statement.text,
          values: [...values],
        });
        return Array.isArray(result) ? [] : result.rows;
      } catch (error) {
        throw databaseError(error, statement.name);
      }
    },
    async command(text) {
      joinGroup();
      try {
        isInTransaction = beginnings.has(text);
        if (isInTransaction) {
          await join({ name: '', text });
          return 'BEGIN';
        }
        sendTogether();
        return (await client.query(text)).command;
      } catch (error) {
        throw databaseError(error, text);
      }
    },
    roundTrips: () => groups,
  };
}

const locking = /\bfor\s+(?:(?:no\s+key\s+)?update|(?:key\s+)?share)\b/i;
const ofAccounts = new RegExp(`\\b(?:${Object.keys(accountTables).join('|')})\\b`);
const lockless = new WeakSet<SqlStatement>();

/** A row lock through a view over all shards silently locks nothing. @throws Error: a programming error */
export function refuseLockOfView(statement: SqlStatement): void {
  if (lockless.has(statement)) return;
  if (locking.test(statement.text) && ofAccounts.test(statement.text))
    throw new Error(
      `${statement.name} locks rows of accounts outside their group: it has to name its account.`,
    );
  lockless.add(statement);
}

const begin = 'begin';
const beginSnapshot = 'begin isolation level repeatable read, read only';
const beginnings: ReadonlySet<string> = new Set([begin, beginSnapshot]);

export async function runTransaction<Result>(
  session: Session,
  work: (transaction: Transaction) => Promise<Result>,
  { isSnapshot = false }: Pick<TransactionOptions, 'isSnapshot'> = {},
  paths: SearchPaths = onePath,
): Promise<Result> {
  const pathBefore = session.currentPath;
  const begun = session.command(isSnapshot ? beginSnapshot : begin);
  begun.catch(() => undefined);
  let committed: Promise<void> | undefined;
  let lastHeard: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  const on = (path: SearchPath | null): Queryable => ({
    accountGroups: () => paths.ofGroups?.map(on) ?? [transaction],
    [isSpread]: paths.isSpread,
    async query(statement, values) {
      if (path !== null) session.search(path, true);
      const rows = session.query(statement, values, path);
      lastHeard = rows.then(
        () => undefined,
        (error: unknown) => {
          if (paths.isSpread && error instanceof StatementFailed) error.mayBeOutrun = true;
          failure ??= { error };
        },
      );
      // Otherwise, after a failed BEGIN, the statements behind it would commit one by one.
      await begun;
      return rows;
    },
    ofAccount: (accountId) => on(paths.ofAccount(accountId)),
  });
  const transaction: Transaction = {
    ...on(paths.own),
    commit() {
      committed ??= commit(session);
      return committed;
    },
  };

  try {
    const result = await work(transaction);
    await transaction.commit();
    return result;
  } catch (error) {
    if (committed === undefined) await session.command('rollback').catch(() => undefined);
    else await committed.catch(() => undefined);
    // Errors arrive together, and a later statement's may come first, with less information than the one that failed.
    if (!(error instanceof TransactionRolledBack) && !isBehindFailed(error)) throw error;
    await lastHeard;
    throw failure === undefined ? error : failure.error;
  } finally {
    session.currentPath = pathBefore;
  }
}

export interface SearchPaths {
  readonly own: SearchPath | null;
  ofAccount(accountId: number): SearchPath | null;
  readonly ofGroups: readonly SearchPath[] | null;
  readonly isSpread: boolean;
}

const onePath: SearchPaths = { own: null, ofAccount: () => null, ofGroups: null, isSpread: false };

const inFailedTransaction = '25P02';

function isBehindFailed(error: unknown): boolean {
  return error instanceof StatementFailed && error.code === inFailedTransaction;
}

async function commit(session: Session): Promise<void> {
  const tag = await session.command('commit');
  if (tag !== 'COMMIT') throw new TransactionRolledBack('The transaction had failed and was rolled back.');
}

/** SQLSTATEs about the server's condition rather than the statement; classes 08 and 53 count as a whole. */
const conditionCodes = new Set([
  '25006', // a standby, or an operator who allows no writes
  '25P03', // this process stalled
  '25P04', // transaction_timeout
  '55P03', // lock_timeout
  '57014', // statement_timeout
  '57P01', // terminated by an administrator
  '57P02', // crash of another backend
  '57P03', // starting up or shutting down
  '57P05',
  '58030', // input or output failed
]);

export function databaseError(error: unknown, what: string): DatabaseUnavailable | StatementFailed {
  if (error instanceof DatabaseUnavailable || error instanceof StatementFailed) return error;
  if (error instanceof SkippedInGroup)
    return new StatementFailed(error.message, inFailedTransaction, undefined);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof pg.DatabaseError && error.code !== undefined) {
    const { code } = error;
    if (!conditionCodes.has(code) && !code.startsWith('08') && !code.startsWith('53')) {
      return new StatementFailed(`${what}: ${message}`, code, constraintOf(error), { cause: error });
    }
  }
  return new DatabaseUnavailable(message, { cause: error });
}

/** Citus appends a number, "accounts_username_key_102063", and names some only in the message. Ours never end in one. */
function constraintOf({ constraint, message }: pg.DatabaseError): string | undefined {
  const [, named] = constraint === undefined ? (/ unique constraint "([^"]+)"/.exec(message) ?? []) : [];
  return (constraint ?? named)?.replace(/_\d{6,}$/, '');
}

function parseTimestamp(text: string): number {
  if (!text.endsWith('+00')) throw new Error(`The session's time zone is not UTC: ${text}.`);
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
}

function parseBigintArray(text: string): bigint[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt);
}
