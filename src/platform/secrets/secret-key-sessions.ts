// Processes publish the names of the secret keys that they know in application_name, which is read before a reseal and
// before accounts are divided.
// Invariant: a dead process disappears with its session. Key names reveal nothing about the keys.

import { hostname } from 'node:os';
import type { Queryable, SqlStatement } from '../database/database.ts';
import { commandSessions } from '../database/postgres/postgres-client.ts';
import type { Seal } from './seal.ts';

export function processName(): string {
  return `${hostname()}, process ${process.pid}`;
}

/** A service's application_name. PostgreSQL truncates it at 63 bytes, which may cut a long host name. */
export function serviceSessions({ keyNames }: Pick<Seal, 'keyNames'>): string {
  return `sellthrough ${keyNames.join('+')} ${processName()}`;
}

/** The application_name of the first edition, which knows one key and does not publish its name. */
const firstEdition = 'sellthrough';

const listSessions: SqlStatement = {
  name: 'list_service_sessions',
  text: `select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name ~ '^${firstEdition}( |$)' order by 1`,
};

export async function listServices(database: Queryable): Promise<string[]> {
  const names = (await database.query(listSessions)).map((row) => String(row['name']));
  return names
    .filter((name) => name !== commandSessions)
    .map((name) => (name === firstEdition ? earlierVersion : name.replace(/^\w+ \S+ /s, '')));
}

const earlierVersion = `one of an earlier version, in a session called "${firstEdition}"`;

/** The services that do not know a key. An embedded database has no other session than the caller's. */
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
