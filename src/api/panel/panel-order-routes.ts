// The account's orders as the panel looks at them: found by a filter, one with its ledger entries, and what an
// order would do before it is placed. Orders are placed by the API's own routes.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Account } from '../../accounts/account-table.ts';
import { formatAmount } from '../../contract/amounts.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal } from '../../contract/error-catalogue.ts';
import { parseOwnNumber } from '../../contract/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../contract/json.ts';
import {
  cursorPageOf,
  orderFilterSchema,
  orderPreviewBodySchema,
  orderPreviewSchema,
  orderWithEntriesSchema,
} from '../../contract/panel-schemas.ts';
import { formatTime } from '../../contract/times.ts';
import { findEntriesOfOrder } from '../../ledger/ledger-search.ts';
import { PackagesChanged, previewOrder } from '../../orders/order-batch.ts';
import type { OrderCommand, OrderOutcome } from '../../orders/order-commands.ts';
import { findOrders } from '../../orders/order-search.ts';
import { findCustomerNumber } from '../../plans/customer-search.ts';
import { ledgerEntryView } from '../shapes/ledger-entry-view.ts';
import { parseOrderRequest, parseRenewRequest } from '../shapes/order-request.ts';
import { orderView } from '../shapes/order-view.ts';
import { endOfTime, numberMax, pageRows, readQuery } from './list-filters.ts';
import type { PanelDependencies } from './panel-routes.ts';

const daySeconds = 86_400;
const previewAttemptsMax = 3;

