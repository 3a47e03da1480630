// sellthrough backup: one consistent snapshot of the configured database into one file, for `restore`.

import { resolve } from 'node:path';
import { Command } from 'commander';
import { createBackupFile, writeBackup } from '../backup/write-backup.ts';
import { formatTime } from '../contract/times.ts';
import { answer, endWell } from './command-end.ts';
import { epochSeconds, useDatabase } from './with-database.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description('write a consistent snapshot of the database into one file (mode 0600), and read it back')
    .argument('[file]', 'the file to make (default: sellthrough-<time>.backup)')
    .option('--json', 'print what it holds as JSON', false)
    .addHelpText(
      'after',
      '\nPostgreSQL: the service may keep running. Embedded: stop the service first; its folder belongs to one process.\nThe file can be restored into either kind of database. SECRET_KEY is not in it: keep that apart.',
    )
    .action((name: string | undefined, { json }: { json: boolean }) =>
      endWell(async () => {
        const now = epochSeconds();
        const file = createBackupFile(
          resolve(name ?? `sellthrough-${formatTime(now).replaceAll(/[-:]/g, '')}.backup`),
        );
        try {
          await useDatabase('any', async ({ database }) => {
            const { sums, rows } = await writeBackup(database, file, now);
            const { path } = file;
            answer(
              json,
              { path, rows, tables: Object.fromEntries(sums.map((sum) => [sum.table, sum.rows])) },
              `Wrote ${path}: ${rows} rows of ${sums.length} tables, read back and found whole.\nSECRET_KEY is not in it. Keep a copy of that too, but elsewhere: a restore needs both.\n`,
            );
          });
        } finally {
          file.discard();
        }
      }),
    );
}
