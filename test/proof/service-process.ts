// The service as a process of the operating system, for tests that kill it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ServiceProcess {
  readonly address: string;
  /** What it said on standard error since its start. */
  said(): string;
  /** Resolves when the process is gone. */
  readonly gone: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): void;
}

const root = new URL('../../', import.meta.url);

export interface ServiceProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** Loaded before the service. */
  readonly preload?: URL;
}

/** Resolves when it listens. Rejects, with what it said, when it ends before. */
export async function startServiceProcess({
  environment,
  preload,
}: ServiceProcessOptions): Promise<ServiceProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...(preload === undefined ? [] : ['--import', preload.href]), new URL('src/main.ts', root).pathname],
    {
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let text = '';
  const gone = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /listens at (\S+)\n/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    gone.then(() => reject(new Error(`The service ended before it listened: ${text}`)), reject);
  });
  return { address, said: () => text, gone, kill: (signal) => void child.kill(signal) };
}
