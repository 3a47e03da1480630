// Submits the operator's command for an account, and submits it again if the account's rights changed meanwhile. The route
// has already checked the operator's own rights.

import type { Database } from '../../platform/database/database.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { Account } from '../identity/account-table.ts';
import { findAccount } from '../identity/find-accounts.ts';
import type { OrderOutcome } from './decisions/order-commands.ts';

const attemptsMax = 5;

export async function submitForAccount(
  database: Database,
  accountId: number,
  submit: (account: Account) => Promise<OrderOutcome>,
): Promise<OrderOutcome | Refusal> {
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const account = await findAccount(database, accountId);
    if (account === null) return refusal('customer_not_found');
    const outcome = await submit(account);
    if (outcome.type !== 'access_changed') return outcome;
  }
  return refusal('service_unavailable');
}
