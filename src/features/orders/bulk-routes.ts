// POST /orders/bulk: up to 500 orders and renewals, each with its own result, in the order sent.
// Invariant: few bulks run at once, so bodies and results are bounded even with slow clients. A bulk's orders reach the
// engine in small windows, so that other orders do not wait for all of them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOfFailure } from '../../platform/http/error-responses.ts';
import { orRefuse, refuseIf } from '../../platform/http/request-refused.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { mintToken } from '../../platform/secrets/one-time-token.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal, typeReason } from '../../shared/error-catalog.ts';
import { isJsonObject, own } from '../../shared/json.ts';
import type { AccountReads } from '../identity/account-reads.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { limitId } from '../identity/principal.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { type MintedLink, placedResult, readBulkOrder, refusedResult } from './bulk-order.ts';
import {
  type BulkResult,
  bulkAnswerSchema,
  bulkBodySchema,
  bulkBytesMax,
  bulkOrdersMax,
} from './bulk-schemas.ts';
import { orderView } from './order-view.ts';
import { createSubmitter, type SubmitDependencies, type SubmitOrder } from './submit-commands.ts';

export interface BulkLimits {
  readonly windowOrders: number;
}

export interface BulkRoutesDependencies extends SubmitDependencies {
  readonly accounts: AccountReads;
  readonly packages: () => PackageCatalog;
  readonly currency: string;
  readonly publicUrl: () => string;
  readonly linkValidSeconds: number;
  readonly limiter: Pick<RateLimiter, 'now' | 'refusedWhole' | 'foreseeRefused'>;
  readonly admitAsMany: Authenticator['admitAsMany'];
  readonly bulkConcurrency: {
    readonly ofAccount: PerAccountConcurrency;
    readonly ofAll: PerAccountConcurrency;
  };
  readonly bulkLimits: BulkLimits;
}

const ordersPerRequest = 10;
const everybody = 0;

