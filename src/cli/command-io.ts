// The streams, environment, folder and exit code of one command run. command-line.ts sets them for the run, so that several
// runs can share a process.

import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';

export interface CommandOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & CommandOutput;
  readonly stderr: NodeJS.WritableStream & CommandOutput;
  /** Receives the variables of the folder's .env, without overriding existing ones. */
  readonly env: Record<string, string | undefined>;
  readonly cwd: string;
}

interface CommandRun extends CommandIo {
  exitCode: number;
}

const runs = new AsyncLocalStorage<CommandRun>();

export function commandIo(): CommandRun {
  const run = runs.getStore();
  if (run === undefined) throw new Error('Commands are begun by run().');
  return run;
}

export async function withCommandIo(io: CommandIo, work: () => Promise<void>): Promise<number> {
  const { stdin, stdout, stderr, env, cwd } = io;
  const run: CommandRun = { stdin, stdout, stderr, env, cwd, exitCode: 0 };
  await runs.run(run, work);
  return run.exitCode;
}

export function fromCommandFolder(path: string): string {
  return resolve(commandIo().cwd, path);
}
