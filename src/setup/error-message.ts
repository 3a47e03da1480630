// Turns the error of a start into one sentence for the user. A bug keeps its stack trace.

import { BackupDamaged } from '../features/backup/backup-format.ts';
import { CopyFailed } from '../features/backup/copy-running-service.ts';
import { RestoreRefused } from '../features/backup/restore-backup.ts';
import { BackupRefused } from '../features/backup/write-backup.ts';
import { DatabaseUnavailable } from '../platform/database/database.ts';
import { DataFolderInUse, DataFolderUnusable } from '../platform/database/embedded/data-lock.ts';
import { EmbeddedServerFailed } from '../platform/database/embedded/embedded-connection.ts';
import { SchemaMismatch } from '../platform/database/schema-mismatch.ts';
import { ResealRefused } from './reseal.ts';
import { ConfigProblem } from './settings.ts';

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
    return `The port is in use: another program listens${port}. Choose another one with PORT.`;
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
