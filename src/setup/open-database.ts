// Opens the database: migrates the schema, checks durability and the secret key. Commands create nothing.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Database,
  type Queryable,
  type SqlStatement,
  StatementFailed,
} from '../platform/database/database.ts';
import { openEmbedded } from '../platform/database/embedded/embedded.ts';
import { openPostgres } from '../platform/database/postgres/postgres.ts';
import {
  checkMigrations,
  insufficientPrivilege,
  isMigrated,
  migrate,
  type Notices,
  readMigrations,
} from '../platform/database/schema/migrate.ts';
import { listMigrations } from '../platform/database/schema/table-catalog.ts';
import { lockSchema } from '../platform/database/schema-lock.ts';
import { SchemaMismatch } from '../platform/database/schema-mismatch.ts';
import { distribute, isCitus } from '../platform/database/shards/citus.ts';
import { findDivision } from '../platform/database/shards/find-shards.ts';
import { divideAccounts } from '../platform/database/shards/split-into-shards.ts';
import { refuseUnfinishedRestore } from '../platform/database/unfinished-restore.ts';
import { createSeal, type Seal } from '../platform/secrets/seal.ts';
import {
  findKeptSecretKey,
  keptSecretKeyPath,
  makeKeptSecretKey,
} from '../platform/secrets/secret-key-file.ts';
import { serviceSessions } from '../platform/secrets/secret-key-sessions.ts';
import { beginState, checkState, findState, type ServiceState } from '../platform/secrets/service-state.ts';
import { currencyProblem } from '../shared/currencies.ts';
import type { EpochSeconds } from '../shared/times.ts';
import { type Config, defaultLimits, type Limits } from './config.ts';
import { ConfigProblem, secretKeyLengthMin } from './settings.ts';

export interface OpenedDatabase {
  readonly database: Database;
  readonly seal: Seal;
  readonly migrated: readonly string[];
}

export interface FoundDatabase extends Omit<OpenedDatabase, 'seal'> {
  /** null if no service was ever started on this database. */
  readonly seal: Seal | null;
}

interface OpenOptions {
  readonly limits?: Limits['database'];
  readonly say?: Notices['say'];
}

/** Creates the schema and a missing secret key. @throws ConfigProblem, SchemaMismatch, DataFolderInUse, DatabaseUnavailable */
export async function openDatabase(
  config: Config,
  now: EpochSeconds,
  options: OpenOptions = {},
): Promise<OpenedDatabase> {
  if (!hasEmbeddedDatabase(config)) refuseUnusableCurrency(config);
  const seal = findSeal(config);
  const named = seal === null ? options : { ...options, applicationName: serviceSessions(seal) };
  return openSafely(config, named, async (database, notices) => {
    if (currencyProblem(config.currency) !== null && !(await holdsState(database)))
      refuseUnusableCurrency(config);
    const migrated = await migrate(database, notices);
    const state = (await findState(database)) ?? (await begin(database, config, now));
    return { database: await inItsGroups(database, config), seal: agreeOnState(state, config), migrated };
  });
}

/** Divides a new database if several shards are configured. @throws ConfigProblem, SchemaMismatch */
export async function divideNew(
  database: Database,
  config: Pick<Config, 'accountGroups' | 'database'>,
): Promise<void> {
  const { accountGroups } = config;
  refuseGroupsOfEmbedded(config);
  if (accountGroups === null || accountGroups === 1) return;
  await database.transaction(
    async (transaction) => {
      await lockSchema(transaction);
      // Another first start, or one that was interrupted, may have divided it already.
      if ((await findDivision(transaction)) === null) await divideAccounts(transaction, accountGroups);
    },
    { timeoutMilliseconds: null },
  );
  await spreadGroups(database);
}

/** Distributes the shards over servers if the database has Citus. Safe to repeat. */
export async function spreadGroups(database: Database): Promise<void> {
  const division = (await isCitus(database)) ? await findDivision(database) : null;
  if (division === null) return;
  await database.transaction((transaction) => distribute(transaction, division), {
    timeoutMilliseconds: null,
  });
}

