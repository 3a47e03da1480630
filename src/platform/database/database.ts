// The interface between the service and its database. Two drivers implement it: postgres.ts (a server
// behind DATABASE_URL) and embedded.ts (PGlite in DATA_DIR). Nothing outside this folder knows which.
// Always true: an error that says nothing about the statement, but only that the database is away,
// arrives as DatabaseUnavailable; what a transaction did is then unknown once its COMMIT was sent.
// Work has a rank, so that lists do not keep orders waiting (docs/decisions/0013-orders-first.md).

/** A statement prepared by name: one name belongs to one text, for ever. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/** A row as it comes from the driver: int8 as bigint, timestamptz as whole epoch seconds (number). */
export type Row = Readonly<Record<string, unknown>>;

/**
 * What a statement is for. On PostgreSQL each rank has connections of its own; the embedded database's one session
 * takes all others before `reads`.
 * - `orders`: batches of orders. Nothing else.
 * - `lookups`: a few rows by key, that a request cannot begin without: who is calling, readiness, one balance.
 * - `changes`: what people change, a few rows at a time: accounts, keys, packages, second factors. A key that was stolen
 *   is blocked at once, however many orders come in.
 * - `reads`: everything else: lists, exports, audits, scheduled jobs. One piece of it
 *   should take no longer than 50 ms of the embedded database's one session, because orders wait for its end:
 *   whoever has more to do sends several, each for a range.
 */
export type Rank = 'orders' | 'lookups' | 'changes' | 'reads';

export interface Queryable {
  /**
   * Sends one statement and resolves to its rows. Statements sent in the same turn of the event loop
   * travel together (one round trip) and are answered in order.
   * @throws DatabaseUnavailable when the connection or the server is away
   * @throws StatementFailed when the statement was refused (SQLSTATE in `code`)
   */
  query(statement: SqlStatement, values?: readonly unknown[]): Promise<readonly Row[]>;

  /**
   * The same, as the group of this account sees it (find-shards.ts): statements find the tables of its accounts, and
   * what is nobody's. Whatever writes or locks what is an account's goes this way; elsewhere it can be read alone.
   */
  ofAccount(accountId: number): Queryable;

  /** The same as each account group sees it, in their order; where all accounts are one group: itself. */
  accountGroups(): readonly Queryable[];

  /** Asked by the drivers and in shards/ alone; all else says what it does in either case (bySharding). */
  readonly [isSpread]: boolean;
}

/** The shards are on several servers (citus.ts): what is not of one shard cannot be joined with what is. */
export const isSpread: unique symbol = Symbol('isSpread');

export interface Transaction extends Queryable {
  /**
   * Commits. May be sent in the same turn as the last statements, so that both share a round trip.
   * @throws TransactionRolledBack when a statement before it had failed
   */
  commit(): Promise<void>;
}

export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres';

  /** As in Queryable. The rank is `reads` where none is named: those wait behind the others. */
  query(statement: SqlStatement, values?: readonly unknown[], rank?: Rank): Promise<readonly Row[]>;

  /** Transactions of the rank `orders` that are carried out side by side; more would wait for each other. */
  readonly orderSessions: number;

  ofAccount(accountId: number): Database;

  accountGroups(): readonly Database[];

  /** This database, once it is known in which schemas its account groups are. */
  inGroups(division: AccountDivision): Database;

  /**
   * Runs `work` in one READ COMMITTED transaction. BEGIN travels with the first statement. When `work`
   * returns without having committed, the transaction is committed; when it throws, rolled back.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;

  /** Calls back for every NOTIFY on the channel, from this process and from others. */
  listen(channel: string, listener: ChangeListener): Promise<void>;

  /**
   * Hands out what the database has answered by now, where that can be seen ahead of the event loop: so a batch need
   * not wait until everything else that arrived in the same turn has had its time.
   */
  poll(): void;

  /**
   * Has the files of the embedded database copied by another process while it is in use; null: they are a server's own
   * business. @throws DatabaseUnavailable when another copy is under way
   */
  readonly beginFileCopy: (() => Promise<CopyGuard>) | null;

  /** Round trips since the start: a statement or a group of statements that travelled together. */
  roundTrips(): number;

  /** Waits for what runs and lets go of every connection. */
  close(): Promise<void>;
}

