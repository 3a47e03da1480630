// A person's own recent sign-ins and changes of how they sign in. Everyone may read their own.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { JsonObject } from '../../shared/json.ts';
import { formatTime } from '../../shared/times.ts';
import type { SignInLog } from '../auth/sign-in-log.ts';
import { securityEventsSchema } from './audit-schemas.ts';
import { listSecurityEvents, refusedAction, type SecurityEvent, textOf } from './read-security-events.ts';

interface SecurityEventRoutesDependencies {
  readonly database: Database;
  readonly signIns: SignInLog;
}

const shownMax = 10;

export function securityEventRoutes(
  app: FastifyInstance,
  { database, signIns }: SecurityEventRoutesDependencies,
): void {
  app.get(
    '/security-events',
    {
      config: { scopes: [], codes: [] },
      schema: {
        operationId: 'listSecurityEvents',
        summary: 'The last ten sign-ins of the person and changes of how they sign in, newest first',
        response: { 200: securityEventsSchema },
      },
    },
    async ({ person }, reply) => {
      await signIns.settled();
      const events = await listSecurityEvents(database, person, shownMax);
      return reply.send({ data: events.map(eventView) });
    },
  );
}

function eventView({ number, at, entry: { action, after }, by }: SecurityEvent) {
  return { number, at: formatTime(at), action: nameOf(action, after), address: textOf(after, 'address'), by };
}

function nameOf(action: string, after: JsonObject | null): string {
  if (action === refusedAction) return 'person.wrong_password';
  if (!action.endsWith('.update')) return action.replace(/^account\./, 'person.');
  return textOf(after, 'password') === null ? 'person.email' : 'person.password';
}
