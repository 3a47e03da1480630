// What stops a start, as one sentence for the person who started it; a bug keeps its stack trace.

import { BackupDamaged } from './backup/backup-format.ts';
import { CopyFailed } from './backup/copy-running-service.ts';
import { RestoreRefused } from './backup/restore-backup.ts';
import { BackupRefused } from './backup/write-backup.ts';
import { ConfigProblem } from './config.ts';
import { DataFolderInUse, DataFolderUnusable } from './database/data-lock.ts';
import { DatabaseUnavailable } from './database/database.ts';
import { EmbeddedServerFailed } from './database/embedded-connection.ts';
import { SchemaMismatch } from './database/schema-mismatch.ts';
import { ResealRefused } from './identity/reseal-texts.ts';

const forPeople = [
  ConfigProblem,
  SchemaMismatch,
  DataFolderInUse,
  DataFolderUnusable,
  EmbeddedServerFailed,
  BackupRefused,
  CopyFailed,
  RestoreRefused,
  ResealRefused,
];

export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? ` on ${String(error.port)}` : '';
    return `The port is taken: another program listens${port}. Choose another with PORT.`;
  }
  if ('code' in error && error.code === 'ENOTFOUND' && 'hostname' in error) {
    return `No address was found for ${String(error.hostname)}. Set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
  }
  if ('syscall' in error && error.syscall === 'listen') {
    return `The service cannot listen on HOST and PORT: ${error.message}.`;
  }
  if (error instanceof BackupDamaged) return `The backup cannot be used: ${error.message}.`;
  if ('path' in error && 'syscall' in error) return `${String(error.path)} cannot be used: ${error.message}.`;
  if (forPeople.some((known) => error instanceof known)) return error.message;
  if (error instanceof DatabaseUnavailable) return `The database cannot be reached: ${error.message}`;
  return error.stack ?? error.message;
}
