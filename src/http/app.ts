// The map of the service: hooks and routes, top to bottom. Built apart from listening, so that tests and
// the OpenAPI generator use the same app. Everything it needs arrives as arguments.

import type { Server } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { AccountReads } from '../accounts/account-reads.ts';
import { accountRoutes } from '../accounts/account-routes.ts';
import type { KeyDirectory } from '../accounts/key-directory.ts';
import { type AdminRoutesDependencies, adminRoutes } from '../admin/admin-routes.ts';
import { customerRoutes } from '../customers/customer-routes.ts';
import { type LoginLinkRoutesDependencies, loginLinkRoutes } from '../login-links/login-link-routes.ts';
import { orderRoutes } from '../orders/order-routes.ts';
import { packageRoutes } from '../packages/package-routes.ts';
import type { AccessLog } from './access-log.ts';
import { type AllowedMethods, collectAllowedMethods } from './allowed-methods.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { installErrors, refuseRoute } from './errors.ts';
import { type HealthDependencies, healthRoutes } from './health-routes.ts';
import type { Metrics } from './metrics.ts';
import { installOpenapi } from './openapi.ts';
import type { RateLimiter } from './rate-limit.ts';
import {
  answerBrokenRequest,
  answerForNode,
  bodyBytesMax,
  createConnections,
  installJsonBodies,
  installRequestHygiene,
  readablePath,
  requestIdOf,
} from './request-hygiene.ts';

export interface HttpLimits {
  readonly idleMilliseconds: number;
  /** Answers one connection may have waiting. */
  readonly pipelinedMax: number;
  /** Bytes of answers one connection may leave unread. */
  readonly unreadBytesMax: number;
  readonly headersMilliseconds: number;
  readonly requestMilliseconds: number;
  readonly keepAliveMilliseconds: number;
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
}

export interface AppDependencies extends AdminRoutesDependencies, HealthDependencies {
  readonly accounts: AccountReads;
  readonly keys: KeyDirectory;
  readonly limiter: RateLimiter;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  readonly accessLog: AccessLog | null;
  readonly trustProxy: readonly string[];
  /** Whether the service is shutting down: connections end with the answer they wait for. */
  readonly isDraining: () => boolean;
  readonly publicUrl: () => string;
  readonly loginLinks: Pick<
    LoginLinkRoutesDependencies,
    'productUrl' | 'codeValidSeconds' | 'sessionValidSeconds'
  >;
  readonly linkValidSeconds: number;
  readonly limits: HttpLimits;
}

export async function createApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { keys, limiter, metrics, logger, trustProxy, limits } = dependencies;
  const packages = () => dependencies.packages.current();
  const connections = createConnections(limits);
  let allowedMethods: AllowedMethods = () => [];
  const app = Fastify({
    loggerInstance: logger,
    // One line for each request is written by logAndCount.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs as much as its line; whoever logs says the request's id.
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
    // An id of any length is a missing one: the headers' limit is the only one.
    routerOptions: { maxParamLength: limits.headerBytesMax },
    genReqId: requestIdOf,
    rewriteUrl: ({ url = '/' }) => readablePath(url),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, connections, allowedMethods),
    http: {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersMilliseconds,
      connectionsCheckingInterval: 1_000,
      // A missing Host is answered by request-hygiene.ts, with the envelope.
      requireHostHeader: false,
    },
  });
  allowedMethods = collectAllowedMethods(app);
  prepareServer(app.server, limits);

  // The schemas describe bodies for the document; each route reads its own, with its own error codes.
  app.setValidatorCompiler(() => () => true);
  await installOpenapi(app);
  installErrors(app);
  installRequestHygiene(app, connections);
  logAndCount(app, metrics, dependencies.accessLog);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (dependencies.isDraining()) reply.header('connection', 'close');
    done();
  });
  const refuseHere = (request: FastifyRequest, reply: FastifyReply) =>
    refuseRoute(request, reply, allowedMethods(pathOf(request.url)));
  app.setNotFoundHandler(refuseHere);
  app.addHook('onRequest', async (request, reply) => {
    // Before a body is looked at. Below the prefixes of the APIs a key comes first.
    if (request.is404 && !isApiPath(request.url)) return refuseHere(request, reply);
  });

  healthRoutes(app, dependencies);
  // Made once: nobody needs a key for it.
  let document: string | null = null;
  app.get('/api/v1/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(document);
  });

  const authenticator = createAuthenticator(keys, limiter, dependencies.accounts);
  const behind = (authenticate: Authenticator['authenticate'], api: FastifyInstance) => {
    api.addHook('onRequest', authenticate);
    api.addHook('onRequest', async (request, reply) => {
      // Before the body is looked at: decisions "Order of checks", 8 before 9.
      if (request.is404) return refuseHere(request, reply);
    });
    installJsonBodies(api);
    // Never reached: the hook above has answered. It makes the hooks of this scope run for unknown paths.
    api.setNotFoundHandler((request, reply) => refuseRoute(request, reply, []));
  };

  await app.register(
    async (api) => {
      behind(authenticator.authenticate, api);
      tag(api, 'v1');
      // Answered from memory, for everyone in a group alike.
      packageRoutes(api, packages, dependencies.currency);
      const confirm = { preHandler: authenticator.confirm };
      orderRoutes(api, { ...dependencies, packages, confirm, authenticateAgain: authenticator.again });
      customerRoutes(api, { ...dependencies, packages, confirm });
      accountRoutes(api, confirm, dependencies.currency);
    },
    { prefix: '/api/v1' },
  );

  await app.register(
    async (api) => {
      behind(authenticator.authenticateFresh, api);
      tag(api, 'admin');
      adminRoutes(api, dependencies);
    },
    { prefix: '/api/admin/v1' },
  );

  await app.register(async (pages) =>
    loginLinkRoutes(pages, { ...dependencies, ...dependencies.loginLinks, packages }),
  );

  await app.ready();
  return app;
}

function prepareServer(server: Server, limits: HttpLimits): void {
  server.maxConnections = limits.connectionsMax;
  answerForNode(server);
}

/** One line and one count for each request. The route is its pattern: a path may hold a login token. */
function logAndCount(app: FastifyInstance, metrics: Metrics, accessLog: AccessLog | null): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const { method, ip } = request;
    const { statusCode: status, elapsedTime: milliseconds, errorCode } = reply;
    metrics.onRequest({ route, method, status, seconds: milliseconds / 1000, errorCode });
    accessLog?.write({
      requestId: request.id,
      method,
      route,
      status,
      milliseconds,
      address: ip,
      code: errorCode,
      accountId: request.caller?.id ?? null,
    });
    done();
  });
  // Nobody, until a key was recognised.
  app.decorateRequest('caller', null as never);
}

function tag(api: FastifyInstance, name: string): void {
  api.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, tags: [name] };
  });
}

function isApiPath(url: string): boolean {
  return /^\/api\/(admin\/)?v1(\/|\?|$)/.test(url);
}

function pathOf(url: string): string {
  return url.split('?')[0] ?? '';
}
