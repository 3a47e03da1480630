// Endpoint routes, registered for accounts and for the operator. They call webhook-store.ts.

import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { Done } from '../../platform/database/idempotent-change.ts';
import { readFilteredPage } from '../../platform/http/cursor-page.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import {
  type ErrorCode,
  fieldRefusal,
  isRefusal,
  type Refusal,
  refusal,
} from '../../shared/error-catalog.ts';
import { parseOwnedId, parseRealOwnedId, parseRowId } from '../../shared/identifiers.ts';
import type { Scope } from '../../shared/scopes.ts';
import { type EpochSeconds, parseTime } from '../../shared/times.ts';
import { actorOf } from '../identity/principal.ts';
import { listDeliveries } from './delivery-log.ts';
import { sendTestEvent } from './test-delivery.ts';
import {
  changeWebhookBodySchema,
  deletedWebhookSchema,
  deliveryListSchema,
  deliveryQuerySchema,
  deliveryStatuses,
  newWebhookBodySchema,
  overlapHoursDefault,
  redeliverSinceBodySchema,
  rotateSecretBodySchema,
  testedWebhookSchema,
  webhookAnswerSchema,
  webhookListSchema,
  webhookWithSecretSchema,
} from './webhook-schemas.ts';
import {
  type Asked,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  redeliverOne,
  redeliverSince,
  rotateSecret,
  type Since,
} from './webhook-store.ts';
import { operator, type Webhook } from './webhook-table.ts';
import { deliveryView, testedView, webhookView } from './webhook-view.ts';

export interface WebhookRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly webhookTests: PerAccountConcurrency;
  readonly deliverSoon: () => Promise<void>;
  /** The real time, even for tests, because receivers check it. */
  readonly now: () => EpochSeconds;
}

export interface WebhookOwner {
  readonly isOperator: boolean;
  readonly confirm: { readonly preHandler?: preHandlerAsyncHookHandler };
  readonly readScope: Scope;
  readonly writeScope: Scope;
  readonly noun: 'Webhook' | 'OperatorWebhook';
}

const keyCodes = ['invalid_idempotency_key', 'idempotency_conflict'] as const satisfies ErrorCode[];

export function webhookRoutes(
  app: FastifyInstance,
  dependencies: WebhookRoutesDependencies,
  owner: WebhookOwner,
): void {
  const owned = { ...dependencies, ...owner };
  endpointRoutes(app, owned);
  deliveryRoutes(app, owned);
}

type OwnedWebhooks = WebhookRoutesDependencies & WebhookOwner;

function endpointRoutes(app: FastifyInstance, owned: OwnedWebhooks): void {
  const { database, seal, outbound, webhookTests, now, isOperator, confirm, writeScope, noun } = owned;
  const { reads, writes } = configsOf(owned);
  // The operator's endpoints receive events of all accounts, so changing them requires the password.
  const sensitive = isOperator ? { sensitiveAction: { passwordField: 'current_password' } as const } : {};
  const whose = isOperator ? 'for all accounts' : 'of the account';

  app.get(
    '/webhooks',
    {
      ...confirm,
      config: reads([]),
      schema: {
        operationId: `list${noun}s`,
        summary: `Endpoints ${whose}`,
        description: 'All of them, the oldest first.',
        response: { 200: webhookListSchema },
      },
    },
    async (request, reply) => {
      const all = await listWebhooks(database, ownerOf(owned, request));
      return reply.send({ data: all.map((webhook) => webhookView(webhook, now())) });
    },
  );

  app.post<WithBody<typeof newWebhookBodySchema>>(
    '/webhooks',
    {
      preValidation: readableKeyFirst,
      config: { ...writes(['validation_failed', 'too_many_webhooks', 'webhook_not_found']), ...sensitive },
      schema: {
        operationId: `create${noun}`,
        summary: isOperator ? 'Create an endpoint for all accounts' : 'Create an endpoint',
        description:
          'Events from now on are sent to the address, one after another, signed by Standard Webhooks. Only this answer has the secret: a repeated request with the same idempotency key returns the endpoint without it.',
        body: newWebhookBodySchema,
        response: { 201: webhookWithSecretSchema },
      },
    },
    (request, reply) => createOne(owned, request, reply),
  );

  app.get<WithId>(
    '/webhooks/:id',
    {
      ...confirm,
      config: reads(['webhook_not_found']),
      schema: {
        operationId: `get${noun}`,
        summary: 'One endpoint',
        description: 'With what became of it: since when it fails, and why it was switched off.',
        response: { 200: webhookAnswerSchema },
      },
    },
    async (request, reply) => {
      const webhook = orRefuse(await found(owned, request), 'webhook_not_found');
      return reply.send({ webhook: webhookView(webhook, now()) });
    },
  );

  app.patch<WithId & WithBody<typeof changeWebhookBodySchema>>(
    '/webhooks/:id',
    {
      preValidation: readableKeyFirst,
      config: { ...writes(['validation_failed', 'webhook_not_found']), ...sensitive },
      schema: {
        operationId: `change${noun}`,
        summary: 'Change an endpoint, or switch it off and on',
        description:
          'What is not sent stays as it is. Switched on again it goes on where it was, as far as events are kept; another address, or other types, are tried at once.',
        body: changeWebhookBodySchema,
        response: { 200: webhookAnswerSchema },
      },
    },
    (request, reply) => changeOne(owned, request, reply),
  );

  app.delete<WithId>(
    '/webhooks/:id',
    {
      config: { ...writes(['webhook_not_found']), ...sensitive },
      schema: {
        operationId: `delete${noun}`,
        summary: 'Delete an endpoint',
        description: 'With its log. What it was not sent yet is not sent any more; the feed has it.',
        response: { 200: deletedWebhookSchema },
      },
    },
    async (request, reply) => {
      const asked = orRefuse(askedBy(owned, request));
      return answer(reply, await deleteWebhook(database, idOf(request), asked), (deleted) => ({ deleted }));
    },
  );

  app.post<WithId>(
    '/webhooks/:id/test',
    {
      config: { scopes: [writeScope], codes: ['webhook_not_found'] },
      schema: {
        operationId: `test${noun}`,
        summary: 'Send a test event',
        description:
          'At once, switched off or not, and once: the answer says what came back. Its type is webhook.test; it is no event of the feed, and not in the log.',
        response: { 200: testedWebhookSchema },
      },
    },
    async (request, reply) => {
      const webhook = orRefuse(await found(owned, request), 'webhook_not_found');
      refuseIf(await webhookTests.take(request.principal.account.id, reply));
      return reply.send(testedView(await sendTestEvent({ outbound, seal }, webhook, now())));
    },
  );

  app.post<WithId & WithBody<typeof rotateSecretBodySchema>>(
    '/webhooks/:id/secret',
    {
      preValidation: readableKeyFirst,
      config: { ...writes(['validation_failed', 'webhook_not_found']), ...sensitive, isBodyOptional: true },
      schema: {
        operationId: `rotate${noun}Secret`,
        summary: 'A new secret',
        description:
          'Until the overlap ends both sign: each delivery has two signatures. The secret is in this answer alone: a request sent again with its idempotency key is answered without it.',
        body: rotateSecretBodySchema,
        response: { 200: webhookWithSecretSchema },
      },
    },
    (request, reply) => rotateOne(owned, request, reply),
  );
}

