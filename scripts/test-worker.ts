// A process in which scripts/test.ts runs test files one after another, each as its own suite with its own hooks. Sharing a
// process shares imports, compiled code and started servers, which are most of a file's cost.
// Invariant: all facts of a file reach test.ts before the message that the file has ended.
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chooseTests } from './chosen-tests.ts';
import { beginRegistration, endRegistration } from './registration-hook.ts';
import { suiteEnded } from './worker-reporter.ts';

export interface WorkerOrder {
  readonly file: string | null;
  /** Added to the environment of the process while the file runs. */
  readonly environment?: Readonly<Record<string, string>>;
  /** If set, only tests and suites with these titles run. A test in a suite runs only if both are here. */
  readonly titles?: readonly string[] | undefined;
}

/** Reports that `file` has ended (null: ready for the first), with the CPU time of this process and its children. */
export interface WorkerReady {
  readonly kind: 'ready';
  readonly cpuSeconds: number;
  readonly statements: readonly string[];
}

const root = pathToFileURL(fileURLToPath(new URL('../', import.meta.url)));
const narrowed = process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'));

const statements = new Set<string>();
subscribe('sellthrough:statement', (name) => {
  if (name !== '') statements.add(String(name));
});

let current: string | null = null;
const seen = new Set<string>();
const report = (error: unknown) => console.error(`No one awaited this error, in ${current}:`, error);
process.on('uncaughtExceptionMonitor', report).on('unhandledRejection', report);

for (let order = await nextOrder(); order.file !== null; order = await nextOrder()) {
  const { file, titles, environment = {} } = order;
  // A file that runs again, on another database, must be evaluated again to register its tests.
  const path = new URL(seen.has(file) ? `${file}?again` : file, root).href;
  seen.add(file);
  current = file;
  Object.assign(process.env, environment);
  beginRegistration();
  await describe(file, async () => {
    const missing = chooseTests(titles);
    await import(path);
    endRegistration();
    if (missing.size > 0) throw new Error(`These tests do not exist: ${[...missing].join('; ')}`);
  });
  // If no test has the wanted title, there is no suite to wait for.
  if (!narrowed) await suiteEnded(file);
  else await new Promise(setImmediate);
  for (const name of Object.keys(environment)) delete process.env[name];
}
process.disconnect();

function nextOrder(): Promise<WorkerOrder> {
  const ready: WorkerReady = { kind: 'ready', cpuSeconds: computedSeconds(), statements: [...statements] };
  statements.clear();
  return new Promise((resolve) => {
    process.once('message', (order: WorkerOrder) => resolve(order));
    process.send?.(ready);
  });
}

/** The CPU time of this process and, on Linux only, of its ended children. */
function computedSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  if (process.platform !== 'linux') return 0;
  const ticksPerSecond = 100;
  const afterName = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(afterName[13]) + Number(afterName[14])) / ticksPerSecond;
}
