// The audit log, and the audit of the books. Called by admin-routes.ts.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { pageOf, pageQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import type { SignInLog } from '../auth/sign-in-log.ts';
import type { SharedVerification } from '../verification/shared-verification.ts';
import { auditView } from './audit-view.ts';
import { listAudit } from './read-audit-log.ts';

interface AuditAdminRoutesDependencies {
  readonly audits: SharedVerification;
  readonly database: Database;
  readonly signIns: SignInLog;
}

export function auditAdminRoutes(
  app: FastifyInstance,
  { database, audits, signIns }: AuditAdminRoutesDependencies,
): void {
  app.get(
    '/audit',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed what, newest first',
        description:
          'Every change by an administrator, or by an account to its own access, showing what changed as it was before and after. And sign-ins, refused ones too, under the name that was sent, and wrong passwords of whoever is signed in: of one person the first 20 within an hour, then one each time their number has doubled.',
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

  app.get(
    '/verify',
    {
      config: { scopes: ['admin:read'], codes: [], takesLong: true },
      schema: {
        operationId: 'verify',
        summary: 'Add up every ledger again',
        description:
          'An account whose books do not add up is halted: its orders and credits fail until a later audit finds its books in order. Orders and plans that do not follow the rules are listed too, as "not by the rules"; they halt nobody. One audit runs at a time, and all who ask share it. If it takes longer than a request may, the answer is 503 with Retry-After: the audit goes on, and a later request receives its report.',
        response: { 200: Type.Ref('VerifyReport') },
      },
    },
    async (_request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return reply.send(orRefuse(await audits.report(gone.signal), 'service_unavailable'));
    },
  );
}
