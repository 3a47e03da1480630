// POST /orders/preview: what an order or a renewal would do if it were sent now, or the refusal that it would get.
// Always true: the same reading and the same decision as the order's; nothing is written, and no key is bound.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal, typeReason } from '../../shared/error-catalogue.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import type { Principal } from '../identity/principal.ts';
import type { OrderCommand } from '../order-engine/decisions/order-commands.ts';
import { type OrderPreview, PackagesChanged, previewOrder } from '../order-engine/order-batch.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { keyed, placeCommand, renewCommand, renewCustomerCommand } from './order-command.ts';
import { orderPreviewView } from './order-preview-view.ts';
import { orderCodes } from './order-routes.ts';
import { orderPreviewAnswerSchema, orderPreviewBodySchema } from './order-schemas.ts';
import {
  parseOrderRequest,
  parseRenewedCustomer,
  parseRenewRequest,
  sentIdempotencyHeader,
} from './parse-order-request.ts';

export interface PreviewRoutesDependencies {
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
  readonly currency: string;
  readonly testBudget: TestBudget;
  readonly now: () => EpochSeconds;
  /** The caller, read afresh: its rights moved meanwhile. */
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal | Refusal>;
}

const attemptsMax = 3;

export function previewRoutes(app: FastifyInstance, dependencies: PreviewRoutesDependencies): void {
  const { database, packages, currency, testBudget, now, authenticateAgain } = dependencies;

  app.post(
    '/orders/preview',
    {
      config: {
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
      const body = isJsonObject(request.body) ? request.body : {};
      const command = readPreview(body, sentIdempotencyHeader(request.headers));
      if (isRefusal(command)) return reply.refuse(command);
      const preview = await lookAhead(request, command);
      if (isRefusal(preview)) return reply.refuse(preview);
      const { outcome } = preview;
      if (outcome.type === 'refused') return reply.refuse(outcome.refusal);
      if (outcome.type !== 'ordered') throw new Error(`A preview was answered with "${outcome.type}".`);
      if (outcome.replayed) reply.header('idempotent-replayed', 'true');
      return reply.send({ preview: orderPreviewView(preview, outcome, packages.current(), currency) });
    },
  );

  /** Again where the caller's rights or the packages moved meanwhile. */
  async function lookAhead(
    request: FastifyRequest,
    command: (account: Account) => OrderCommand,
  ): Promise<OrderPreview | Refusal> {
    let { account } = request.principal;
    for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
      try {
        const preview = await previewOrder(
          { database, currency, now, testBudget, packages: packages.current },
          command(account),
        );
        if (preview.outcome.type !== 'access_changed') return preview;
        const again = await authenticateAgain(request);
        if (isRefusal(again)) return again;
        account = again.account;
      } catch (error) {
        if (!(error instanceof PackagesChanged)) throw error;
        await packages.reload();
      }
    }
    return refusal('service_unavailable');
  }
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
