// The system's Valkey or Redis server, without persistence, for the shared limits' proof and benchmark.
// Invariant: it does not outlive the process that started it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/throwaway/free-port.ts';
import { whenThisEnds } from './service-process.ts';

export interface ThrowawayValkey {
  readonly url: string;
  readonly description: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

const programs = ['valkey-server', 'redis-server'];
const startMilliseconds = 5_000;
const pollMilliseconds = 10;

function findProgram(): { readonly program: string; readonly version: string } | null {
  for (const program of programs) {
    const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (status === 0) return { program, version: /v=\S+/.exec(stdout)?.[0].slice(2) ?? '' };
  }
  return null;
}

export function valkeyProblem(): string | null {
  return findProgram() === null
    ? `The shared limits need ${programs.join(' or ')}: install valkey or redis.`
    : null;
}

export async function startThrowawayValkey(): Promise<ThrowawayValkey> {
  const found = findProgram();
  if (found === null) throw new Error(String(valkeyProblem()));
  const { program, version } = found;
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-valkey-'));
  const port = await freePort();
  let server: { readonly child: ChildProcess; readonly disarm: () => void } | null = null;

  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    const child = spawn(program, settings, { stdio: 'ignore' });
    server = { child, disarm: whenThisEnds('kill -KILL "$1"', [String(child.pid)]) };
    const deadline = performance.now() + startMilliseconds;
    while (!(await isListening(port))) {
      if (performance.now() > deadline) throw new Error(`${program} did not start.`);
      await pause(pollMilliseconds);
    }
  }

  async function stop(): Promise<void> {
    const stopped = server;
    server = null;
    if (stopped === null) return;
    const gone = once(stopped.child, 'exit');
    stopped.child.kill('SIGKILL');
    await gone;
    stopped.disarm();
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    description: `${program} ${version}`,
    start,
    stop,
    freeze: () => void server?.child.kill('SIGSTOP'),
    thaw: () => void server?.child.kill('SIGCONT'),
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
