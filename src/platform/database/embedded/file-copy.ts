// Copies the files of an embedded database while its process goes on writing them, the way PostgreSQL's own base
// backups do: between pg_backup_start and pg_backup_stop any page may be torn, and the write-ahead log of that time, whose
// first change of each page holds all of it, mends that when the copy is opened. Called by copy-running-service.ts.
// Always true: what is copied is opened only with the label, so that it begins at the right place of the log.

import { constants, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptFolder } from './data-lock.ts';

/** Of no use to a copy, or belonging to the process that runs. */
const leftOut = new Set(['postmaster.pid', 'postmaster.opts']);
const logFolder = 'pg_wal';

/** Everything but the log. `folder` becomes a data folder of its own. */
export async function copyDatabaseFiles(dataDir: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  adoptFolder(folder);
  await copyTree(join(dataDir, 'postgres'), join(folder, 'postgres'), (name) => name !== logFolder);
}

/** The log, and the label. */
export async function finishCopy(dataDir: string, folder: string, label: string): Promise<void> {
  await copyTree(join(dataDir, 'postgres', logFolder), join(folder, 'postgres', logFolder), () => true);
  writeFileSync(join(folder, 'postgres', 'backup_label'), label);
}

async function copyTree(from: string, to: string, isWanted: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    if (leftOut.has(name) || !isWanted(name)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    try {
      if (entry.isDirectory()) await copyTree(source, target, () => true);
      else if (entry.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
    } catch (error) {
      // Removed meanwhile: the log says so as well.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
