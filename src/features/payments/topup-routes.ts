// Top-ups of an account: ask to pay in, look what became of it, cancel.

import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { type Database, ranked } from '../../platform/database/database.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { endOfTime, numberMax } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { isTestAccount, parseOwnNumber } from '../../shared/identifiers.ts';
import { pageAnswer, pageRange, parsePage } from '../../shared/pages.ts';
import { topupMethods, topupStatuses } from '../../shared/topup-words.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import type { BookingDependencies } from './book-payments.ts';
import { type CheckoutTexts, openCheckout } from './open-checkout.ts';
import type { PaymentGateways } from './payment-gateway.ts';
import { ProviderAway, ProviderRefused } from './payment-provider.ts';
import { findPaymentSettings, type PaymentSettings } from './payment-settings.ts';
import { readReturnUrl } from './return-url.ts';
import { payInTestMode } from './test-outcomes.ts';
import {
  newTopupBodySchema,
  topupAnswerSchema,
  topupListQuerySchema,
  topupListSchema,
} from './topup-schemas.ts';
import {
  cancelTopup,
  countTopups,
  createTopup,
  findTopup,
  listTopups,
  type TopupFilter,
} from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';
import { topupView } from './topup-view.ts';

export interface TopupRoutesDependencies extends BookingDependencies {
  readonly seal: Seal;
  readonly gateways: PaymentGateways;
  readonly checkout: CheckoutTexts;
  readonly testBudget: TestBudget;
  readonly onProviderProblem: (error: Error) => void;
}

const filters: FilterableList<TopupFilter> = {
  list: 'topups',
  names: ['status', 'method', 'created_from', 'created_to'],
  read: (sent) => {
    const { since, until } = sent.span('created_from', 'created_to') ?? { since: 0, until: endOfTime };
    return {
      status: sent.oneOf('status', topupStatuses),
      method: sent.oneOf('method', topupMethods),
      since,
      until,
    };
  },
};

export function topupRoutes(
  app: FastifyInstance,
  dependencies: TopupRoutesDependencies,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
): void {
  const { database, seal, currency } = dependencies;
  const lookups = ranked(database, 'lookups');

  app.post<WithBody<typeof newTopupBodySchema>>(
    '/topups',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['topups:write'],
        codes: [
          'validation_failed',
          'invalid_idempotency_key',
          'idempotency_conflict',
          'payment_method_off',
          'too_many_topups',
          'daily_maximum_reached',
          'test_mode_only',
          'test_full',
          'reset_in_progress',
          'provider_unavailable',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'createTopup',
        summary: 'Add funds',
        description:
          'Answers where to pay. The balance rises once the money has come, even if the payer never returns: follow the event topup.paid. Safe to retry with the same idempotency key.',
        body: newTopupBodySchema,
        response: { 201: topupAnswerSchema },
      },
    },
    async (request, reply) => {
      const settings = await findPaymentSettings(lookups);
      const done = orRefuse(await create(dependencies, settings, request));
      markReplayed(reply, done);
      const topup = await started(dependencies, settings, done.result, request.body.outcome);
      return reply.code(201).send({ topup: topupView(topup, currency, settings) });
    },
  );

  app.get(
    '/topups',
    {
      ...confirm,
      config: { scopes: ['topups:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listTopups',
        summary: 'Your top-ups',
        description: 'Newest first, by page number, or with a filter by cursor.',
        querystring: topupListQuerySchema,
        response: { 200: topupListSchema },
      },
    },
    async (request, reply) => {
      const { id: accountId } = request.principal.account;
      const settings = await findPaymentSettings(lookups);
      const view = (topup: ListedTopup) => topupView(topup, currency, settings);
      const filtered = readFilteredPage(seal, filters, accountId, request.query, false);
      if (filtered === null) {
        const page = parsePage(request.query);
        const total = await countTopups(database, accountId);
        const range = pageRange(page, total);
        const everything = { status: null, method: null, since: 0, until: endOfTime };
        const found =
          range === null
            ? []
            : await listTopups(database, accountId, everything, { below: range.to + 1, limit: page.limit });
        return reply.send(pageAnswer(found.map(view), page, total));
      }
      const { filter, position, limit, cursorAt } = filtered;
      const below = position === null ? numberMax : Number(position);
      const found = await listTopups(database, accountId, filter, { below, limit: limit + 1 });
      const page = found.slice(0, limit);
      const next = found.length > limit ? String(page.at(-1)?.number) : null;
      return reply.send({ data: page.map(view), next_cursor: cursorAt(next) });
    },
  );

  app.get<WithId>(
    '/topups/:id',
    {
      ...confirm,
      config: { scopes: ['topups:read'], codes: ['topup_not_found'] },
      schema: {
        operationId: 'getTopup',
        summary: 'One top-up',
        description: 'What became of it, and where to pay while it is open.',
        response: { 200: topupAnswerSchema },
      },
    },
    async (request, reply) => {
      const topup = orRefuse(await findOwn(lookups, request), 'topup_not_found');
      return reply.send({ topup: topupView(topup, currency, await findPaymentSettings(lookups)) });
    },
  );

  app.post<WithId>(
    '/topups/:id/cancel',
    {
      config: {
        scopes: ['topups:write'],
        codes: ['topup_not_found', 'topup_not_open', 'reset_in_progress'],
      },
      schema: {
        operationId: 'cancelTopup',
        summary: 'Cancel a top-up',
        description:
          'Only an open one. Money that comes all the same is credited. Canceling twice changes nothing.',
        response: { 200: topupAnswerSchema },
      },
    },
    async (request, reply) => {
      const found = orRefuse(await findOwn(lookups, request), 'topup_not_found');
      const { accountId, number } = found;
      const now = request.principal.now();
      const topup = orRefuse(await cancelTopup(database, { accountId, number, currency, now }));
      await closePage(dependencies, topup);
      return reply.send({ topup: topupView(topup, currency, await findPaymentSettings(lookups)) });
    },
  );
}

