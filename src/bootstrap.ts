// What a start does before it serves: opens the database, brings its schema up to date, checks that it is
// safe and that the secret key is the right one; and then makes the first administrator and the demo.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount, findAccountByUsername, findAdministratorId } from './accounts/account-store.ts';
import { createSeal, mintApiKey } from './accounts/api-key.ts';
import { openApiKey } from './accounts/api-key-store.ts';
import { demoPackages } from './catalog/demo-packages.ts';
import { createPackage } from './catalog/package-store.ts';
import { type Config, ConfigProblem, defaultLimits, type Limits } from './config.ts';
import { formatAmount } from './contract/amounts.ts';
import { currencyProblem } from './contract/currencies.ts';
import type { EpochSeconds } from './contract/times.ts';
import type { Service } from './create-service.ts';
import { type Database, type Queryable, type Statement, StatementFailed } from './database/database.ts';
import { openEmbedded } from './database/embedded.ts';
import {
  insufficientPrivilege,
  isMigrated,
  migrate,
  readMigrations,
  SchemaMismatch,
} from './database/migrate.ts';
import { openPostgres } from './database/postgres.ts';
import { type DraftedSecrets, type FirstAdministrator, nothingDrafted } from './first-administrator-file.ts';
import { hashPassword, mintPassword } from './identity/password.ts';
import { passwordProblem } from './identity/password-rules.ts';

export interface OpenedDatabase {
  readonly database: Database;
  readonly secretKey: string;
  /** Names of the migrations that ran just now. */
  readonly migrated: readonly string[];
}

/** @throws ConfigProblem, SchemaMismatch, DataFolderInUse, DatabaseUnavailable: each with a sentence for people */
export async function openDatabase(
  config: Config,
  now: EpochSeconds,
  {
    mayMigrate = true,
    limits = defaultLimits.database,
    say,
  }: {
    mayMigrate?: boolean;
    limits?: Limits['database'];
    /** Hears, a sentence at a time, what takes long. */
    say?: (sentence: string) => void;
  } = {},
): Promise<OpenedDatabase> {
  if (!hasEmbeddedDatabase(config)) refuseUnusableCurrency(config);
  const database = await connectDatabase(config, limits);
  try {
    if (currencyProblem(config.currency) !== null && !(await holdsState(database)))
      refuseUnusableCurrency(config);
    if (!config.allowUnsafeDatabase) await checkDurability(database);
    const notices =
      say === undefined ? {} : { notices: { say, everyMilliseconds: limits.noticeMilliseconds } };
    const migrated = mayMigrate ? await migrate(database, notices) : [];
    if (!mayMigrate && !(await isMigrated(database, readMigrations()).catch(() => false))) {
      throw new SchemaMismatch(
        'The database does not have the schema of this version: run "sellthrough migrate".',
      );
    }
    const secretKey = config.secretKey ?? keptSecretKey(config);
    await agreeOnState(database, config, secretKey, now);
    return { database, secretKey, migrated };
  } catch (error) {
    await database.close().catch(() => undefined);
    if (!(error instanceof StatementFailed) || error.code !== insufficientPrivilege) throw error;
    throw new ConfigProblem(
      `The role of DATABASE_URL lacks a right that the service needs: ${error.message}. Which ones it needs is in docs/postgresql.md.`,
      { cause: error },
    );
  }
}

/** Whether the folder of an embedded database has been set up; true for PostgreSQL, which can only be asked. */
export function hasEmbeddedDatabase({ database }: Pick<Config, 'database'>): boolean {
  return database.kind !== 'embedded' || existsSync(join(database.dataDir, 'postgres'));
}

/** The database as it is: nothing is checked, nothing is made in it. */
export async function connectDatabase(
  config: Pick<Config, 'database'>,
  limits: Limits['database'] = defaultLimits.database,
): Promise<Database> {
  return config.database.kind === 'embedded'
    ? openEmbedded({ dataDir: config.database.dataDir, queue: limits.queue })
    : openPostgres({ connectionString: config.database.connectionString, ...limits });
}

const durability: Statement = {
  name: 'durability',
  text: `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('server_version_num')::int as version`,
};

