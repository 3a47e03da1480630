// How often each key was used in the last days, for the list of keys.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
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

export function keyRequestRoutes(
  app: FastifyInstance,
  { database, now, requestLog, retention }: KeyRequestRoutesDependencies,
): void {
  app.get(
    '/key-requests',
    {
      config: { scopes: ['keys:read'], codes: [] },
      schema: {
        operationId: 'countKeyRequests',
        summary: 'How many requests came with each key, and how many of them were refused',
        description: 'Of the last seven days, or of those that are kept. Test keys are included.',
        response: { 200: keyRequestsSchema },
      },
    },
    async ({ principal: { account } }, reply) => {
      const days = Math.min(daysMax, retention.current().requestLogDays);
      await requestLog.flush();
      const testAccount = await findTestAccount(database, account.id);
      const ids = [account.id, ...(testAccount === null ? [] : [testAccount.id])];
      const counts = await Promise.all(
        ids.map((id) => countRequestsByKey(database, id, now() - days * 86_400)),
      );
      const data = counts.flatMap((ofAccount) =>
        [...ofAccount].map(([id, { requests, refused }]) => ({ key_id: id, requests, refused })),
      );
      return reply.send({ days, data });
    },
  );
}
