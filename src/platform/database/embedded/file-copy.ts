// Copies an embedded database's files while it is in use, like PostgreSQL's base backups. Pages copied between
// pg_backup_start and pg_backup_stop may be torn; replaying the WAL repairs them.
// Danger: a copy opened without its backup label would replay the WAL from the wrong position.

import { constants, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptFolder } from './data-lock.ts';

const leftOut = new Set(['postmaster.pid', 'postmaster.opts']);
const logFolder = 'pg_wal';

export async function copyDatabaseFiles(dataDir: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  adoptFolder(folder);
  await copyTree(join(dataDir, 'postgres'), join(folder, 'postgres'), (name) => name !== logFolder);
}

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
      // The file was removed meanwhile. The WAL records the removal too.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
