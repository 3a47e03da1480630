// Whose list a route of the pages answers with: the caller's own, or that of any account for the operator. The same routes
// are registered for both, so that what the one finds the other does.

import type { FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { ErrorCode } from '../../shared/error-catalogue.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from './account-table.ts';
import { findAccount } from './find-accounts.ts';

export interface ListOwner {
  /** Before the path of the list. */
  readonly path: '' | '/accounts/:id';
  /** Behind the name of the operation. */
  readonly suffix: '' | 'OfAccount';
  readonly codes: readonly ErrorCode[];
  scopes(own: Scope): Scope[];
  /** @throws RequestRefused with account_not_found */
  find(request: FastifyRequest): Promise<Account>;
  now(request: FastifyRequest): EpochSeconds;
}

/** Of whoever asks: their account, or in test mode its test. */
export const ownLists: ListOwner = {
  path: '',
  suffix: '',
  codes: [],
  scopes: (own) => [own],
  find: async ({ principal }) => principal.account,
  now: ({ principal }) => principal.now(),
};

export function listsOfAccounts(database: Database, now: () => EpochSeconds): ListOwner {
  return {
    path: '/accounts/:id',
    suffix: 'OfAccount',
    codes: ['account_not_found'],
    scopes: () => ['admin:read'],
    async find({ params }) {
      const { id = '' } = params as { readonly id?: string };
      const accountId = parseAccountId(id);
      return orRefuse(
        accountId === null ? null : await findAccount(database, accountId),
        'account_not_found',
      );
    },
    now,
  };
}
