// Makes the template databases that tests copy: one of each kind, without data, with this program's schema. They are kept
// between runs for as long as nothing changes that they are made of. Called by test.ts; test-database.ts copies them.

import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import pg from 'pg';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { divideAccounts } from '../src/platform/database/shards/split-into-shards.ts';
import { defaultLimits } from '../src/setup/config.ts';
import { connectDatabase } from '../src/setup/open-database.ts';
import { accountGroupsOfTests } from './test-groups.ts';
import {
  postgresForTests,
  postgresVersion,
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from './throwaway-postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const caches = join(root, 'node_modules', '.cache');
const keptMilliseconds = 86_400_000;
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

/** Making it takes four seconds of CPU. */
export async function embeddedTemplate(folder: string): Promise<string> {
  const cache = join(caches, 'embedded-template');
  const kept = join(cache, sourcesDigest());
  if (existsSync(kept)) return kept;
  // Optimizing the WebAssembly would take two seconds more. Set so late, --liftoff-only has no effect.
  setFlagsFromString('--no-wasm-tier-up --no-wasm-dynamic-tiering');
  const dataDir = join(folder, 'embedded-template');
  const database = await connectDatabase({ database: { kind: 'embedded', dataDir } });
  await migrate(database);
  await database.close();
  keep(cache, kept, (draft) => cpSync(dataDir, draft, { recursive: true }));
  return kept;
}

/** Other runs of the same checkout may use what is in the cache, or add the same at this moment. */
function keep(cache: string, kept: string, fill: (draft: string) => void): void {
  const draft = `${kept}.${process.pid}`;
  fill(draft);
  if (existsSync(kept)) rmSync(draft, { recursive: true });
  else renameSync(draft, kept);
  for (const path of readdirSync(cache).map((name) => join(cache, name))) {
    const isOld = statSync(path).mtimeMs < Date.now() - keptMilliseconds;
    if (isOld && path !== kept) rmSync(path, { recursive: true, force: true });
  }
}

function sourcesDigest(...others: readonly string[]): string {
  const digest = createHash('sha256').update([process.version, ...others].join('\0'));
  const files = globSync(['src/platform/database/**/*.{ts,sql}', 'src/setup/open-database.ts'], {
    cwd: root,
  });
  for (const file of [...files.sort(), 'package-lock.json'])
    digest.update(`${file}\0`).update(readFileSync(join(root, file)));
  return digest.digest('hex').slice(0, 16);
}

export interface PostgresOfTests
  extends Pick<ThrowawayPostgres, 'url' | 'socketUrl' | 'description' | 'remove'> {
  /** Returns the name of the database to copy for accounts in so many groups: 1 or `accountGroupsOfTests`. */
  template(accountGroups: number): Promise<string>;
}

/** Uses the server of TEST_DATABASE_URL, and else starts a throwaway one that has the templates. */
export async function postgresWithTemplates(parentFolder: string | undefined): Promise<PostgresOfTests> {
  const inFolder = parentFolder === undefined ? {} : { parentFolder };
  if ((process.env['TEST_DATABASE_URL'] ?? '') === '') {
    const kept = await keptServer(inFolder);
    const password = readFileSync(join(kept, 'password'), 'utf8');
    const server = await startThrowawayPostgres({ ...inFolder, password, copyOf: join(kept, 'data') });
    return { ...server, template: async (accountGroups) => nameOfKept(accountGroups) };
  }
  const server = await postgresForTests();
  const made: string[] = [];
  return {
    ...server,
    async template(accountGroups) {
      const name = `sellthrough_template_${randomBytes(6).toString('hex')}`;
      made.push(name);
      await makePostgresTemplate(server.url, name, accountGroups);
      return name;
    },
    async remove() {
      for (const name of made) await onServer(server.url, `drop database if exists ${name} with (force)`);
    },
  };
}

const nameOfKept = (accountGroups: number) => `sellthrough_template_${accountGroups}`;

/** Returns the folder of a stopped server that has the templates. */
async function keptServer(inFolder: { readonly parentFolder?: string }): Promise<string> {
  const cache = join(caches, 'postgres-templates');
  const kept = join(cache, sourcesDigest(postgresVersion(), String(process.getuid?.())));
  if (existsSync(kept)) return kept;
  const password = randomBytes(16).toString('hex');
  const server = await startThrowawayPostgres({ ...inFolder, password });
  try {
    for (const accountGroups of [1, accountGroupsOfTests])
      await makePostgresTemplate(server.url, nameOfKept(accountGroups), accountGroups);
    await server.stop('fast');
    keep(cache, kept, (draft) => {
      cpSync(server.dataDir, join(draft, 'data'), { recursive: true });
      writeFileSync(join(draft, 'password'), password, { mode: 0o600 });
    });
  } finally {
    await server.remove();
  }
  return kept;
}

async function makePostgresTemplate(server: string, name: string, groups: number): Promise<void> {
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
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}
