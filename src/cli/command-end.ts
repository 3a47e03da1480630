// How commands end: with an exit code and, on failure, one sentence on standard error. Scripts rely on the codes
// (docs/command-line.md), so never change one.

import { DatabaseUnavailable } from '../platform/database/database.ts';
import { commandIo } from './command-io.ts';

export const exitCodes = {
  done: 0,
  /** A problem of this machine or its configuration: a folder, file, setting, or the wrong secret key. */
  failed: 1,
  usage: 2,
  refused: 3,
  /** The service or the database did not answer, or answered "try later". */
  unreachable: 4,
  /** The command worked and found problems: verify, doctor, restore. */
  findings: 5,
} as const;

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export async function endWell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    commandIo().stderr.write(`sellthrough: ${await sentenceFor(error)}\n`);
    commandIo().exitCode = exitCodeOf(error);
  }
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `clean`, which must be synchronous, when a signal ends the process. @returns a function that cancels this */
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

async function sentenceFor(error: unknown): Promise<string> {
  return error instanceof CommandFailed
    ? error.message
    : (await import('../setup/error-message.ts')).errorMessageOf(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandFailed) return error.exitCode;
  return error instanceof DatabaseUnavailable ? exitCodes.unreachable : exitCodes.failed;
}

export function answer(json: boolean, value: unknown, text: string): void {
  commandIo().stdout.write(json ? `${JSON.stringify(value)}\n` : text);
}