/** Where the tables of accounts are, where not all accounts are one group: names of schemas as SQL writes them. */
export interface AccountDivision {
  /** What is nobody's, and views of all groups' tables under the names of the tables. */
  readonly shared: string;
  /** An account belongs to the one of its number modulo their count. */
  readonly groups: readonly string[];
  /** Which server has each group; absent: this one has all (citus.ts). */
  readonly locate?: (queryable: Queryable) => Promise<readonly Server[] | null>;
  /** What locate said last. */
  readonly servers?: readonly Server[];
}

/** A server of the same databases and roles. */
export interface Server {
  readonly host: string;
  readonly port: number;
}

export interface TransactionOptions {
  /** `changes` unless it is named. */
  readonly rank?: Rank;
  /**
   * For each statement and for the whole, instead of the rank's own limit: after this long the connection is given up
   * and the database counts as away. null: no limit, as long as the server says that it is still at work.
   */
  readonly timeoutMilliseconds?: number | null;
  /** Only reads, and sees one state of the database throughout: REPEATABLE READ. */
  readonly isSnapshot?: boolean;
}

/** Rows by account group, with an account of it, in the order of the groups. */
export function byGroup<Item>(
  { accountGroups }: Pick<Queryable, 'accountGroups'>,
  rows: readonly Item[],
  accountOf: (row: Item) => number,
): [number, readonly Item[]][] {
  const count = accountGroups().length;
  const [first] = rows;
  if (first === undefined) return [];
  if (count === 1) return [[accountOf(first), rows]];
  return [...Map.groupBy(rows, (row) => accountOf(row) % count)].sort(([one], [other]) => one - other);
}

/** The same database for work of one rank, where whoever uses it names none. */
export function ranked(database: Database, rank: Rank): Database {
  return inEachGroup(database, (each) => ({
    ...each,
    query: (statement, values, named = rank) => each.query(statement, values, named),
    transaction: (work, options) => each.transaction(work, { rank, ...options }),
  }));
}

/** What `change` makes of a database, also where it is seen as one of its account groups. */
export function inEachGroup(database: Database, change: (each: Database) => Database): Database {
  const changed = (each: Database): Database => ({
    ...change(each),
    accountGroups: () => groups,
    ofAccount: (accountId) => groups[accountId % groups.length] ?? whole,
  });
  const whole = changed(database);
  const before = database.accountGroups();
  const groups = before.length === 1 ? [whole] : before.map(changed);
  return whole;
}

export interface ChangeListener {
  onMessage(payload: string): void;
  /** The listening connection is gone: messages may be missed until onRestored. */
  onLost(): void;
  onRestored(): void;
}

/** The database cannot be reached or cannot take work now. Trying again later is right. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The database refused a statement. `code` is the SQLSTATE, `constraint` the violated constraint. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  readonly code: string;
  readonly constraint: string | undefined;
  /** Set by the driver: a shard may have moved to another server between what the transaction read and what it writes. */
  mayBeOutrun = false;

  constructor(message: string, code: string, constraint: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.constraint = constraint;
  }
}

/** COMMIT was answered with ROLLBACK: a statement of the transaction had failed. */
export class TransactionRolledBack extends Error {
  override readonly name = 'TransactionRolledBack';
}

/** Held by the process that has the database open. */
export interface CopyGuard {
  /** The files are copied, all but the log: what PostgreSQL calls the label, to be put beside them. */
  end(): Promise<string>;
  /** The longest time for which its beginning or its end had the one session. */
  heldMilliseconds(): number;
  /** The log is copied as well, or nothing is any more. Never rejects. */
  release(): Promise<void>;
}
