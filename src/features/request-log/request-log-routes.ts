// An account's API requests of the last days with captured bodies. Only the account can turn capture on or off.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery, readQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { ErrorCode } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { Scope } from '../../shared/scopes.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { findApiKeyNames } from '../identity/api-key-rows.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderReads } from '../orders/order-reads.ts';
import { switchBodyCapture } from './body-capture-setting.ts';
import {
  countRequestsByDay,
  findRequest,
  listRequests,
  type RequestFilter,
  sumOfCounts,
} from './find-requests.ts';
import { findRequestBodies, type RequestBodies } from './request-bodies.ts';
import type { LoggedRequest } from './request-lines.ts';
import { findRequestLinks } from './request-links.ts';
import type { RequestLog } from './request-log.ts';
import {
  bodyCaptureSchema,
  requestDetailSchema,
  requestFiguresSchema,
  requestFilterSchema,
  requestListSchema,
  requestTermsSchema,
} from './request-schemas.ts';
import { requestView } from './request-view.ts';

interface RequestLogRoutesDependencies {
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly limiter: RateLimiter;
  readonly now: () => EpochSeconds;
  readonly orders: OrderReads;
  readonly requestLog: RequestLog;
  readonly retention: { current(): { readonly requestLogDays: number } };
  readonly seal: Seal;
}

const statusClasses: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '2xx': [200, 299],
  '4xx': [400, 499],
  '5xx': [500, 599],
};

interface RequestsSurface {
  readonly path: string;
  readonly scope: Scope;
  readonly codes: readonly ErrorCode[];
  readonly hasTestMode: boolean;
  readonly noun: string;
  readonly accountOf: (
    request: FastifyRequest<{ Params: { id?: string } }>,
  ) => Promise<{ readonly id: number; readonly capturesBodies: boolean } | null>;
}