function deliveryRoutes(app: FastifyInstance, owned: OwnedWebhooks): void {
  const { database, isOperator, confirm, noun } = owned;
  const { reads, writes } = configsOf(owned);
  const parseEventId = isOperator ? parseRealOwnedId : parseOwnedId;

  app.get<WithId>(
    '/webhooks/:id/deliveries',
    {
      ...confirm,
      config: reads(['webhook_not_found', 'invalid_filter', 'invalid_cursor']),
      schema: {
        operationId: `list${noun}Deliveries`,
        summary: 'List the deliveries of an endpoint',
        description: 'Every attempt of the last 30 days, of the last 100,000 at most, newest first.',
        querystring: deliveryQuerySchema,
        response: { 200: deliveryListSchema },
      },
    },
    (request, reply) => showDeliveries(owned, request, reply),
  );

  app.post<{ Params: { id: string; event_id: string } }>(
    '/webhooks/:id/deliveries/:event_id/redeliver',
    {
      config: writes(['webhook_not_found', 'event_not_found']),
      schema: {
        operationId: `redeliverTo${noun}`,
        summary: 'Send one event again',
        description:
          'Sends the event at once, ahead of the queue; if that fails, it is retried like any other. A disabled endpoint gets it once it is enabled. The event may be of any type.',
        response: { 200: webhookAnswerSchema },
      },
    },
    async (request, reply) => {
      const asked = orRefuse(askedBy(owned, request));
      const event = orRefuse(parseEventId(request.params.event_id), 'event_not_found');
      const done = await redeliverOne(database, parseRowId(request.params.id) ?? 0, event, asked);
      return answerWebhook(owned, reply, done);
    },
  );

  app.post<WithId & WithBody<typeof redeliverSinceBodySchema>>(
    '/webhooks/:id/redeliver',
    {
      preValidation: readableKeyFirst,
      config: writes(['validation_failed', 'webhook_not_found', 'event_not_found']),
      schema: {
        operationId: `redeliverSinceTo${noun}`,
        summary: 'Send everything since again',
        description:
          'Sends everything from an event or a second on again, in order, including delivered events. New events follow.',
        body: redeliverSinceBodySchema,
        response: { 200: webhookAnswerSchema },
      },
    },
    async (request, reply) => {
      const asked = orRefuse(askedBy(owned, request));
      const { body } = request;
      const since = orRefuse(sinceOf(body.from, parseEventId));
      return answerWebhook(owned, reply, await redeliverSince(database, idOf(request), since, asked));
    },
  );
}

function configsOf({ readScope, writeScope, isOperator }: WebhookOwner) {
  const reads = (codes: readonly ErrorCode[]) => ({ scopes: [readScope], codes });
  const writes = (codes: readonly ErrorCode[]) => ({
    scopes: [writeScope],
    codes: [...keyCodes, ...codes, ...(isOperator ? [] : (['reset_in_progress'] as const))],
    isReplayable: true,
  });
  return { reads, writes };
}

