// doctor's database checks. They never create an embedded database, nor open one that a service has open.

import type { Database, Row } from '../../platform/database/database.ts';
import { StatementFailed } from '../../platform/database/database.ts';
import { DataFolderInUse } from '../../platform/database/embedded/data-lock.ts';
import { hostText, readHostList } from '../../platform/database/postgres/database-hosts.ts';
import { askHost } from '../../platform/database/postgres/postgres-client.ts';
import { readMigrations } from '../../platform/database/schema/migrate.ts';
import { listMigrations } from '../../platform/database/schema/table-catalog.ts';
import { checkState, findState, type ServiceState } from '../../platform/secrets/service-state.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import { type Config, defaultLimits } from '../../setup/config.ts';
import { errorMessageOf } from '../../setup/error-message.ts';
import {
  connectDatabase,
  findSeal,
  hasEmbeddedDatabase,
  secretKeyProblem,
} from '../../setup/open-database.ts';
import { countSealed } from '../../setup/reseal.ts';
import { currencyProblem } from '../../shared/currencies.ts';
import { checkFirstKey } from './doctor-administrator.ts';
import { checkRole } from './doctor-role.ts';
import { checkGroups, findGroups } from './doctor-shards.ts';

const oldestVersion = 150_000;
const clockSecondsGood = 2;
const clockSecondsMax = 30;

export async function checkDatabase(config: Config): Promise<Check[]> {
  if (!hasEmbeddedDatabase(config)) {
    const database: Check = { name: 'database', state: 'ok', says: 'the first start creates it' };
    return [checkClockAlone(), database, ...checkCurrency(config, null)];
  }
  const hosts = await checkHosts(config);
  let database: Database;
  try {
    database = await connectDatabase(config);
  } catch (error) {
    if (error instanceof DataFolderInUse) {
      const says = 'a running service has it open; ask it with "sellthrough doctor --health"';
      return [checkClockAlone(), { name: 'database', state: 'ok', says }];
    }
    return [checkClockAlone(), { name: 'database', state: 'fail', says: errorMessageOf(error) }];
  }
  try {
    return [...hosts, ...(await askDatabase(config, database))];
  } catch (error) {
    return [...hosts, checkClockAlone(), { name: 'database', state: 'fail', says: errorMessageOf(error) }];
  } finally {
    await database.close().catch(() => undefined);
  }
}

async function checkHosts({ database }: Config): Promise<Check[]> {
  const list = database.kind === 'postgres' ? readHostList(database.connectionString) : null;
  if (list === null) return [];
  const options = { ...defaultLimits.database, connectionString: list.connectionString };
  const identifiers = new Set<string>();
  let takers = 0;
  let silent = 0;
  const answers = await Promise.all(
    list.hosts.map(async (host) => {
      try {
        const { systemIdentifier, timeline, isReadOnly } = await askHost(options, host);
        identifiers.add(systemIdentifier);
        const takesWrites = timeline !== null && !isReadOnly;
        if (takesWrites) takers += 1;
        const what = takesWrites
          ? `takes writes, timeline ${timeline}`
          : isReadOnly
            ? 'read-only'
            : 'a standby';
        return `${hostText(host)} ${what}, system identifier ${systemIdentifier}`;
      } catch (error) {
        silent += 1;
        return `${hostText(host)} does not answer (${error instanceof Error ? error.message : error})`;
      }
    }),
  );
  const isWrong = identifiers.size > 1 || takers === 0;
  const state = isWrong ? 'fail' : silent > 0 || takers > 1 ? 'warn' : 'ok';
  const end = identifiers.size > 1 ? ': they belong to different clusters' : '';
  return [{ name: 'database hosts', state, says: `${answers.join('; ')}${end}` }];
}

const settings = `select current_setting('server_version') as version_text,
  current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit, current_setting('max_connections')::int as connections,
  current_setting('server_encoding') as encoding, current_setting('default_transaction_read_only') as read_only,
  pg_is_in_recovery() as is_standby, current_setting('data_checksums') as checksums,
  extract(epoch from clock_timestamp())::float8 as clock`;

