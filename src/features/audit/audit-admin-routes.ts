import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { pageOf, pageQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import type { SignInLog } from '../auth/sign-in-log.ts';
import { auditView } from './audit-view.ts';
import { listAudit } from './read-audit-log.ts';

interface AuditAdminRoutesDependencies {
  readonly database: Database;
  readonly signIns: SignInLog;
}

export function auditAdminRoutes(
  app: FastifyInstance,
  { database, signIns }: AuditAdminRoutesDependencies,
): void {
  app.get(
    '/audit',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed what, newest first',
        description:
          'Every change by an administrator, or by an account to its own access, showing what changed as it was before and after. And sign-ins, refused ones too, under the name that was sent, and wrong passwords of the signed-in person: of one person the first 20 within an hour, then one each time their number has doubled.',
        querystring: pageQuerySchema,
        response: { 200: pageOf('AuditEntry') },
      },
    },
    async (request, reply) => {
      const page = parsePage(request.query);
      await signIns.settled();
      const { total, entries } = await listAudit(database, page);
      return reply.send(pageAnswer(entries.map(auditView), page, total));
    },
  );
}
