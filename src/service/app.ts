// The app: all hooks and routes, in order. Separate from listening, so that tests and the OpenAPI generator use it too.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { constants } from 'node:zlib';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import cookieParser from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { alertRoutes } from '../features/alerts/alert-routes.ts';
import { confirmAddressRoutes } from '../features/alerts/confirm-address-routes.ts';
import { unsubscribeRoutes } from '../features/alerts/unsubscribe-routes.ts';
import { createAuthenticator } from '../features/auth/api-key-auth.ts';
import type { ApiKeyCache } from '../features/auth/api-key-cache.ts';
import { lookAroundRoutes } from '../features/auth/look-around-routes.ts';
import { createReauthentication } from '../features/auth/reauthentication.ts';
import { createSessionGuard } from '../features/auth/session-auth.ts';
import { signInRoutes } from '../features/auth/sign-in-routes.ts';
import { brandPages } from '../features/brand/brand-pages.ts';
import { businessRoutes } from '../features/business/business-routes.ts';
import { loginCodeRoutes } from '../features/customer-portal/login-code-routes.ts';
import {
  type LoginLinkRoutesDependencies,
  loginLinkRoutes,
} from '../features/customer-portal/login-link-routes.ts';
import { customerEditRoutes } from '../features/customers/customer-edit-routes.ts';
import { customerListRoutes } from '../features/customers/customer-list-routes.ts';
import { customerRoutes } from '../features/customers/customer-routes.ts';
import { customerExportRoutes } from '../features/data-export/customer-export-routes.ts';
import { eraseRoutes } from '../features/erasure/erase-routes.ts';
import { documentEvents } from '../features/events/documented-events.ts';
import { eventRoutes } from '../features/events/event-routes.ts';
import { entitlementRoutes } from '../features/fulfillment/entitlement-routes.ts';
import { ownLists } from '../features/identity/account-lists.ts';
import type { AccountReads } from '../features/identity/account-reads.ts';
import type { Authenticator } from '../features/identity/authenticator.ts';
import { balanceRoutes } from '../features/ledger/balance-routes.ts';
import { ledgerListRoutes } from '../features/ledger/ledger-list-routes.ts';
import { statementRoutes } from '../features/ledger/statement-routes.ts';
import { type BulkLimits, bulkRoutes } from '../features/orders/bulk-routes.ts';
import { orderListRoutes } from '../features/orders/order-list-routes.ts';
import { orderRoutes } from '../features/orders/order-routes.ts';
import { previewRoutes } from '../features/orders/preview-routes.ts';
import { limitRoutes } from '../features/packages/limit-routes.ts';
import { packageRoutes } from '../features/packages/package-routes.ts';
import { autoTopupRoutes } from '../features/payments/auto-topup-routes.ts';
import {
  type StripeWebhookDependencies,
  stripeWebhookRoutes,
} from '../features/payments/stripe-webhook-routes.ts';
import { type TopupRoutesDependencies, topupRoutes } from '../features/payments/topup-routes.ts';
import { passwordLinkRoutes } from '../features/people/password-link-routes.ts';
import { forecastRoutes } from '../features/plans/forecast-routes.ts';
import { planHistoryRoutes } from '../features/plans/plan-history-routes.ts';
import { planRoutes } from '../features/plans/plan-routes.ts';
import { keepUnparsedBody, noteRequests } from '../features/request-log/note-requests.ts';
import type { TestClockLimits } from '../features/test-mode/move-clock-in-steps.ts';
import { getTestAccount } from '../features/test-mode/test-account.ts';
import { testRoutes } from '../features/test-mode/test-routes.ts';
import { type WebhookRoutesDependencies, webhookRoutes } from '../features/webhooks/webhook-routes.ts';
import { ranked } from '../platform/database/database.ts';
import type { AccessLog } from '../platform/http/access-log.ts';
import { type AllowedMethods, collectAllowedMethods } from '../platform/http/allowed-methods.ts';
import { installAnswerHeaders } from '../platform/http/answer-headers.ts';
import {
  type ConnectionLimits,
  type Connections,
  createConnections,
  type UnparsedRequest,
} from '../platform/http/connections.ts';
import { installErrors, refuseRoute, statusOf } from '../platform/http/error-responses.ts';
import { noticeUntrustedProxy } from '../platform/http/forwarded-headers.ts';
import type { Metrics } from '../platform/http/metrics.ts';
import { installOpenapi } from '../platform/http/openapi.ts';
import { type HealthDependencies, probeRoutes } from '../platform/http/probe-routes.ts';
import { requestIdOf } from '../platform/http/request-id.ts';
import {
  answerForNode,
  bodyBytesMax,
  installJsonBodies,
  installRequestParsing,
  readablePath,
  unparsedAnswer,
} from '../platform/http/request-parsing.ts';
import { createLazySerializers } from '../platform/http/response-serializers.ts';
import { type DeclaredRoute, declareRoutes, type RouteGuard } from '../platform/http/route-declarations.ts';
import type { Needs } from '../platform/http/route-params.ts';
import { serveDocument } from '../platform/http/served-document.ts';
import type { PerAccountConcurrency } from '../platform/limits/per-account-concurrency.ts';
import type { RateLimiter } from '../platform/limits/rate-limiter.ts';
import { createAllowList } from '../shared/allow-list.ts';
import { type AdminRoutesDependencies, adminRoutes } from './admin-routes.ts';
import type { PayPages } from './demo-pay-pages.ts';
import { docsPages } from './docs-pages.ts';
import { namedSchemas } from './named-schemas.ts';
import { type PanelPagesDependencies, panelPages } from './panel-pages.ts';
import { type PanelDependencies, panelRoutes } from './panel-routes.ts';

