// `npm run try:places`: tries the README's two commands wherever a user might put the checkout. In each place it clones the
// last commit, runs `npm start` until its printed command has placed the first order, then tests that depend on the place
// (`--whole`: all tests). `--only text` selects places, `--keep` keeps the folders. As root it tries all places, else those
// without a second user. Prints one line per place and exits with 0 only if all succeed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface Place {
  readonly name: string;
  /** The user who owns the checkout and runs the commands. `nobody` stands for an ordinary user. */
  readonly user: 'this user' | 'nobody';
  readonly umask: '022' | '077';
  readonly open: boolean;
  readonly folder: string;
  readonly binaries: 'system' | 'package';
}

const plain: Place = {
  name: 'in an open folder',
  user: 'this user',
  umask: '022',
  open: true,
  folder: 'sellthrough',
  binaries: 'system',
};
const hardest = { umask: '077', open: false, folder: 'Öl und Käse', binaries: 'package' } as const;
const places: readonly Place[] = [
  plain,
  { ...plain, name: 'below a folder that others may not enter', open: false },
  { ...plain, name: 'under umask 077', umask: '077' },
  { ...plain, name: 'in a path with spaces and umlauts', folder: 'Öl und Käse' },
  { ...plain, name: 'without the system’s PostgreSQL and Chromium', binaries: 'package' },
  { ...plain, name: 'all of these at once', ...hardest },
  { ...plain, name: 'as an ordinary user', user: 'nobody' },
  { ...plain, name: 'as an ordinary user, all of these at once', user: 'nobody', ...hardest },
];
// Each of these starts something that depends on the place: Node as another user, PostgreSQL, a browser, npm.
const selection = ['doctor', 'set-up', 'package', 'backup', 'road', 'login-link'].map(
  (name) => `/${name}.test`,
);

const nobodyId = 65_534;
const startMilliseconds = 10 * 60_000;
const testMilliseconds = 60 * 60_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const isRoot = process.getuid?.() === 0;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    whole: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(signalAll));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const around = mkdtempSync(join(tmpdir(), 'sellthrough-places-'));
chmodSync(around, 0o755);
mkdirSync(join(around, 'home'));
if (isRoot) chownSync(join(around, 'home'), nobodyId, nobodyId);
for (const [index, place] of places.entries()) {
  if (!place.name.includes(values.only)) continue;
  if (place.user === 'nobody' && !isRoot) {
    console.log(`- ${place.name}: not tried, because only root can be another user.`);
    continue;
  }
  try {
    console.log(`✔ ${place.name}: ${await tryPlace(place, join(around, String(index + 1)))}`);
  } catch (error) {
    console.log(`✖ ${place.name}: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
if (values.keep || process.exitCode === 1) console.log(`What is left is in ${around}`);
else rmSync(around, { recursive: true, force: true });

async function tryPlace(place: Place, parent: string): Promise<string> {
  const checkout = join(parent, place.folder);
  const mine: Place = { ...place, user: 'this user' };
  mkdirSync(parent);
  chmodSync(parent, place.open ? 0o755 : 0o700);
  await ended(start(mine, parent, ['git', 'clone', '--quiet', root, checkout]));
  if (place.user === 'nobody')
    await ended(start(mine, parent, ['chown', '-R', `${nobodyId}:${nobodyId}`, parent]));

  const began = performance.now();
  const service = start(place, checkout, ['npm', 'start'], { PORT: '0' });
  try {
    const line = await printed(service, /^ {2}(curl .*)$/m, startMilliseconds);
    const answer = await ended(start(place, checkout, ['sh', '-c', line]));
    if (!/^HTTP\S+ 201/m.test(answer)) throw new Error(`the first order was answered ${answer}`);
  } finally {
    await stop(service);
  }
  const ordered = performance.now();

  const test = start(place, checkout, [
    'npm',
    'test',
    ...(values.whole ? [] : ['--', ...(positionals.length > 0 ? positionals : selection)]),
  ]);
  let counts: string;
  try {
    counts = await printed(test, /^(\d+ passed, \d+ failed.*)$/m, testMilliseconds);
    await test.end;
  } finally {
    await stop(test);
  }
  const origins = test.output().match(/^(PostgreSQL|Chromium) \d+.*?(package|system)/gm) ?? [];
  const seconds = (from: number, to: number) => `${Math.round((to - from) / 1_000)} s`;
  const seen = [
    `npm start, the first order 201 (${seconds(began, ordered)})`,
    `npm test, ${counts} (${seconds(ordered, performance.now())})`,
    ...new Set(origins),
  ].join('; ');
  if (!counts.includes(', 0 failed')) throw new Error(`${seen}\n${test.output()}`);
  if (!values.keep) rmSync(parent, { recursive: true, force: true });
  return seen;
}

interface Run {
  readonly child: ChildProcess;
  readonly end: Promise<number | null>;
  output(): string;
}

function start(place: Place, cwd: string, command: readonly string[], more: NodeJS.ProcessEnv = {}): Run {
  const env: NodeJS.ProcessEnv = { ...more };
  for (const [name, value] of Object.entries(process.env)) {
    // Leave out the settings of the developer and of the npm that runs this script.
    if (!/^(npm_.*|INIT_CWD|TEST_.*|DATA_DIR|DATABASE_URL)$/i.test(name)) env[name] = value;
  }
  const folders = (env['PATH'] ?? '').split(delimiter);
  env['PATH'] = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
  if (place.binaries === 'package')
    Object.assign(env, { TEST_POSTGRES_BINARIES: 'package', TEST_CHROMIUM: 'package' });
  if (place.user === 'nobody') env['HOME'] = join(around, 'home');
  const child = spawn('sh', ['-c', `umask ${place.umask} && exec "$@"`, 'sh', ...command], {
    ...{ cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    ...(place.user === 'nobody' && { uid: nobodyId, gid: nobodyId }),
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return { child, end: once(child, 'close').then(([code]) => code), output: () => output };
}

async function ended(run: Run): Promise<string> {
  const code = await run.end;
  if (code !== 0) throw new Error(`${run.child.spawnargs.at(-1)} ended with ${code}: ${run.output()}`);
  return run.output();
}

function printed(run: Run, line: RegExp, milliseconds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = line.exec(run.output())?.[1];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [run.child.stdout, run.child.stderr]) stream?.on('data', look);
    run.end.then(() => reject(new Error(run.output())));
    setTimeout(
      () => reject(new Error(`nothing after ${milliseconds} ms: ${run.output()}`)),
      milliseconds,
    ).unref();
  });
}

async function stop(run: Run): Promise<void> {
  if (running.has(run.child)) signalAll(run.child);
  await run.end;
}

function signalAll({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGTERM');
}
