// The processes of a throwaway PostgreSQL server, to kill or freeze them.

import { spawnSync } from 'node:child_process';
import type { ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';

export function serverProcesses(postgres: ThrowawayPostgres): number[] {
  const main = postgres.pid();
  if (main === undefined) throw new Error('The server does not run.');
  return withChildren([main]);
}

export function withChildren(mains: readonly number[]): number[] {
  const children = everyProcess().flatMap(({ pid, parent }) => (mains.includes(parent) ? [pid] : []));
  return [...mains, ...children];
}

export function processesWith(text: string): number[] {
  return everyProcess().flatMap(({ pid, args }) => (args.includes(text) ? [pid] : []));
}

function everyProcess(): { pid: number; parent: number; args: string }[] {
  const { stdout } = spawnSync('ps', ['-ww', '-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}

export function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}
