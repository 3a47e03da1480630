// Sends a transaction's statements of one event-loop turn as a single pg query with one Sync. pg itself sends a Sync with
// each statement; for a single order that costs more than the order. It extends the query class of pg, to which pg passes
// the server's messages.
// Invariant: a pipeline holds at most one BEGIN and its named statements. After a failure the server skips the rest.

import pg from 'pg';
import type { Row, SqlStatement } from '../database.ts';

interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
  /** Each row is a copy of it, so that V8 gives all rows one hidden class. */
  readonly empty: Row;
}

export type KnownRows = Map<string, RowShape>;

interface PipelinedStatement {
  readonly statement: SqlStatement;
  readonly values: readonly SentValue[];
  readonly rows: Row[];
  resolve(rows: readonly Row[]): void;
  reject(error: unknown): void;
}

/** Declared here because pg's published types are for another version of pg. */
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

export class SkippedInGroup extends Error {
  override readonly name = 'SkippedInGroup';
}

const noRows: RowShape = { names: [], parsers: [], empty: {} };

export class StatementPipeline extends pg.Query {
  readonly #statements: PipelinedStatement[] = [];
  readonly #known: KnownRows;
  readonly #types: pg.CustomTypesConfig;
  #place = 0;
  #unread: { readonly error: unknown } | null = null;
  /** The statement whose answer is due. pg reads these two fields to record which statement is prepared. */
  name = '';
  text = '';
  /** With a query_timeout in DATABASE_URL, pg cuts the connection unless this is called. */
  declare callback?: (error?: unknown) => void;

  constructor(known: KnownRows, types: pg.CustomTypesConfig) {
    super('');
    this.#known = known;
    this.#types = types;
  }

  add(statement: SqlStatement, values: readonly unknown[]): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.#statements.push({ statement, values: values.map(prepareValue), rows: [], resolve, reject });
    });
  }

  get names(): readonly string[] {
    return this.#statements.map(({ statement }) => statement.name);
  }

  /** Called by pg. If it returns an error, nothing was sent, and pg passes the error to handleError. */
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

  /** pg calls this while it reads the socket: an exception here would end the process. */
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

  /** Called for a statement's error, after which the server skips to the next Sync, and for a connection error. */
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

/** pg's own serialization of values, including lists and bytes. pg exports it, but its types do not. */
const { prepareValue } = (pg as unknown as { readonly utils: { prepareValue(value: unknown): SentValue } })
  .utils;
