// The embedded PostgreSQL as a server: a worker thread that speaks the wire protocol, reached through
// streams that `pg` takes for sockets (its `stream` option). Called by embedded.ts and the tests.
// Always true: answers come in the order of the writes; only whole frames go to the worker; once the
// worker is gone every connection ends with the reason, and nothing is answered that was not done.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { acquireDataLock, type DataLock } from './data-lock.ts';
import type { SessionSetting, WorkerReport, WorkerRequest, WorkerStart } from './embedded-worker.ts';

export interface EmbeddedServer {
  /**
   * A fresh connection for pg.Client's `stream` option. There is one session inside: a connection that
   * starts ends the one before it, rolls back its transaction and discards all of its session.
   */
  connect(): Duplex;
  /** Takes over what the worker has answered by now, ahead of the event loop. */
  poll(): void;
  /** While they are held, PostgreSQL keeps its log. */
  holdCheckpoints(isHeld: boolean): void;
  /** fsyncs that reached the operating system since the start. */
  fsyncCount(): number;
  /** Settles, with the reason, when PostgreSQL dies unasked. Only `close` is of use after that. */
  readonly failed: Promise<Error>;
  /** Finishes what was sent, checkpoints, shuts PostgreSQL down and releases the folder. */
  close(): Promise<void>;
}

/** The embedded PostgreSQL could not start or has died; the message says why. */
export class EmbeddedServerFailed extends Error {
  override readonly name = 'EmbeddedServerFailed';
}

/**
 * Stack of the worker. PostgreSQL's own depth limit (max_stack_depth) guards another stack than
 * V8's; with the default of 4 MB a long expression would end the thread instead of the statement.
 */
const workerStackMegabytes = 32;

/**
 * @throws DataFolderInUse
 * @throws DataFolderUnusable
 * @throws EmbeddedServerFailed
 */
export async function startEmbeddedServer(options: { dataDir: string }): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  const lock = acquireDataLock(dataDir);
  try {
    if (!existsSync(join(dataDir, 'postgres'))) await makeDatabase(dataDir);
    return await startWorker(dataDir, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * In a thread of its own, because it takes a few hundred megabytes that a thread gives back only with its end:
 * initdb, its WebAssembly, and everything that was compiled for it.
 */
async function makeDatabase(dataDir: string): Promise<void> {
  const { worker, reports } = openWorker({ task: 'make', dataDir, fsyncCounter: newCounter() });
  let reason = '';
  reports.on('message', (report: WorkerReport) => {
    if (report.kind === 'failed') reason = report.message;
  });
  worker.on('error', (error: unknown) => {
    reason ||= error instanceof Error ? error.message : String(error);
  });
  const code = await new Promise<number>((ended) => worker.once('exit', ended));
  const last: { readonly message: WorkerReport } | undefined = receiveMessageOnPort(reports);
  if (last?.message.kind === 'failed') reason = last.message.message;
  reports.close();
  if (code !== 0) {
    throw new EmbeddedServerFailed(
      `The embedded database in ${dataDir} could not be created: ${reason || `exit code ${code}`}`,
    );
  }
}

function newCounter(): BigInt64Array<SharedArrayBuffer> {
  return new BigInt64Array(new SharedArrayBuffer(8));
}

/** `reports`: a channel of its own that, unlike the worker's, can be looked into between two turns of the event loop. */
function openWorker(start: Omit<WorkerStart, 'reports'>): { worker: Worker; reports: MessagePort } {
  const { port1: reports, port2: workerEnd } = new MessageChannel();
  const workerStart: WorkerStart = { ...start, reports: workerEnd };
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    name: 'embedded-postgresql',
    workerData: workerStart,
    transferList: [workerEnd],
    execArgv: [], // the process's own flags (--eval, --input-type) would stop the thread
    resourceLimits: { stackSizeMb: workerStackMegabytes },
  });
  return { worker, reports };
}

