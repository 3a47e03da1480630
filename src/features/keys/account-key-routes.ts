import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { refusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { administratorProblem } from '../identity/principal.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { keyRoutes } from './key-routes.ts';
import { changeKeyBodySchema, newKeyBodySchema, rotateKeyBodySchema } from './key-schemas.ts';

interface AccountKeyRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly requestLog: RequestLog;
  readonly seal: Seal;
}

export function accountKeyRoutes(app: FastifyInstance, dependencies: AccountKeyRoutesDependencies): void {
  const lookups = ranked(dependencies.database, 'lookups');
  keyRoutes(app, dependencies, {
    path: '/accounts/:id/keys',
    readScope: 'admin:read',
    writeScope: 'admin:accounts',
    codes: ['account_not_found'],
    createCodes: ['account_closed'],
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
