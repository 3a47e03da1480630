// What one run of the command line reads and writes: its streams, its settings, its folder and how it ends. run.ts begins a run;
// whatever a command does then finds these here, so that several runs can go on in one process.

import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';

/** A stream for people: a terminal, a pipe, or a test's own. */
export interface CommandOutput {
  readonly isTTY?: boolean;
  /** Of a terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & CommandOutput;
  readonly stderr: NodeJS.WritableStream & CommandOutput;
  /** The file .env of the folder is read into it; what stands there already wins. */
  readonly env: Record<string, string | undefined>;
  /** Relative paths start here. */
  readonly cwd: string;
}

interface CommandRun extends CommandIo {
  exitCode: number;
}

const runs = new AsyncLocalStorage<CommandRun>();

/** Of the run that this is part of. */
export function commandIo(): CommandRun {
  const run = runs.getStore();
  if (run === undefined) throw new Error('Commands are begun by run().');
  return run;
}

/** @returns the exit code that the command set */
export async function withCommandIo(io: CommandIo, work: () => Promise<void>): Promise<number> {
  const { stdin, stdout, stderr, env, cwd } = io;
  const run: CommandRun = { stdin, stdout, stderr, env, cwd, exitCode: 0 };
  await runs.run(run, work);
  return run.exitCode;
}

/** A path as it was typed, or one that a setting names. */
export function fromCommandFolder(path: string): string {
  return resolve(commandIo().cwd, path);
}
