// Statements of a transaction that leave in one turn of the event loop, as one query of the driver: all of them behind
// one another, and one Sync at the end. With a Sync each, as pg sends them, the server would write each answer by itself, and
// the service would read each by itself: for one order alone that takes longer than carrying it out.
// Always true: only what begins one transaction and its named statements share a group. Behind one that failed the server carries out none
// of the others, as it would in a transaction that has failed.
//
// pg hands the server's messages to whatever query is under way; its own class for that is exported, and is extended here.

import pg from 'pg';
import type { Row, SqlStatement } from '../database.ts';

/** What the rows of a statement look like: said by the server once for each session. */
interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** Rows begin as a copy: all of one shape, to the machine too. */
  readonly empty: Row;
}

/** By name, those that this session has prepared and whose rows are known. */
export type KnownRows = Map<string, RowShape>;

interface PipelinedStatement {
  readonly statement: SqlStatement;
  readonly values: readonly SentValue[];
  readonly rows: Row[];
  resolve(rows: readonly Row[]): void;
  reject(error: unknown): void;
}

/** The parts of pg's connection that a query uses. Its published types are those of another version. */
interface Connection {
  readonly parsedStatements: Record<string, string | undefined>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { name: string; text: string }): void;
  bind(bound: { statement: string; values: readonly SentValue[] }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(what: { portal: string }): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The statement before it in the same group had failed, or the one that begins the transaction. */
export class SkippedInGroup extends Error {
  override readonly name = 'SkippedInGroup';
}

const noRows: RowShape = { names: [], parsers: [], empty: {} };

export class StatementPipeline extends pg.Query {
  readonly #statements: PipelinedStatement[] = [];
  readonly #known: KnownRows;
  readonly #types: pg.CustomTypesConfig;
  /** The one whose answer comes next. */
  #place = 0;
  /** What was wrong with a value of its rows. */
  #unread: { readonly error: unknown } | null = null;
  /** Its own: what pg notes as prepared when the server says so. */
  name = '';
  text = '';
  /** Where DATABASE_URL has a query_timeout: pg cuts the connection unless it is told that the answer came. */
  declare callback?: (error?: unknown) => void;

  constructor(known: KnownRows, types: pg.CustomTypesConfig) {
    super('');
    this.#known = known;
    this.#types = types;
  }

  /** Before it is sent. */
  add(statement: SqlStatement, values: readonly unknown[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#statements.push({ statement, values: values.map(prepareValue), rows: [], resolve, reject });
    });
  }

  get names(): readonly string[] {
    return this.#statements.map(({ statement }) => statement.name);
  }

  /** An error is handed to handleError by the driver; then nothing was sent. */
  override submit = (client: unknown): Error | undefined => {
    const connection = client as Connection;
    const isOther = ({ statement: { name, text } }: PipelinedStatement) =>
      name !== '' &&
      (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name] ?? text) !== text;
    const other = this.#statements.find(isOther);
    if (other !== undefined) return new Error(`Two statements are called ${other.statement.name}.`);
    for (const { statement, values } of this.#statements) {
      const { name, text } = statement;
      const isPrepared =
        connection.parsedStatements[name] !== undefined ||
        connection.submittedNamedStatements[name] !== undefined;
      if (!isPrepared) connection.parse({ name, text });
      if (!isPrepared && name !== '') connection.submittedNamedStatements[name] = text;
      connection.bind({ statement: name, values });
      if (name !== '' && !this.#known.has(name)) connection.describe({ type: 'P', name: '' });
      connection.execute({ portal: '' });
    }
    connection.sync();
    this.#go(0);
    return undefined;
  };

  #go(place: number): void {
    this.#place = place;
    this.#unread = null;
    const next = this.#statements[place]?.statement;
    this.name = next?.name ?? '';
    this.text = next?.text ?? '';
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#known.set(this.name, {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text')),
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
    });
  }

  /** Called while the socket is read: whatever is thrown there ends the process. */
  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#unread !== null) return;
    try {
      this.#statements[this.#place]?.rows.push(this.#read(fields));
    } catch (error) {
      this.#unread = { error };
    }
  }

  #read(fields: readonly (string | null)[]): Row {
    const { names, parsers, empty } = this.#known.get(this.name) ?? noRows;
    const row: Record<string, unknown> = { ...empty };
    for (let place = 0; place < names.length; place += 1) {
      const [name, parse, text] = [names[place], parsers[place], fields[place]];
      if (name !== undefined && parse !== undefined && typeof text === 'string') row[name] = parse(text);
    }
    return row;
  }

  handleCommandComplete(): void {
    const done = this.#statements[this.#place];
    if (done === undefined) return;
    const { name } = done.statement;
    if (name !== '' && !this.#known.has(name)) this.#known.set(name, noRows);
    const unread = this.#unread;
    this.#go(this.#place + 1);
    if (unread === null) done.resolve(done.rows);
    else done.reject(unread.error);
  }

  /** A statement's own error, after which the server reads on at the next Sync; or that of the connection. */
  handleError(error: unknown, client: unknown): void {
    const [failed, ...skipped] = this.#statements.slice(this.#place);
    this.#place = this.#statements.length;
    failed?.reject(error);
    const isOwn = error instanceof pg.DatabaseError && error.severity === 'ERROR';
    for (const { statement, reject } of skipped) {
      delete (client as Connection).submittedNamedStatements[statement.name];
      reject(isOwn ? new SkippedInGroup(`${statement.name} came behind one that failed.`) : error);
    }
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.();
  }
}

type SentValue = string | Buffer | null;

/** How pg itself writes values, lists and bytes among them. Its types do not have it. */
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): SentValue } })
  .utils;
