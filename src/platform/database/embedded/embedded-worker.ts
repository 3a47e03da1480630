// The worker thread that runs the embedded PostgreSQL (PGlite). It answers frames of the wire protocol in order.
// Invariant: the WAL of a commit is fsynced before its answer leaves this thread. If PostgreSQL fails internally (failed
// fsync, full disk, trap), the thread ends without sending another answer.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

export interface WorkerStart {
  readonly task: 'make' | 'serve';
  readonly dataDir: string;
  readonly reports: MessagePort;
  readonly fsyncCounter: BigInt64Array<SharedArrayBuffer>;
}

export type WorkerRequest =
  | { readonly kind: 'start'; readonly connection: number; readonly settings: readonly SessionSetting[] }
  | { readonly kind: 'run'; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'leave' }
  | { readonly kind: 'hold_checkpoints'; readonly isHeld: boolean }
  | { readonly kind: 'close' };

export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'refused'; readonly connection: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'failed'; readonly message: string };

export interface SessionSetting {
  readonly name: string;
  readonly value: string;
}

/** Long answers are sent in pieces of about this size, so that the main thread can parse one while the next is read. */
const answerPieceBytes = 256 * 1024;

/** A checkpoint is due after this many WAL segments of 16 MB. Without a postmaster PostgreSQL starts none by itself. */
const checkpointSegments = 16;

const postgresErrorStatus = 100;

/**
 * Pages that do not fit into shared_buffers are read from the system's file cache through JavaScript (docs/performance.md).
 * PGlite's -F is removed because it turns fsync off. wal_sync_method is set because the default, fdatasync, does nothing in
 * Emscripten.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'fsync=on',
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'synchronous_commit=on',
  '-c',
  'full_page_writes=on',
  '-c',
  'shared_buffers=48MB',
];

const requests = parentPort;
if (requests === null)
  throw new Error('embedded-worker.ts runs as a worker thread of embedded-server.ts only');
const { reports }: WorkerStart = workerData;
const logTail: string[] = [];

async function run(start: WorkerStart): Promise<void> {
  if (start.task === 'make') {
    await initialize(resolve(start.dataDir));
    return process.exit(0);
  }
  const server = await openPostgres(start);
  let work: Promise<void> = Promise.resolve();
  requests?.on('message', (request: WorkerRequest) => {
    work = work.then(() => handle(server, request)).catch(die);
  });
  report({ kind: 'ready' });
}

async function handle(server: EmbeddedPostgres, request: WorkerRequest): Promise<void> {
  switch (request.kind) {
    case 'start':
      return startSession(server, request.connection, request.settings);
    case 'run':
      await server.run(request.bytes, (bytes) =>
        report({ kind: 'answer', connection: request.connection, bytes }),
      );
      return server.checkpointWhenDue();
    case 'leave':
      return server.reset();
    case 'hold_checkpoints':
      server.holdCheckpoints(request.isHeld);
      return server.checkpointWhenDue();
    case 'close':
      await server.reset();
      await server.close();
      return process.exit(0);
    default:
      request satisfies never;
  }
}

async function startSession(
  server: EmbeddedPostgres,
  connection: number,
  settings: readonly SessionSetting[],
): Promise<void> {
  await server.reset();
  for (const setting of settings) {
    const refusal = await server.set(setting);
    if (refusal !== undefined) {
      report({ kind: 'refused', connection, bytes: refusal });
      return;
    }
  }
  report({ kind: 'answer', connection, bytes: server.greeting.slice() });
}

interface EmbeddedPostgres {
  readonly greeting: Uint8Array<ArrayBuffer>;
  run(frames: Uint8Array, onAnswer: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void>;
  runWhole(frames: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  set(setting: SessionSetting): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Cleans the only session for the next connection, where a real server would end the session. */
  reset(): Promise<void>;
  checkpointWhenDue(): Promise<void>;
  holdCheckpoints(isHeld: boolean): void;
  close(): Promise<void>;
}

