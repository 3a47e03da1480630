// Checks of the folder and the disk that hold an embedded database, for doctor and the console.

import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Check } from './doctor-check.ts';

const mebibyte = 1024 ** 2;
/** Room for a checkpoint's WAL and a vacuum. With less than freeBytesMin the check fails; below freeBytesGood it warns. */
const freeBytesMin = 256 * mebibyte;
const freeBytesGood = 2048 * mebibyte;

export function checkFolder(dataDir: string): Check {
  const name = 'data folder';
  const folder = resolve(dataDir);
  const existing = nearestExisting(folder);
  if (!statSync(existing).isDirectory()) {
    return { name, state: 'fail', says: `${existing} is a file: set DATA_DIR to a folder` };
  }
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return {
      name,
      state: 'fail',
      says: `this user cannot write to ${existing}: change its owner, or set DATA_DIR to another folder`,
    };
  }
  if (existing !== folder) return { name, state: 'ok', says: `the first start creates ${folder}` };
  const othersMayRead = process.platform !== 'win32' && (lstatSync(folder).mode & 0o077) !== 0;
  return othersMayRead
    ? { name, state: 'warn', says: `other users of this machine can read ${folder}: run chmod 700` }
    : { name, state: 'ok', says: folder };
}

export function checkDisk(dataDir: string): Check {
  const name = 'disk';
  const { bavail, bsize, files, ffree } = statfsSync(nearestExisting(resolve(dataDir)));
  const free = bavail * bsize;
  const says = `${Math.floor(free / mebibyte)} MiB free`;
  if (free < freeBytesMin) return { name, state: 'fail', says: `only ${says}: make room, or move DATA_DIR` };
  if (files > 0 && ffree === 0)
    return { name, state: 'fail', says: 'no more files can be created (out of inodes)' };
  if (free < freeBytesGood)
    return { name, state: 'warn', says: `only ${says}: a busy service will soon need more` };
  return { name, state: 'ok', says };
}

function nearestExisting(path: string): string {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) || folder === dirname(folder)) return folder;
  }
}
