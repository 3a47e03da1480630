// Runs pgbench's TPC-B for comparison: the built-in script with prepared statements, on a separate database of the same
// server. One transaction reads and changes four rows and adds a fifth. An order writes as many rows and stores its answer.

import { existsSync, globSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Stage } from './bench-stage.ts';
import { median } from './figures.ts';

export interface Pgbench {
  /** Creates and fills the databases of these scales. */
  prepare(scales: readonly number[]): Promise<void>;
  /** Transactions per second of 16 clients. */
  throughput(scale: number, seconds: number): Promise<number>;
  /** The median latency of one client alone, in milliseconds. */
  oneClientMilliseconds(scale: number, seconds: number): Promise<number>;
}

const clients = 16;

/** @returns null if this system has no pgbench. Each measurement warms up first. */
export function findPgbench(stage: Stage, warmupSeconds: number): Pgbench | null {
  const program = pgbenchPath(stage);
  if (program === null) return null;
  const folder = stage.folder('pgbench');
  const { hostname, port, username, password } = new URL(stage.postgres.url);
  const environment = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password };
  const run = (words: readonly string[]) => stage.run(program, words, { cwd: folder, environment });

  const databaseOf = (scale: number) => `tpcb_${scale}`;

  async function tpcb(scale: number, words: readonly string[], seconds: number): Promise<string> {
    const output = await run([
      ...['-M', 'prepared', '-b', 'tpcb-like', '-j', '1', '-T', String(seconds)],
      ...words,
      databaseOf(scale),
    ]);
    const failed = Number(/number of failed transactions: (\d+)/.exec(output)?.[1] ?? 0);
    if (failed > 0) throw new Error(`${failed} transactions of pgbench failed:\n${output}`);
    return output;
  }

  return {
    async prepare(scales) {
      for (const scale of scales) {
        process.stdout.write(`Filling pgbench’s tables, scale ${scale} …\n`);
        await stage.createDatabase(databaseOf(scale));
        await run(['--initialize', '--quiet', '--scale', String(scale), databaseOf(scale)]);
      }
    },

    async throughput(scale, seconds) {
      await tpcb(scale, ['-c', String(clients)], warmupSeconds);
      const output = await tpcb(scale, ['-c', String(clients)], seconds);
      const tps = Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
      if (!(tps > 0)) throw new Error(`pgbench said no tps:\n${output}`);
      return tps;
    },

    async oneClientMilliseconds(scale, seconds) {
      await tpcb(scale, ['-c', '1'], warmupSeconds);
      await tpcb(scale, ['-c', '1', '--log', '--log-prefix', 'one-client'], seconds);
      const logs = globSync('one-client.*', { cwd: folder }).map((name) => join(folder, name));
      // Fields of a line: client, transaction, microseconds, script, second, microsecond.
      const latencies = logs
        .flatMap((log) => readFileSync(log, 'utf8').split('\n'))
        .filter((line) => line !== '')
        .map((line) => Number(line.split(' ')[2]) / 1000);
      for (const log of logs) rmSync(log);
      return median(latencies);
    },
  };
}

/** The pgbench of the running server's version, otherwise the first one found. */
function pgbenchPath(stage: Stage): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const versions = '/usr/lib/postgresql';
  if (existsSync(versions)) {
    const newestFirst = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
    folders.push(...newestFirst.map((version) => join(versions, version, 'bin')));
  }
  try {
    folders.unshift(dirname(readlinkSync(`/proc/${stage.postgres.pid()}/exe`)));
  } catch {
    // There is no /proc, or the server belongs to another user.
  }
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path)) ?? null;
}
