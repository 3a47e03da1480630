// Runs the files of `npm test` in parallel worker processes (test-worker.ts): as many busy ones as cores, plus those that
// mostly wait. Called by test.ts.
// Invariant: every file gives exactly one report. If a process dies or hangs, that is the report of its current file, and
// another process runs the remaining files.
import { type ChildProcess, spawn } from 'node:child_process';
import type { WorkerOrder, WorkerReady } from './test-worker.ts';
import type { WorkerFact } from './worker-reporter.ts';

export interface Work {
  /** At most 1. Work starts only if the weights of all running work add up to at most the number of lanes. */
  readonly weight: number;
  readonly after?: Promise<unknown> | undefined;
  /** Work with the same queue runs one after another. */
  readonly queue?: string | undefined;
  run(): Promise<void>;
}

export interface FileReport {
  readonly facts: readonly WorkerFact[];
  readonly output: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Names of the queries that the file's process sent to the database. */
  readonly statements: readonly string[];
  readonly ending: string | undefined;
}

export type FileOrder = WorkerOrder & { readonly file: string };

export interface WorkerKind {
  readonly environment: NodeJS.ProcessEnv;
  readonly flags: readonly string[];
}

export interface Workers {
  /** Runs a file in a process that may have run other files of this kind, all of which passed. */
  run(kind: WorkerKind, order: FileOrder): Promise<FileReport>;
  end(): Promise<readonly string[]>;
  kill(signal: NodeJS.Signals): void;
}

// If a process does not exit after its tests, a test left a timer or a connection open.
const endingLimitMilliseconds = 60_000;

/** Starts work in order. Work that does not fit yet does not hold up later work that does. */
export async function runInLanes(all: readonly Work[], lanes: number): Promise<void> {
  const waiting = [...all];
  const running = new Set<Promise<void>>();
  const busyQueues = new Set<string>();
  const expected = new Map<Promise<unknown>, Promise<void>>();
  for (const { after } of all) {
    if (after !== undefined && !expected.has(after)) {
      const settled = () => void expected.delete(after);
      expected.set(after, after.then(settled, settled));
    }
  }
  let load = 0;
  while (waiting.length + running.size > 0) {
    const next = waiting.findIndex(
      ({ weight, after, queue }) =>
        !(after !== undefined && expected.has(after)) &&
        !(queue !== undefined && busyQueues.has(queue)) &&
        (load + weight <= lanes || running.size === 0),
    );
    const [work] = next < 0 ? [] : waiting.splice(next, 1);
    if (work === undefined) {
      await Promise.race([...running, ...expected.values()]);
      continue;
    }
    load += work.weight;
    if (work.queue !== undefined) busyQueues.add(work.queue);
    const done: Promise<void> = work.run().finally(() => {
      load -= work.weight;
      if (work.queue !== undefined) busyQueues.delete(work.queue);
      running.delete(done);
    });
    running.add(done);
  }
}

export function createWorkers(options: {
  readonly root: string;
  readonly silenceLimitMilliseconds: number;
}): Workers {
  const idle = new Map<WorkerKind, Worker[]>();
  const all = new Set<Worker>();
  const problems: string[] = [];

  async function end(worker: Worker): Promise<void> {
    const problem = await worker.end();
    all.delete(worker);
    if (problem !== undefined) problems.push(problem);
  }

  return {
    async run(kind, order) {
      const kept = idle.get(kind) ?? [];
      idle.set(kind, kept);
      const worker = kept.pop() ?? startWorker(kind, options);
      all.add(worker);
      const report = await worker.run(order);
      // After a failure, end the process: what the failed file left behind could break the next file.
      const hasFailed = report.facts.some(({ kind }) => kind === 'failed');
      if (report.ending !== undefined) all.delete(worker);
      else if (hasFailed) await end(worker);
      else kept.push(worker);
      return report;
    },
    async end() {
      await Promise.all([...all].map(end));
      return problems;
    },
    kill(signal) {
      for (const worker of all) worker.kill(signal);
    },
  };
}

interface Worker {
  run(order: FileOrder): Promise<FileReport>;
  end(): Promise<string | undefined>;
  kill(signal: NodeJS.Signals): void;
}

function startWorker(
  { environment, flags }: WorkerKind,
  { root, silenceLimitMilliseconds }: { root: string; silenceLimitMilliseconds: number },
): Worker {
  const child: ChildProcess = spawn(process.execPath, [...flags, 'scripts/test-worker.ts'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const files: string[] = [];
  let facts: WorkerFact[] = [];
  let output = '';
  let ending: string | undefined;
  let lastHeard = Date.now();
  let cpuSeconds = 0;
  let statements: readonly string[] = [];
  let onReady = Promise.withResolvers<void>();
  const gone = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      ending ??= message;
      resolve();
    });
    child.once('close', (code, signal) => {
      ending ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve();
    });
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  child.on('message', (message: WorkerFact | WorkerReady) => {
    lastHeard = Date.now();
    if (message.kind === 'failed') hasFailed = true;
    if (message.kind !== 'ready') return facts.push(message);
    cpuSeconds = message.cpuSeconds;
    statements = message.statements;
    return onReady.resolve();
  });
  let busy = false;
  let hasFailed = false;
  const watch = setInterval(() => {
    if (!busy || Date.now() - lastHeard < silenceLimitMilliseconds) return;
    ending ??= `nothing for ${silenceLimitMilliseconds / 1000} seconds`;
    child.kill('SIGKILL');
  }, 1_000);
  void gone.then(() => clearInterval(watch));

  return {
    async run(order) {
      busy = true;
      files.push(order.file);
      await Promise.race([onReady.promise, gone]);
      const started = { at: performance.now(), cpuSeconds };
      onReady = Promise.withResolvers();
      lastHeard = Date.now();
      if (ending === undefined) child.send(order, () => undefined);
      await Promise.race([onReady.promise, gone]);
      busy = false;
      const report = {
        ...{ facts, output, ending },
        seconds: (performance.now() - started.at) / 1000,
        cpuSeconds: cpuSeconds - started.cpuSeconds,
        statements: ending === undefined ? statements : [],
      };
      facts = [];
      output = '';
      return report;
    },
    async end() {
      const order: WorkerOrder = { file: null };
      if (ending === undefined) child.send(order, () => undefined);
      const patience = setTimeout(() => {
        ending = 'it did not end: a timer or a connection was left open';
        child.kill('SIGKILL');
      }, endingLimitMilliseconds);
      await gone;
      clearTimeout(patience);
      // A process with a failed test exits with 1, and the test was reported. Without a failed test, something broke later.
      if (ending === 'exit code 0' || (ending === 'exit code 1' && hasFailed)) return undefined;
      const said = [...facts.map(({ text }) => text), output.trimEnd()].filter((text) => text !== '');
      return [`The process of ${files.join(', ')}: ${ending}.`, ...said].join('\n');
    },
    kill: (signal) => child.kill(signal),
  };
}
