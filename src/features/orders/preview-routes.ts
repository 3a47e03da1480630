// POST /orders/preview.
// Invariant: it parses and decides like the order itself, writes nothing and uses up no idempotency key.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { bodyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { fieldRefusal, isRefusal, type Refusal, typeReason } from '../../shared/error-catalog.ts';
import { sentIdempotencyHeader } from '../../shared/idempotency-keys.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { type JsonObject, own } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import type { Principal } from '../identity/principal.ts';
import type { OrderCommand } from '../order-engine/decisions/order-commands.ts';
import { previewOrder } from '../order-engine/preview-orders.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { expectOutcome } from './expect-outcome.ts';
import { keyed, placeCommand, renewCommand, renewCustomerCommand } from './order-command.ts';
import { orderPreviewView } from './order-preview-view.ts';
import { orderCodes, orderPreviewAnswerSchema, orderPreviewBodySchema } from './order-schemas.ts';
import { parseOrderRequest, parseRenewedCustomer, parseRenewRequest } from './parse-order-request.ts';
import { previewUntilSettled } from './preview-until-settled.ts';

export interface PreviewRoutesDependencies {
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
  readonly currency: string;
  readonly testBudget: TestBudget;
  readonly topupUrl: () => string | null;
  readonly now: () => EpochSeconds;
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal | Refusal>;
}

export function previewRoutes(app: FastifyInstance, dependencies: PreviewRoutesDependencies): void {
  const { database, packages, currency, testBudget, topupUrl, now, authenticateAgain } = dependencies;

  app.post(
    '/orders/preview',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [
          ...orderCodes,
          'validation_failed',
          'invalid_package',
          'invalid_customer',
          'customer_not_yours',
          'order_not_found',
          'customer_not_found',
        ],
      },
      schema: {
        operationId: 'previewOrder',
        summary: 'What an order would do',
        description:
          'Send the body of an order; or order_id or renew_customer, and months or period, for a renewal. Writes nothing and binds no key. Refused exactly as the order would be.',
        body: orderPreviewBodySchema,
        response: { 200: orderPreviewAnswerSchema },
      },
    },
    async (request, reply) => {
      const command = orRefuse(readPreview(bodyOf(request), sentIdempotencyHeader(request.headers)));
      const preview = await previewUntilSettled(
        packages,
        request.principal.account,
        async () => orRefuse(await authenticateAgain(request)).account,
        async (account) => {
          const decided = await previewOrder(
            { database, currency, now, testBudget, topupUrl, packages: packages.current },
            command(account),
          );
          return decided.outcome.type === 'access_changed' ? null : decided;
        },
      );
      const outcome = expectOutcome(preview.outcome, 'ordered');
      markReplayed(reply, outcome);
      return reply.send({ preview: orderPreviewView(preview, outcome, packages.current(), currency) });
    },
  );
}

function readPreview(
  body: JsonObject,
  headerKey: string | undefined,
): ((account: Account) => OrderCommand) | Refusal {
  const orderId = own(body, 'order_id');
  const customer = own(body, 'renew_customer');
  if (customer !== undefined) {
    if (orderId !== undefined) {
      return fieldRefusal('validation_failed', 'renew_customer', 'send order_id or renew_customer, not both');
    }
    const renewed = parseRenewedCustomer(customer);
    if (isRefusal(renewed)) return renewed;
    const wanted = parseRenewRequest(body, headerKey);
    if (isRefusal(wanted)) return wanted;
    const key = keyed(wanted.idempotencyKey);
    return (account) => renewCustomerCommand(account, wanted, key, renewed);
  }
  if (orderId === undefined) {
    const wanted = parseOrderRequest(body, headerKey);
    if (isRefusal(wanted)) return wanted;
    const key = keyed(wanted.idempotencyKey);
    return (account) => placeCommand(account, wanted, key, null);
  }
  if (typeof orderId !== 'number' || !Number.isInteger(orderId)) {
    return fieldRefusal('validation_failed', 'order_id', typeReason(orderId, 'must be an integer'));
  }
  const wanted = parseRenewRequest(body, headerKey);
  if (isRefusal(wanted)) return wanted;
  const key = keyed(wanted.idempotencyKey);
  return (account) => renewCommand(account, wanted, key, parseOwnNumber(String(orderId), account.id) ?? 0);
}
