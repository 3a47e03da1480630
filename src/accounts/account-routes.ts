// GET /balance.

import type { FastifyInstance } from 'fastify';
import { formatAmount } from '../contract/amounts.ts';
import { balanceSchema } from '../contract/schemas.ts';
import type { AccountReads } from './account-reads.ts';

export function accountRoutes(app: FastifyInstance, accounts: AccountReads, currency: string): void {
  app.get(
    '/balance',
    {
      schema: { operationId: 'getBalance', summary: 'Credit that is left', response: { 200: balanceSchema } },
    },
    async (request, reply) => {
      const { balanceCents } = await accounts.getCounters(request.caller.id);
      return reply.send({ balance: formatAmount(balanceCents), currency, group: request.caller.group });
    },
  );
}
