// The palette's search by e-mail address or the end of a key: in one's own account or, for the operator, in all.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readQuery } from '../../platform/http/list-query.ts';
import { realIdOf } from '../identity/principal.ts';
import { holderFilterSchema, holdersSchema } from './account-panel-schemas.ts';
import { findHolders, type Holder } from './find-holders.ts';

interface HolderRoutesDependencies {
  readonly database: Database;
}

export function ownHolderRoutes(app: FastifyInstance, { database }: HolderRoutesDependencies): void {
  app.get(
    '/holders',
    {
      config: { scopes: ['people:read', 'keys:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findHolders',
        summary: 'People of the account by e-mail address, its keys by their last four characters',
        querystring: holderFilterSchema,
        response: { 200: holdersSchema },
      },
    },
    async ({ principal, query }, reply) => {
      const text = textOf(query);
      const found = await findHolders(database, text, realIdOf(principal));
      return reply.send({ data: found.map(holderView) });
    },
  );
}

export function allHolderRoutes(app: FastifyInstance, { database }: HolderRoutesDependencies): void {
  app.get(
    '/holders',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findHoldersOfAll',
        summary: 'Accounts and people by e-mail address, keys by their last four characters',
        querystring: holderFilterSchema,
        response: { 200: holdersSchema },
      },
    },
    async ({ query }, reply) => {
      const text = textOf(query);
      return reply.send({ data: (await findHolders(database, text, null)).map(holderView) });
    },
  );
}

const textOf = (query: unknown) => readQuery(query, (sent) => sent.text('q').trim());

function holderView({ kind, accountId, account, id, name, isRevoked }: Holder) {
  return { kind, account: { id: accountId, username: account }, id, name, revoked: isRevoked };
}
