// sellthrough init: writes a .env with fresh secrets and every variable explained.
// Invariant: created with mode 0600, never overwrites a file, prints no secret.

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { mintApiKey } from '../features/identity/api-key.ts';
import { mintPassword } from '../platform/secrets/password-hash.ts';
import { readConfig } from '../setup/config.ts';
import { checkAdministratorPassword } from '../setup/first-administrator.ts';
import { refuseUnusableCurrency } from '../setup/open-database.ts';
import {
  ConfigProblem,
  type ConfigurationVariable,
  clientVariables,
  configurationChapters,
  type Environment,
} from '../setup/settings.ts';
import { answer, endWell } from './command-end.ts';
import { commandIo, fromCommandFolder } from './command-io.ts';

export function initCommand(): Command {
  return new Command('init')
    .description('write a commented .env with fresh secrets (mode 0600); an existing one is never touched')
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nA variable set in the environment is written with its value: PORT=8080 DATABASE_URL=… sellthrough init',
    )
    .action(({ json }: { json: boolean }) =>
      endWell(async () => {
        const minted = {
          SECRET_KEY: randomBytes(32).toString('base64url'),
          ADMIN_PASSWORD: mintPassword(),
          ADMIN_API_KEY: mintApiKey('live'),
        };
        const given = givenValues(commandIo().env);
        // Never write values that the service would refuse.
        const config = readConfig({ ...minted, ...given });
        refuseUnusableCurrency(config);
        await checkAdministratorPassword(config.administrator);
        const path = fromCommandFolder('.env');
        writeNewFile(path, envText({ ...minted, ...given }));
        const made = Object.keys(minted).filter((name) => given[name] === undefined);
        answer(
          json,
          { path, generated: made, taken_over: Object.keys(given) },
          `Wrote ${path} (only you can read it): ${made.join(', ')} were generated.\nStart the service here with "sellthrough serve"; sign in at /panel/ with ADMIN_USERNAME and ADMIN_PASSWORD, and choose a new one.\n`,
        );
      }),
    );
}

type Values = Readonly<Record<string, string>>;

const everyVariable = [...configurationChapters.flatMap(({ variables }) => variables), ...clientVariables];

function givenValues(environment: Environment): Values {
  const given: Record<string, string> = {};
  for (const { name } of everyVariable) {
    const value = environment[name];
    if (value !== undefined && value !== '') given[name] = value;
  }
  return given;
}

function envText(values: Values): string {
  const chapters = [...configurationChapters, { title: 'The command line', variables: clientVariables }];
  const parts = chapters.map(
    ({ title, variables }) => `# ---- ${title}\n\n${variables.map((one) => entry(one, values)).join('\n')}`,
  );
  return `# The settings of Sellthrough, made by "sellthrough init". This file is read from the folder in which a command
# runs; the environment takes precedence. Keep it secret, and keep a copy apart from the backups.

${parts.join('\n')}`;
}

function entry(variable: ConfigurationVariable, values: Values): string {
  const { name, meaning, otherwise, example } = variable;
  const value = values[name];
  const line =
    value === undefined ? `#${name}=${example ?? plainDefault(otherwise)}` : `${name}=${quoted(name, value)}`;
  return `# ${meaning}\n# Without it: ${otherwise}.\n${line}\n`;
}

function plainDefault(otherwise: string): string {
  return /^\S+$/.test(otherwise) && otherwise !== 'none' ? otherwise : '';
}

/** Quotes a value for Node's parser: quotes keep # and spaces, and allow no escapes. */
function quoted(name: string, value: string): string {
  if (/^[\w.:/@+%=,?&-]+$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  if (quote === undefined || /[\n\r]|\\n/.test(value)) {
    throw new ConfigProblem(
      `${name} has characters that a .env file cannot hold. Set it in the environment.`,
    );
  }
  return `${quote}${value}${quote}`;
}

function writeNewFile(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code === 'EEXIST') throw new ConfigProblem(`${path} already exists and was not changed.`);
    throw new ConfigProblem(`${path} cannot be written (${String(code)}).`);
  }
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
