#!/usr/bin/env node

// The command line: one command per file. `--json` everywhere; how a command ends is in command-end.ts.
// A file .env in the current folder is read first; the environment wins over it.

import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigProblem } from '../config.ts';
import { programVersion } from '../contract/version.ts';
import { accountCommand } from './account-commands.ts';
import { backupCommand } from './backup-command.ts';
import { endWell, exitCodes } from './command-end.ts';
import { customerCommand } from './customer-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { initCommand } from './init-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { mintKeyCommand } from './mint-key-command.ts';
import { orderCommand, renewCommand } from './order-and-renew-commands.ts';
import { packageCommand } from './package-commands.ts';
import { auditCommand, customersCommand, ledgerCommand, ordersCommand } from './record-commands.ts';
import { resealCommand } from './reseal-command.ts';
import { resetAdministratorCommand } from './reset-administrator-command.ts';
import { restoreCommand } from './restore-command.ts';
import { verifyCommand } from './verify-command.ts';

const program = new Command('sellthrough')
  .description(
    'A self-hosted service through which resellers order subscription plans out of a prepaid balance.',
  )
  .version(programVersion);

program.commandsGroup('The service:');
program.addCommand(initCommand());
program
  .command('serve')
  .description('start the service (configured by the environment and .env; logs are JSON lines)')
  .option(
    '--demo',
    'on an empty database, add packages and the reseller "demo", unless DEMO says otherwise',
    false,
  )
  // The service is most of the program: no other command waits for it to load.
  .action(async ({ demo }: { demo: boolean }) => (await import('../main.ts')).serve({ demo }));

program.addCommand(doctorCommand());

program.commandsGroup('Its database:');
program.addCommand(migrateCommand());
program.addCommand(verifyCommand());
program.addCommand(backupCommand());
program.addCommand(restoreCommand());
program.addCommand(resealCommand());

program.commandsGroup('Its administrator:');
program.addCommand(mintKeyCommand());
program.addCommand(resetAdministratorCommand());

program.commandsGroup('A running service (SELLTHROUGH_URL, SELLTHROUGH_KEY):');
program.addCommand(accountCommand());
program.addCommand(customerCommand());
program.addCommand(packageCommand());
program.addCommand(orderCommand());
program.addCommand(renewCommand());
program.addCommand(ordersCommand());
program.addCommand(customersCommand());
program.addCommand(ledgerCommand());
program.addCommand(auditCommand());

for (const command of everyCommand(program))
  command.exitOverride().showHelpAfterError('(add --help for help)');

// Whoever reads may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

await endWell(async () => {
  readEnvFile();
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has said it; its 0 is for --help and --version.
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
});

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap((one) => everyCommand(one))];
}

function readEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigProblem(`The file .env of this folder cannot be read (${code}).`);
  }
}
