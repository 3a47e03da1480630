#!/usr/bin/env node

// The command line: one command per file. `--json` everywhere, no prompts.

import { Command } from 'commander';
import { programVersion } from '../contract/version.ts';
import { serve } from '../main.ts';
import { migrateCommand } from './migrate-command.ts';
import { mintKeyCommand } from './mint-key-command.ts';
import { resetAdministratorCommand } from './reset-administrator-command.ts';
import { verifyCommand } from './verify-command.ts';

const program = new Command('sellthrough')
  .description(
    'A self-hosted service through which resellers order subscription plans out of a prepaid balance.',
  )
  .version(programVersion)
  .showHelpAfterError();

program
  .command('serve')
  .description('start the service (configured by the environment and .env)')
  .option(
    '--demo',
    'on an empty database: add packages and the reseller "demo" unless DEMO says otherwise',
    false,
  )
  .action(async ({ demo }: { demo: boolean }) => serve({ demo }));
program.addCommand(migrateCommand());
program.addCommand(verifyCommand());
program.addCommand(mintKeyCommand());
program.addCommand(resetAdministratorCommand());

await program.parseAsync();