function create(
  { database, currency, testBudget }: TopupRoutesDependencies,
  settings: PaymentSettings,
  request: FastifyRequest<WithBody<typeof newTopupBodySchema>>,
) {
  const { body, principal } = request;
  const accountId = principal.account.id;
  const isTest = isTestAccount(accountId);
  if (body.outcome !== undefined && !isTest) throw new RequestRefused('test_mode_only');
  const amountCents = parseAmount(body.amount);
  if (amountCents === null || amountCents <= 0n) {
    throw new RequestRefused(fieldRefusal('validation_failed', 'amount', 'must be above zero'));
  }
  return createTopup(database, {
    accountId,
    method: body.method,
    amountCents,
    returnUrl: body.return_url === undefined ? null : readReturnUrl(body.return_url),
    outcome: isTest ? (body.outcome ?? 'pay') : null,
    idempotencyKey: idempotencyKeyOf(request),
    currency,
    settings,
    testBudget,
    now: principal.now(),
  });
}

/** Opens the hosted page, or in test mode lets the outcome happen. A repeated request goes on where the first one stopped. */
async function started(
  dependencies: TopupRoutesDependencies,
  settings: PaymentSettings,
  topup: ListedTopup,
  outcome: NonNullable<WithBody<typeof newTopupBodySchema>['Body']['outcome']> = 'pay',
): Promise<ListedTopup> {
  const { database, checkout } = dependencies;
  const { accountId, number, providerKey, expiresAt } = topup;
  if (topup.status !== 'open') return topup;
  if (isTestAccount(accountId)) {
    await payInTestMode(dependencies, topup, outcome);
    return (await findTopup(ranked(database, 'lookups'), accountId, number)) ?? topup;
  }
  if (providerKey === null || topup.sessionId !== null || expiresAt === null) return topup;
  try {
    const gateway = await dependencies.gateways.of(settings);
    if (gateway === null) return topup;
    return await openCheckout(database, gateway, { ...topup, providerKey, expiresAt }, checkout);
  } catch (error) {
    if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
    dependencies.onProviderProblem(error);
    throw new RequestRefused('provider_unavailable');
  }
}

/** If this fails, the reconciler closes it. */
async function closePage(
  { gateways, onProviderProblem }: TopupRoutesDependencies,
  { sessionId }: ListedTopup,
): Promise<void> {
  if (sessionId === null) return;
  try {
    await (await gateways.current())?.provider.closeCheckout(sessionId);
  } catch (error) {
    if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
    onProviderProblem(error);
  }
}

async function findOwn(database: Database, request: FastifyRequest<WithId>): Promise<ListedTopup | null> {
  const { id: accountId } = request.principal.account;
  const number = parseOwnNumber(request.params.id, accountId);
  return number === null ? null : findTopup(database, accountId, number);
}
