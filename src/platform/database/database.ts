// The interface to the database, with two drivers: postgres.ts (DATABASE_URL) and embedded.ts (PGlite in DATA_DIR).
// Invariant: when the database cannot be reached, the driver throws DatabaseUnavailable. If COMMIT was already sent, the
// transaction may or may not have been committed.

/** Two statements with the same name must have the same text, because the name identifies the prepared statement. */
export interface SqlStatement {
  readonly name: string;
  readonly text: string;
}

/** A row from the driver: int8 is bigint, timestamptz is whole epoch seconds (number). */
export type Row = Readonly<Record<string, unknown>>;

/**
 * What a statement is for (docs/decisions/0013-orders-first.md). On PostgreSQL each rank has its own connections. The
 * embedded database has one session, which runs `reads` last.
 * - `orders`: order batches only.
 * - `lookups`: a few rows by key that a request needs first, such as the caller.
 * - `changes`: small writes by people, so that a stolen key is blocked at once however many orders arrive.
 * - `reads`: everything else. Split reads that take over 50 ms into ranges, because on the embedded database orders wait for
 * them.
 */
export type Rank = 'orders' | 'lookups' | 'changes' | 'reads';

export interface Queryable {
  /**
   * Sends one statement. Statements sent in the same event-loop turn share a round trip and are answered in order.
   * @throws DatabaseUnavailable when the connection or the server is away
   * @throws StatementFailed when the statement was refused (SQLSTATE in `code`)
   */
  query(statement: SqlStatement, values?: readonly unknown[]): Promise<readonly Row[]>;

  /** Sees this account's shard and the shared tables. Every write to, or lock on, account rows must go through it. */
  ofAccount(accountId: number): Queryable;

  /** One Queryable per shard, in the order of the shards. A database without shards returns itself. */
  accountGroups(): readonly Queryable[];

  /** Only the drivers and shards/ read it. Other code calls bySharding. */
  readonly [isSpread]: boolean;
}

/** True if the shards are on several servers (citus.ts): a query then cannot join shared tables with a shard's tables. */
export const isSpread: unique symbol = Symbol('isSpread');

export interface Transaction extends Queryable {
  /** Call it in the same event-loop turn as the last statements to share their round trip. @throws TransactionRolledBack */
  commit(): Promise<void>;
}

export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres';

  /** Default rank: `reads`, the lowest priority. */
  query(statement: SqlStatement, values?: readonly unknown[], rank?: Rank): Promise<readonly Row[]>;

  readonly orderSessions: number;

  ofAccount(accountId: number): Database;

  accountGroups(): readonly Database[];

  inGroups(division: AccountDivision): Database;

  /** One READ COMMITTED transaction: commits when `work` returns without having committed, rolls back when it throws. */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;

  listen(channel: string, listener: ChangeListener): Promise<void>;

  /** Delivers answers that have already arrived, so that an order batch does not wait for other work in the event loop. */
  poll(): void;

  /** Begins a copy of the embedded database; null on a server. @throws DatabaseUnavailable while another copy is running */
  readonly beginFileCopy: (() => Promise<CopyGuard>) | null;

  roundTrips(): number;

  close(): Promise<void>;
}

export interface AccountDivision {
  /** Quoted name of the schema with the shared tables. For each sharded table it has a view of that name over all shards. */
  readonly shared: string;
  /** Schemas of the shards. An account belongs to the shard at index (account id modulo number of shards). */
  readonly groups: readonly string[];
  /** Set by citus.ts. Absent when all shards are on this server. */
  readonly locate?: (queryable: Queryable) => Promise<readonly Server[] | null>;
  readonly servers?: readonly Server[];
}

export interface Server {
  readonly host: string;
  readonly port: number;
}

export interface TransactionOptions {
  readonly rank?: Rank;
  /** Replaces the rank's limit for each statement and for the transaction. null: no limit while the server works on it. */
  readonly timeoutMilliseconds?: number | null;
  /** Read-only, and every statement sees the same snapshot (REPEATABLE READ). */
  readonly isSnapshot?: boolean;
}

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

export function ranked(database: Database, rank: Rank): Database {
  return inEachGroup(database, (each) => ({
    ...each,
    query: (statement, values, named = rank) => each.query(statement, values, named),
    transaction: (work, options) => each.transaction(work, { rank, ...options }),
  }));
}

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
  onLost(): void;
  onRestored(): void;
}

/** The database cannot be reached or cannot take work now. Retry later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The database refused a statement. `code` is the SQLSTATE, `constraint` the violated constraint. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  readonly code: string;
  readonly constraint: string | undefined;
  /** The driver sets it if a shard may have moved to another server between the transaction's reads and its writes. */
  mayBeOutrun = false;

  constructor(message: string, code: string, constraint: string | undefined, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.constraint = constraint;
  }
}

export class TransactionRolledBack extends Error {
  override readonly name = 'TransactionRolledBack';
}

export interface CopyGuard {
  /** Call once all files but the WAL are copied. Resolves to PostgreSQL's backup label, which belongs in the copy. */
  end(): Promise<string>;
  heldMilliseconds(): number;
  /** Call when the WAL is copied too, or to give up. Never rejects. */
  release(): Promise<void>;
}
