// The account's own keys, managed by its people. Called by panel-routes.ts.

import type { FastifyInstance } from 'fastify';
import { keyRoutes } from '../admin/key-routes.ts';
import type { PanelDependencies } from './panel-routes.ts';

export function ownKeyRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  keyRoutes(app, dependencies, {
    path: '/keys',
    readScope: 'keys:read',
    writeScope: 'keys:write',
    codes: [],
    passwordField: 'password',
    noun: 'Key',
    whose: 'of the account',
    accountOf: async ({ principal }) => principal.account,
    admit: ({ principal }, reply) =>
      dependencies.limiter.admitAccessChange(principal.account.id, 'deed', reply),
  });
}
