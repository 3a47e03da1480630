// sellthrough backup: a consistent snapshot of the database in one file, for `restore`.

import { resolve } from 'node:path';
import { Command } from 'commander';
import type { BackupContent } from '../features/backup/backup-format.ts';
import { copyRunningService } from '../features/backup/copy-running-service.ts';
import { type BackupFile, createBackupFile, writeBackup } from '../features/backup/write-backup.ts';
import { DataFolderInUse } from '../platform/database/embedded/data-lock.ts';
import { type FoundDatabase, findSecretKey } from '../setup/open-database.ts';
import { ConfigProblem } from '../setup/settings.ts';
import { type EpochSeconds, formatTime } from '../shared/times.ts';
import { readCommandConfig } from './command-config.ts';
import { answer, endWell, whenCutOff } from './command-end.ts';
import { fromCommandFolder } from './command-io.ts';
import { epochSeconds, useDatabase } from './with-database.ts';

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
          file = createBackupFile(path);
          const { content, heldMilliseconds } = await backUp(file, now);
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

interface BackedUp {
  readonly content: BackupContent;
  /** How long orders of a running embedded service had to wait; null if the database was read directly. */
  readonly heldMilliseconds: number | null;
}

async function backUp(file: BackupFile, now: EpochSeconds): Promise<BackedUp> {
  const config = readCommandConfig();
  const { database: where } = config;
  const write = ({ database }: FoundDatabase) => writeBackup(database, file, now);
  try {
    return { content: await useDatabase('any', write, config), heldMilliseconds: null };
  } catch (error) {
    if (where.kind !== 'embedded' || !(error instanceof DataFolderInUse)) throw error;
    const secretKey = findSecretKey(config);
    if (secretKey === null)
      throw new ConfigProblem('SECRET_KEY is missing. Set it to the key of the service.');
    const copied = await copyRunningService(resolve(where.dataDir), file.copyFolder);
    if (copied === null) throw error;
    const copy = { kind: 'embedded', dataDir: file.copyFolder } as const;
    return { content: await useDatabase('any', write, { ...config, secretKey, database: copy }), ...copied };
  }
}
