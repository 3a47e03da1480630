// sellthrough backup: a consistent snapshot of the database in one file, for `restore`.

import { Command } from 'commander';
import { type BackupFile, createBackupFile, writeBackup } from '../features/backup/write-backup.ts';
import { noteBackup } from '../features/overview/setup-state.ts';
import type { FoundDatabase } from '../setup/open-database.ts';
import { formatTime } from '../shared/times.ts';
import { answer, endWell, whenCutOff } from './command-end.ts';
import { fromCommandFolder } from './command-io.ts';
import { epochSeconds } from './with-database.ts';
import { noteBackupBesideService, readBesideService } from './with-database-copy.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description('write a consistent snapshot of the database into one file (mode 0600), and read it back')
    .argument('[file]', 'the file to write (default: sellthrough-<time>.backup)')
    .option('--json', 'print a summary of it as JSON', false)
    .addHelpText(
      'after',
      '\nThe service may keep running. Embedded: the database files are first copied beside the backup, so there must be room for them.\nThe file can be restored into either kind of database. It does not contain SECRET_KEY: keep that separately.',
    )
    .action((name: string | undefined, { json }: { json: boolean }) =>
      endWell(async () => {
        const now = epochSeconds();
        const path = fromCommandFolder(
          name ?? `sellthrough-${formatTime(now).replaceAll(/[-:]/g, '')}.backup`,
        );
        let file: BackupFile | null = null;
        // A running service notices the closed connection and continues normally.
        const callOff = whenCutOff(() => file?.discard());
        try {
          const unfinished = createBackupFile(path);
          file = unfinished;
          const write = async ({ database }: FoundDatabase) => {
            const content = await writeBackup(database, unfinished, now);
            // An older schema has no place for it, and a role that only reads may not write it: the backup is good without.
            await noteBackup(database, now).catch(() => undefined);
            return content;
          };
          const { content, heldMilliseconds } = await readBesideService('any', unfinished.copyFolder, write);
          // `write` noted it in the copy, which is deleted.
          if (heldMilliseconds !== null) await noteBackupBesideService(now).catch(() => undefined);
          const { sums, rows } = content;
          const beside =
            heldMilliseconds === null
              ? ''
              : `The service kept running; orders waited ${heldMilliseconds} ms for its files to be copied.\n`;
          answer(
            json,
            {
              path,
              rows,
              tables: Object.fromEntries(sums.map((sum) => [sum.table, sum.rows])),
              held_milliseconds: heldMilliseconds,
            },
            `Wrote ${path}: ${rows} rows of ${sums.length} tables, read back and found complete.\n${beside}It does not contain SECRET_KEY. Keep a copy of that elsewhere: a restore needs both.\n`,
          );
        } finally {
          file?.discard();
          callOff();
        }
      }),
    );
}
