// sellthrough doctor: checks everything that a start needs, also beside a running service. Changes nothing. Exit code 5 if a
// check fails.

import { Command } from 'commander';
import { checkPublicUrl } from '../../setup/checks/doctor-addresses.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import { checkDisk, checkFolder } from '../../setup/checks/doctor-data-folder.ts';
import { checkMail } from '../../setup/checks/doctor-mail.ts';
import type { Config } from '../../setup/config.ts';
import { ConfigProblem } from '../../setup/settings.ts';
import { readCommandConfig } from '../command-config.ts';
import { answer, CommandFailed, endWell, exitCodes } from '../command-end.ts';
import { commandIo } from '../command-io.ts';
import { serviceAddress } from '../with-service.ts';
import { checkAdministratorFile } from './doctor-administrator.ts';
import { checkDatabase } from './doctor-database.ts';
import { checkBackups, checkEnvFile, checkNode, checkPages, checkPort } from './doctor-machine.ts';
import { checkValkey } from './doctor-valkey.ts';

const healthMilliseconds = 3_000;

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check port, folder, disk, clock, database, schema and settings, and say what to do')
    .option('--health', 'only ask the running service whether it is ready: for health checks', false)
    .option('--json', 'print the checks as JSON', false)
    .action(({ health, json }: { health: boolean; json: boolean }) =>
      endWell(async () => {
        if (health) return askHealth(json);
        const checks = await runChecks();
        const failed = checks.filter(({ state }) => state === 'fail').length;
        const warned = checks.filter(({ state }) => state === 'warn').length;
        if (failed > 0) commandIo().exitCode = exitCodes.findings;
        const lines = checks.map(
          ({ state, name, says }) => `${state.padEnd(4)}  ${name.padEnd(nameWidth)}  ${says}\n`,
        );
        answer(
          json,
          { ok: failed === 0, checks },
          `${lines.join('')}${checks.length} checks: ${failed} failed, ${warned} ${warned === 1 ? 'warning' : 'warnings'}.\n`,
        );
      }),
    );
}

const nameWidth = 16;

async function runChecks(): Promise<Check[]> {
  const checks: Check[] = [checkNode(), checkEnvFile()];
  let config: Config;
  try {
    config = readCommandConfig();
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    return [...checks, { name: 'configuration', state: 'fail', says: error.message }];
  }
  checks.push({ name: 'configuration', state: 'ok', says: 'every variable can be read' });
  checks.push(checkPublicUrl(config), await checkPages(), await checkPort(config));
  if (config.database.kind === 'embedded') {
    checks.push(checkFolder(config.database.dataDir), checkDisk(config.database.dataDir));
  }
  checks.push(checkBackups(config));
  checks.push(await checkMail(config));
  if (config.valkey !== null) checks.push(await checkValkey(config.valkey));
  return [...checks, ...(await checkDatabase(config)), ...checkAdministratorFile(config)];
}

async function askHealth(json: boolean): Promise<void> {
  const address = `${serviceAddress(commandIo().env).replace(/\/+$/, '')}/readyz`;
  let response: Response;
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(healthMilliseconds) });
  } catch {
    throw new CommandFailed(`No answer from ${address}.`, exitCodes.unreachable);
  }
  const said = await response.text();
  if (!response.ok)
    throw new CommandFailed(`${address} answered ${response.status}: ${said}`, exitCodes.unreachable);
  answer(json, { ready: true }, 'ready\n');
}
