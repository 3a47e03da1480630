import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { confirmedBodySchema } from '../../shared/password-fields.ts';
import type { RequestLog } from '../request-log/request-log.ts';
import { keyRoutes } from './key-routes.ts';
import { changeOwnKeyBodySchema, newOwnKeyBodySchema, rotateOwnKeyBodySchema } from './key-schemas.ts';

interface OwnKeyRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly limiter: RateLimiter;
  readonly requestLog: RequestLog;
  readonly seal: Seal;
}

export function ownKeyRoutes(app: FastifyInstance, dependencies: OwnKeyRoutesDependencies): void {
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
    admit: ({ params, person }, reply) =>
      dependencies.limiter.admitAccessChange(
        person.id,
        params.key_id === undefined ? 'grant' : 'sensitive_action',
        reply,
      ),
  });
}
