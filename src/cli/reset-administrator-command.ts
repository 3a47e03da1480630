// sellthrough reset-administrator: for a locked-out administrator. Sets a new password and key, printed once; clears
// allow-lists, the block and the second factor; makes the person an owner.

import { Command } from 'commander';
import { changeAccount, resetApiKey } from '../features/accounts/account-store.ts';
import { disableTotp } from '../features/auth/totp-store.ts';
import { keyIdOf } from '../features/identity/api-key-rows.ts';
import { findAccountByUsername } from '../features/identity/find-accounts.ts';
import { changeKey, listAccountKeys } from '../features/keys/manage-keys.ts';
import { hashPassword, mintPassword } from '../platform/secrets/password-hash.ts';
import { ConfigProblem } from '../setup/settings.ts';
import { isRefusal } from '../shared/error-catalog.ts';
import { commandIo } from './command-io.ts';
import { epochSeconds, withDatabase } from './with-database.ts';

export function resetAdministratorCommand(): Command {
  return new Command('reset-administrator')
    .description(
      'give an administrator who is locked out a new password and key (embedded: stop the service first)',
    )
    .option('--username <username>', 'which administrator', 'admin')
    .option('--json', 'print them as JSON', false)
    .action(({ username, json }: { username: string; json: boolean }) =>
      withDatabase('current', async ({ database, seal }) => {
        const account = await findAccountByUsername(database, username);
        if (account === null || !account.isAdmin || seal === null)
          throw new ConfigProblem(`"${username}" is not an administrator.`);
        const actor = { actorId: account.id, now: epochSeconds() };
        const password = mintPassword();
        const initial = { hash: await hashPassword(password), isInitial: true, bringsBack: true };
        const change = { password: initial, blocked: false, apiEnabled: true, allowedIps: [] };
        await changeAccount(database, account.id, change, actor);
        await disableTotp(database, { id: account.id, accountId: account.id }, actor);
        const [first] = await listAccountKeys(database, account.id, actor.now);
        // A new secret keeps the restrictions of its key, so they are removed first.
        if (first?.isFirst) {
          const asked = { accountId: account.id, idempotencyKey: null, author: actor, now: actor.now };
          await changeKey(database, keyIdOf(first), { allowedIps: [], rateLimitPerMinute: null }, asked);
        }
        const done = await resetApiKey(database, seal, account.id, actor);
        if (done === null || isRefusal(done)) throw new Error(`"${username}" cannot be given a key.`);
        const { apiKey } = done;
        commandIo().stdout.write(
          json
            ? `${JSON.stringify({ username, password, api_key: apiKey })}\n`
            : `username       ${username}\npassword       ${password}\nAPI key        ${apiKey}\nAt sign-in, choose a new password.\n`,
        );
      }),
    );
}