export function refuseGroupsOfEmbedded({
  accountGroups,
  database,
}: Pick<Config, 'accountGroups' | 'database'>): void {
  if (database.kind !== 'embedded' || accountGroups === null || accountGroups === 1) return;
  throw new ConfigProblem(
    'ACCOUNT_GROUPS needs PostgreSQL: the embedded database holds all accounts in one group.',
  );
}

/** @throws ConfigProblem if another number of shards is configured; SchemaMismatch if a shard is missing */
export async function inItsGroups(
  database: Database,
  { accountGroups }: Pick<Config, 'accountGroups'>,
): Promise<Database> {
  const division = await findDivision(database);
  const count = division?.groups.length ?? 1;
  if (accountGroups !== null && accountGroups !== count) {
    throw new ConfigProblem(
      `ACCOUNT_GROUPS is ${accountGroups}, but the accounts of this database are in ${count === 1 ? 'one group' : `${count} groups`}: set it to ${count}, or leave it out.`,
    );
  }
  return division === null ? database : database.inGroups(division);
}

/** Creates no secret key. `migrate` also records the key if given; `any` accepts an older schema. @throws as openDatabase */
export function findDatabase(
  config: Config,
  now: EpochSeconds,
  schema: 'migrate' | 'current' | 'any',
  options: OpenOptions = {},
): Promise<FoundDatabase> {
  if (schema !== 'migrate') refuseMissing(config);
  return openSafely(config, options, async (database, notices) => {
    const migrated = schema === 'migrate' ? await migrate(database, notices) : [];
    const hasSchema = (await listMigrations(database)).length > 0;
    if (hasSchema) await checkMigrations(database);
    if (!hasSchema || (schema === 'current' && !(await isMigrated(database, readMigrations())))) {
      throw new SchemaMismatch(
        'The database does not have the schema of this version: run "sellthrough migrate".',
      );
    }
    const isNew = schema === 'migrate' && findSecretKey(config) !== null;
    const state = (await findState(database)) ?? (isNew ? await begin(database, config, now) : null);
    const seal = state === null ? null : agreeOnState(state, config);
    // Callers with `any` read no accounts, and an older schema may have no shards.
    return { database: schema === 'any' ? database : await inItsGroups(database, config), seal, migrated };
  });
}

async function openSafely<Opened>(
  config: Config,
  { limits = defaultLimits.database, say, applicationName }: OpenOptions & { applicationName?: string },
  work: (database: Database, notices: { notices?: Notices }) => Promise<Opened>,
): Promise<Opened> {
  const database = await connectDatabase(config, limits, applicationName);
  try {
    if (!config.allowUnsafeDatabase) await checkDurability(database);
    await refuseUnfinishedRestore(database);
    return await work(
      database,
      say === undefined ? {} : { notices: { say, everyMilliseconds: limits.noticeMilliseconds } },
    );
  } catch (error) {
    await database.close().catch(() => undefined);
    if (!(error instanceof StatementFailed) || error.code !== insufficientPrivilege) throw error;
    throw new ConfigProblem(
      `The role of DATABASE_URL lacks a privilege that the service needs: ${error.message}. docs/postgresql.md lists the ones it needs.`,
      { cause: error },
    );
  }
}

/** Always true for PostgreSQL, where only a connection shows whether the database exists. */
export function hasEmbeddedDatabase({ database }: Pick<Config, 'database'>): boolean {
  return database.kind !== 'embedded' || existsSync(join(database.dataDir, 'postgres'));
}

/** A mistyped DATA_DIR must not become a new database. */
function refuseMissing(config: Config): void {
  const { database } = config;
  if (database.kind !== 'embedded' || hasEmbeddedDatabase(config)) return;
  throw new ConfigProblem(
    `There is no database in ${resolve(database.dataDir)}: set DATA_DIR to the folder of the service, or start it there first.`,
  );
}

export async function connectDatabase(
  config: Pick<Config, 'database'>,
  limits: Limits['database'] = defaultLimits.database,
  applicationName?: string,
): Promise<Database> {
  return config.database.kind === 'embedded'
    ? openEmbedded({ dataDir: config.database.dataDir, queue: limits.queue })
    : openPostgres({
        connectionString: config.database.connectionString,
        ...(applicationName !== undefined && { applicationName }),
        ...limits,
      });
}

