// The account's own requests with its API key, for whoever builds against it: the last seven days.

import type { FastifyInstance } from 'fastify';
import { isRefusal } from '../../contract/error-catalogue.ts';
import { cursorPageOf, requestFilterSchema, requestLineSchema } from '../../contract/panel-schemas.ts';
import { formatTime } from '../../contract/times.ts';
import { listRequests } from '../../journal/request-log.ts';
import { pageRows, readQuery } from '../shapes/list-filters.ts';
import type { PanelDependencies } from './panel-routes.ts';

const statusClasses: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '2xx': [200, 299],
  '4xx': [400, 499],
  '5xx': [500, 599],
};

export function requestLogRoutes(app: FastifyInstance, { database, requestLog }: PanelDependencies): void {
  app.get(
    '/requests',
    {
      config: { scopes: ['keys:read'], codes: ['validation_failed'], hasTestMode: true },
      schema: {
        operationId: 'listRequests',
        summary: 'Requests made with the API key, newest first',
        querystring: requestFilterSchema,
        response: { 200: cursorPageOf(requestLineSchema) },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const filter = readQuery(query, (sent) => {
        const status = sent.text('status');
        const one = statusClasses[status] === undefined ? sent.number('status', 0) : 0;
        const [statusMin, statusMax] = statusClasses[status] ?? (one === 0 ? [100, 599] : [one, one]);
        const before = sent.number('before', Number.MAX_SAFE_INTEGER);
        return { statusMin: Math.min(statusMin, 999), statusMax: Math.min(statusMax, 999), before };
      });
      if (isRefusal(filter)) return reply.refuse(filter);
      // What was asked a moment ago is there.
      await requestLog.flush();
      const found = await listRequests(database, account.id, { ...filter, limit: pageRows + 1 });
      const page = found.slice(0, pageRows);
      return reply.send({
        data: page.map((line) => ({
          id: line.number,
          at: formatTime(line.at),
          method: line.method,
          path: line.path,
          status: line.status,
          code: line.code,
          request_id: line.requestId,
          milliseconds: line.milliseconds,
          address: line.address,
        })),
        next_before: found.length > pageRows ? (page.at(-1)?.number ?? null) : null,
      });
    },
  );
}