export function bulkRoutes(app: FastifyInstance, dependencies: BulkRoutesDependencies): void {
  const { accounts, packages, currency, publicUrl, linkValidSeconds, limiter, bulkConcurrency, bulkLimits } =
    dependencies;
  const letInAt = new WeakMap<FastifyRequest, number>();

  app.post(
    '/orders/bulk',
    {
      bodyLimit: bulkBytesMax,
      preParsing: takeTurn,
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: ['validation_failed'],
      },
      schema: {
        operationId: 'placeOrdersInBulk',
        summary: 'Place many orders at once',
        description:
          'Up to 500 orders and renewals, each with an idempotency key and a result of its own: status and answer, or status and error, as of the single request, in the order sent. A refused order does not stop the others, and nothing about the whole is atomic. Safe to repeat forever: what stands is answered as a replay. Counts as one request of the rate limit for every ten orders begun; the body may have 512 KiB. The header Idempotency-Key is not read.',
        body: bulkBodySchema,
        response: { 200: bulkAnswerSchema },
      },
    },
    async (request, reply) => {
      const items = orRefuse(ordersOf(request.body));
      refuseIf(await admit(request, reply, items.length));

      const bulk = {
        request,
        submit: createSubmitter(dependencies, request),
        failures: new Map<string, Refusal>(),
      };
      const results: BulkResult[] = [];
      let balanceCents: bigint | null = null;
      for (let from = 0; from < items.length; from += bulkLimits.windowOrders) {
        const window = items.slice(from, from + bulkLimits.windowOrders);
        // The client has gone. If it repeats the request, that continues with the rest.
        const done = reply.raw.closed
          ? window.map(() => notBegun)
          : await Promise.all(window.map((item) => executeItem(item, bulk)));
        for (const { result, newBalanceCents } of done) {
          results.push(result);
          balanceCents = newBalanceCents ?? balanceCents;
        }
      }
      balanceCents ??= (await accounts.getCounters(request.principal.account.id)).balanceCents;
      const text = JSON.stringify({ results, balance: formatAmount(balanceCents) });
      bulkConcurrency.ofAccount.end(reply);
      bulkConcurrency.ofAll.end(reply);
      return reply.type('application/json; charset=utf-8').send(text);
    },
  );

  async function takeTurn(request: FastifyRequest, reply: FastifyReply): Promise<undefined> {
    letInAt.set(request, limiter.now());
    const id = limitId(request.principal.account);
    // A refused bulk does not count as a request, but its half megabyte was read, so refusals are limited too.
    const refused =
      (await limiter.foreseeRefused(id, reply)) ??
      (await bulkConcurrency.ofAccount.take(id, reply)) ??
      (await bulkConcurrency.ofAll.take(everybody, reply));
    if (refused !== null) reply.refuse(refused);
  }

  /** The guard has counted one request. Bulks of more than ten orders count as more. */
  async function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    orders: number,
  ): Promise<Refusal | null> {
    const countsAs = Math.ceil(orders / ordersPerRequest);
    const at = letInAt.get(request);
    if (countsAs === 1 || at === undefined) return null;
    const refused = await dependencies.admitAsMany(request, reply, countsAs, at);
    if (refused === null) return null;
    limiter.refusedWhole(limitId(request.principal.account));
    const ordersMax = Math.min(bulkOrdersMax, Number(refused.details['limit']) * ordersPerRequest);
    const details = { ...refused.details, counts_as: countsAs, orders_max: ordersMax };
    if (orders <= ordersMax) return { ...refused, details };
    const message = `This bulk counts as ${countsAs} requests, more than your limit. Send at most ${ordersMax} orders at once.`;
    return { ...refused, details, message };
  }

  function mintLink(): MintedLink {
    const { token, tokenHash } = mintToken();
    return { tokenHash, validSeconds: linkValidSeconds, url: `${publicUrl()}/login/${token}` };
  }

  /** Calls the engine before it returns its promise, so that a window's orders keep their order. */
  async function executeItem(item: unknown, { request, submit, failures }: Bulk): Promise<Done> {
    try {
      const wanted = readBulkOrder(item, mintLink);
      if (isRefusal(wanted)) return refused(wanted);
      const outcome = await submit(wanted.command);
      if (isRefusal(outcome)) return refused(outcome);
      if (outcome.type === 'refused') return refused(outcome.refusal);
      if (outcome.type !== 'ordered') throw new Error(`An order was answered with "${outcome.type}".`);
      const { order, replayed } = outcome;
      const view = orderView(order, packages(), currency);
      return {
        result: placedResult(order, view, replayed, wanted.link),
        newBalanceCents: replayed ? null : order.balanceAfterCents,
      };
    } catch (error) {
      // A database error hits all orders of a batch, so log it once per kind.
      const kind = String(error);
      const failure = failures.get(kind) ?? refusalOfFailure(error, request);
      failures.set(kind, failure);
      return refused(failure);
    }
  }
}

interface Bulk {
  readonly request: FastifyRequest;
  readonly submit: SubmitOrder;
  readonly failures: Map<string, Refusal>;
}

interface Done {
  readonly result: BulkResult;
  readonly newBalanceCents: bigint | null;
}

function refused(why: Refusal): Done {
  return { result: refusedResult(why), newBalanceCents: null };
}

const notBegun = refused(refusal('service_unavailable'));

function ordersOf(body: unknown): readonly unknown[] | Refusal {
  const orders = isJsonObject(body) ? own(body, 'orders') : undefined;
  const invalid = (reason: string) => fieldRefusal('validation_failed', 'orders', reason);
  if (orders === undefined) return invalid('missing');
  if (!Array.isArray(orders)) return invalid(typeReason(orders, 'must be a list'));
  return orders.length >= 1 && orders.length <= bulkOrdersMax
    ? orders
    : invalid(`must hold 1 to ${bulkOrdersMax} orders, not ${orders.length}`);
}