export function panelOrderRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  const { database, door, orders, packages, ledgerDays, currency, now } = dependencies;

  app.get(
    '/orders',
    {
      config: { scopes: ['orders:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findOrders',
        summary: 'Orders that match a filter, newest first',
        querystring: orderFilterSchema,
        response: { 200: cursorPageOf(Type.Ref('Order')) },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const filter = readQuery(query, (sent) => ({
        customer: sent.text('customer').trim().toLowerCase(),
        kind: sent.oneOf('kind', ['activate', 'renew', 'change']),
        packageId: sent.number('package_id', 0),
        fromDay: sent.day('from'),
        toDay: sent.day('to'),
        before: sent.number('before', numberMax),
      }));
      if (isRefusal(filter)) return reply.refuse(filter);
      const nothing = { data: [], next_before: null };
      const customerNumber =
        filter.customer === '' ? null : await customerNumberOf(account.id, filter.customer);
      if (customerNumber === 0 || filter.packageId > numberMax) return reply.send(nothing);

      let span = { from: 1, to: account.orderCount };
      if (filter.fromDay !== null || filter.toDay !== null) {
        const day = (at: number | null) => (at === null ? '' : formatTime(at).slice(0, 10));
        const found = await ledgerDays.orderSpan(account.id, day(filter.fromDay), day(filter.toDay));
        if (found === null) return reply.send(nothing);
        span = found;
      }
      const found = await findOrders(database, account.id, {
        from: span.from,
        to: Math.min(span.to, filter.before - 1),
        customerNumber,
        kind: filter.kind,
        packageId: filter.packageId === 0 ? null : filter.packageId,
        since: filter.fromDay ?? 0,
        until: filter.toDay === null ? endOfTime : filter.toDay + daySeconds,
        limit: pageRows,
      });
      const data = found.orders.map((order) => orderView(order, packages.current(), currency));
      return reply.send({ data, next_before: found.nextBefore });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/orders/:id',
    {
      config: { scopes: ['orders:read', 'ledger:read'], codes: ['order_not_found'] },
      schema: {
        operationId: 'getOrderWithEntries',
        summary: 'One order and its ledger entries',
        response: { 200: orderWithEntriesSchema },
      },
    },
    async ({ principal: { account }, params }, reply) => {
      const number = parseOwnNumber(params.id, account.id);
      const order = number === null ? null : await orders.find(account.id, number);
      if (order === null) return reply.refuse(refusal('order_not_found'));
      const entries = await findEntriesOfOrder(database, account.id, order.number, numberMax);
      return reply.send({
        order: orderView(order, packages.current(), currency),
        entries: entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency)),
      });
    },
  );

  app.post(
    '/orders/preview',
    {
      config: {
        scopes: ['orders:write'],
        codes: [
          'validation_failed',
          'invalid_package',
          'package_unavailable',
          'invalid_customer',
          'invalid_months',
          'invalid_idempotency_key',
          'order_not_found',
          'customer_not_yours',
          'order_failed',
          'insufficient_credit',
        ],
        isBodyOptional: true,
      },
      schema: {
        operationId: 'previewOrder',
        summary: 'What an order would do',
        description: 'Writes nothing. Refused exactly as the order would be.',
        body: orderPreviewBodySchema,
        response: { 200: orderPreviewSchema },
      },
    },
    async (request, reply) => {
      const body = isJsonObject(request.body) ? request.body : {};
      const wanted = readPreview(request.principal.account, body);
      if (isRefusal(wanted)) return reply.refuse(wanted);
      const outcome = await preview(request, wanted);
      if (isRefusal(outcome)) return reply.refuse(outcome);
      if (outcome.type === 'refused') return reply.refuse(outcome.refusal);
      if (outcome.type !== 'ordered') throw new Error(`A preview was answered with "${outcome.type}".`);
      const { kind, packageId, months, priceCents, refundCents, balanceAfterCents, expiresAt } =
        outcome.order;
      return reply.send({
        kind,
        package: { id: packageId, name: packages.current().byId.get(packageId)?.name ?? '' },
        months,
        price: formatAmount(priceCents),
        refund: formatAmount(refundCents),
        balance: formatAmount(balanceAfterCents + priceCents - refundCents),
        balance_after: formatAmount(balanceAfterCents),
        expires_at: formatTime(expiresAt),
      });
    },
  );

  /** By reference or id; 0: the account has no such customer. */
  async function customerNumberOf(accountId: number, customer: string): Promise<number> {
    const number = await findCustomerNumber(database, accountId, customer);
    return number ?? parseOwnNumber(customer, accountId) ?? 0;
  }

  async function preview(request: FastifyRequest, command: PreviewCommand): Promise<OrderOutcome | Refusal> {
    let { account } = request.principal;
    for (let attempts = 0; attempts < previewAttemptsMax; attempts += 1) {
      try {
        const outcome = await previewOrder(
          { database, currency, now, packages: packages.current },
          command(account),
        );
        if (outcome.type !== 'access_changed') return outcome;
        const again = await door.again(request);
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

type PreviewCommand = (account: Account) => OrderCommand;

/** No order has this key: a key that was sent binds nothing in a preview. */
const previewKey = { idempotencyKey: '', keyIsMinted: true };

function readPreview(account: Account, body: JsonObject): PreviewCommand | Refusal {
  const orderId = own(body, 'order_id');
  if (orderId === undefined) {
    const wanted = parseOrderRequest(body, undefined);
    if (isRefusal(wanted)) return wanted;
    const { packageId, customerReference, customerName, months } = wanted;
    return ({ id: accountId, accessVersion }) => ({
      type: 'place',
      accountId,
      accessVersion,
      ...previewKey,
      packageId,
      customerReference,
      customerName,
      months,
      loginLink: null,
    });
  }
  if (typeof orderId !== 'number' || !Number.isInteger(orderId)) {
    return fieldRefusal('validation_failed', 'order_id', 'must be an integer');
  }
  const wanted = parseRenewRequest(body, undefined);
  if (isRefusal(wanted)) return wanted;
  const orderNumber = parseOwnNumber(String(orderId), account.id) ?? 0;
  return ({ id: accountId, accessVersion }) => ({
    type: 'renew',
    accountId,
    accessVersion,
    ...previewKey,
    orderNumber,
    months: wanted.months,
  });
}
