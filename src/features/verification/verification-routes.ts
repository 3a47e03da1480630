import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { SharedVerification } from './shared-verification.ts';

interface VerificationRoutesDependencies {
  readonly audits: SharedVerification;
}

export function verificationRoutes(app: FastifyInstance, { audits }: VerificationRoutesDependencies): void {
  app.get(
    '/verify',
    {
      config: { scopes: ['admin:read'], codes: [], takesLong: true },
      schema: {
        operationId: 'verify',
        summary: 'Add up every ledger again',
        description:
          'An account whose books do not add up is halted: its orders and credits fail until a later audit finds its books in order. Orders and plans that do not follow the rules are listed too, as "not by the rules"; they halt no account. One audit runs at a time, and all who ask share it. If it takes longer than a request may, the answer is 503 with Retry-After: the audit goes on, and a later request receives its report.',
        response: { 200: Type.Ref('VerifyReport') },
      },
    },
    async ({ principal: { actor } }, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const asker = actor.type === 'person' ? 'console' : 'api';
      return reply.send(orRefuse(await audits.report(gone.signal, asker), 'service_unavailable'));
    },
  );
}
