// sellthrough migrate: migrates the schema and exits. --groups divides the accounts (split-shards-command.ts).

import { Command, InvalidArgumentError } from 'commander';
import { accountGroupsMax } from '../platform/database/shards/find-shards.ts';
import { endWell } from './command-end.ts';
import { commandIo } from './command-io.ts';
import { divideCommand, readGroups } from './split-shards-command.ts';
import { withDatabase } from './with-database.ts';

interface MigrateFlags {
  readonly groups?: number;
  readonly yes: boolean;
  readonly json: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('migrate the database to the schema of this version')
    .option(
      '--groups <number>',
      `divide the accounts of a PostgreSQL database into this many groups (2 to ${accountGroupsMax}); stop the service first`,
      (text: string) => {
        const groups = readGroups(text);
        if (groups === null)
          throw new InvalidArgumentError(`a number from 1 to ${accountGroupsMax} is needed.`);
        return groups;
      },
    )
    .option('--yes', 'with --groups: do not ask; needed where there is no terminal', false)
    .option('--json', 'print what ran as JSON', false)
    .addHelpText(
      'after',
      '\nWith --groups it says how many rows go where and about how long that takes, and asks, before it changes anything. What\nends it early, kill -9 included, leaves the database as it was. There is no way back but a backup and a restore.',
    )
    .action(({ groups, yes, json }: MigrateFlags) =>
      groups === undefined
        ? withDatabase('migrate', async ({ migrated }) => {
            const said =
              migrated.length === 0
                ? 'Nothing to do: the schema is up to date.'
                : `Ran ${migrated.join(', ')}.`;
            commandIo().stdout.write(json ? `${JSON.stringify({ migrated })}\n` : `${said}\n`);
          })
        : endWell(() => divideCommand({ groups, yes, json })),
    );
}
