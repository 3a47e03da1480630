// The limits that packages can have. Every account can read them; administrators set them.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { NameInLanguages } from '../../shared/limits.ts';
import { actorOf } from '../identity/principal.ts';
import { limitAnswerSchema, limitBodySchema, limitListSchema } from './limit-schemas.ts';
import { deleteLimit, setLimit } from './limit-store.ts';
import { limitView } from './limit-view.ts';
import type { PackageCatalog, PackageCatalogHolder } from './package-catalog.ts';

interface LimitAdminRoutesDependencies {
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
}

interface WithKey {
  Params: { key: string };
}

export function limitRoutes(app: FastifyInstance, packages: () => PackageCatalog): void {
  app.get(
    '/limits',
    {
      config: { scopes: ['packages:read'], codes: [] },
      schema: {
        operationId: 'listLimits',
        summary: 'What packages can grant',
        description: 'The names, kinds and units of the keys in `limits` of packages, in their order.',
        response: { 200: limitListSchema },
      },
    },
    async (_request, reply) => reply.send({ data: packages().limits.map(limitView) }),
  );
}

export function limitAdminRoutes(
  app: FastifyInstance,
  { database, packages }: LimitAdminRoutesDependencies,
): void {
  app.get(
    '/limits',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listDefinedLimits',
        summary: 'The limits that packages can have',
        description: 'In their order. A new installation has three; any can be deleted.',
        response: { 200: limitListSchema },
      },
    },
    async (_request, reply) => reply.send({ data: (await packages.reload()).limits.map(limitView) }),
  );

  app.put<WithKey & WithBody<typeof limitBodySchema>>(
    '/limits/:key',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed', 'limit_in_use', 'too_many_limits'],
      },
      schema: {
        operationId: 'setLimit',
        summary: 'Define a limit, or change it',
        description:
          'The key is 1 to 40 lower-case letters, digits and underscores, and begins with a letter. The kind cannot change while a package has the limit. Without position it stays where it is, or comes last; without unit or hidden it has none, or is shown.',
        body: limitBodySchema,
        response: { 200: limitAnswerSchema },
      },
    },
    async (request, reply) => {
      const { name, kind, unit = null, position = null, hidden = false } = request.body;
      const settings = {
        key: request.params.key,
        name: knownLanguages(name),
        kind,
        unit: unit === null ? null : knownLanguages(unit),
        position,
        hidden,
      };
      const limit = orRefuse(await setLimit(database, settings, actorOf(request.principal)));
      await packages.reload();
      return reply.send({ limit: limitView(limit) });
    },
  );

  app.delete<WithKey>(
    '/limits/:key',
    {
      config: { scopes: ['admin:packages'], codes: ['limit_not_found', 'limit_in_use'] },
      schema: {
        operationId: 'deleteLimit',
        summary: 'Delete a limit',
        description:
          'Refused while a package that is not retired has it. Retired packages lose it, and so do their running plans.',
        response: { 200: limitAnswerSchema },
      },
    },
    async (request, reply) => {
      const limit = orRefuse(await deleteLimit(database, request.params.key, actorOf(request.principal)));
      await packages.reload();
      return reply.send({ limit: limitView(limit) });
    },
  );
}

/** Leaves out members of other names, which the audit log would store as they were sent. */
function knownLanguages({ en, de }: NameInLanguages): NameInLanguages {
  return de === undefined ? { en } : { en, de };
}
