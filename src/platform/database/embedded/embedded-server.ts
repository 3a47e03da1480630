// Runs the embedded PostgreSQL in a worker thread that speaks the wire protocol, reached through streams that `pg` uses as
// sockets.
// Invariant: answers come in the order of the writes. When the worker dies, every connection ends with the reason.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { acquireDataLock, type DataLock } from './data-lock.ts';
import { EmbeddedConnection, EmbeddedServerFailed, type WorkerLink } from './embedded-connection.ts';
import type { WorkerReport, WorkerRequest, WorkerStart } from './embedded-worker.ts';

export interface EmbeddedServer {
  /** This ends the previous connection and discards its transaction and session state. */
  connect(): Duplex;
  poll(): void;
  /** While checkpoints are held, PostgreSQL keeps its WAL. */
  holdCheckpoints(isHeld: boolean): void;
  fsyncCount(): number;
  /** Resolves to the reason when PostgreSQL dies. Only `close` may be called after that. */
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

/** A long SQL expression would overflow V8's default of 4 MB and end the thread. max_stack_depth does not prevent that. */
const workerStackMegabytes = 32;

export async function startEmbeddedServer(options: { dataDir: string }): Promise<EmbeddedServer> {
  // When V8 frees compiled WebAssembly that it has replaced, it now and then aborts the process: "Check failed:
  // jit_page_->allocations_.erase(addr) == 1" (nodejs/node#64500).
  setFlagsFromString('--no-wasm-code-gc');
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

/** Runs initdb in its own thread, because only a thread's end frees the hundreds of megabytes that WebAssembly takes. */
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

/** `reports` is a separate channel because, unlike the worker's own, it can be polled within one event-loop turn. */
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
