// Which secret keys the running processes of a database know: each says so in the name of its sessions
// (application_name), where everybody who is connected can read it. Made by open-database.ts, read before a reseal and before
// accounts are divided.
// Always true: whoever has no session any more is not listed, so nobody has to clear up after a process that was killed; a
// key's name says nothing about the key.

import { hostname } from 'node:os';
import type { Queryable, SqlStatement } from '../database/database.ts';
import { commandSessions } from '../database/postgres/postgres-client.ts';
import type { Seal } from './seal.ts';

/** How others call this process. */
export function processName(): string {
  return `${hostname()}, process ${process.pid}`;
}

/** PostgreSQL cuts it after 63 bytes: a long name of a machine may lose its end. */
export function serviceSessions({ keyNames }: Pick<Seal, 'keyNames'>): string {
  return `sellthrough ${keyNames.join('+')} ${processName()}`;
}

/** What every session of the first edition was called, which knows one key and does not say which. */
const firstEdition = 'sellthrough';

const listSessions: SqlStatement = {
  name: 'list_service_sessions',
  text: `select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name ~ '^${firstEdition}( |$)' order by 1`,
};

/** The processes of services that are connected to the database, by name. */
export async function listServices(database: Queryable): Promise<string[]> {
  const names = (await database.query(listSessions)).map((row) => String(row['name']));
  return names
    .filter((name) => name !== commandSessions)
    .map((name) => (name === firstEdition ? earlierVersion : name.replace(/^\w+ \S+ /s, '')));
}

const earlierVersion = `one of an earlier version, in a session called "${firstEdition}"`;

/** The processes of services, by name, that do not know a key. Of an embedded database there is but the caller's. */
export async function listSessionsWithoutKey(database: Queryable, keyName: string): Promise<string[]> {
  const sessions: string[] = [];
  for (const row of await database.query(listSessions)) {
    const name = String(row['name']);
    if (name === commandSessions) continue;
    const [, keys = '', process = ''] = /^\w+ (\S+) (.*)$/s.exec(name) ?? [];
    if (name === firstEdition) sessions.push(earlierVersion);
    else if (!keys.split('+').includes(keyName)) sessions.push(process);
  }
  return sessions;
}
