// Lets only one process use a data folder, which must be on a local disk. The kernel releases the lock when the process
// ends, even after a crash.
// Danger: POSIX drops the lock when *any* descriptor of the lock file is closed in this process, so only SQLite (and
// adoptFolder) may open it. The holder's pid is therefore in a second file.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const lockFile = 'sellthrough.lock';
const holderFile = 'sellthrough.pid';
const sqliteBusy = 5;

/** When two processes start at once, each can find the folder locked by the other. SQLite retries for this long. */
const lockWaitMilliseconds = 250;

export interface DataLock {
  release(): void;
}

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

/** Creates the folder if absent (mode 0700) and locks it. @throws DataFolderInUse, DataFolderUnusable */
export function acquireDataLock(dataDir: string): DataLock {
  const folder = resolve(dataDir);
  prepareFolder(folder);
  const lock = lockFolder(folder);
  const holder = join(folder, holderFile);
  writeFileSync(holder, `${process.pid} ${hostname()}\n`);
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      rmSync(holder, { force: true });
      // Keep the lock file: if it were removed, one process could lock the removed file and another a new one of the same name.
      lock.close();
    },
  };
}

export function adoptFolder(folder: string): void {
  writeFileSync(join(folder, lockFile), '', { flag: 'wx', mode: 0o600 });
}

function prepareFolder(folder: string): void {
  let names: string[];
  try {
    makeFolder(folder);
    names = readdirSync(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DataFolderUnusable(folderSentence(folder, error), { cause: error });
  }
  // A used folder contains the lock file, because the lock is taken first. A folder without it may contain only lost+found
  // (in mount points), dotfiles (.gitkeep) and a restored secret.key.
  const foreign = names.filter(
    (name) => !['lost+found', 'secret.key'].includes(name) && !name.startsWith('.'),
  );
  if (foreign.length > 0 && !names.includes(lockFile)) {
    throw new DataFolderUnusable(
      `The data folder ${folder} has files that are not Sellthrough's (${foreign.slice(0, 3).join(', ')}). Set DATA_DIR to an empty or new folder.`,
    );
  }
}

function lockFolder(folder: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(folder, lockFile), { timeout: lockWaitMilliseconds });
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      throw new DataFolderInUse(
        `The data folder ${folder} is in use by another Sellthrough${holderOf(folder)}. Stop that one first, or set DATA_DIR to another folder.`,
      );
    }
    throw new DataFolderUnusable(folderSentence(folder, error), { cause: error });
  }
}

function holderOf(folder: string): string {
  try {
    const [, pid, host] = /^(\d+) (\S+)\n$/.exec(readFileSync(join(folder, holderFile), 'utf8')) ?? [];
    if (pid === undefined || host === undefined) return '';
    return host === hostname() ? ` (process ${pid})` : ` (process ${pid} on host ${host})`;
  } catch {
    return '';
  }
}

/** Replaces the `recursive` option of mkdirSync, which never returns where the kernel allows no folders, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function folderSentence(folder: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return `The data folder ${folder} cannot be used because it, or a part of its path, is a file: give DATA_DIR a folder.`;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `The data folder ${folder} cannot be read and written by this user: change its owner or give DATA_DIR another folder.`;
  }
  return `The data folder ${folder} cannot be used: ${error instanceof Error ? error.message : String(error)}`;
}
