// The service as an operating system process, for tests that kill it.
// Invariant: it does not outlive the test, however the test ends.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { childEnvironment, preloadAddress, programFile } from '../../test/harness/child-environment.ts';

export interface ServiceProcess {
  readonly address: string;
  readonly pid: number | undefined;
  said(): string;
  logged(): string;
  /** Resolves when the log matches the pattern. A line may be written before or after its request is answered. */
  logs(pattern: RegExp): Promise<void>;
  readonly gone: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

const logCharactersKept = 200_000;

export interface ServiceProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly preloads?: readonly string[];
}

export async function startServiceProcess({
  environment,
  preloads = [],
}: ServiceProcessOptions): Promise<ServiceProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...briefFlags,
      ...preloads.flatMap((file) => ['--import', preloadAddress(file)]),
      programFile('src/main.ts'),
    ],
    {
      // Without ADMIN_PASSWORD, generated secrets would be written to this process's folder.
      env: { ...childEnvironment, LOG_LEVEL: 'warn', ADMIN_PASSWORD: 'of no use to a test', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let text = '';
  let log = '';
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    log = (log + piece).slice(-logCharactersKept);
    for (const look of [...waiting]) look();
  });
  const disarm = whenThisEnds('kill -KILL "$1"', [String(child.pid)]);
  const gone = once(child, 'exit').then(([code, signal]) => {
    disarm();
    return { code, signal };
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /listens at (\S+)\n/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    gone.then(() => reject(new Error(`The service ended before it listened: ${text}`)), reject);
  });
  return {
    address,
    pid: child.pid,
    said: () => text,
    logged: () => log,
    logs: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          if (!pattern.test(log)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    gone,
    kill: (signal) => void child.kill(signal),
  };
}

const startsMax = 10;

/** Starts again like a supervisor, because on a busy machine a start may give up on its database. */
export async function startPatiently(options: ServiceProcessOptions): Promise<ServiceProcess> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startServiceProcess(options);
    } catch (error) {
      if (starts === startsMax) throw error;
    }
  }
}

/** Runs the command when this process ends, even by kill -9. Does nothing without a shell. @returns a function to cancel it */
export function whenThisEnds(command: string, values: readonly string[]): () => void {
  const shell = spawn('sh', ['-c', `read -r answer || { ${command}; }`, 'sh', ...values], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined).unref();
  shell.stdin.on('error', () => undefined);
  // The shell waits for the end of this pipe, which must not keep this process alive.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return () => void shell.stdin.end('called off\n');
}
