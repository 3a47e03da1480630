// Previews of the operator's cancel and change of package.
// Invariant: they are decided like the commands. Nothing is written, and no idempotency key is used.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { bodyOf } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { type OwnedId, parseRealOwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf } from '../identity/principal.ts';
import type { CancelPlan, ChangePackage } from '../order-engine/decisions/order-commands.ts';
import { type OrderPreview, previewOrder } from '../order-engine/preview-orders.ts';
import type { CancelRefund } from '../order-engine/records/plan-life.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { changePackageCommand, keyed } from '../orders/order-command.ts';
import { orderPreviewView } from '../orders/order-preview-view.ts';
import { orderCodes, orderPreviewAnswerSchema } from '../orders/order-schemas.ts';
import { parsePackageChange } from '../orders/parse-order-request.ts';
import { previewUntilSettled } from '../orders/preview-until-settled.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { cancelPreviewView } from './cancel-preview-view.ts';
import { changePackageOfCustomerBodySchema } from './plan-schemas.ts';
import { cancelPreviewSchema } from './renewal-schemas.ts';

interface OperatorPreviewRoutesDependencies {
  readonly cancelRefund: CancelRefund;
  readonly currency: string;
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly testBudget: TestBudget;
}

export function operatorPreviewRoutes(
  app: FastifyInstance,
  dependencies: OperatorPreviewRoutesDependencies,
): void {
  const { database, packages, currency, cancelRefund, now, testBudget } = dependencies;

  app.get<WithId>(
    '/customers/:id/cancel',
    {
      config: {
        scopes: ['admin:credit'],
        codes: ['customer_not_found', 'order_failed', 'service_unavailable'],
      },
      schema: {
        operationId: 'previewCancelOfAnyAccount',
        summary: 'What a cancel at once would give back to the account',
        response: { 200: cancelPreviewSchema },
      },
    },
    async (request, reply) => {
      const preview = await foresee(request, ({ accountId, number: customerNumber }, accessVersion) => ({
        type: 'cancel',
        at: 'now',
        accountId,
        accessVersion,
        ...authorOf(request),
        byParty: 'operator',
        customerNumber,
        ...keyed(null),
      }));
      const outcome = expectOutcome(preview.outcome, 'plan_changed');
      return reply.send(cancelPreviewView(outcome));
    },
  );

  app.post<WithId>(
    '/customers/:id/change-package/preview',
    {
      config: {
        parsesBody: true,
        scopes: ['admin:credit'],
        codes: [...orderCodes, 'customer_not_found', 'invalid_package', 'service_unavailable'],
      },
      schema: {
        operationId: 'previewChangePackageOfAnyAccount',
        summary: 'What a change of package by the operator would do',
        body: changePackageOfCustomerBodySchema,
        response: { 200: orderPreviewAnswerSchema },
      },
    },
    async (request, reply) => {
      const wanted = orRefuse(parsePackageChange(bodyOf(request), undefined));
      const preview = await foresee(request, ({ accountId, number }, accessVersion) =>
        changePackageCommand(
          { id: accountId, accessVersion },
          wanted,
          keyed(null),
          number,
          authorOf(request),
        ),
      );
      const outcome = expectOutcome(preview.outcome, 'ordered');
      return reply.send({ preview: orderPreviewView(preview, outcome, packages.current(), currency) });
    },
  );

  async function foresee(
    { params }: FastifyRequest<WithId>,
    command: (customer: OwnedId, accessVersion: number) => CancelPlan | ChangePackage,
  ): Promise<OrderPreview> {
    const id = orRefuse(parseRealOwnedId(params.id), 'customer_not_found');
    const accountNow = async () => orRefuse(await findAccount(database, id.accountId), 'customer_not_found');
    return previewUntilSettled(packages, await accountNow(), accountNow, async ({ accessVersion }) => {
      const preview = await previewOrder(
        { database, currency, cancelRefund, now, testBudget, packages: packages.current },
        command(id, accessVersion),
      );
      return preview.outcome.type === 'access_changed' ? null : preview;
    });
  }
}

function authorOf({ principal }: FastifyRequest) {
  const { actorId, by = null } = actorOf(principal);
  return { actorId, by };
}
