// Who the visitors of a demo's sign-in page become. What a request must look like is in direct-visit.ts.
// Danger: a session without a password. It needs a demo's marker, the embedded database, and a service that only this
// machine reaches.

import { isLoopbackHostName } from '../features/auth/direct-visit.ts';
import type { LookAround } from '../features/auth/look-around.ts';
import { createLoginLink } from '../features/customer-portal/login-links.ts';
import { createCustomerReads } from '../features/customers/customer-reads.ts';
import { findAccount } from '../features/identity/find-accounts.ts';
import { findCredentials } from '../features/identity/find-people.ts';
import type { Database } from '../platform/database/database.ts';
import type { EpochSeconds } from '../shared/times.ts';
import type { Config } from './config.ts';
import { findDemoState } from './demo-state.ts';

const linkSeconds = 300;
const customersTried = 50;
const weekSeconds = 7 * 86_400;

export function mayLookAround(
  config: Pick<Config, 'demo' | 'database' | 'host' | 'publicUrl' | 'trustProxy'>,
) {
  const { demo, database, host, publicUrl, trustProxy } = config;
  const isLocal = isLoopbackHostName(host) && publicUrl === null && trustProxy.length === 0;
  return demo && database.kind === 'embedded' && isLocal;
}

export function createLookAround(database: Database, now: () => EpochSeconds): LookAround {
  const customers = createCustomerReads(database);
  return {
    async state() {
      const { yearUntil, isFilled } = await findDemoState(database);
      if (yearUntil === null) return 'off';
      return isFilled ? 'ready' : 'filling';
    },
    async find(role) {
      const { operatorId, resellerId } = await findDemoState(database);
      const id = role === 'operator' ? operatorId : resellerId;
      const account = id === null ? null : await findAccount(database, id);
      const found = account === null ? null : await findCredentials(database, account.username);
      return found?.account.id === id ? found : null;
    },
    async customerPath() {
      const { resellerId } = await findDemoState(database);
      const account = resellerId === null ? null : await findAccount(database, resellerId);
      if (account === null) return null;
      const { id: accountId, customerCount } = account;
      for (let number = customerCount; number > Math.max(0, customerCount - customersTried); number -= 1) {
        const customer = await customers.find(accountId, number);
        if (customer === null || customer.status !== 'active' || customer.expiresAt < now() + weekSeconds)
          continue;
        const order = { accountId, customerNumber: number, number: customer.lastOrder ?? 0 };
        const maker = { by: null, isOperator: true };
        return `/login/${await createLoginLink(database, order, linkSeconds, now(), maker)}`;
      }
      return null;
    },
  };
}