async function askDatabase(config: Config, database: Database): Promise<Check[]> {
  const asked = Date.now() / 1000;
  const [row = {}] = await database.query({ name: '', text: settings });
  const answered = Date.now() / 1000;
  const groups = await findGroups(database);
  const checks: Check[] = [
    checkVersion(row),
    checkDurable(row, config.allowUnsafeDatabase),
    checkWritable(row),
    ...(database.kind === 'postgres' ? [checkServer(row, Math.max(groups.schemas.length, 1))] : []),
  ];
  const applied = await listMigrations(database);
  const schema = checkSchema(applied);
  checks.push(schema);
  const newest = applied.length === 0 ? null : await findNewest(database);
  if (database.kind === 'postgres') checks.push(await checkRole(database, groups.schemas));
  checks.push(checkClock(Number(row['clock']), asked, answered, newest));
  const state = applied.length === 0 ? null : await findState(database);
  if (state !== null) checks.push(...(await checkGroups(config, database, groups)));
  if (applied.length > 0) checks.push(await checkSecretKey(config, database, { state, schema }));
  if (schema.state === 'ok')
    checks.push(...(await checkFirstKey(database, config.administrator.apiKey !== null)));
  return [...checks, ...checkCurrency(config, state?.currency ?? null)];
}

function checkVersion({ version, version_text: text }: Row): Check {
  return Number(version) < oldestVersion
    ? { name: 'database', state: 'fail', says: `PostgreSQL ${text} is too old: 15 or newer is needed` }
    : { name: 'database', state: 'ok', says: `PostgreSQL ${text} answers` };
}

function checkDurable(row: Row, isAllowed: boolean): Check {
  const name = 'durability';
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((setting) => row[setting] === 'off');
  if (off.length === 0) return { name, state: 'ok', says: 'a commit is on disk when it is acknowledged' };
  const says = `${off.join(' and ')} off: acknowledged orders may be lost; switch ${off.length === 1 ? 'it' : 'them'} on in postgresql.conf`;
  return isAllowed
    ? { name, state: 'warn', says: `${says} (ALLOW_UNSAFE_DATABASE=1 starts anyway)` }
    : { name, state: 'fail', says };
}

function checkWritable({ read_only: readOnly, is_standby: isStandby, encoding }: Row): Check {
  const name = 'writing';
  if (isStandby === true)
    return { name, state: 'fail', says: 'the server is a standby: DATABASE_URL must point to the primary' };
  if (readOnly === 'on')
    return { name, state: 'fail', says: 'default_transaction_read_only is on: switch it off' };
  if (encoding !== 'UTF8')
    return { name, state: 'fail', says: `the database's encoding is ${encoding}: create it with UTF8` };
  return { name, state: 'ok', says: 'the server takes writes' };
}

/** Connections for orders count for each shard, because each has its own. */
function checkServer({ connections, checksums }: Row, groups: number): Check {
  const name = 'server settings';
  const { orderConnections, lookupConnections, readConnections } = defaultLimits.database;
  const perProcess = groups * orderConnections + lookupConnections + readConnections + 1;
  if (Number(connections) < perProcess + 5) {
    return {
      name,
      state: 'fail',
      says: `max_connections is ${connections}: a process of the service takes up to ${perProcess}; raise it`,
    };
  }
  if (checksums === 'off') {
    return {
      name,
      state: 'warn',
      says: 'data checksums are off: a failing disk is found late; switch them on with pg_checksums --enable',
    };
  }
  return {
    name,
    state: 'ok',
    says: `max_connections ${connections}, enough for ${Math.floor((Number(connections) - 5) / perProcess)} processes`,
  };
}

