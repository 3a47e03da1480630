// sellthrough reseal: re-encrypts all secrets under SECRET_KEY while services run, and says when SECRET_KEY_PREVIOUS can be
// removed. A running embedded service does this itself, through its control socket.

import { resolve } from 'node:path';
import { Command } from 'commander';
import { connectControlSocket } from '../platform/database/embedded/control-socket.ts';
import { DataFolderInUse } from '../platform/database/embedded/data-lock.ts';
import { findSeal } from '../setup/open-database.ts';
import { type Resealed, resealTexts, resealWish } from '../setup/reseal.ts';
import { ConfigProblem } from '../setup/settings.ts';
import { isJsonObject } from '../shared/json.ts';
import { readCommandConfig } from './command-config.ts';
import { answer, CommandFailed, endWell, exitCodes } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { useDatabase } from './with-database.ts';

export function resealCommand(): Command {
  return new Command('reseal')
    .description(
      're-encrypt every stored key and secret under SECRET_KEY, so that SECRET_KEY_PREVIOUS can be removed',
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      '\nServices may keep running, but all of them must know both keys first. Safe to interrupt and repeat.',
    )
    .action(({ json }: { json: boolean }) =>
      endWell(async () => {
        const done = await reseal();
        if (done.unnamed + done.previous + done.unreadable > 0) commandIo().exitCode = exitCodes.findings;
        const { resealed, current } = done;
        answer(
          json,
          done,
          `Sealed ${resealed} texts again; ${current} are under SECRET_KEY. ${verdictOf(done)}\n`,
        );
      }),
    );
}

function verdictOf({ unnamed, previous, unreadable }: Resealed): string {
  if (unreadable > 0) return `${unreadable} texts can be decrypted with neither key and were left unchanged.`;
  if (unnamed + previous > 0)
    return 'Others were encrypted under the old key meanwhile. Give every process the new SECRET_KEY, and run this again.';
  return 'Everything is encrypted under SECRET_KEY. Once every process uses it, remove SECRET_KEY_PREVIOUS.';
}

async function reseal(): Promise<Resealed> {
  const config = readCommandConfig();
  try {
    return await useDatabase('current', ({ database, seal }) => {
      if (seal === null) throw new ConfigProblem('No service was ever started on this database.');
      return resealTexts(database, seal);
    });
  } catch (error) {
    if (config.database.kind !== 'embedded' || !(error instanceof DataFolderInUse)) throw error;
    const request = { ...resealWish, key: findSeal(config)?.keyName ?? '' };
    const said = await connectControlSocket(resolve(config.database.dataDir), request, (connection) =>
      connection.receive(),
    );
    if (said === null) throw error;
    if (typeof said['problem'] === 'string') throw new CommandFailed(said['problem'], exitCodes.unreachable);
    if (said['isOtherKey'] === true) {
      throw new ConfigProblem('The running service uses another SECRET_KEY. Restart it with this one first.');
    }
    return resealedOf(said);
  }
}

function resealedOf(said: unknown): Resealed {
  const count = (name: string) => (isJsonObject(said) ? Number(said[name]) : 0);
  return {
    resealed: count('resealed'),
    current: count('current'),
    unnamed: count('unnamed'),
    previous: count('previous'),
    unreadable: count('unreadable'),
  };
}
