// Reads the whole database beside a running service: PostgreSQL itself, or a copy of the embedded database's files.

import { resolve } from 'node:path';
import { copyRunningService, noteBackupInService } from '../features/backup/copy-running-service.ts';
import { DataFolderInUse } from '../platform/database/embedded/data-lock.ts';
import { type FoundDatabase, findSecretKey } from '../setup/open-database.ts';
import { ConfigProblem } from '../setup/settings.ts';
import type { EpochSeconds } from '../shared/times.ts';
import { readCommandConfig } from './command-config.ts';
import { useDatabase } from './with-database.ts';

interface ReadBeside<Result> {
  readonly content: Result;
  /** How long orders of a running embedded service had to wait; null if the database was read directly. */
  readonly heldMilliseconds: number | null;
}

/** The caller deletes `copyFolder`, which may have been made. */
export async function readBesideService<Result>(
  schema: 'current' | 'any',
  copyFolder: string,
  work: (found: FoundDatabase) => Promise<Result>,
): Promise<ReadBeside<Result>> {
  const config = readCommandConfig();
  const { database: where } = config;
  try {
    return { content: await useDatabase(schema, work, config), heldMilliseconds: null };
  } catch (error) {
    if (where.kind !== 'embedded' || !(error instanceof DataFolderInUse)) throw error;
    const secretKey = findSecretKey(config);
    if (secretKey === null)
      throw new ConfigProblem('SECRET_KEY is missing. Set it to the key of the service.');
    const copied = await copyRunningService(resolve(where.dataDir), copyFolder);
    if (copied === null) throw error;
    const copy = { kind: 'embedded', dataDir: copyFolder } as const;
    return { content: await useDatabase(schema, work, { ...config, secretKey, database: copy }), ...copied };
  }
}

export async function noteBackupBesideService(at: EpochSeconds): Promise<void> {
  const { database } = readCommandConfig();
  if (database.kind === 'embedded') await noteBackupInService(resolve(database.dataDir), at);
}
