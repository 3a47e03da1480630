// sellthrough migrate: brings the database to this version's schema and ends. `serve` does the same.

import { Command } from 'commander';
import { withDatabase } from './with-database.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database to the schema of this version')
    .option('--json', 'print what ran as JSON', false)
    .action(({ json }: { json: boolean }) =>
      withDatabase('migrate', async ({ migrated }) => {
        const said =
          migrated.length === 0 ? 'Nothing to do: the schema is up to date.' : `Ran ${migrated.join(', ')}.`;
        process.stdout.write(json ? `${JSON.stringify({ migrated })}\n` : `${said}\n`);
      }),
    );
}
