import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import Type from 'typebox';
import { formatAmount } from '../../shared/amounts.ts';

export function balanceRoutes(
  app: FastifyInstance,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
  currency: string,
): void {
  app.get(
    '/balance',
    {
      ...confirm,
      config: { scopes: ['balance:read'], codes: [] },
      schema: {
        operationId: 'getBalance',
        summary: 'Remaining credit',
        description: 'What the next orders can be paid from, and the group whose prices you pay.',
        response: { 200: Type.Ref('Balance') },
      },
    },
    async (request, reply) => {
      const { balanceCents, receivableCents } = request.counters;
      return reply.send({
        balance: formatAmount(balanceCents),
        currency,
        group: request.principal.account.group,
        receivable: formatAmount(receivableCents),
      });
    },
  );
}