async function openPostgres({ dataDir, fsyncCounter }: WorkerStart): Promise<EmbeddedPostgres> {
  let walSegment = '';
  let segmentsSinceCheckpoint = 0;
  let idle = true;
  let checkpointsAreHeld = false;

  const onSynced = (path: string): void => {
    Atomics.add(fsyncCounter, 0, 1n);
    if (path !== walSegment && /\/pg_wal\/[0-9A-F]{24}$/.test(path)) {
      walSegment = path;
      segmentsSinceCheckpoint += 1;
    }
  };

  const root = resolve(dataDir);
  if (!existsSync(join(root, 'postgres', 'PG_VERSION'))) {
    // Without this check PGlite would run initdb over an incomplete folder.
    throw new Error(
      `${join(root, 'postgres')} is not a whole PostgreSQL data folder: restore it from a backup`,
    );
  }
  const postgres = await openPGlite(join(root, 'postgres'), onSynced);
  endOnTrap(postgres);

  // Not execProtocolRaw or execProtocolRawSync: they also parse every answer and keep the parsed messages forever.
  async function run(frames: Uint8Array, onAnswer: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void> {
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    const send = (): void => {
      const bytes = joinPieces(pieces, length);
      pieces = [];
      length = 0;
      idle = endsIdle(bytes);
      onAnswer(bytes);
    };
    await postgres.execProtocolRawStream(frames, {
      syncToFs: false, // a no-op on NodeFS
      onRawData(bytes) {
        pieces.push(new Uint8Array(bytes)); // a copy: the bytes are PostgreSQL's send buffer
        length += bytes.length;
        if (length >= answerPieceBytes) send();
      },
    });
    if (length > 0) send();
  }

  async function runWhole(frames: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    await run(frames, (bytes) => pieces.push(bytes));
    return joinPieces(
      pieces,
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    );
  }

  async function command(sql: string): Promise<void> {
    const error = findError(await runWhole(queryFrame(sql)));
    if (error !== undefined) throw new Error(`${sql} failed: ${readableError(error)}`);
  }

  async function checkpoint(): Promise<void> {
    segmentsSinceCheckpoint = 0;
    // If PostgreSQL refuses (for example, disk full), nothing is lost: it keeps the WAL, and the next checkpoint tries again.
    await runWhole(queryFrame('CHECKPOINT'));
  }

  return {
    greeting: await runWhole(startupFrame()),
    run,
    runWhole,
    async set({ name, value }) {
      return findError(
        await runWhole(queryFrame(`SELECT set_config(${literal(name)}, ${literal(value)}, false)`)),
      );
    },
    async reset() {
      await runWhole(syncFrame()); // the last connection may have ended in the middle of an extended query
      if (postgres.isInTransaction()) await command('ROLLBACK');
      await command('DISCARD ALL');
    },
    async checkpointWhenDue() {
      // Only between transactions, because PostgreSQL refuses CHECKPOINT in an aborted one.
      if (idle && !checkpointsAreHeld && segmentsSinceCheckpoint >= checkpointSegments) await checkpoint();
    },
    holdCheckpoints(isHeld) {
      checkpointsAreHeld = isHeld;
    },
    async close() {
      await checkpoint();
      await postgres.close();
    },
  };
}

/** Creates the database under another name and renames it when its files are on disk, so that it is never half there. */
async function initialize(root: string): Promise<void> {
  const unfinished = join(root, 'postgres.new');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const postgres = await openPGlite(unfinished, () => undefined);
  await postgres.close();
  syncTree(unfinished); // PGlite copies initdb's files without fsync
  renameSync(unfinished, join(root, 'postgres'));
  syncPath(root);
  syncPath(dirname(root));
}

async function openPGlite(folder: string, onSynced: (path: string) => void): Promise<PGlite> {
  return await PGlite.create({
    fs: new DurableNodeFS(folder, onSynced),
    startParams,
    relaxedDurability: false,
    onStderr(line) {
      logTail.push(line);
      if (logTail.length > 20) logTail.shift();
      return false;
    },
  });
}

/** NodeFS with a real fsync. Emscripten's own reports success and does nothing. */
class DurableNodeFS extends NodeFS {
  readonly #onSynced: (path: string) => void;

  constructor(folder: string, onSynced: (path: string) => void) {
    super(folder);
    this.#onSynced = onSynced;
  }

  override async init(...[postgres, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(postgres, options);
    // Must run before NodeFS's own hook, which mounts the file system: each node copies the operations when it is created.
    const preRun = [
      ({ NODEFS }: { NODEFS: unknown }) => {
        streamOperations(NODEFS).fsync = (stream) => this.#sync(stream);
      },
      ...(emscriptenOpts.preRun ?? []),
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }

  // PostgreSQL syncs files, and a directory after creating or renaming a file in it. NODEFS has real descriptors for both.
  #sync(stream: EmscriptenStream): number {
    try {
      fsyncSync(stream.nfd);
    } catch (error) {
      // Linux reports a lost write only once, so trying again is useless. PostgreSQL would panic; here the thread ends.
      die(new Error(`${stream.path} could not be synced to disk`, { cause: error }));
    }
    this.#onSynced(stream.path);
    return 0;
  }
}

interface EmscriptenStream {
  readonly nfd: number;
  readonly path: string;
}

interface StreamOperations {
  fsync?: (stream: EmscriptenStream) => number;
}

function streamOperations(fileSystem: unknown): StreamOperations {
  if (typeof fileSystem === 'object' && fileSystem !== null && 'stream_ops' in fileSystem) {
    const operations = fileSystem.stream_ops;
    if (typeof operations === 'object' && operations !== null) return operations;
  }
  throw new Error('this version of PGlite cannot be made durable: NODEFS has no stream_ops');
}

/** PGlite continues after any error. After a PANIC, FATAL or trap its memory may be corrupt, so the thread must end. */
function endOnTrap(postgres: PGlite): void {
  const machine = postgres.Module;
  const runOnce = machine._PostgresMainLoopOnce;
  machine._PostgresMainLoopOnce = () => {
    try {
      runOnce();
    } catch (error) {
      const known = typeof error === 'object' && error !== null && 'status' in error;
      if (!known || error.status !== postgresErrorStatus) die(error);
      throw error;
    }
  };
}

function report(message: WorkerReport): void {
  reports.postMessage(message, 'bytes' in message ? [message.bytes.buffer] : []);
}

function die(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const reason = `${error instanceof Error ? error.message : String(error)}${cause}`;
  // PostgreSQL's last log line is the reason; the error thrown is only "Aborted()".
  const lastWords = logTail
    .map((line) => /(?:PANIC|FATAL): .*/.exec(line)?.[0])
    .findLast((words) => words !== undefined);
  report({ kind: 'failed', message: lastWords ?? [reason, ...logTail.slice(-3)].join('\n') });
  process.exit(1);
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncPath(path);
  }
  syncPath(folder);
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function joinPieces(pieces: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

function queryFrame(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`);
  const head = Buffer.from('Q\0\0\0\0', 'latin1');
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}

function syncFrame(): Uint8Array {
  return Buffer.from('S\0\0\0\x04', 'latin1');
}

function startupFrame(): Uint8Array {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0', 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(3 << 16, 4); // protocol 3.0
  return Buffer.concat([head, parameters]);
}

function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function endsIdle(answer: Uint8Array): boolean {
  return Buffer.from(answer.buffer, answer.byteOffset, answer.length)
    .subarray(-6)
    .equals(Buffer.from('Z\0\0\0\x05I', 'latin1'));
}

function findError(answer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.length);
  for (let offset = 0; offset < answer.length; ) {
    const end = offset + 1 + view.getInt32(offset + 1);
    if (answer[offset] === 0x45) return answer.slice(offset, end);
    offset = end;
  }
  return undefined;
}

function readableError(frame: Uint8Array): string {
  const fields = Buffer.from(frame).toString('utf8', 5).split('\0');
  return fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'unknown error';
}

// Must come last: the classes above are defined only when the module has run to this line.
await run(workerData).catch(die);