export interface HttpLimits extends ConnectionLimits {
  readonly idleMilliseconds: number;
  readonly headersMilliseconds: number;
  readonly requestMilliseconds: number;
  readonly keepAliveMilliseconds: number;
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
}

export type AppDependencies = OwnDependencies &
  Omit<AdminRoutesDependencies, 'authenticateAgain' | 'stillProblem'> &
  WebhookRoutesDependencies &
  StripeWebhookDependencies &
  TopupRoutesDependencies &
  Omit<PanelDependencies & Needs<typeof signInRoutes> & Needs<typeof passwordLinkRoutes>, 'guard'> &
  HealthDependencies;

interface OwnDependencies {
  readonly accounts: AccountReads;
  readonly keys: ApiKeyCache;
  readonly limiter: RateLimiter;
  readonly lists: PerAccountConcurrency;
  readonly exports: PerAccountConcurrency;
  readonly pdfEntriesMax: number;
  readonly bulkConcurrency: {
    readonly ofAccount: PerAccountConcurrency;
    readonly ofAll: PerAccountConcurrency;
  };
  readonly bulkLimits: BulkLimits;
  readonly testClockLimits: TestClockLimits;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  readonly accessLog: AccessLog | null;
  readonly trustProxy: readonly string[];
  /** While draining, connections close after their current answer. */
  readonly isDraining: () => boolean;
  readonly pagesFolder: string;
  readonly docsFolder: string;
  readonly publicUrl: () => string;
  readonly topupUrl: () => string | null;
  /** null: not a demo. */
  readonly demoProvider: (() => PayPages | null) | null;
  readonly loginLinks: Pick<
    LoginLinkRoutesDependencies,
    'productUrl' | 'codeValidSeconds' | 'sessionValidSeconds'
  >;
  readonly linkValidSeconds: number;
  readonly statementIssuer: readonly string[];
  readonly limits: HttpLimits;
}

