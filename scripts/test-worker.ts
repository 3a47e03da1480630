// A process in which scripts/test.ts runs test files, one after the other: it asks for a file, runs it as a suite of its own
// (so that a file's hooks are its own), says that it is over, and asks for the next.
// Files that share a process share what is imported, compiled and started in it: most of what a file costs.
// Always true: every fact of a file reaches test.ts before the message that the file is over.
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suiteEnded } from './worker-reporter.ts';

/** From test.ts: the next file, below the checkout, or null when there is none. */
export interface WorkerOrder {
  readonly file: string | null;
}

/** To test.ts: `file` is over (null: it was never one), and what this process and its children have computed so far. */
export interface WorkerReady {
  readonly kind: 'ready';
  readonly cpuSeconds: number;
  /** Names of the statements that the file sent to its database. */
  readonly statements: readonly string[];
}

const root = pathToFileURL(fileURLToPath(new URL('../', import.meta.url)));
const narrowed = process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'));

const statements = new Set<string>();
subscribe('sellthrough:statement', (name) => {
  if (name !== '') statements.add(String(name));
});

for (let file = await nextFile(); file !== null; file = await nextFile()) {
  const path = new URL(file, root).href;
  await describe(file, async () => {
    await import(path);
  });
  // Without a test of the wanted name there is no suite either, and no fact to wait for.
  if (!narrowed) await suiteEnded(file);
  else await new Promise(setImmediate);
}
process.disconnect();

function nextFile(): Promise<string | null> {
  const ready: WorkerReady = { kind: 'ready', cpuSeconds: computedSeconds(), statements: [...statements] };
  statements.clear();
  return new Promise((resolve) => {
    process.once('message', ({ file }: WorkerOrder) => resolve(file));
    process.send?.(ready);
  });
}

/** Of this process and of its children that have ended; of those Linux alone tells. */
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
