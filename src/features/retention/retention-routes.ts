import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { actorOf, scopeProblem } from '../identity/principal.ts';
import { retentionAnswerSchema, setRetentionBodySchema } from './retention-schemas.ts';
import {
  changeRetention,
  type Retention,
  type RetentionHolder,
  retentionView,
} from './retention-settings.ts';

interface RetentionRoutesDependencies {
  readonly database: Database;
  readonly retention: RetentionHolder;
}

export function retentionRoutes(
  app: FastifyInstance,
  { database, retention }: RetentionRoutesDependencies,
): void {
  app.get(
    '/retention',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getRetention',
        summary: 'How long data is kept',
        description: 'In days, of each kind of data that the service deletes by itself.',
        response: { 200: retentionAnswerSchema },
      },
    },
    async (_request, reply) => reply.send({ retention: retentionView(await retention.reload()) }),
  );

  app.patch<WithBody<typeof setRetentionBodySchema>>(
    '/retention',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setRetention',
        summary: 'Set how long data is kept',
        description:
          'Fields that are left out stay as they are. A shorter time deletes older data within the hour, which cannot be undone. closed_account_days also takes the scope admin:accounts, as erasing a customer does.',
        body: setRetentionBodySchema,
        response: { 200: retentionAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body, principal } = request;
      if (body.closed_account_days !== undefined) refuseIf(scopeProblem(principal, ['admin:accounts']));
      await changeRetention(database, changeOf(body), actorOf(principal));
      return reply.send({ retention: retentionView(await retention.reload()) });
    },
  );
}

function changeOf(body: WithBody<typeof setRetentionBodySchema>['Body']): Partial<Retention> {
  const sent = {
    requestLogDays: body.request_log_days,
    eventDays: body.event_days,
    mailDays: body.mail_days,
    auditAddressDays: body.audit_address_days,
    closedAccountDays: body.closed_account_days,
  };
  return Object.fromEntries(Object.entries(sent).filter(([, days]) => days !== undefined));
}
