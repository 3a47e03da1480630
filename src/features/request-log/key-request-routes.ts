// How often each key was used in the last days, for the list of keys.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { findTestAccount } from '../identity/test-account-settings.ts';
import { countRequestsByKey } from './find-requests.ts';
import type { RequestLog } from './request-log.ts';
import { keyRequestsSchema } from './request-schemas.ts';

interface KeyRequestRoutesDependencies {
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly requestLog: RequestLog;
  readonly retention: { current(): { readonly requestLogDays: number } };
}

const daysMax = 7;
const description = 'Of the last seven days, or of those that are kept. Test keys are included.';

export function keyRequestRoutes(app: FastifyInstance, dependencies: KeyRequestRoutesDependencies): void {
  app.get(
    '/key-requests',
    {
      config: { scopes: ['keys:read'], codes: [] },
      schema: {
        operationId: 'countKeyRequests',
        summary: 'How many requests came with each key, and how many of them were refused',
        description,
        response: { 200: keyRequestsSchema },
      },
    },
    async ({ principal: { account } }, reply) => reply.send(await countKeyRequests(dependencies, account.id)),
  );
}

export function accountKeyRequestRoutes(
  app: FastifyInstance,
  dependencies: KeyRequestRoutesDependencies,
): void {
  app.get<WithId>(
    '/accounts/:id/key-requests',
    {
      config: { scopes: ['admin:read'], codes: ['account_not_found'] },
      schema: {
        operationId: 'countAccountKeyRequests',
        summary: 'How many requests came with each key of an account, and how many of them were refused',
        description,
        response: { 200: keyRequestsSchema },
      },
    },
    async ({ params }, reply) => {
      const id = parseAccountId(params.id);
      const account = orRefuse(
        id === null ? null : await findAccount(dependencies.database, id),
        'account_not_found',
      );
      return reply.send(await countKeyRequests(dependencies, account.id));
    },
  );
}

async function countKeyRequests(
  { database, now, requestLog, retention }: KeyRequestRoutesDependencies,
  accountId: number,
) {
  const days = Math.min(daysMax, retention.current().requestLogDays);
  await requestLog.flush();
  const testAccount = await findTestAccount(database, accountId);
  const ids = [accountId, ...(testAccount === null ? [] : [testAccount.id])];
  const counts = await Promise.all(ids.map((id) => countRequestsByKey(database, id, now() - days * 86_400)));
  const data = counts.flatMap((ofAccount) =>
    [...ofAccount].map(([id, { requests, refused }]) => ({ key_id: id, requests, refused })),
  );
  return { days, data };
}
