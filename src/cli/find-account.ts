import type { Account, Sellthrough } from '../../sdk/src/index.ts';
import { CommandFailed, exitCodes } from './command-end.ts';

export async function getAccount({ admin }: Sellthrough, named: string): Promise<Account> {
  // A username may consist of digits, so try names first.
  for await (const account of admin.eachAccount({ q: named })) if (account.username === named) return account;
  if (/^[1-9]\d{0,8}$/.test(named)) return admin.getAccount(Number(named));
  throw new CommandFailed(`There is no account "${named}" (account_not_found).`, exitCodes.refused);
}