export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { keys, limiter, metrics, logger, trustProxy, limits } = dependencies;
  const packages = () => dependencies.packages.current();
  const connections = createConnections(limits, logAndCountUnparsed(metrics, dependencies.accessLog));
  let allowedMethods: AllowedMethods = () => [];
  const app = createServer(dependencies, connections, () => allowedMethods);
  allowedMethods = collectAllowedMethods(app);
  prepareServer(app.server, connections, limits);

  // Routes parse paths, queries and headers themselves, with their own error codes. For bodies see route-declarations.ts.
  app.setValidatorCompiler(() => () => true);
  const declared: DeclaredRoute[] = [];
  app.decorate('declaredRoutes', declared);
  await installOpenapi(app, declared, { namedSchemas, documentEvents });
  installErrors(app);
  installAnswerHeaders(app, dependencies.publicUrl());
  installRequestParsing(app);
  const proxies = createAllowList(trustProxy);
  // An empty allow-list would allow every address, so every peer would count as trusted.
  noticeUntrustedProxy(app, (peer) => trustProxy.length > 0 && proxies.allows(peer), logger);
  const noteAnswer = logAndCount(app, metrics, dependencies);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (dependencies.isDraining()) reply.header('connection', 'close');
    done();
  });
  const refuseHere = (request: FastifyRequest, reply: FastifyReply) =>
    refuseRoute(request, reply, allowedMethods(pathOf(request.url)));
  app.setNotFoundHandler(refuseHere);
  app.addHook('onRequest', async (request, reply) => {
    // Refuse unknown paths before the body is read. Below the APIs' prefixes, authentication comes first.
    if (request.is404 && !isBehindGuard(request.url)) return refuseHere(request, reply);
  });

  probeRoutes(app, dependencies);
  serveDocument(app, '/api/v1/openapi.json', () => app.swagger());
  serveDocument(app, '/panel/api/openapi.json', () => app.panelSwagger());

  const authenticator = createAuthenticator(keys, limiter, dependencies.accounts);
  const lookups = ranked(dependencies.database, 'lookups');
  const reauthenticate = createReauthentication({ ...dependencies, database: lookups });
  const testAccountOf = (accountId: number) => getTestAccount(lookups, accountId, dependencies.now());
  const guard = createSessionGuard({ ...dependencies, reauthenticate, testAccountOf });
  const behind = (guard: RouteGuard, api: FastifyInstance) => {
    declareRoutes(api, guard, declared);
    api.addHook('onRequest', async (request, reply) => {
      // For unknown paths: authenticate first, then answer 404 or 405, before the body is read.
      if (!request.is404) return;
      await guard.authenticate(request, reply, []);
      // Awaiting a reply that was sent gives undefined, so ask the reply itself.
      return reply.sent ? reply : refuseHere(request, reply);
    });
    installJsonBodies(api, keepUnparsedBody);
    // This handler is never reached, but without one this scope's hooks would not run for unknown paths.
    api.setNotFoundHandler((request, reply) => refuseRoute(request, reply, []));
  };

  // Each API is registered twice: with keys, and below the panel's path with sessions.
  const accountApi = (by: Authenticator) => async (api: FastifyInstance) => {
    behind({ ...by, tag: 'v1' }, api);
    accountApiRoutes(api, by, dependencies);
  };
  const adminApi = (by: Authenticator) => async (api: FastifyInstance) => {
    behind({ ...by, tag: 'admin', authenticate: by.authenticateFresh }, api);
    adminRoutes(api, by, {
      ...dependencies,
      authenticateAgain: by.authenticateAgain,
      stillProblem: by.stillProblem,
    });
  };

  /** Called only by the operator's product, with its API keys. */
  const productApi = (by: Authenticator) => async (api: FastifyInstance) => {
    behind({ ...by, tag: 'product' }, api);
    entitlementRoutes(api, { ...dependencies, packages, stillProblem: by.stillProblem });
    loginCodeRoutes(api, { ...dependencies, packages });
  };

  await app.register(async (apis) => {
    noteRequests(apis, dependencies);
    await apis.register(accountApi(authenticator), { prefix: '/api/v1' });
    await apis.register(adminApi(authenticator), { prefix: '/api/admin/v1' });
    await apis.register(productApi(authenticator), { prefix: '/api/product/v1' });
  });

  await app.register(
    async (panel) => {
      await panel.register(cookieParser);
      // A client that reads its answer slowly must not hold up its account's other pages.
      panel.addHook('onSend', (request, reply, payload, done) => {
        if (typeof payload === 'string')
          for (const concurrency of [dependencies.lists, dependencies.exports]) concurrency.end(reply);
        // A stream ends much later, or never by an answer's end.
        if (isStream(request, reply)) noteAnswer(request, reply);
        done();
      });
      // Compression is safe from BREACH, because the session cookie is SameSite=Strict.
      await panel.register(compress, panelCompression);
      await panel.register(accountApi(guard), { prefix: '/v1' });
      await panel.register(adminApi(guard), { prefix: '/admin/v1' });
      await panel.register(async (entry) => {
        const open = {
          tag: 'panel',
          kind: 'open',
          codes: guard.codes,
          authenticate: guard.refuseForeign,
        } as const;
        declareRoutes(entry, open, declared);
        installJsonBodies(entry);
        signInRoutes(entry, { ...dependencies, guard });
        passwordLinkRoutes(entry, { ...dependencies, guard });
        const { lookAround } = dependencies;
        if (lookAround !== null) lookAroundRoutes(entry, lookAround, { ...dependencies, guard });
      });
      await panel.register(async (signedIn) => {
        behind({ ...guard, tag: 'panel' }, signedIn);
        panelRoutes(signedIn, { ...dependencies, guard });
      });
    },
    { prefix: '/panel/api' },
  );
  await app.register(async (open) => stripeWebhookRoutes(open, dependencies));
  const { demoProvider } = dependencies;
  if (demoProvider !== null) {
    const { demoPayPages } = await import('./demo-pay-pages.ts');
    await app.register(async (open) => demoPayPages(open, demoProvider));
  }
  await servePages(app, { ...dependencies, mayBeSignedIn: (request) => guard.sentToken(request) !== null });
  await app.ready();
  return app;
}

