import { createInterface } from 'node:readline/promises';
import { CommandFailed, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';

/** @throws CommandFailed unless the answer is yes */
export async function confirm(question: string): Promise<void> {
  if (!commandIo().stdin.isTTY || !commandIo().stderr.isTTY) {
    throw new CommandFailed(
      'Nothing was changed. Without a terminal, this command needs --yes.',
      exitCodes.usage,
    );
  }
  const terminal = createInterface({ input: commandIo().stdin, output: commandIo().stderr });
  const said = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(said.trim())) throw new CommandFailed('Nothing was changed.', exitCodes.usage);
}
