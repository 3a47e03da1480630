// Checks the caller's rights again inside the transaction of a change, because they may have changed since the guard ran.

import type { ActingParty, Actor } from '../../platform/audit-log/actor.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { isAdministratorScope, scopesOfRole } from '../../shared/scopes.ts';
import { type Account, accounts } from './account-table.ts';
import { endOf, heldSecrets } from './api-key-rows.ts';
import { people } from './people-table.ts';
import { administratorProblem, type Judged, keyPrincipal, scopeProblem } from './principal.ts';

const findPerson: SqlStatement = {
  name: 'find_caller',
  text: `select p.role, ${accounts.list('a')} from people p join accounts a on a.id = p.account_id
    where p.id = $1::int and p.removed_at is null`,
};

const findSecret: SqlStatement = {
  name: 'find_caller_key',
  text: `select ${heldSecrets.list('k', 'k_')}, ${accounts.list('a')}
    from api_keys k join accounts a on a.id = k.account_id where k.id = $1::int`,
};

const roles = people.pick('role');

/** `target` is the account to change. For an administrator's account, the guards' stricter rules apply again. */
export async function recheckCaller(
  transaction: Queryable,
  { by = null, takes = [], now }: Actor,
  target: Pick<Account, 'isAdmin'>,
): Promise<Refusal | null> {
  if (by === null) return null;
  const caller = await (by.type === 'person'
    ? findByPerson(transaction, by)
    : findByKey(transaction, by, now));
  if ('code' in caller) return caller;
  if (caller.account.blocked) return refusal('account_blocked');
  if (by.type === 'key' && !caller.account.apiEnabled) return refusal('api_disabled');
  const isAdministrators = takes.some(isAdministratorScope);
  return scopeProblem(caller, takes) ?? (isAdministrators ? administratorProblem(caller, target) : null);
}

async function findByPerson(transaction: Queryable, { id }: ActingParty): Promise<Judged | Refusal> {
  const [row] = await transaction.query(findPerson, [id]);
  if (row === undefined) return refusal('not_signed_in');
  const account = accounts.parse(row);
  return {
    account,
    mode: 'live',
    actor: { type: 'person' },
    scopes: scopesOfRole(account, roles.parse(row).role),
  };
}

async function findByKey(
  transaction: Queryable,
  { id, secretId = id }: ActingParty,
  now: Actor['now'],
): Promise<Judged | Refusal> {
  const [row] = await transaction.query(findSecret, [secretId]);
  if (row === undefined) return refusal('invalid_api_key');
  const secret = heldSecrets.parse(row, 'k_');
  const end = endOf(secret, now);
  if (end !== null) return refusal('revoked_api_key', end === 'expired' ? { reason: end } : {});
  const account = accounts.parse(row);
  return keyPrincipal(account, secret, account.isAdmin, () => now);
}
