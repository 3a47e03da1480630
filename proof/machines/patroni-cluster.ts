// A cluster as operators run it, on loopback: etcd, two Patroni nodes with PostgreSQL, and HAProxy (Debian's packages).
// Invariant: no program outlives this process; PostgreSQL does not run as root.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { askServer } from '../../test/harness/one-question.ts';
import { processesWith, send, withChildren } from './server-processes.ts';
import { whenThisEnds } from './service-process.ts';

/** The nodes' lock store: Patroni before 3.0.3 is only safe with etcd's v2 API. */
export type LockStore = 'etcd' | 'etcd3';

export type NodeName = 'a' | 'b';

export interface PatroniCluster {
  readonly proxyUrl: string;
  readonly listUrl: string;
  primary(): Promise<NodeName>;
  whole(): Promise<void>;
  switchover(): Promise<void>;
  /** Whether a primary that cannot reach etcd continues while all other nodes answer it. */
  setFailsafe(isOn: boolean): Promise<void>;
  /** True: a crashed primary is failed over at once. False: it is restarted. */
  setFailsOverAtOnce(isOn: boolean): Promise<void>;
  postgresOf(name: NodeName): number[];
  patroniOf(name: NodeName): number[];
  etcd(): number[];
  startPatroni(name: NodeName): void;
  remove(): Promise<void>;
}