function createServer(
  { logger, trustProxy, limits }: AppDependencies,
  connections: Connections,
  allowedMethods: () => AllowedMethods,
) {
  return Fastify({
    loggerInstance: logger,
    // logAndCount writes the request lines.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger per request would cost as much as its line; log calls pass the request id themselves.
    childLoggerFactory: (parent) => parent,
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: bodyBytesMax,
    requestTimeout: limits.requestMilliseconds,
    // Cuts off a peer that neither sends nor reads.
    connectionTimeout: limits.idleMilliseconds,
    keepAliveTimeout: limits.keepAliveMilliseconds,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    // An id may have any length: a long one is just not found. Only the header limit applies.
    routerOptions: { maxParamLength: limits.headerBytesMax },
    schemaController: { compilersFactory: { buildSerializer: createLazySerializers() } },
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => readablePath(url),
    clientErrorHandler: (error, socket) =>
      connections.onClientError(error, socket, () => unparsedAnswer(error, allowedMethods())),
    http: {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersMilliseconds,
      connectionsCheckingInterval: 1_000,
      // request-parsing.ts answers a missing Host with the envelope.
      requireHostHeader: false,
    },
  });
}

async function servePages(
  app: FastifyInstance,
  dependencies: AppDependencies & Pick<PanelPagesDependencies, 'mayBeSignedIn'>,
): Promise<void> {
  await app.register((pages) => panelPages(pages, dependencies), { prefix: '/panel' });
  await app.register((pages) =>
    unsubscribeRoutes(pages, { ...dependencies, database: ranked(dependencies.database, 'changes') }),
  );
  await app.register((pages) =>
    confirmAddressRoutes(pages, { ...dependencies, database: ranked(dependencies.database, 'changes') }),
  );
  await app.register((pages) => docsPages(pages, dependencies.docsFolder, dependencies.brand), {
    prefix: '/docs',
  });
  brandPages(app, dependencies.brand);
  app.get('/', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/panel/', 302));

  await app.register(async (pages) =>
    loginLinkRoutes(pages, {
      ...dependencies,
      ...dependencies.loginLinks,
      database: ranked(dependencies.database, 'lookups'),
      packages: () => dependencies.packages.current(),
    }),
  );
}

function accountApiRoutes(api: FastifyInstance, by: Authenticator, dependencies: AppDependencies): void {
  const packages = () => dependencies.packages.current();
  const confirm = { preHandler: by.confirm };
  balanceRoutes(api, confirm, dependencies.currency);
  // Answered from memory, because the answer is the same for all accounts of a price group.
  packageRoutes(api, packages, dependencies.currency);
  limitRoutes(api, packages);
  orderRoutes(api, { ...dependencies, packages, confirm, authenticateAgain: by.authenticateAgain });
  previewRoutes(api, { ...dependencies, authenticateAgain: by.authenticateAgain });
  orderListRoutes(api, dependencies, ownLists(by));
  const { authenticateAgain, admitAsMany } = by;
  bulkRoutes(api, { ...dependencies, packages, authenticateAgain, admitAsMany });
  customerListRoutes(api, dependencies, ownLists(by));
  customerRoutes(api, { ...dependencies, packages, confirm });
  planRoutes(api, { ...dependencies, packages, authenticateAgain: by.authenticateAgain });
  planHistoryRoutes(api, { ...dependencies, packages, confirm });
  customerEditRoutes(api, { ...dependencies, packages, confirm });
  customerExportRoutes(api, dependencies, confirm);
  eraseRoutes(api, { ...dependencies, packages });
  ledgerListRoutes(api, dependencies, ownLists(by));
  statementRoutes(api, dependencies);
  forecastRoutes(api, { ...dependencies, packages, confirm });
  businessRoutes(api, dependencies, confirm);
  topupRoutes(api, dependencies, confirm);
  autoTopupRoutes(api, dependencies, confirm);
  eventRoutes(api, { ...dependencies, confirm, stillProblem: by.stillProblem });
  webhookRoutes(api, dependencies, {
    isOperator: false,
    confirm,
    readScope: 'events:read',
    writeScope: 'webhooks:write',
    noun: 'Webhook',
  });
  alertRoutes(api, dependencies);
  testRoutes(api, { ...dependencies, authenticateAgain: by.authenticateAgain });
}

/** This quality of Brotli takes as long as gzip. */
const panelCompression: FastifyCompressOptions = {
  // Compressed requests are refused (request-parsing.ts).
  globalDecompression: false,
  encodings: ['br', 'gzip'],
  threshold: 1_024,
  customTypes: /^(?:application\/json|text\/csv)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};

function prepareServer(server: Server, connections: Connections, limits: HttpLimits): void {
  server.maxConnections = limits.connectionsMax;
  // Lets the server answer clients that half-close. The option is missing in Node's types.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', rememberPeer);
  connections.attend(server);
  answerForNode(server, connections);
}

/** Reading the address makes Node keep it for requests that outlive the connection. A connection already gone has none. */
function rememberPeer(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
}

/** The route is logged as its pattern, because paths may contain login tokens. */
function logAndCount(
  app: FastifyInstance,
  metrics: Metrics,
  { accessLog, health }: Pick<AppDependencies, 'accessLog' | 'health'>,
) {
  const noteAnswer = (request: FastifyRequest, reply: FastifyReply) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const { method, ip } = request;
    const { statusCode: status, elapsedTime: milliseconds, errorCode } = reply;
    metrics.onRequest({ route, method, status, seconds: milliseconds / 1000, errorCode });
    if (isBehindGuard(request.url) && !isStream(request, reply)) health.requests.note(status, milliseconds);
    accessLog?.write({
      requestId: request.id,
      method,
      route,
      status,
      milliseconds,
      address: ip,
      code: errorCode,
      // When an administrator views a panel, the caller is that administrator.
      accountId: (request.viewer ?? request.principal)?.account.id ?? null,
      viewedId: request.viewer === null ? null : request.principal.account.id,
    });
  };
  app.addHook('onResponse', (request, reply, done) => {
    if (!isStream(request, reply)) noteAnswer(request, reply);
    done();
  });
  // Null until authentication.
  app.decorateRequest('principal', null as never);
  app.decorateRequest('session', null as never);
  app.decorateRequest('viewer', null);
  return noteAnswer;
}

function isStream({ routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return routeOptions.config?.isStream === true && reply.getHeader('content-type') === 'text/event-stream';
}

function logAndCountUnparsed(metrics: Metrics, accessLog: AccessLog | null) {
  return ({ requestId, code, address }: UnparsedRequest) => {
    const common = { route: 'none', method: 'none', status: statusOf(code, false) };
    metrics.onRequest({ ...common, seconds: null, errorCode: code });
    accessLog?.write({
      ...common,
      requestId,
      milliseconds: null,
      address,
      code,
      accountId: null,
      viewedId: null,
    });
  };
}

function isBehindGuard(url: string): boolean {
  return /^\/(?:api\/(?:admin\/|product\/)?v1|panel)(?:\/|\?|$)/.test(url);
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
