// How a command ends: its exit code, and one sentence on standard error when it did not do its work. Every
// command runs inside `endWell`; docs/command-line.md lists the codes. Scripts rely on them: only ever add.

import { DatabaseUnavailable } from '../platform/database/database.ts';
import { commandIo } from './command-io.ts';

export const exitCodes = {
  done: 0,
  /** Something of this machine or its configuration: a folder, a file, a setting, a wrong key for the data. */
  failed: 1,
  /** The command line was not understood, or something in it is missing. */
  usage: 2,
  /** The service answered, and refused. */
  refused: 3,
  /** No answer from the service or the database, or one that says "later". */
  unreachable: 4,
  /** The command did its work and found something wrong: verify, doctor, restore. */
  findings: 5,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command with one sentence for people. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Runs a command's work. Never throws: what went wrong is said, and shown by the process's exit code. */
export async function endWell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    commandIo().stderr.write(`sellthrough: ${await sentenceFor(error)}\n`);
    commandIo().exitCode = exitCodeOf(error);
  }
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `clean` when a person or a supervisor ends the process in the middle, which then ends by the same signal. Returns
 * what calls it off. `clean` waits for nothing; kill -9 asks nobody.
 */
export function whenCutOff(clean: () => void): () => void {
  const stopListening = () => {
    for (const signal of endingSignals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    clean();
    stopListening();
    process.kill(process.pid, signal);
  };
  for (const signal of endingSignals) process.on(signal, end);
  return stopListening;
}

/** What knows the sentences of the database and its backups loads them: a command that needs neither does without. */
async function sentenceFor(error: unknown): Promise<string> {
  return error instanceof CommandFailed
    ? error.message
    : (await import('../setup/error-message.ts')).errorMessageOf(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailed) return error.exitCode;
  return error instanceof DatabaseUnavailable ? exitCodes.unreachable : exitCodes.failed;
}

/** The answer of a command: JSON for programs, text for people. */
export function answer(json: boolean, value: unknown, text: string): void {
  commandIo().stdout.write(json ? `${JSON.stringify(value)}\n` : text);
}