export function whyNoPatroni(): string | null {
  const missing = ['patroni', 'etcd', 'haproxy', 'pg_config'].filter(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  if (missing.length > 0)
    return `It needs Patroni, etcd, HAProxy and PostgreSQL (Debian's packages patroni, etcd-server, haproxy, postgresql): there is no ${missing.join(', no ')}.`;
  if (process.getuid?.() === 0 && spawnSync('id', ['-u', 'postgres']).status !== 0)
    return 'PostgreSQL does not run as root, and there is no user postgres.';
  return null;
}

const nodeNames = ['a', 'b'] as const;
const pollMilliseconds = 250;
const patienceMilliseconds = 90_000;

export async function startPatroniCluster(lockStore: LockStore): Promise<PatroniCluster> {
  const folder = mkdtempSync('/tmp/sellthrough-patroni-');
  chmodSync(folder, 0o755);
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const binaries = execOf('pg_config', '--bindir');
  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const nodes = {
    a: { port: await freePort(), rest: await freePort() },
    b: { port: await freePort(), rest: await freePort() },
  };
  const children = new Set<ChildProcess>();
  const programs = new Map<string, ChildProcess>();
  // Finds them by the folder in their arguments: PostgreSQL outlives Patroni, and its process ids change after a crash.
  const disarm = whenThisEnds(
    'for p in $(pgrep -f "$1"); do [ $p = $$ ] || { kill -KILL $p $(pgrep -P $p); }; done; sleep 1; rm -rf "$1"',
    [folder],
  );

  function launch(name: string, program: string, args: readonly string[]): void {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(program, args, { ...user, cwd: folder, stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    child.on('error', () => undefined).on('exit', () => children.delete(child));
    child.unref();
    children.add(child);
    programs.set(name, child);
  }

  function startPatroni(name: NodeName): void {
    launch(`patroni-${name}`, 'patroni', [join(folder, `${name}.json`)]);
  }

  const settings = {
    wal_level: 'replica',
    hot_standby: 'on',
    max_wal_senders: 6,
    max_replication_slots: 6,
    wal_log_hints: 'on',
    max_connections: 100,
    synchronous_commit: 'on',
  };
  for (const name of nodeNames) {
    const { port, rest } = nodes[name];
    const at = (number: number) => `127.0.0.1:${number}`;
    // Patroni reads YAML, which includes JSON.
    const node = {
      scope: 'sellthrough',
      name,
      restapi: { listen: at(rest), connect_address: at(rest) },
      [lockStore]: { host: at(etcdPort) },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 2,
          retry_timeout: 4,
          maximum_lag_on_failover: 1_048_576,
          ...startTimeout(true),
          synchronous_mode: true,
          synchronous_mode_strict: false,
          failsafe_mode: true,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: settings },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: at(port),
        connect_address: at(port),
        data_dir: join(folder, `data-${name}`),
        bin_dir: binaries,
        pgpass: join(folder, `${name}.pgpass`),
        authentication: {
          superuser: { username: 'postgres', password: 'x' },
          replication: { username: 'replicator', password: 'x' },
          rewind: { username: 'postgres', password: 'x' },
        },
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          'local all all trust',
          'host all all 127.0.0.1/32 trust',
          'host replication all 127.0.0.1/32 trust',
        ],
      },
    };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(node));
  }
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `global
  maxconn 2000
defaults
  mode tcp
  timeout connect 2s
  timeout client 10m
  timeout server 10m
  timeout check 1s
listen primary
  bind 127.0.0.1:${proxyPort}
  option httpchk GET /primary
  default-server inter 500ms fastinter 250ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodeNames.map((name) => `  server ${name} 127.0.0.1:${nodes[name].port} check port ${nodes[name].rest}`).join('\n')}
`,
  );

  const isState = (name: NodeName, state: 'primary' | 'sync') =>
    fetch(`http://127.0.0.1:${nodes[name].rest}/${state}`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const until = async (what: string, isOver: () => Promise<boolean>): Promise<void> => {
    const endsAt = performance.now() + patienceMilliseconds;
    while (!(await isOver())) {
      if (performance.now() > endsAt) throw new Error(`${patienceMilliseconds} ms passed without ${what}.`);
      await pause(pollMilliseconds);
    }
  };
  const find = async (): Promise<NodeName | null> => {
    for (const name of nodeNames) if (await isState(name, 'primary')) return name;
    return null;
  };
  const patroni = async (
    name: NodeName,
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
  ): Promise<void> => {
    const address = `http://127.0.0.1:${nodes[name].rest}${path}`;
    const answer = await fetch(address, { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`Patroni answered ${path} with ${answer.status}: ${await answer.text()}`);
  };
  const configure = async (wanted: object): Promise<void> => {
    await patroni('a', 'PATCH', '/config', wanted);
    await pause(5_000);
  };
  const urlOf = (name: NodeName) => `postgres://postgres@127.0.0.1:${nodes[name].port}/postgres`;

  async function remove(): Promise<void> {
    // Cancel the shell that waits for this process first: the folder is in its arguments, too.
    disarm();
    const pids = withChildren(processesWith(folder));
    for (const child of children) child.ref();
    send('SIGKILL', pids);
    await Promise.all([...children].map((child) => once(child, 'exit')));
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  const cluster: PatroniCluster = {
    proxyUrl: `postgres://postgres@127.0.0.1:${proxyPort}/postgres`,
    listUrl: `postgres://postgres@127.0.0.1:${nodes.a.port},127.0.0.1:${nodes.b.port}/postgres`,
    async primary() {
      const name = await find();
      if (name === null) throw new Error('There is no primary.');
      return name;
    },
    whole: () =>
      until('a primary with its synchronous standby', async () => {
        const name = await find();
        if (name === null || !(await isState(name === 'a' ? 'b' : 'a', 'sync'))) return false;
        const synchronous =
          "select from pg_stat_replication where state = 'streaming' and sync_state = 'sync'";
        return (await askServer(urlOf(name), synchronous).catch(() => [])).length > 0;
      }),
    async switchover() {
      const from = await cluster.primary();
      await patroni(from, 'POST', '/switchover', { leader: from, candidate: from === 'a' ? 'b' : 'a' });
    },
    setFailsafe: (isOn) => configure({ failsafe_mode: isOn }),
    setFailsOverAtOnce: (isOn) => configure(startTimeout(isOn)),
    postgresOf(name) {
      const main = Number(
        readFileSync(join(folder, `data-${name}`, 'postmaster.pid'), 'utf8').split('\n')[0],
      );
      return withChildren([main]);
    },
    patroniOf: (name) => pidsOf(programs.get(`patroni-${name}`)),
    etcd: () => pidsOf(programs.get('etcd')),
    startPatroni,
    remove,
  };
  try {
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
    launch('etcd', 'etcd', [
      ...['--enable-v2=true', '--data-dir', join(folder, 'etcd')],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...[
        '--listen-peer-urls',
        peer,
        '--initial-advertise-peer-urls',
        peer,
        '--initial-cluster',
        `default=${peer}`,
      ],
    ]);
    await until('etcd', () =>
      fetch(`${client}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    startPatroni('a');
    await until('a primary', () => isState('a', 'primary'));
    startPatroni('b');
    await cluster.whole();
    launch('haproxy', 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]);
    await until('HAProxy', () =>
      askServer(cluster.proxyUrl, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    return cluster;
  } catch (error) {
    await remove();
    throw error;
  }
}

function startTimeout(failsOverAtOnce: boolean) {
  const seconds = failsOverAtOnce ? 0 : 300;
  return { primary_start_timeout: seconds, master_start_timeout: seconds };
}

function pidsOf(child: ChildProcess | undefined): number[] {
  return child?.pid === undefined || child.exitCode !== null || child.signalCode !== null ? [] : [child.pid];
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execOf('id', flag, 'postgres'));
}

function execOf(program: string, ...args: string[]): string {
  return spawnSync(program, args, { encoding: 'utf8' }).stdout.trim();
}
