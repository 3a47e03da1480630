// Accounts on the command line are named by username or by id.

import type { Account, Sellthrough } from '../../sdk/src/index.ts';
import { CommandFailed, exitCodes } from './command-end.ts';

/** @throws CommandFailed when there is none */
export async function getAccount({ admin }: Sellthrough, named: string): Promise<Account> {
  // A username of digits alone is found by its name first.
  for await (const account of admin.eachAccount({ q: named })) if (account.username === named) return account;
  if (/^[1-9]\d{0,8}$/.test(named)) return admin.getAccount(Number(named));
  throw new CommandFailed(`There is no account "${named}" (account_not_found).`, exitCodes.refused);
}