export function requestLogRoutes(app: FastifyInstance, dependencies: RequestLogRoutesDependencies): void {
  const { database, forgetAccount, limiter } = dependencies;
  requestRoutes(app, dependencies, {
    path: '/requests',
    scope: 'keys:read',
    codes: [],
    hasTestMode: true,
    noun: 'Request',
    accountOf: async ({ principal: { account } }) => account,
  });

  requestFigureRoute(app, dependencies);

  app.put<WithBody<typeof bodyCaptureSchema>>(
    '/request-bodies',
    {
      config: { scopes: ['keys:write'], codes: ['validation_failed'] },
      schema: {
        operationId: 'setRequestBodiesKept',
        summary: 'Switch the recording of request bodies on or off',
        description:
          'Without keys, links, codes, secrets and passwords, 4 KiB of each. Switched off, what was kept is deleted at once. For the account’s tests too. The audit log notes it.',
        body: bodyCaptureSchema,
        response: { 200: bodyCaptureSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      refuseIf(await limiter.admitAccessChange(request.person.id, 'allow_list', reply));
      const { id } = request.principal.account;
      const caller = actorOf(request.principal, ['keys:write']);
      const done = await switchBodyCapture(database, id, body.bodies_kept, caller);
      if (done === null) throw new Error(`Account ${id} does not exist.`);
      if ('code' in done) throw new RequestRefused(done);
      for (const each of done) forgetAccount(each);
      return reply.send({ bodies_kept: body.bodies_kept });
    },
  );
}

const daySeconds = 86_400;
const figureDaysMax = 30;

function requestFigureRoute(
  app: FastifyInstance,
  { database, requestLog, retention, now }: RequestLogRoutesDependencies,
): void {
  app.get(
    '/request-figures',
    {
      config: { scopes: ['keys:read'], codes: ['invalid_filter'], hasTestMode: true },
      schema: {
        operationId: 'getRequestFigures',
        summary: 'How many requests matched, by outcome and by UTC day',
        description: 'Counts all that are kept; days are the last 30 of them at most.',
        querystring: requestTermsSchema,
        response: { 200: requestFiguresSchema },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const at = now();
      const since = at - retention.current().requestLogDays * daySeconds;
      const terms = readQuery(query, (sent) => filterOf(sent, since), 'invalid_filter');
      await requestLog.flush();
      const counts = await countRequestsByDay(database, account.id, terms);
      const last = Math.min(at, terms.until - 1);
      const first = Math.max(terms.since, last - (figureDaysMax - 1) * daySeconds);
      const dates: string[] = [];
      for (let day = first - (first % daySeconds); day <= last; day += daySeconds) dates.push(dayOf(day));
      return reply.send({
        ...sumOfCounts(counts.values()),
        days: dates.map((date) => {
          const { succeeded = 0, refused = 0, failed = 0 } = counts.get(date) ?? {};
          return { date, succeeded, refused, failed };
        }),
      });
    },
  );
}

export function accountRequestRoutes(app: FastifyInstance, dependencies: RequestLogRoutesDependencies): void {
  requestRoutes(app, dependencies, {
    path: '/accounts/:id/requests',
    scope: 'admin:read',
    codes: ['account_not_found'],
    hasTestMode: false,
    noun: 'AccountRequest',
    async accountOf({ params }) {
      const id = parseAccountId(params.id ?? '');
      return id === null ? null : findAccount(dependencies.database, id);
    },
  });
}

function requestRoutes(
  app: FastifyInstance,
  dependencies: RequestLogRoutesDependencies,
  { path, scope, codes, hasTestMode, noun, accountOf }: RequestsSurface,
): void {
  const { database, requestLog, retention, seal, now } = dependencies;
  /** Older lines are never shown, even before they are deleted. */
  const shownSince = () => now() - retention.current().requestLogDays * 86_400;

  app.get<{ Params: { id?: string } }>(
    path,
    {
      config: { scopes: [scope], codes: [...filteredListCodes, ...codes], hasTestMode },
      schema: {
        operationId: `list${noun}s`,
        summary: 'Requests made with the account’s keys, newest first',
        description: 'Kept for seven days, or as long as the operator set.',
        querystring: requestFilterSchema,
        response: { 200: requestListSchema },
      },
    },
    async (request, reply) => {
      const account = orRefuse(await accountOf(request), 'account_not_found');
      const { filter, position, limit, cursorAt } = readFilteredPage(
        seal,
        requestList(shownSince()),
        account.id,
        request.query,
        true,
      );
      const before = position === null ? Number.MAX_SAFE_INTEGER : Number(position);
      // Write pending lines first, so that the newest requests are included.
      await requestLog.flush();
      const found = await listRequests(database, account.id, { ...filter, before, limit: limit + 1 });
      const page = found.slice(0, limit);
      return reply.send({
        data: await viewsOf(page),
        next_cursor: cursorAt(found.length > limit ? String(page.at(-1)?.number) : null),
        bodies_kept: account.capturesBodies,
      });
    },
  );

  app.get<{ Params: { id?: string; number: string } }>(
    `${path}/:number`,
    {
      config: { scopes: [scope], codes: ['request_not_found', ...codes], hasTestMode },
      schema: {
        operationId: `get${noun}`,
        summary: 'One request, what was sent and answered, and what it was about',
        response: { 200: requestDetailSchema },
      },
    },
    async (request, reply) => {
      const account = orRefuse(await accountOf(request), 'account_not_found');
      await requestLog.flush();
      const { number } = request.params;
      const line = orRefuse(
        /^[1-9]\d{0,15}$/.test(number)
          ? await findRequest(database, account.id, Number(number), shownSince())
          : null,
        'request_not_found',
      );
      const bodies = await findRequestBodies(database, account.id, line.number);
      const [[view], links] = await Promise.all([
        viewsOf([line]),
        findRequestLinks(dependencies, account.id, line, bodies),
      ]);
      return reply.send({
        request: view,
        bodies_kept: account.capturesBodies,
        exchange: bodies === null ? null : exchangeView(bodies),
        ...links,
      });
    },
  );

  async function viewsOf(lines: readonly LoggedRequest[]) {
    const names = await findApiKeyNames(
      database,
      lines.flatMap(({ keyId }) => keyId ?? []),
    );
    return lines.map((line) => ({
      ...requestView(line),
      key: line.keyId === null ? null : { id: line.keyId, name: names.get(line.keyId) ?? '' },
    }));
  }
}

const requestList = (shownSince: EpochSeconds) => ({
  list: 'requests',
  names: ['status', 'code', 'key', 'method', 'path', 'request_id', 'from', 'to'],
  read: (sent: ListQuery) => filterOf(sent, shownSince),
});

function filterOf(sent: ListQuery, shownSince: EpochSeconds): Omit<RequestFilter, 'before' | 'limit'> {
  const status = sent.text('status');
  const one = statusClasses[status] === undefined ? sent.number('status', 0) : 0;
  const [statusMin, statusMax] = statusClasses[status] ?? (one === 0 ? [100, 599] : [one, one]);
  const span = sent.span('from', 'to');
  return {
    since: Math.max(span?.since ?? 0, shownSince),
    until: span?.until ?? endOfTime,
    statusMin: Math.min(statusMin, 999),
    statusMax: Math.min(statusMax, 999),
    code: sent.text('code') || null,
    keyId: Math.min(sent.number('key', 0), 2_147_483_647) || null,
    method: sent.text('method').toUpperCase() || null,
    pathPart: sent.text('path') || null,
    requestId: sent.text('request_id') || null,
  };
}

function exchangeView(bodies: RequestBodies) {
  return {
    sent: {
      query: bodies.query,
      idempotency_key: bodies.idempotencyKey,
      content_type: bodies.sentType,
      user_agent: bodies.userAgent,
      body: bodies.sent,
      is_cut: bodies.sentIsCut,
    },
    answered: {
      content_type: bodies.answeredType,
      body: bodies.answered,
      is_cut: bodies.answeredIsCut,
    },
  };
}
