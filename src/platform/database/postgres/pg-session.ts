// One PostgreSQL protocol connection. Statements of one turn are sent in one write. Errors are DatabaseUnavailable or
// StatementFailed.

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

/** On a divided database (find-shards.ts). */
export interface SearchPath {
  readonly schemas: string;
  /** Suffix for the names of prepared statements, because a prepared plan is valid for one search_path only. */
  readonly tag: string;
  readonly isOfViews: boolean;
}

export interface Session {
  query(
    statement: SqlStatement,
    values?: readonly unknown[],
    path?: SearchPath | null,
  ): Promise<readonly Row[]>;
  /** Sets the search_path, for this transaction only if `isLocal`. It is sent together with the next statement. */
  search(path: SearchPath, isLocal: boolean): void;
  currentPath: SearchPath | null;
  /** Runs a statement without parameters and resolves to its command tag. A BEGIN is sent together with what follows. */
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
 * Planner settings of every session, which make it use indexes. A named statement planned while its tables were empty would
 * keep a sequential scan for hours: throughput fell from 13,000 to 2,500 orders/s without an error. Verification reads whole
 * tables and overrides these settings.
 * force_generic_plan: the planner expects a plan for a known array of one element to be cheaper than the generic plan, so it
 * would replan every batch, which takes longer than running it.
 */
export const lookupPlanner: readonly string[] = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_bitmapscan = off',
  'jit = off',
  'plan_cache_mode = force_generic_plan',
];

/** Citus chooses the shards by the values of the parameters, so it cannot use a generic plan. */
export const citusPlanner: readonly string[] = lookupPlanner.filter(
  (setting) => !setting.startsWith('plan_cache_mode'),
);

export function settingsText(settings: readonly string[]): string {
  return ["timezone = 'UTC'", ...settings].map((setting) => `set ${setting}`).join('; ');
}

/** Reports the names of statements to the tests, which check that each one runs on both databases and on several shards. */
const statementChannel = channel('sellthrough:statement');

export function createSession(client: pg.Client, stream: Duplex): Session {
  let groups = 0;
  let groupOpen = false;
  let isInTransaction = false;
  let together: StatementPipeline | null = null;
  const known: KnownRows = new Map();

  // Cork at the first statement of a turn and uncork when the turn ends, so that all its statements leave in one write.
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
      // If this failed, the next statement would use another shard's tables, so drop the connection.
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

/** Refuses row locks through a view over all shards, which would silently lock nothing. @throws Error: a programming error */
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
      // After a failed BEGIN, later statements would each commit on their own, so stop here.
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
    // The error may be that of a statement that was skipped after the failure. The error of the one that failed says more.
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

/** SQLSTATEs that are about the server's condition rather than the statement. So are all codes of classes 08 and 53. */
const conditionCodes = new Set([
  '25006', // the server is a standby or read-only
  '25P03', // idle_in_transaction_session_timeout: this process stalled
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

/** Citus adds a number ("accounts_username_key_102063") and gives some names only in the message. Ours end in no number. */
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
