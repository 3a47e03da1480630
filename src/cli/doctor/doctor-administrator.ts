// doctor's checks of the first administrator's secrets: a leftover secrets file, and a key that an earlier version may have
// printed to a log.

import { existsSync } from 'node:fs';
import type { Queryable } from '../../platform/database/database.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import type { Config } from '../../setup/config.ts';
import { firstAdministratorFile } from '../../setup/first-administrator-file.ts';
import { commandIo } from '../command-io.ts';

export function checkAdministratorFile(config: Config): Check[] {
  const path = firstAdministratorFile(config, commandIo().cwd);
  if (!existsSync(path)) return [];
  const says = `${path} holds the secrets that the first start generated: copy them, then delete the file`;
  return [{ name: 'first secrets', state: 'warn', says }];
}

// From this migration on, unattended starts write secrets to a file.
const shownBefore = 8;

const findShownKey = `select a.username::text from accounts a join api_keys k on k.account_id = a.id
  where a.is_admin and k.is_first and k.revoked_at is null and k.created_at = a.created_at
    and a.created_at < (select applied_at - interval '1 minute' from schema_migrations where number = ${shownBefore})
  order by a.id limit 1`;

/** Requires the current schema. `isGiven`: the key came from the configuration and was never shown. */
export async function checkFirstKey(database: Queryable, isGiven: boolean): Promise<Check[]> {
  const [row] = isGiven ? [] : await database.query({ name: '', text: findShownKey });
  if (row === undefined) return [];
  const who = String(row['username']);
  const says = `${who} still has the key that the first start showed: if that went to a log, replace it with "sellthrough account key ${who}"`;
  return [{ name: 'first key', state: 'warn', says }];
}
