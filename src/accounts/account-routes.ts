// GET /balance.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { formatAmount } from '../contract/amounts.ts';
import { balanceSchema } from '../contract/schemas.ts';

export function accountRoutes(
  app: FastifyInstance,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
  currency: string,
): void {
  app.get(
    '/balance',
    {
      ...confirm,
      schema: { operationId: 'getBalance', summary: 'Credit that is left', response: { 200: balanceSchema } },
    },
    async (request, reply) => {
      const { balanceCents } = request.counters;
      return reply.send({ balance: formatAmount(balanceCents), currency, group: request.caller.group });
    },
  );
}