async function startWorker(dataDir: string, lock: DataLock): Promise<EmbeddedServer> {
  const fsyncCounter = newCounter();
  const ready = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<Error>();
  const exited = Promise.withResolvers<void>();
  let current: EmbeddedConnection | undefined;
  let connectionCount = 0;
  let reason = '';
  let gone: Error | undefined;
  let closing: Promise<void> | undefined;

  const { worker, reports } = openWorker({ task: 'serve', dataDir, fsyncCounter });
  const take = (report: WorkerReport) => {
    switch (report.kind) {
      case 'ready':
        return ready.resolve();
      case 'answer':
        if (report.connection === current?.number) current.answer(report.bytes);
        return;
      case 'refused':
        if (report.connection === current?.number) current.refuse(report.bytes);
        return;
      case 'failed':
        reason = report.message;
        return;
      default:
        report satisfies never;
    }
  };
  reports.on('message', take);
  function poll(): void {
    for (;;) {
      const next: { readonly message: WorkerReport } | undefined = receiveMessageOnPort(reports);
      if (next === undefined) return;
      take(next.message);
    }
  }
  worker.on('error', (error: unknown) => {
    reason ||= error instanceof Error ? error.message : String(error);
  });
  worker.on('exit', (code) => {
    // What it said last still counts.
    poll();
    reports.close();
    const asked = closing !== undefined && code === 0;
    gone = new EmbeddedServerFailed(
      asked
        ? 'The embedded database is closed'
        : `The embedded database in ${dataDir} has stopped: ${reason || `exit code ${code}`}`,
    );
    if (!asked) failed.resolve(gone);
    ready.reject(gone);
    current?.destroy(gone);
    exited.resolve();
  });

  const link: WorkerLink = {
    start(connection, settings) {
      if (gone !== undefined || closing !== undefined) {
        connection.destroy(gone ?? new EmbeddedServerFailed('The embedded database is closing'));
        return;
      }
      current?.destroy(new EmbeddedServerFailed('A newer connection has taken the embedded database'));
      current = connection;
      post({ kind: 'start', connection: connection.number, settings });
    },
    run(connection, bytes) {
      if (connection === current) post({ kind: 'run', connection: connection.number, bytes });
    },
    leave(connection) {
      if (connection !== current) return;
      current = undefined;
      if (gone === undefined && closing === undefined) post({ kind: 'leave' });
    },
  };

  function post(request: WorkerRequest): void {
    worker.postMessage(request, request.kind === 'run' ? [request.bytes.buffer] : []);
  }

  async function shutDown(): Promise<void> {
    if (gone === undefined) post({ kind: 'close' });
    await exited.promise;
    lock.release();
  }

  await ready.promise;
  return {
    connect: () => new EmbeddedConnection(++connectionCount, link),
    poll,
    holdCheckpoints(isHeld) {
      if (gone === undefined && closing === undefined) post({ kind: 'hold_checkpoints', isHeld });
    },
    fsyncCount: () => Number(Atomics.load(fsyncCounter, 0)),
    failed: failed.promise,
    close: () => (closing ??= shutDown()),
  };
}

interface WorkerLink {
  start(connection: EmbeddedConnection, settings: readonly SessionSetting[]): void;
  run(connection: EmbeddedConnection, bytes: Uint8Array<ArrayBuffer>): void;
  leave(connection: EmbeddedConnection): void;
}

const protocolVersion3 = 3;
const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;
const terminate = 0x58;

/**
 * Closes every message to the worker. PostgreSQL ignores it, unless a COPY FROM STDIN is waiting for
 * data: PGlite cannot wait, would take the end of the message for the end of the client and exit.
 */
const copyFail = Buffer.from('f\0\0\0\x34COPY FROM STDIN is for a PostgreSQL server only\0', 'latin1');

/** One end of the conversation, as pg's Connection expects a socket to be. */
class EmbeddedConnection extends Duplex {
  readonly number: number;
  readonly #link: WorkerLink;
  #state: 'starting' | 'started' | 'ended' = 'starting';
  #written: Buffer[] = [];

