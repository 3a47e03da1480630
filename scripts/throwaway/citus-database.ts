// A fresh database on the Citus coordinator and every worker, for `npm run test:citus`. Not copied from a template, because
// a copy lacks Citus' metadata about workers.

import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface CitusServers {
  readonly coordinator: string;
  /** "host:port" as the coordinator reaches each worker. */
  readonly workers: readonly string[];
}

export const citusServersWanted =
  'This needs PostgreSQL servers with Citus 13 or newer: name the coordinator in TEST_CITUS_URL (postgres://superuser@host:port/postgres) and its workers in TEST_CITUS_WORKERS (host:port,host:port).';

export function citusServers(environment: NodeJS.ProcessEnv = process.env): CitusServers | null {
  const coordinator = environment['TEST_CITUS_URL'];
  const workers = environment['TEST_CITUS_WORKERS']?.split(',').filter((worker) => worker !== '') ?? [];
  return coordinator === undefined || workers.length === 0 ? null : { coordinator, workers };
}

export async function createCitusDatabase({ coordinator, workers }: CitusServers): Promise<{
  readonly connectionString: string;
  remove(): Promise<void>;
}> {
  const name = `${prefixOf(process.env['TEST_CITUS_RUN'])}${randomBytes(6).toString('hex')}`;
  const servers = [coordinator, ...workers.map((worker) => at({ coordinator }, worker))];
  for (const server of servers) {
    await onServer(server, `create database ${name}`);
    await onServer(inDatabase(server, name), 'create extension citus');
  }
  const connectionString = inDatabase(coordinator, name);
  const { hostname, port } = new URL(coordinator);
  await onServer(connectionString, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
  // Calls take turns, because two that add roles to a worker at once conflict (tuple concurrently updated).
  const turn = new pg.Client({ connectionString: coordinator });
  await turn.connect();
  try {
    await turn.query('select pg_advisory_lock($1::int)', [lockSpace]);
    for (const worker of servers.slice(1)) {
      const { hostname: host, port: workerPort } = new URL(worker);
      await onServer(connectionString, `select citus_add_node('${host}', ${workerPort || 5432})`);
    }
  } finally {
    await turn.end();
  }
  return {
    connectionString,
    async remove() {
      for (const server of servers) await onServer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

const prefixOf = (run: string | undefined) => `sellthrough_citus_${run === undefined ? '' : `${run}_`}`;

/** Drops databases of earlier runs that were killed: their lock is free. `run` is eight hexadecimal digits. */
export async function beginCitusRun(citus: CitusServers, run: string): Promise<{ end(): Promise<void> }> {
  const { coordinator } = citus;
  const lock = new pg.Client({ connectionString: coordinator });
  await lock.connect();
  const isOurs = async (name: string) => {
    const { rows } = await lock.query('select pg_try_advisory_lock($1::int, $2::int) as is_free', [
      lockSpace,
      Number.parseInt(name, 16) | 0,
    ]);
    return rows[0]?.is_free === true;
  };
  await isOurs(run);
  const { rows } = await lock.query(
    `select distinct substring(datname from '^sellthrough_citus_([0-9a-f]{8})_') as run from pg_database where datname like 'sellthrough\\_citus\\_%'`,
  );
  for (const row of rows) {
    const earlier: unknown = row.run;
    if (typeof earlier === 'string' && earlier !== run && (await isOurs(earlier)))
      await dropAll(citus, earlier);
  }
  return {
    async end() {
      await dropAll(citus, run);
      await lock.end();
    },
  };
}

const lockSpace = 4_721;

async function dropAll({ coordinator, workers }: CitusServers, run: string): Promise<void> {
  for (const server of [coordinator, ...workers.map((worker) => at({ coordinator }, worker))]) {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    try {
      const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
        prefixOf(run),
      ]);
      for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
    } finally {
      await client.end();
    }
  }
}

export function at({ coordinator }: Pick<CitusServers, 'coordinator'>, worker: string): string {
  const url = new URL(coordinator);
  url.host = worker;
  return url.href;
}

function inDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
