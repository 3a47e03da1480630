// The seam between the service and its database. Two drivers carry it out: postgres.ts (a server
// behind DATABASE_URL) and embedded.ts (PGlite in DATA_DIR). Nothing outside this folder knows which.
// Always true: an error that says nothing about the statement, but only that the database is away,
// arrives as DatabaseUnavailable; what a transaction did is then unknown once its COMMIT was sent.

/** A statement prepared by name: one name belongs to one text, for ever. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A row as it comes from the driver: int8 as bigint, timestamptz as whole epoch seconds (number). */
export type Row = Readonly<Record<string, unknown>>;

export interface Queryable {
  /**
   * Sends one statement and resolves to its rows. Statements sent in the same turn of the event loop
   * travel together (one round trip) and are answered in order.
   * @throws DatabaseUnavailable when the connection or the server is away
   * @throws StatementFailed when the statement was refused (SQLSTATE in `code`)
   */
  query(statement: Statement, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Transaction extends Queryable {
  /**
   * Commits. May be sent in the same turn as the last statements, so that both share a round trip.
   * @throws TransactionRolledBack when a statement before it had failed
   */
  commit(): Promise<void>;
}

export interface Database extends Queryable {
  readonly kind: 'embedded' | 'postgres';

  /** Transactions of the session `orders` that are carried out side by side; more would wait for each other. */
  readonly orderSessions: number;

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

  /** Round trips since the start: a statement or a group of statements that travelled together. */
  roundTrips(): number;

  /** Waits for what runs and lets go of every connection. */
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** `orders`: a connection that reads never keep busy. */
  readonly session?: 'orders' | 'general';
  /** After so long without an answer the connection is given up and the database counts as away. */
  readonly timeoutMilliseconds?: number;
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
