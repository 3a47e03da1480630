// The refund of an immediate cancel, shown before confirmation.
// Invariant: it is decided like the cancel itself. Nothing is written, and no idempotency key is used.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { previewOrder } from '../order-engine/preview-orders.ts';
import type { CancelRefund } from '../order-engine/records/plan-life.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { previewUntilSettled } from '../orders/preview-until-settled.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { cancelPreviewView } from './cancel-preview-view.ts';
import { cancelPreviewSchema } from './renewal-schemas.ts';

interface CancelPreviewRoutesDependencies {
  readonly cancelRefund: CancelRefund;
  readonly currency: string;
  readonly database: Database;
  readonly guard: Pick<Authenticator, 'authenticateAgain'>;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly testBudget: TestBudget;
}

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
      const outcome = await previewUntilSettled(
        packages,
        request.principal.account,
        async () => orRefuse(await guard.authenticateAgain(request)).account,
        async (account) => {
          const preview = await previewOrder(
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
          return preview.outcome.type === 'access_changed' ? null : preview.outcome;
        },
      );
      return reply.send(cancelPreviewView(expectOutcome(outcome, 'plan_changed')));
    },
  );
}
