// The account's own keys, managed by its people. Called by panel-routes.ts.

import type { FastifyInstance } from 'fastify';
import type { PanelDependencies } from '../../service/panel-routes.ts';
import { confirmedBodySchema } from '../people/people-schemas.ts';
import { keyRoutes } from './key-routes.ts';
import { changeOwnKeyBodySchema, newOwnKeyBodySchema, rotateOwnKeyBodySchema } from './key-schemas.ts';

export function ownKeyRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  keyRoutes(app, dependencies, {
    path: '/keys',
    readScope: 'keys:read',
    writeScope: 'keys:write',
    codes: [],
    passwordField: 'password',
    bodies: {
      create: newOwnKeyBodySchema,
      change: changeOwnKeyBodySchema,
      rotate: rotateOwnKeyBodySchema,
      revoke: confirmedBodySchema,
    },
    noun: 'Key',
    whose: 'of the account',
    showsForeign: false,
    accountOf: async ({ principal }) => principal.account,
    // Without a key in the path another one is made.
    admit: ({ params, person }, reply) =>
      dependencies.limiter.admitAccessChange(
        person.id,
        params.key_id === undefined ? 'grant' : 'sensitive_action',
        reply,
      ),
  });
}