const oldestVersion = 150_000;

/** @throws ConfigProblem when the server is too old, or may lose what it acknowledged */
export async function checkDurability(database: Queryable): Promise<void> {
  const [row = {}] = await database.query(durability);
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((setting) => row[setting] === 'off');
  if (off.length > 0) {
    throw new ConfigProblem(
      `The database has ${off.join(' and ')} off and may lose acknowledged orders. Switch it on, or set ALLOW_UNSAFE_DATABASE=1 for an experiment.`,
    );
  }
  if (Number(row['version']) < oldestVersion)
    throw new ConfigProblem('DATABASE_URL must lead to PostgreSQL 15 or newer.');
}

const secretKeyFile = 'secret.key';

/** The key that an embedded service made for itself; null: there is none yet. */
export function findKeptSecretKey({ database }: Pick<Config, 'database'>): string | null {
  if (database.kind !== 'embedded') return null;
  const path = join(database.dataDir, secretKeyFile);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

function keptSecretKey(config: Config): string {
  if (config.database.kind !== 'embedded')
    throw new ConfigProblem('SECRET_KEY is required with DATABASE_URL.');
  const path = join(config.database.dataDir, secretKeyFile);
  // This folder is locked by this process. Renamed when complete: a key is whole or not there.
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  const kept = readFileSync(path, 'utf8').trim();
  if (kept.length < 32) throw new ConfigProblem(`${path} is damaged: restore it, or set SECRET_KEY.`);
  return kept;
}

const insertState: Statement = {
  name: 'insert_service_state',
  text: `insert into service_state (currency, secret_key_check, created_at) values ($1, $2, to_timestamp($3::bigint))
    on conflict do nothing`,
};

const findState: Statement = {
  name: 'find_service_state',
  text: 'select currency, secret_key_check from service_state',
};

const checkText = 'sellthrough';
const checkContext = 'secret key check';

async function agreeOnState(
  database: Database,
  config: Config,
  secretKey: string,
  now: EpochSeconds,
): Promise<void> {
  const seal = createSeal(secretKey);
  await database.query(insertState, [config.currency, seal.seal(checkText, checkContext), now]);
  const [row = {}] = await database.query(findState);
  if (row['currency'] !== config.currency) {
    throw new ConfigProblem(
      `CURRENCY is ${config.currency}, but this database holds ${String(row['currency'])}.`,
    );
  }
  if (!opensSecretKeyCheck(secretKey, String(row['secret_key_check']))) {
    throw new ConfigProblem(
      'SECRET_KEY is not the one this database was set up with: its sealed keys do not open.',
    );
  }
}

/**
 * Of a database that does not exist yet. One that holds such a currency goes on: its balances are somebody's money.
 * @throws ConfigProblem
 */
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
  return table?.['has'] === true && (await database.query(findState)).length > 0;
}

/** Whether this is the key that a database, or a backup of it, was set up with. */
export function opensSecretKeyCheck(secretKey: string, sealedCheck: string): boolean {
  try {
    createSeal(secretKey).open(sealedCheck, checkContext);
    return true;
  } catch {
    return false;
  }
}

// An administrator's console and scripts ask more often than a reseller's.
const administratorRateLimitPerMinute = 6_000;

/**
 * Creates the first administrator. null: there is one already. `draft`: hears of the secrets before they count, so that
 * none is made that nobody will know. @throws ConfigProblem
 */
export async function createFirstAdministrator(
  database: Database,
  { seal }: Service,
  { administrator }: Config,
  now: EpochSeconds,
  draft: (first: FirstAdministrator) => DraftedSecrets = () => nothingDrafted,
): Promise<FirstAdministrator | null> {
  if ((await findAdministratorId(database)) !== null) return null;
  await checkAdministratorPassword(administrator);
  const password = administrator.password ?? mintPassword();
  const apiKey = administrator.apiKey ?? mintApiKey();
  const first: FirstAdministrator = {
    username: administrator.username,
    password: administrator.password === null ? password : null,
    apiKey: administrator.apiKey === null ? apiKey : null,
  };
  const drafted = draft(first);
  const created = await createAccount(
    database,
    seal,
    {
      username: administrator.username,
      displayName: 'Administrator',
      group: 'distributor',
      isAdmin: true,
      passwordHash: await hashPassword(password),
      rateLimitPerMinute: administratorRateLimitPerMinute,
      allowedIps: [],
    },
    { actorId: null, now },
    apiKey,
  );
  // Another process was faster.
  if (created === null) {
    drafted.discard();
    return null;
  }
  drafted.keep();
  return first;
}

