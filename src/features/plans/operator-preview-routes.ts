// What a cancel at once or a change of package by the operator would do: asked before somebody confirms it on the page of a
// customer of any account. Invariant: decided as the command itself would be; nothing is written, and no key is bound.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';
import { type OwnedId, parseRealOwnedId } from '../../shared/identifiers.ts';
import { isJsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf } from '../identity/principal.ts';
import type { CancelPlan, ChangePackage } from '../order-engine/decisions/order-commands.ts';
import { type OrderPreview, PackagesChanged, previewOrder } from '../order-engine/order-batch.ts';
import type { CancelRefund } from '../order-engine/records/plan-life.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import { changePackageCommand, keyed } from '../orders/order-command.ts';
import { orderPreviewView } from '../orders/order-preview-view.ts';
import { orderCodes } from '../orders/order-routes.ts';
import { orderPreviewAnswerSchema } from '../orders/order-schemas.ts';
import { parsePackageChange } from '../orders/parse-order-request.ts';
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

const attemptsMax = 3;

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
      if (isRefusal(preview)) return reply.refuse(preview);
      const { outcome } = preview;
      if (outcome.type === 'refused') return reply.refuse(outcome.refusal);
      if (outcome.type !== 'plan_changed') throw new Error(`A preview was answered with "${outcome.type}".`);
      return reply.send(cancelPreviewView(outcome));
    },
  );

  app.post<WithId>(
    '/customers/:id/change-package/preview',
    {
      config: {
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
      const wanted = parsePackageChange(isJsonObject(request.body) ? request.body : {}, undefined);
      if (isRefusal(wanted)) return reply.refuse(wanted);
      const preview = await foresee(request, ({ accountId, number }, accessVersion) =>
        changePackageCommand(
          { id: accountId, accessVersion },
          wanted,
          keyed(null),
          number,
          authorOf(request),
        ),
      );
      if (isRefusal(preview)) return reply.refuse(preview);
      const { outcome } = preview;
      if (outcome.type === 'refused') return reply.refuse(outcome.refusal);
      if (outcome.type !== 'ordered') throw new Error(`A preview was answered with "${outcome.type}".`);
      return reply.send({ preview: orderPreviewView(preview, outcome, packages.current(), currency) });
    },
  );

  /** Again where the account's rights or the packages changed meanwhile. */
  async function foresee(
    { params }: FastifyRequest<WithId>,
    command: (customer: OwnedId, accessVersion: number) => CancelPlan | ChangePackage,
  ): Promise<OrderPreview | Refusal> {
    const id = parseRealOwnedId(params.id);
    for (let attempts = 0; attempts < attemptsMax && id !== null; attempts += 1) {
      const account = await findAccount(database, id.accountId);
      if (account === null) break;
      try {
        const preview = await previewOrder(
          { database, currency, cancelRefund, now, testBudget, packages: packages.current },
          command(id, account.accessVersion),
        );
        if (preview.outcome.type !== 'access_changed') return preview;
      } catch (error) {
        if (!(error instanceof PackagesChanged)) throw error;
        await packages.reload();
      }
      if (attempts === attemptsMax - 1) return refusal('service_unavailable');
    }
    return refusal('customer_not_found');
  }
}

function authorOf({ principal }: FastifyRequest) {
  const { actorId, by = null } = actorOf(principal);
  return { actorId, by };
}
