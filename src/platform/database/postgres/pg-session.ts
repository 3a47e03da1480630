// One connection of the PostgreSQL protocol, as both drivers use it: a server's socket (postgres.ts) or
// the embedded database's stream (embedded.ts). Statements are pipelined, what is sent in one turn of
// the event loop leaves in one write, and errors arrive as the two classes of database.ts.

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

/** The schemas that statements look for their tables in, where a database has several of one name (find-shards.ts). */
export interface SearchPath {
  /** As SET takes them: "g1, public". */
  readonly schemas: string;
  /** Ends the names of what is prepared there: a plan belongs to one path. */
  readonly tag: string;
  /** It leads to views of all groups, of which no row can be locked. */
  readonly isOfViews: boolean;
}

export interface Session {
  /** Without a path: on the one that the session has. */
  query(
    statement: SqlStatement,
    values?: readonly unknown[],
    path?: SearchPath | null,
  ): Promise<readonly Row[]>;
  /** Takes the path for what is sent from now on, in this transaction alone if `isLocal`; travels with what comes next. */
  search(path: SearchPath, isLocal: boolean): void;
  /** The path that search() took last; null: none. What was local is over where a transaction ends. */
  currentPath: SearchPath | null;
  /** A statement without parameters, sent as text; resolves to its command tag. What begins a transaction goes with it. */
  command(text: string): Promise<string>;
  roundTrips(): number;
}

/** The types of columns as database.ts promises them: int8 as bigint, timestamptz as epoch seconds. */
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
 * Settings of every session. A named statement planned while the tables were empty keeps its
 * sequential scan for hours: the design's trial fell from 13,000 to 2,500 orders/s within a minute, with no
 * error anywhere. Orders and reads only ever look up by index; the auditor, who reads whole tables, says so.
 * Their plans are the same for any values, but an array of one seems cheaper to the planner than an array of
 * unknown length: left to itself it plans anew for every batch, which took longer than carrying the batch out.
 */
export const lookupPlanner: readonly string[] = [
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_bitmapscan = off',
  'jit = off',
  'plan_cache_mode = force_generic_plan',
];

/** Citus plans a statement for the shards that its values lead to: not for any values. */
export const citusPlanner: readonly string[] = lookupPlanner.filter(
  (setting) => !setting.startsWith('plan_cache_mode'),
);

/** As one text for a new session. Not as start-up options: those of a connection string would replace them. */
export function settingsText(settings: readonly string[]): string {
  return ["timezone = 'UTC'", ...settings].map((setting) => `set ${setting}`).join('; ');
}

/**
 * The name of each statement that is sent, for whoever subscribes. The tests do: each statement has to run on both databases and
 * on several account groups.
 */
const statementChannel = channel('sellthrough:statement');

export function createSession(client: pg.Client, stream: Duplex): Session {
  let groups = 0;
  let groupOpen = false;
  let isInTransaction = false;
  let together: StatementPipeline | null = null;
  const known: KnownRows = new Map();

  // The first statement of a turn opens a group; the turn's end lets the whole group leave at once.
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

  /** Before anything that goes by itself. */
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
      // On another path the next statement would find another group's tables.
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
        // A text of several statements answers with a list of results, which nobody asked for.
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

/**
 * PostgreSQL refuses to write to a view of all groups, but of a row that is to be locked through one it locks nothing and
 * says nothing. @throws Error: a mistake of the program
 */
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

/** Runs `work` between BEGIN and COMMIT on a session that nobody else uses meanwhile. */
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
      // Without this a BEGIN that failed would leave the statements after it to commit one by one.
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
    // They arrive at once: the end, or what came behind, may be heard first, and says less than the statement that failed.
    if (!(error instanceof TransactionRolledBack) && !isBehindFailed(error)) throw error;
    await lastHeard;
    throw failure === undefined ? error : failure.error;
  } finally {
    session.currentPath = pathBefore;
  }
}

/** What a transaction's statements are about: the path they take, and that of another account's group. */
export interface SearchPaths {
  readonly own: SearchPath | null;
  ofAccount(accountId: number): SearchPath | null;
  /** null: all accounts are one group. */
  readonly ofGroups: readonly SearchPath[] | null;
  /** The shards are on several servers (database.ts). */
  readonly isSpread: boolean;
}

const onePath: SearchPaths = { own: null, ofAccount: () => null, ofGroups: null, isSpread: false };

/** SQLSTATE of whatever is sent in a transaction that has failed. */
const inFailedTransaction = '25P02';

function isBehindFailed(error: unknown): boolean {
  return error instanceof StatementFailed && error.code === inFailedTransaction;
}

async function commit(session: Session): Promise<void> {
  const tag = await session.command('commit');
  if (tag !== 'COMMIT') throw new TransactionRolledBack('The transaction had failed and was rolled back.');
}

/** SQLSTATEs that speak of the server's condition, not of the statement; and class 08 and 53 as a whole. */
const conditionCodes = new Set([
  '25006', // read-only: a standby, or an operator who wants no writes now
  '25P03', // idle in transaction for too long: we stalled, the server let go
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

/**
 * Citus names that of a shard, "accounts_username_key_102063", and what a worker refused while others were at work as well
 * it tells in the message alone. No constraint of ours ends in such a number.
 */
function constraintOf({ constraint, message }: pg.DatabaseError): string | undefined {
  const [, told] = constraint === undefined ? (/ unique constraint "([^"]+)"/.exec(message) ?? []) : [];
  return (constraint ?? told)?.replace(/_\d{6,}$/, '');
}

/** "2026-01-31 12:00:00+00" (the sessions' time zone is UTC) to epoch seconds. */
function parseTimestamp(text: string): number {
  if (!text.endsWith('+00')) throw new Error(`The session's time zone is not UTC: ${text}.`);
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
}

function parseBigintArray(text: string): bigint[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt);
}