/** Asked when it is about to be used: a service that has its administrator goes on starting. @throws ConfigProblem */
export async function checkAdministratorPassword({
  username,
  password,
}: Config['administrator']): Promise<void> {
  const problem = password === null ? null : await passwordProblem(password, [username]);
  if (problem !== null) throw new ConfigProblem(`ADMIN_PASSWORD ${problem}.`);
}

const demoUsername = 'demo';
const demoCreditCents = 50_000n;
const demoRateLimitPerMinute = 60;

export interface DemoReseller {
  readonly apiKey: string;
  /** Known to the start that made the account, and to nobody after it. */
  readonly password: string | null;
  readonly credit: string;
}

const startDemo: Statement = {
  name: 'start_demo',
  text: `update service_state set demo_started = true where not demo_started
      and not exists (select from packages) and not exists (select from accounts where not is_admin)
    returning demo_started`,
};

const findDemo: Statement = {
  name: 'find_demo',
  text: 'select demo_started, demo_account_id from service_state',
};

const noteDemo: Statement = { name: 'note_demo', text: 'update service_state set demo_account_id = $1::int' };

/**
 * On an empty database: packages, the reseller "demo" and its credit. Later the same reseller's key again.
 * null: this database was not begun as a demo, or another process is making it one.
 */
export async function prepareDemo(
  database: Database,
  service: Service,
  now: EpochSeconds,
): Promise<DemoReseller | null> {
  const actorId = await findAdministratorId(database);
  if (actorId === null) return null;
  const isOurs = (await database.query(startDemo)).length > 0;
  const [state = {}] = await database.query(findDemo);
  // An interrupted one is finished where no other process can be at it.
  const isUnfinished = state['demo_started'] === true && database.kind === 'embedded';
  const known = state['demo_account_id'] === null ? null : Number(state['demo_account_id']);
  if (known === null && !isOurs && !isUnfinished) return null;
  const password = mintPassword();
  const made = known === null ? await makeDemo(database, service, password, { actorId, now }) : null;
  const accountId = known ?? made?.id ?? null;
  if (accountId === null) return null;

  // By its key the credit is given once, even when a start was interrupted.
  await service.engine.submit({
    type: 'credit',
    accountId,
    actorId,
    amountCents: demoCreditCents,
    memo: 'Demo credit',
    idempotencyKey: 'demo-credit',
    keyIsMinted: false,
  });
  const apiKey = await openApiKey(database, service.seal, accountId);
  if (apiKey === null) return null;
  return { apiKey, password: made?.isNew ? password : null, credit: formatAmount(demoCreditCents) };
}

/** Makes what is missing of the demo; returns its account. */
async function makeDemo(
  database: Database,
  { seal, packages }: Service,
  password: string,
  actor: { actorId: number; now: EpochSeconds },
): Promise<{ id: number; isNew: boolean } | null> {
  const names = new Set([...(await packages.reload()).byId.values()].map(({ name }) => name));
  for (const one of demoPackages) if (!names.has(one.name)) await createPackage(database, one, actor);
  await packages.reload();
  const created = await createAccount(
    database,
    seal,
    {
      username: demoUsername,
      displayName: 'Demo reseller',
      group: 'reseller',
      isAdmin: false,
      passwordHash: await hashPassword(password),
      rateLimitPerMinute: demoRateLimitPerMinute,
      allowedIps: [],
    },
    actor,
  );
  const account = created?.account ?? (await findAccountByUsername(database, demoUsername));
  if (account !== null) await database.query(noteDemo, [account.id]);
  return account === null ? null : { id: account.id, isNew: created !== null };
}
