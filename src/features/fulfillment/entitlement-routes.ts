// /api/product/v1 for the operator's product (keys with the scope `product`).

import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Database, ranked } from '../../platform/database/database.ts';
import { readQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import { isKnown } from '../../platform/http/served-document.ts';
import { parseCustomerReference } from '../../shared/customer-references.ts';
import { fieldRefusal, isRefusal } from '../../shared/error-catalog.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { EventWaits } from '../events/account-feed.ts';
import { readWaitSeconds } from '../events/feed-request.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import {
  beginEntitlements,
  type EntitledCustomer,
  type EntitlementCursor,
  findEntitlement,
  readEntitlements,
} from './entitlement-reads.ts';
import {
  type EntitlementView,
  entitlementFeedQuerySchema,
  entitlementFeedSchema,
} from './entitlement-schemas.ts';
import { shownPlan } from './product-payload.ts';

export interface EntitlementRoutesDependencies {
  readonly database: Database;
  readonly packages: () => PackageCatalog;
  readonly now: () => EpochSeconds;
  readonly eventWaits: Pick<EventWaits, 'rest'>;
  readonly monotonicNow: () => number;
  readonly stillProblem: Authenticator['stillProblem'];
}

const changesPerAnswer = 100;
const changesPerAnswerMax = 1_000;

export function entitlementRoutes(
  app: FastifyInstance,
  { database, packages, eventWaits, now, monotonicNow, stillProblem }: EntitlementRoutesDependencies,
): void {
  const lookups = ranked(database, 'lookups');

  app.get<{ Params: { reference: string } }>(
    '/entitlements/:reference',
    {
      config: { scopes: ['product'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'getEntitlement',
        summary: 'What a customer may do',
        description:
          'With an ETag: a request with If-None-Match is answered with 304 while nothing has changed. While an order waits for your confirmation it is as before the order.',
        response: { 200: Type.Ref('Entitlement'), 304: { type: 'null' } },
      },
    },
    async (request, reply) => {
      const reference = parseCustomerReference(request.params.reference);
      // No order accepts such a reference, and PostgreSQL refuses some of these texts.
      if (isRefusal(reference)) throw new RequestRefused('customer_not_found');
      const found = orRefuse(
        await findEntitlement(lookups, request.principal.mode, reference),
        'customer_not_found',
      );
      const view = entitlementView(found, packages(), found.testClock ?? now());
      const etag = `"${hash('sha256', JSON.stringify(view), 'base64url').slice(0, 27)}"`;
      reply.header('etag', etag);
      if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
      return reply.send(view);
    },
  );

  app.get(
    '/entitlements',
    {
      config: { scopes: ['product'], codes: ['invalid_filter', 'events_gone'] },
      schema: {
        operationId: 'readEntitlements',
        summary: 'Every change of what customers may do, in order',
        description:
          'For a copy of your own: the first pages hold every customer, later ones what has changed since, in its present state. The same change may come twice. A cursor older than the events that are kept, for 90 days unless you set another time, is answered with events_gone: start again from the beginning.',
        querystring: entitlementFeedQuerySchema,
        response: { 200: entitlementFeedSchema },
      },
    },
    async (request, reply) => {
      const question = readFeedQuestion(request.query);
      const { limit, waitSeconds } = question;
      const { mode } = request.principal;
      const until = monotonicNow() + waitSeconds * 1_000;
      let mayWait = true;
      let hasWaited = false;
      for (let cursor = question.cursor ?? (await beginEntitlements(database, mode)); ; ) {
        const page = orRefuse(await readEntitlements(database, mode, cursor, limit), 'events_gone');
        if (
          page.customers.length > 0 ||
          page.hasMore ||
          monotonicNow() >= until ||
          !mayWait ||
          request.raw.destroyed
        ) {
          refuseIf(hasWaited ? await stillProblem(request) : null);
          const catalog = packages();
          return reply.send({
            data: page.customers.map((one) => entitlementView(one, catalog, one.testClock ?? now())),
            next_after: cursorText(page.next),
            has_more: page.hasMore || cursor.type === 'all',
            packages_version: catalog.version,
          });
        }
        cursor = page.next;
        hasWaited = true;
        mayWait = await eventWaits.rest();
      }
    },
  );
}

function entitlementView(
  { customer, accountName, formerReferences }: EntitledCustomer,
  { byId }: PackageCatalog,
  now: EpochSeconds,
): EntitlementView {
  const { accountId, number } = customer;
  const plan = shownPlan(customer, byId.get(customer.packageId) ?? null, now);
  return {
    reference: customer.reference,
    ...(formerReferences.length > 0 && { former_references: [...formerReferences] }),
    customer_id: publicId(accountId, number),
    active: plan.status === 'active',
    ...plan,
    account: { id: accountId, name: accountName },
  };
}

function readFeedQuestion(query: unknown): {
  cursor: EntitlementCursor | null;
  limit: number;
  waitSeconds: number;
} {
  const sent = readQuery(
    query,
    (each) => ({
      after: each.text('after'),
      limit: Math.min(each.number('limit', changesPerAnswer), changesPerAnswerMax),
      wait: each.text('wait'),
    }),
    'invalid_filter',
  );
  const waitSeconds = readWaitSeconds(sent.wait);
  if (sent.after === '') return { cursor: null, limit: sent.limit, waitSeconds };
  const cursor = parseCursor(sent.after);
  if (cursor === null) {
    throw new RequestRefused(fieldRefusal('invalid_filter', 'after', 'must be next_after of an answer'));
  }
  return { cursor, limit: sent.limit, waitSeconds };
}

/** "s.17" is in the stream, "a.3.12.17" among all customers. After a restore, the incarnation follows: ".r0123456789ab". */
function cursorText(cursor: EntitlementCursor): string {
  const { type, position, incarnation } = cursor;
  const ending = incarnation === null ? '' : `.r${incarnation}`;
  if (type === 'stream') return `s.${position}${ending}`;
  return `a.${cursor.accountId}.${cursor.number}.${position}${ending}`;
}

function parseCursor(text: string): EntitlementCursor | null {
  const match = /^([as])\.(\d{1,15}(?:\.\d{1,15}){0,2})(?:\.r([0-9a-f]{1,20}))?$/.exec(text);
  if (match === null) return null;
  const [, kind, numbers = '', incarnation = null] = match;
  const parts = numbers.split('.');
  const [first = '0', second = '0', third = '0'] = parts;
  if (kind === 's' && parts.length === 1) return { type: 'stream', position: BigInt(first), incarnation };
  if (kind !== 'a' || parts.length !== 3 || Math.max(Number(first), Number(second)) > 2_147_483_647)
    return null;
  return {
    type: 'all',
    accountId: Number(first),
    number: Number(second),
    position: BigInt(third),
    incarnation,
  };
}
