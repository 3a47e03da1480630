// Runs one command line with given streams: the program's own, or a test's. Each command has a file, and all take `--json`.
// A file .env in the folder is read first; the environment overrides it. Exit codes: command-end.ts.

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { Command, CommanderError } from 'commander';
import { CommandFailed, endWell, exitCodes } from './cli/command-end.ts';
import {
  type CommandIo,
  type CommandOutput,
  commandIo,
  fromCommandFolder,
  withCommandIo,
} from './cli/command-io.ts';
import { programVersion } from './shared/version.ts';

const helpWidth = 80;

const chapters: readonly {
  readonly title: string;
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
}[] = [
  {
    title: 'The service:',
    commands: {
      init: async () => (await import('./cli/init-command.ts')).initCommand(),
      serve: async () => serveCommand(),
      doctor: async () => (await import('./cli/doctor/doctor-command.ts')).doctorCommand(),
    },
  },
  {
    title: 'Its database:',
    commands: {
      migrate: async () => (await import('./cli/migrate-command.ts')).migrateCommand(),
      verify: async () => (await import('./cli/verify-command.ts')).verifyCommand(),
      backup: async () => (await import('./cli/backup-command.ts')).backupCommand(),
      restore: async () => (await import('./cli/restore-command.ts')).restoreCommand(),
      export: async () => (await import('./cli/export-command.ts')).exportCommand(),
      'new-incarnation': async () =>
        (await import('./cli/new-incarnation-command.ts')).newIncarnationCommand(),
      reseal: async () => (await import('./cli/reseal-command.ts')).resealCommand(),
    },
  },
  {
    title: 'Its administrator:',
    commands: {
      'mint-key': async () => (await import('./cli/mint-key-command.ts')).mintKeyCommand(),
      'reset-administrator': async () =>
        (await import('./cli/reset-administrator-command.ts')).resetAdministratorCommand(),
    },
  },
  {
    title: 'A running service (SELLTHROUGH_URL, SELLTHROUGH_KEY):',
    commands: {
      account: async () => (await import('./cli/account-commands.ts')).accountCommand(),
      bank: async () => (await import('./cli/bank-commands.ts')).bankCommand(),
      keys: async () => (await import('./cli/key-commands.ts')).keysCommand(),
      people: async () => (await import('./cli/people-commands.ts')).peopleCommand(),
      customer: async () => (await import('./cli/customer-commands.ts')).customerCommand(),
      package: async () => (await import('./cli/package-commands.ts')).packageCommand(),
      limits: async () => (await import('./cli/limit-commands.ts')).limitsCommand(),
      'account-prices': async () => (await import('./cli/account-price-commands.ts')).accountPricesCommand(),
      product: async () => (await import('./cli/product-commands.ts')).productCommand(),
      order: async () => (await import('./cli/order-and-renew-commands.ts')).orderCommand(),
      renew: async () => (await import('./cli/order-and-renew-commands.ts')).renewCommand(),
      bulk: async () => (await import('./cli/bulk-command.ts')).bulkCommand(),
      cancel: async () => (await import('./cli/plan-commands.ts')).cancelCommand(),
      suspend: async () => (await import('./cli/plan-commands.ts')).suspendCommand(),
      resume: async () => (await import('./cli/plan-commands.ts')).resumeCommand(),
      'auto-renew': async () => (await import('./cli/plan-commands.ts')).autoRenewCommand(),
      orders: async () => (await import('./cli/list-commands.ts')).ordersCommand(),
      customers: async () => (await import('./cli/list-commands.ts')).customersCommand(),
      ledger: async () => (await import('./cli/list-commands.ts')).ledgerCommand(),
      topups: async () => (await import('./cli/topup-commands.ts')).topupsCommand(),
      webhooks: async () => (await import('./cli/webhook-commands.ts')).webhooksCommand(),
      events: async () => (await import('./cli/event-commands.ts')).eventsCommand(),
      listen: async () => (await import('./cli/event-commands.ts')).listenCommand(),
      test: async () => (await import('./cli/test-mode-commands.ts')).testCommand(),
      audit: async () => (await import('./cli/list-commands.ts')).auditCommand(),
    },
  },
];

/** @param args without the program's name @returns the exit code (command-end.ts). Problems go to `stderr`; never throws. */
export function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  return withCommandIo(io, () =>
    endWell(async () => {
      const program = await createProgram(args);
      readEnvFile();
      try {
        await program.parseAsync(args, { from: 'user' });
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error;
        // Commander has printed the message. Its code 0 stands for --help and --version.
        commandIo().exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
      }
    }),
  );
}

/** Loads only the named command, for speed. Without a valid name it loads all, for --help and suggestions. */
async function createProgram([first = '']: readonly string[]): Promise<Command> {
  const program = new Command('sellthrough')
    .description(
      'A self-hosted service through which resellers order subscription plans out of a prepaid balance.',
    )
    .version(programVersion);
  const isNamed = chapters.some(({ commands }) => Object.hasOwn(commands, first));
  for (const { title, commands } of chapters) {
    program.commandsGroup(title);
    for (const [name, load] of Object.entries(commands)) {
      if (!isNamed || name === first) program.addCommand(await load());
    }
  }
  const { stdout, stderr } = commandIo();
  for (const command of everyCommand(program)) {
    command
      .exitOverride()
      .showHelpAfterError('(add --help for help)')
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: (text) => stderr.write(text),
        getOutHelpWidth: () => widthOf(stdout),
        getErrHelpWidth: () => widthOf(stderr),
      });
  }
  return program;
}

function widthOf({ isTTY, columns }: CommandOutput): number {
  return (isTTY ? columns : undefined) ?? helpWidth;
}

function serveCommand(): Command {
  return (
    new Command('serve')
      .description('start the service (configured by the environment and .env; logs are JSON lines)')
      .option(
        '--demo',
        'on an empty database, add packages and the reseller "demo", unless DEMO says otherwise',
        false,
      )
      // Loaded only here: the service is most of the program, and --help must not load it.
      .action(async ({ demo }: { demo: boolean }) => (await import('./main.ts')).serve({ demo }))
  );
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap((one) => everyCommand(one))];
}

function readEnvFile(): void {
  const { env } = commandIo();
  let text: string;
  try {
    text = readFileSync(fromCommandFolder('.env'), 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code === 'ENOENT') return;
    throw new CommandFailed(`The file .env of this folder cannot be read (${code}).`);
  }
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}