const durability: SqlStatement = {
  name: 'durability',
  text: `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('server_version_num')::int as version`,
};

const oldestVersion = 150_000;

/** @throws ConfigProblem when the server is too old, or may lose acknowledged commits */
export async function checkDurability(database: Queryable): Promise<void> {
  const [row = {}] = await database.query(durability);
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((setting) => row[setting] === 'off');
  if (off.length > 0) {
    throw new ConfigProblem(
      `The database has ${off.join(' and ')} off and may lose acknowledged orders. Switch it on, or set ALLOW_UNSAFE_DATABASE=1 for an experiment.`,
    );
  }
  if (Number(row['version']) < oldestVersion)
    throw new ConfigProblem('DATABASE_URL must point to PostgreSQL 15 or newer.');
}

/** The first start decides the currency and the secret key. */
async function begin(database: Database, config: Config, now: EpochSeconds): Promise<ServiceState> {
  refuseUnusableCurrency(config);
  await divideNew(database, config);
  const seal = findSeal(config) ?? createSeal(makeSecretKey(config));
  return beginState(database, { seal, currency: config.currency, now });
}

function makeSecretKey({ database }: Config): string {
  if (database.kind !== 'embedded') throw new ConfigProblem('SECRET_KEY is required with DATABASE_URL.');
  return makeKeptSecretKey(database.dataDir);
}

/** SECRET_KEY, or the generated key of an embedded service; null if neither exists. @throws ConfigProblem */
export function findSecretKey({ secretKey, database }: Config): string | null {
  if (secretKey !== null || database.kind !== 'embedded') return secretKey;
  const kept = findKeptSecretKey(database.dataDir);
  if (kept === null || kept.length >= secretKeyLengthMin) return kept;
  throw new ConfigProblem(
    `${keptSecretKeyPath(database.dataDir)} is damaged. Restore it from your copy, or set SECRET_KEY.`,
  );
}

/** For new databases only: an existing one holds real balances. @throws ConfigProblem */
export function refuseUnusableCurrency({ currency }: Pick<Config, 'currency'>): void {
  const problem = currencyProblem(currency);
  if (problem !== null)
    throw new ConfigProblem(`CURRENCY is ${currency}, which ${problem}: choose another, such as USD.`);
}

async function holdsState(database: Database): Promise<boolean> {
  const [table] = await database.query({
    name: '',
    text: "select to_regclass('service_state') is not null as has",
  });
  return table?.['has'] === true && (await findState(database)) !== null;
}

export function findSeal(config: Config): Seal | null {
  const secretKey = findSecretKey(config);
  return secretKey === null ? null : createSeal(secretKey, config.secretKeyPrevious);
}

/** @throws ConfigProblem if the database has another currency or key */
function agreeOnState(state: ServiceState, config: Config): Seal {
  if (state.currency !== config.currency) {
    throw new ConfigProblem(
      `CURRENCY is ${config.currency}, but this database holds ${state.currency}. Set CURRENCY=${state.currency}.`,
    );
  }
  const seal = findSeal(config);
  const problem = secretKeyProblem(seal, state.secretKeyCheck, config);
  if (seal === null || problem !== null) throw new ConfigProblem(`${problem}.`);
  return seal;
}

/** Why the known keys do not match the database, and what to do; null if one matches. */
export function secretKeyProblem(
  seal: Seal | null,
  sealedCheck: string,
  { secretKey: given, secretKeyPrevious, database }: Config,
): string | null {
  if (seal !== null && checkState(seal, sealedCheck) !== 'unreadable') return null;
  if (given !== null || database.kind !== 'embedded') {
    const neither = secretKeyPrevious === null ? '' : ', nor is SECRET_KEY_PREVIOUS';
    return `SECRET_KEY is not the one this database was set up with${neither}. Set it to the original key`;
  }
  const path = keptSecretKeyPath(resolve(database.dataDir));
  return seal === null
    ? `This database was set up with a secret key, but ${path} is missing. Restore it from your copy, or set SECRET_KEY`
    : `The key in ${path} is not the one this database was set up with. Restore the right one, or set SECRET_KEY`;
}