  constructor(number: number, link: WorkerLink) {
    super();
    this.number = number;
    this.#link = link;
  }

  connect(): this {
    process.nextTick(() => {
      if (!this.destroyed) this.emit('connect');
    });
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  /** The worker keeps the process alive, not a connection to it. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  answer(bytes: Uint8Array<ArrayBuffer>): void {
    this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }

  refuse(bytes: Uint8Array<ArrayBuffer>): void {
    this.answer(bytes);
    this.#end();
  }

  #send(): void {
    if (this.#state === 'starting') this.#readStartup();
    if (this.#state === 'started') this.#forwardFrames();
  }

  override _read(): void {}

  // pg writes frame by frame. What was corked together (pg-session.ts) travels as one message: a hop between the
  // threads costs as much as several statements.
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    for (const { chunk } of chunks) this.#written.push(chunk);
    this.#send();
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#state = 'ended';
    this.#link.leave(this);
    done(error);
  }

  #forwardFrames(): void {
    const length = this.#written.reduce((sum, chunk) => sum + chunk.length, 0);
    if (length === 0) return;
    // allocUnsafeSlow: the memory is given away to the worker, so it must not be of Buffer's pool.
    const bytes = Buffer.allocUnsafeSlow(length + copyFail.length);
    let offset = 0;
    for (const chunk of this.#written) offset += chunk.copy(bytes, offset);
    let end = 0;
    let terminated = false;
    while (end + 5 <= length && !terminated) {
      const next = end + 1 + bytes.readInt32BE(end + 1);
      if (next < end + 5) {
        this.destroy(
          new EmbeddedServerFailed('The bytes sent to the embedded database are not in its protocol'),
        );
        return;
      }
      if (next > length) break;
      terminated = bytes[end] === terminate;
      if (!terminated) end = next;
    }
    this.#written = end === length ? [] : [Buffer.from(bytes.subarray(end, length))];
    if (end > 0) {
      copyFail.copy(bytes, end);
      this.#link.run(this, bytes.subarray(0, end + copyFail.length));
    }
    if (terminated) this.#end();
  }

  #readStartup(): void {
    for (;;) {
      const bytes = Buffer.concat(this.#written);
      this.#written = [bytes];
      if (bytes.length < 8) return;
      const length = bytes.readInt32BE(0);
      if (bytes.length < length) return;
      const code = bytes.readInt32BE(4);
      this.#written = [bytes.subarray(length)];
      if (code === sslRequest || code === gssRequest) {
        this.push('N');
      } else if (code >> 16 === protocolVersion3) {
        this.#state = 'started';
        this.#link.start(this, readSettings(bytes.toString('utf8', 8, length)));
        return;
      } else if (code === cancelRequest) {
        // Nothing can be cancelled: the worker hears nothing while a statement runs.
        this.#end();
        return;
      } else {
        this.destroy(new EmbeddedServerFailed(`The embedded database does not speak protocol ${code >> 16}`));
        return;
      }
    }
  }

  #end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#written = [];
    this.#link.leave(this);
    this.push(null);
    this.end();
  }
}

/** The session's settings in a startup packet: `application_name` and the like, and `options` (`-c name=value`). */
function readSettings(parameters: string): SessionSetting[] {
  const settings: SessionSetting[] = [];
  const words = parameters.split('\0');
  for (let index = 0; index + 1 < words.length; index += 2) {
    const name = words[index];
    const value = words[index + 1];
    if (name === undefined || value === undefined || name === '') break;
    if (name === 'options') {
      for (const [, key, text] of value.matchAll(/(?:-c\s*|--)([\w.-]+)=((?:\\.|\S)*)/g)) {
        if (key !== undefined && text !== undefined)
          settings.push({ name: key.replaceAll('-', '_'), value: text.replace(/\\(.)/g, '$1') });
      }
    } else if (!['user', 'database', 'replication'].includes(name) && !name.startsWith('_pq_.')) {
      settings.push({ name, value });
    }
  }
  return settings;
}
