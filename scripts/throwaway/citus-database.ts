// A fresh database on servers with Citus: on the coordinator and on every worker, which are made to know each other. The
// tests of `npm run test:citus` get theirs here; PostgreSQL's templates do not carry what Citus knows of its workers.

import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface CitusServers {
  /** A superuser's, of any database there. */
  readonly coordinator: string;
  /** "host:port", as the coordinator reaches them. */
  readonly workers: readonly string[];
}

export const citusServersWanted =
  'This needs PostgreSQL servers with Citus 13 or newer: name the coordinator in TEST_CITUS_URL (postgres://superuser@host:port/postgres) and its workers in TEST_CITUS_WORKERS (host:port,host:port).';

/** Of TEST_CITUS_URL and TEST_CITUS_WORKERS; null: they are not set. */
export function citusServers(environment: NodeJS.ProcessEnv = process.env): CitusServers | null {
  const coordinator = environment['TEST_CITUS_URL'];
  const workers = environment['TEST_CITUS_WORKERS']?.split(',').filter((worker) => worker !== '') ?? [];
  return coordinator === undefined || workers.length === 0 ? null : { coordinator, workers };
}

/** Without tables: whoever starts on it first makes them. */
export async function createCitusDatabase({ coordinator, workers }: CitusServers): Promise<{
  readonly connectionString: string;
  remove(): Promise<void>;
}> {
  const name = `sellthrough_citus_${randomBytes(6).toString('hex')}`;
  const servers = [coordinator, ...workers.map((worker) => at({ coordinator }, worker))];
  for (const server of servers) {
    await onServer(server, `create database ${name}`);
    await onServer(inDatabase(server, name), 'create extension citus');
  }
  const connectionString = inDatabase(coordinator, name);
  const { hostname, port } = new URL(coordinator);
  await onServer(connectionString, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
  for (const worker of servers.slice(1)) {
    const { hostname: host, port: workerPort } = new URL(worker);
    await onServer(connectionString, `select citus_add_node('${host}', ${workerPort || 5432})`);
  }
  return {
    connectionString,
    async remove() {
      for (const server of servers) await onServer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/** The same roles and database on a worker. */
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
