// The keys of any account, managed by an administrator. Called by admin-routes.ts.

import type { FastifyInstance } from 'fastify';
import { findAccount } from '../../accounts/find-accounts.ts';
import { administratorProblem } from '../../accounts/principal.ts';
import { refusal } from '../../contract/error-catalogue.ts';
import { parseAccountId } from '../../contract/identifiers.ts';
import { changeKeyBodySchema, newKeyBodySchema, rotateKeyBodySchema } from '../../contract/key-schemas.ts';
import { ranked } from '../../database/database.ts';
import type { AdminRoutesDependencies } from './admin-routes.ts';
import { keyRoutes } from './key-routes.ts';

export function accountKeyRoutes(app: FastifyInstance, dependencies: AdminRoutesDependencies): void {
  const lookups = ranked(dependencies.database, 'lookups');
  keyRoutes(app, dependencies, {
    path: '/accounts/:id/keys',
    readScope: 'admin:read',
    writeScope: 'admin:accounts',
    codes: ['account_not_found'],
    passwordField: 'current_password',
    bodies: { create: newKeyBodySchema, change: changeKeyBodySchema, rotate: rotateKeyBodySchema },
    noun: 'AccountKey',
    showsForeign: true,
    whose: 'of an account',
    async accountOf({ params, principal }, changes) {
      const id = parseAccountId(params.id ?? '');
      const account = id === null ? null : await findAccount(lookups, id);
      if (account === null) return refusal('account_not_found');
      return (changes ? administratorProblem(principal, account) : null) ?? account;
    },
    admit: () => null,
  });
}