function checkSchema(applied: readonly { name: string; checksum: string }[]): Check {
  const name = 'schema';
  const ours = readMigrations();
  if (applied.length > ours.length) {
    return {
      name,
      state: 'fail',
      says: `newer than this program (${applied.at(-1)?.name}): start the version that made it, or a later one`,
    };
  }
  const changed = applied.find(({ checksum }, index) => ours[index]?.checksum !== checksum);
  if (changed !== undefined)
    return { name, state: 'fail', says: `migration ${changed.name} is not this program's` };
  const missing = ours.length - applied.length;
  if (missing > 0) {
    const says =
      applied.length === 0
        ? 'empty: the next start, or "sellthrough migrate", fills it'
        : `${missing} migrations behind: the next start, or "sellthrough migrate", runs them`;
    return { name, state: 'warn', says };
  }
  return { name, state: 'ok', says: `up to date (${ours.at(-1)?.name})` };
}

async function findNewest(database: Database): Promise<number | null> {
  const [row] = await database.query({
    name: '',
    text: 'select at from audit_log order by number desc limit 1',
  });
  return row === undefined ? null : Number(row['at']);
}

function checkClock(theirs: number, asked: number, answered: number, newest: number | null): Check {
  const name = 'clock';
  const off = theirs < asked ? asked - theirs : Math.max(0, theirs - answered);
  if (newest !== null && newest > answered + clockSecondsGood) {
    return {
      name,
      state: 'fail',
      says: `it is behind the newest record (${new Date(newest * 1000).toISOString()}): set the machine's time`,
    };
  }
  if (off > clockSecondsGood) {
    const says = `this machine and the database's differ by ${off.toFixed(0)} s: run NTP on both`;
    return { name, state: off > clockSecondsMax ? 'fail' : 'warn', says };
  }
  return {
    name,
    state: 'ok',
    says: `${new Date(answered * 1000).toISOString().slice(0, 19)}Z, the same in the database`,
  };
}

function checkClockAlone(): Check {
  return {
    name: 'clock',
    state: 'ok',
    says: `${new Date().toISOString().slice(0, 19)}Z; nothing to compare it with`,
  };
}

const undefinedTable = '42P01';

async function checkSecretKey(
  config: Config,
  database: Database,
  { state, schema }: { readonly state: ServiceState | null; readonly schema: Check },
): Promise<Check> {
  const name = 'secret key';
  if (state === null) return { name, state: 'ok', says: 'not used yet' };
  const seal = findSeal(config);
  const problem = secretKeyProblem(seal, state.secretKeyCheck, config);
  if (seal === null || problem !== null) return { name, state: 'fail', says: String(problem) };
  // With an older schema, sealed texts are counted only after the upgrade.
  if (schema.state !== 'ok') return { name, state: 'ok', says: 'opens the keys of this database' };
  const counted = await countSealed(database, seal).catch((error: unknown) => {
    // A missing account group is reported by its own check.
    if (error instanceof StatementFailed && error.code === undefinedTable) return null;
    throw error;
  });
  if (counted === null) return { name, state: 'ok', says: 'opens the keys of this database' };
  const { previous, unreadable } = counted;
  if (unreadable > 0) {
    const says = `${unreadable} sealed texts cannot be opened with the keys given: set SECRET_KEY_PREVIOUS to the previous key`;
    return { name, state: 'fail', says };
  }
  if (previous > 0 || checkState(seal, state.secretKeyCheck) === 'previous') {
    const says = `${previous} texts are sealed under SECRET_KEY_PREVIOUS: run "sellthrough reseal", and keep it until then`;
    return { name, state: 'warn', says };
  }
  return config.secretKeyPrevious === null
    ? { name, state: 'ok', says: 'opens the keys of this database' }
    : {
        name,
        state: 'ok',
        says: 'opens the keys of this database; nothing is sealed under SECRET_KEY_PREVIOUS',
      };
}

/** `held`: the database's currency, or null before the first start. */
function checkCurrency({ currency }: Config, held: string | null): Check[] {
  const name = 'currency';
  if (held !== null && held !== currency)
    return [{ name, state: 'fail', says: `CURRENCY is ${currency}, but this database holds ${held}` }];
  const problem = currencyProblem(currency);
  if (problem === null) return [];
  const says = `CURRENCY is ${currency}, which ${problem}`;
  return [
    held === null ? { name, state: 'fail', says: `${says}: choose another` } : { name, state: 'warn', says },
  ];
}
