// Previews a bulk of renewals (docs/bulk.md).
// Invariant: it is decided like the orders. Nothing is written, and no idempotency key is used.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { errorOf } from '../../platform/http/error-responses.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal, refusal, typeReason } from '../../shared/error-catalog.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import { findNumberedCustomers } from '../customers/find-customer.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { OrderOutcome, RenewCustomer } from '../order-engine/decisions/order-commands.ts';
import { previewRenewals } from '../order-engine/preview-orders.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import { keyed, renewCustomerCommand } from '../orders/order-command.ts';
import { previewUntilSettled } from '../orders/preview-until-settled.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { type RenewalView, renewalsBodySchema, renewalsSchema } from './renewal-schemas.ts';

interface RenewalPreviewRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly guard: Pick<Authenticator, 'authenticateAgain'>;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly testBudget: TestBudget;
}

const customersMax = 500;

export function renewalPreviewRoutes(
  app: FastifyInstance,
  dependencies: RenewalPreviewRoutesDependencies,
): void {
  const { database, packages, currency, testBudget, now, guard } = dependencies;

  app.post(
    '/customers/renewals',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write', 'customers:read'],
        codes: ['validation_failed', 'service_unavailable'],
      },
      schema: {
        operationId: 'previewRenewals',
        summary: 'What renewing these customers would cost',
        description:
          'The last order of each, for as many months again. Each is checked like a real order, except for the balance. Nothing is written.',
        body: renewalsBodySchema,
        response: { 200: renewalsSchema },
      },
    },
    async (request, reply) => {
      const ids = orRefuse(readIds(request.body));
      const { account } = request.principal;
      const numbers = ids.map((id) => parseOwnNumber(String(id), account.id) ?? 0);
      const found = await findNumberedCustomers(database, account.id, numbers);
      const outcomes = await lookAhead(request, [...found.keys()]);

      let totalCents = 0n;
      let count = 0;
      const data = ids.map((id, index): RenewalView => {
        const number = numbers[index] ?? 0;
        const customer = found.get(number);
        const outcome = outcomes.get(number);
        if (customer === undefined) return refusedView(id, '', 0, null, refusal('customer_not_found'));
        const { lastOrder } = customer;
        const orderId = lastOrder === null ? null : publicId(account.id, lastOrder);
        if (outcome?.type === 'refused') {
          return refusedView(id, customer.reference, customer.packageId, orderId, outcome.refusal);
        }
        if (outcome?.type !== 'ordered') throw new Error(`A renewal was answered with "${outcome?.type}".`);
        const { packageId, months, priceCents, refundCents, expiresAt, priceRule } = outcome.order;
        totalCents += priceCents - refundCents;
        count += 1;
        return {
          customer_id: id,
          reference: customer.reference,
          order_id: orderId,
          package: packageView(packageId),
          months,
          charge: formatAmount(priceCents - refundCents),
          price_rule: priceRule.name,
          expires_at: formatTime(expiresAt),
          refusal: null,
        };
      });
      const { balanceCents } = account;
      return reply.send({
        data,
        count,
        total: formatAmount(totalCents),
        balance: formatAmount(balanceCents),
        covered: balanceCents >= totalCents,
        currency,
      });
    },
  );

  function packageView(id: number) {
    return { id, name: packages.current().byId.get(id)?.name ?? '' };
  }

  function refusedView(
    id: number,
    reference: string,
    packageId: number,
    orderId: number | null,
    refused: Refusal,
  ): RenewalView {
    const { code, message } = errorOf(refused);
    const { reason } = refused.details;
    return {
      customer_id: id,
      reference,
      order_id: orderId,
      package: packageView(packageId),
      months: null,
      charge: null,
      price_rule: null,
      expires_at: null,
      refusal: { code, message, reason: typeof reason === 'string' ? reason : null },
    };
  }

  async function lookAhead(
    request: FastifyRequest,
    numbers: readonly number[],
  ): Promise<ReadonlyMap<number, OrderOutcome>> {
    if (numbers.length === 0) return new Map();
    const wanted = { months: null, idempotencyKey: null, maxChargeCents: null };
    const outcomes = await previewUntilSettled(
      packages,
      request.principal.account,
      async () => orRefuse(await guard.authenticateAgain(request)).account,
      async (account) => {
        const commands = numbers.map(
          (number): RenewCustomer =>
            renewCustomerCommand(account, wanted, keyed(null), { id: publicId(account.id, number) }),
        );
        const decided = await previewRenewals(
          { database, currency, now, testBudget, packages: packages.current },
          account.id,
          commands,
        );
        return decided.some(({ type }) => type === 'access_changed') ? null : decided;
      },
    );
    return new Map(numbers.flatMap((number, index) => pairOf(number, outcomes[index])));
  }
}

function pairOf(number: number, outcome: OrderOutcome | undefined): [number, OrderOutcome][] {
  return outcome === undefined ? [] : [[number, outcome]];
}

function readIds(body: unknown): readonly number[] | Refusal {
  const invalid = (reason: string) => fieldRefusal('validation_failed', 'customers', reason);
  const ids = isJsonObject(body) ? own(body, 'customers') : undefined;
  if (!Array.isArray(ids)) return invalid(typeReason(ids, 'must be a list'));
  if (ids.length < 1 || ids.length > customersMax) {
    return invalid(`must hold 1 to ${customersMax} ids, not ${ids.length}`);
  }
  const read = ids.filter((id): id is number => typeof id === 'number' && Number.isSafeInteger(id));
  if (read.length < ids.length) return invalid('must hold integers');
  return new Set(read).size === read.length ? read : invalid('must not hold an id twice');
}
