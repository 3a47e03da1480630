// What a cancel at once would give back: asked before somebody confirms it on a customer's page.
// Always true: the decision is that of the cancel itself, in this second; nothing is written, and no key is bound.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { isRefusal, refusal } from '../../shared/error-catalogue.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { SessionGuard } from '../auth/session-auth.ts';
import { PackagesChanged, previewOrder } from '../order-engine/order-batch.ts';
import type { CancelRefund } from '../order-engine/records/plan-life.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import { keyed } from '../orders/order-command.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { cancelPreviewView } from './cancel-preview-view.ts';
import { cancelPreviewSchema } from './renewal-schemas.ts';

interface CancelPreviewRoutesDependencies {
  readonly cancelRefund: CancelRefund;
  readonly currency: string;
  readonly database: Database;
  readonly guard: SessionGuard;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly testBudget: TestBudget;
}

const attemptsMax = 3;

export function cancelPreviewRoutes(
  app: FastifyInstance,
  dependencies: CancelPreviewRoutesDependencies,
): void {
  const { database, packages, currency, cancelRefund, now, testBudget, guard } = dependencies;

  app.get<{ Params: { id: string } }>(
    '/customers/:id/cancel',
    {
      config: {
        scopes: ['orders:write'],
        codes: ['customer_not_found', 'order_failed', 'test_full', 'service_unavailable'],
      },
      schema: {
        operationId: 'previewCancel',
        summary: 'What a cancel at once would give back',
        description: 'Decided as the cancel would be, and refused as it would be. Writes nothing.',
        response: { 200: cancelPreviewSchema },
      },
    },
    async (request, reply) => {
      let { account } = request.principal;
      for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
        try {
          const { outcome } = await previewOrder(
            { database, currency, cancelRefund, now, testBudget, packages: packages.current },
            {
              type: 'cancel',
              at: 'now',
              accountId: account.id,
              accessVersion: account.accessVersion,
              actorId: account.id,
              customerNumber: parseOwnNumber(request.params.id, account.id) ?? 0,
              ...keyed(null),
            },
          );
          if (outcome.type === 'refused') return reply.refuse(outcome.refusal);
          if (outcome.type === 'plan_changed') return reply.send(cancelPreviewView(outcome));
          if (outcome.type !== 'access_changed') {
            throw new Error(`A preview of a cancel was answered with "${outcome.type}".`);
          }
          const again = await guard.authenticateAgain(request);
          if (isRefusal(again)) return reply.refuse(again);
          account = again.account;
        } catch (error) {
          if (!(error instanceof PackagesChanged)) throw error;
          await packages.reload();
        }
      }
      return reply.refuse(refusal('service_unavailable'));
    },
  );
}
