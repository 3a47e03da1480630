// Whether whoever asked for a change may still ask for it, in the transaction of that change: a person may have been
// removed, blocked or given another role since the door let them in.

import { type Refusal, refusal } from '../contract/error-catalogue.ts';
import { type Scope, scopesOfRole } from '../contract/scopes.ts';
import type { Queryable, Statement } from '../database/database.ts';
import type { ActingParty } from '../journal/audit-log.ts';
import { accounts } from './account-table.ts';
import { people } from './people-table.ts';

const findAuthor: Statement = {
  name: 'find_author',
  text: `select p.role, ${accounts.list('a')} from people p join accounts a on a.id = p.account_id
    where p.id = $1::int and p.removed_at is null`,
};

const roles = people.pick('role');

/** Of a person alone: keys are looked at when they are used. `scope`: what the change takes; null: to be there. */
export async function authorProblem(
  transaction: Queryable,
  by: ActingParty | null | undefined,
  scope: Scope | null,
): Promise<Refusal | null> {
  if (by?.type !== 'person') return null;
  const [row] = await transaction.query(findAuthor, [by.id]);
  if (row === undefined) return refusal('not_signed_in');
  const account = accounts.parse(row);
  if (account.blocked) return refusal('account_blocked');
  const isMissing = scope !== null && !scopesOfRole(account, roles.parse(row).role).has(scope);
  return isMissing ? refusal('insufficient_scope', { scope }) : null;
}
