// The account's own keys, managed by its people. Called by panel-routes.ts.

import type { FastifyInstance } from 'fastify';
import {
  changeOwnKeyBodySchema,
  newOwnKeyBodySchema,
  rotateOwnKeyBodySchema,
} from '../../contract/key-schemas.ts';
import { confirmedBodySchema } from '../../contract/people-schemas.ts';
import { keyRoutes } from '../admin/key-routes.ts';
import type { PanelDependencies } from './panel-routes.ts';

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
