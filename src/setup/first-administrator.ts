// Creates the first administrator if there is none.
// Invariant: exactly one, however many processes start at once.

import { createAccount } from '../features/accounts/account-store.ts';
import { passwordProblem } from '../features/auth/password-rules.ts';
import { mintApiKey } from '../features/identity/api-key.ts';
import { findAdministratorId } from '../features/identity/find-accounts.ts';
import type { Database } from '../platform/database/database.ts';
import { hashPassword, mintPassword } from '../platform/secrets/password-hash.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import type { EpochSeconds } from '../shared/times.ts';
import type { Config } from './config.ts';
import { type DraftedSecrets, type FirstAdministrator, nothingDrafted } from './first-administrator-file.ts';
import { ConfigProblem } from './settings.ts';

// Consoles and scripts send more requests than a reseller.
const administratorRateLimitPerMinute = 6_000;

/** @returns null if there is one already. `draft` stores the secrets first, so that none gets lost. @throws ConfigProblem */
export async function createFirstAdministrator(
  database: Database,
  seal: Seal,
  { administrator }: Config,
  now: EpochSeconds,
  draft: (first: FirstAdministrator) => DraftedSecrets = () => nothingDrafted,
): Promise<FirstAdministrator | null> {
  if ((await findAdministratorId(database)) !== null) return null;
  await checkAdministratorPassword(administrator);
  const password = administrator.password ?? mintPassword();
  const apiKey = administrator.apiKey ?? mintApiKey('live');
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
    { key: apiKey },
  );
  // Another process was faster.
  if (created === null) {
    drafted.discard();
    return null;
  }
  drafted.keep();
  return first;
}

/** Checked only before use, so that a service that has an administrator starts with any value. @throws ConfigProblem */
export async function checkAdministratorPassword({
  username,
  password,
}: Config['administrator']): Promise<void> {
  const problem = password === null ? null : await passwordProblem(password, [username]);
  if (problem !== null) throw new ConfigProblem(`ADMIN_PASSWORD ${problem}.`);
}