async function createOne(
  owned: OwnedWebhooks,
  request: FastifyRequest<WithBody<typeof newWebhookBodySchema>>,
  reply: FastifyReply,
) {
  const { outbound, database, seal, deliverSoon, now } = owned;
  const asked = orRefuse(askedBy(owned, request));
  const { body } = request;
  const problem = await outbound.problemOf(body.url);
  if (problem !== null) throw new RequestRefused(fieldRefusal('validation_failed', 'url', problem));
  const { url, types = [], description = null, enabled = true } = body;
  const done = await createWebhook(database, seal, { url, types, description, enabled }, asked);
  if (!isRefusal(done)) await deliverSoon();
  return answer(
    reply,
    done,
    ({ webhook, secret }) => ({ webhook: webhookView(webhook, now()), secret }),
    201,
  );
}

async function changeOne(
  owned: OwnedWebhooks,
  request: FastifyRequest<WithId & WithBody<typeof changeWebhookBodySchema>>,
  reply: FastifyReply,
) {
  const { outbound, database, deliverSoon } = owned;
  const asked = orRefuse(askedBy(owned, request));
  const { body } = request;
  const { url, types, description, enabled } = body;
  const changes = {
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types }),
    ...(description === undefined ? {} : { description }),
    ...(enabled === undefined ? {} : { enabled }),
  };
  const problem = url === undefined ? null : await outbound.problemOf(url);
  if (problem !== null) throw new RequestRefused(fieldRefusal('validation_failed', 'url', problem));
  const done = await changeWebhook(database, idOf(request), changes, asked);
  if (!isRefusal(done)) await deliverSoon();
  return answerWebhook(owned, reply, done);
}

async function rotateOne(
  owned: OwnedWebhooks,
  request: FastifyRequest<WithId & WithBody<typeof rotateSecretBodySchema>>,
  reply: FastifyReply,
) {
  const { database, seal, now } = owned;
  const asked = orRefuse(askedBy(owned, request));
  const body = request.body ?? {};
  const hours = body.overlap_hours ?? overlapHoursDefault;
  const done = await rotateSecret(database, seal, idOf(request), hours, asked);
  return answer(reply, done, ({ webhook, secret }) => ({
    webhook: webhookView(webhook, now()),
    secret,
  }));
}

async function showDeliveries(owned: OwnedWebhooks, request: FastifyRequest<WithId>, reply: FastifyReply) {
  const { seal, database } = owned;
  const webhook = orRefuse(await found(owned, request), 'webhook_not_found');
  const list = {
    list: `deliveries ${webhook.id}`,
    names: ['status'],
    read: (sent: ListQuery) => sent.oneOf('status', deliveryStatuses),
  };
  const page = readFilteredPage(seal, list, ownerOf(owned, request), request.query, true);
  const { attempts, next } = await listDeliveries(database, {
    webhookId: webhook.id,
    outcome: page.filter,
    before: page.position === null ? null : Number(page.position),
    limit: page.limit,
  });
  return reply.send({
    data: attempts.map(deliveryView),
    next_cursor: page.cursorAt(next === null ? null : String(next)),
  });
}

function askedBy(owned: OwnedWebhooks, request: FastifyRequest): Asked | Refusal {
  const { now } = owned;
  const idempotencyKey = idempotencyKeyOf(request);
  const { now: _now, ...author } = actorOf(request.principal);
  return { accountId: ownerOf(owned, request), idempotencyKey, author, now: now() };
}

function ownerOf({ isOperator }: OwnedWebhooks, { principal }: FastifyRequest) {
  return isOperator ? operator : principal.account.id;
}

function answer<Result>(
  reply: FastifyReply,
  done: Done<Result> | Refusal,
  view: (result: Result) => object,
  status: 200 | 201 = 200,
) {
  const { result, replayed } = orRefuse(done);
  markReplayed(reply, { replayed });
  return reply.code(status).send(view(result));
}

function idOf(request: FastifyRequest<WithId>) {
  return parseRowId(request.params.id) ?? 0;
}

function answerWebhook({ now }: OwnedWebhooks, reply: FastifyReply, done: Done<Webhook> | Refusal) {
  return answer(reply, done, (webhook) => ({ webhook: webhookView(webhook, now()) }));
}

function found(owned: OwnedWebhooks, request: FastifyRequest<WithId>) {
  const { database } = owned;
  return findWebhook(database, ownerOf(owned, request), idOf(request));
}

function sinceOf(from: number | string, parseEventId: typeof parseOwnedId): Since | Refusal {
  if (typeof from === 'number') {
    const event = parseEventId(String(from));
    return event === null ? refusal('event_not_found') : { event };
  }
  const at = parseTime(from);
  return at === null
    ? fieldRefusal(
        'validation_failed',
        'from',
        'must be the id of an event, or look like 2026-01-31T12:00:00Z',
      )
    : { at };
}
