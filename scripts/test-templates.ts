// Makes the template databases that tests copy: one of each kind, without data, with this program's schema. Called by
// test.ts; test-database.ts copies them.

import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { divideAccounts } from '../src/platform/database/shards/split-into-shards.ts';
import { defaultLimits } from '../src/setup/config.ts';
import { connectDatabase } from '../src/setup/open-database.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const roomNeededBytes = 3 * 2 ** 30;

/**
 * A folder in memory with room for all service tests' databases, because fsync is free there. Undefined if there is none.
 * Tests of crash safety use the disk.
 */
export function memoryFolder(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < roomNeededBytes) return undefined;
    const folder = mkdtempSync('/dev/shm/sellthrough-test-');
    chmodSync(folder, 0o711); // if PostgreSQL runs as its own user, that user needs access
    return folder;
  } catch {
    return undefined;
  }
}

/** Kept between runs for as long as nothing changes that it is made of, because making it takes nine seconds of CPU. */
export async function embeddedTemplate(folder: string): Promise<string> {
  const cache = join(root, 'node_modules', '.cache', 'embedded-template');
  const kept = join(cache, sourcesDigest());
  if (existsSync(kept)) return kept;
  const dataDir = join(folder, 'embedded-template');
  const database = await connectDatabase({ database: { kind: 'embedded', dataDir } });
  await migrate(database);
  await database.close();
  try {
    rmSync(cache, { recursive: true, force: true });
    const draft = `${kept}.${process.pid}`;
    cpSync(dataDir, draft, { recursive: true });
    renameSync(draft, kept);
  } catch {
    // Another run of the same checkout keeps its own at this moment.
  }
  return dataDir;
}

function sourcesDigest(): string {
  const digest = createHash('sha256').update(process.version);
  const files = globSync(['src/platform/database/**/*.{ts,sql}', 'src/setup/open-database.ts'], {
    cwd: root,
  });
  for (const file of [...files.sort(), 'package-lock.json'])
    digest.update(`${file}\0`).update(readFileSync(join(root, file)));
  return digest.digest('hex').slice(0, 16);
}

export async function postgresTemplate(
  server: string,
  groups: number,
): Promise<{ readonly name: string; remove(): Promise<void> }> {
  const name = `sellthrough_template_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = await connectDatabase(
    { database: { kind: 'postgres', connectionString: url.href } },
    // Wait long, because all other work starts at the same time.
    { ...defaultLimits.database, connectMilliseconds: 60_000, answerMilliseconds: 60_000 },
  );
  await migrate(database);
  if (groups > 1)
    await database.transaction((transaction) => divideAccounts(transaction, groups), {
      timeoutMilliseconds: null,
    });
  await database.close();
  return { name, remove: () => onServer(server, `drop database if exists ${name} with (force)`) };
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}
