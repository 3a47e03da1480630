// "Open your channel", the operator's first page: which steps are done, and a test call to the product.

import type { FastifyInstance } from 'fastify';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { sendTestCall } from '../fulfillment/product-test-call.ts';
import { productTestSchema, setupSchema, skipSetupBodySchema } from './setup-schemas.ts';
import { readSetup, type SetupFacts, skipSetupStep } from './setup-state.ts';

export interface SetupFinding {
  readonly name: string;
  readonly state: 'warn' | 'fail';
  readonly says: string;
}

interface SetupRoutesDependencies {
  readonly outbound: Outbound;
  readonly publicUrl: () => string;
  readonly seal: Seal;
  readonly setup: SetupFacts & { readonly findings: () => Promise<readonly SetupFinding[]> };
}

export function setupRoutes(app: FastifyInstance, dependencies: SetupRoutesDependencies): void {
  const { setup, publicUrl } = dependencies;
  const { database, packages, now } = setup;

  async function view() {
    const [steps, findings] = await Promise.all([readSetup(setup), setup.findings()]);
    return { steps, findings: [...findings], public_url: publicUrl() };
  }

  app.get(
    '/setup',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getSetup',
        summary: 'The steps to the first order of a reseller, and what is wrong with this process',
        response: { 200: setupSchema },
      },
    },
    async (_request, reply) => reply.send(await view()),
  );

  app.put<WithBody<typeof skipSetupBodySchema>>(
    '/setup',
    {
      config: { scopes: ['admin:packages'], codes: ['validation_failed'] },
      schema: {
        operationId: 'skipSetupStep',
        summary: 'Skip a step, or show it again',
        body: skipSetupBodySchema,
        response: { 200: setupSchema },
      },
    },
    async ({ body: { step, skipped } }, reply) => {
      await skipSetupStep(database, step, skipped);
      return reply.send(await view());
    },
  );

  app.post(
    '/product/test-call',
    {
      config: { scopes: ['admin:packages'], codes: ['product_not_set'] },
      schema: {
        operationId: 'sendProductTestCall',
        summary: 'Call the product once, for a customer who does not exist',
        description: 'A signed plan.expire. Nothing is stored, and no order is settled.',
        response: { 200: productTestSchema },
      },
    },
    async (_request, reply) => {
      const sent = await sendTestCall({ ...dependencies, database, packages: packages() }, now());
      return reply.send(orRefuse(sent, 'product_not_set'));
    },
  );
}
