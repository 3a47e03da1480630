// Signs customers in. GET /login/{token} only shows a button, because mail scanners open links. POST uses up the token and
// starts a session, or redirects to the product with a one-time code. Suspended customers keep their link. Guessed tokens
// are rate limited before the database.

import cookieParser from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import { createTokenLookups } from '../../platform/limits/token-lookup-limit.ts';
import { isToken } from '../../platform/secrets/one-time-token.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isRefusal, type Refusal } from '../../shared/error-catalog.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { limitedPage, type PageLook, stylesheet, stylesheetPath } from '../brand/page-layout.ts';
import { installPlainPages, showPage } from '../brand/plain-pages.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { findAccount } from '../identity/find-accounts.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { isSuspended } from '../order-engine/records/plan-life.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import {
  confirmPage,
  customerPage,
  loggedOutPage,
  signedOutPage,
  spentPage,
  suspendedPage,
} from './customer-pages.ts';
import { loggedOutShopSeconds, openLoggedOutShop, sealLoggedOutShop } from './logged-out-shop.ts';
import {
  endSession,
  findLinkAccount,
  findOpenLink,
  findSessionCustomer,
  spendLoginLink,
} from './login-links.ts';

export interface LoginLinkRoutesDependencies {
  readonly database: Database;
  readonly brand: BrandHolder;
  readonly customers: CustomerReads;
  readonly packages: () => PackageCatalog;
  readonly limiter: RateLimiter;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly publicUrl: () => string;
  /** null signs customers in to this service's own customer page. */
  readonly productUrl: string | null;
  readonly codeValidSeconds: number;
  readonly sessionValidSeconds: number;
}

interface WithToken {
  Params: { token: string };
}

interface FoundLink<Found> {
  readonly found: Found | Refusal | null;
  /** Also of a link that was used or replaced. null: the link is unknown, or was not looked up. */
  readonly accountId: number | null;
}

export async function loginLinkRoutes(
  app: FastifyInstance,
  dependencies: LoginLinkRoutesDependencies,
): Promise<void> {
  const { database, customers, packages, limiter, seal, now, productUrl, publicUrl } = dependencies;
  const tokens = createTokenLookups(limiter, limiter.admitVisit);
  const isSecure = publicUrl().startsWith('https:');
  const cookieName = isSecure ? '__Host-sellthrough_customer' : 'sellthrough_customer';
  const shopCookieName = isSecure ? '__Host-sellthrough_logged_out' : 'sellthrough_logged_out';
  const hidden = { schema: { hide: true } };
  // Browsers check the redirect after a form against this list too.
  const formTargets = ["'self'", ...(productUrl === null ? [] : [new URL(productUrl).origin])].join(' ');
  await app.register(cookieParser);
  const { brand } = dependencies;
  const lookOf = installPlainPages(app, { formTargets, notReadable: spentPage, brand, publicUrl });
  app.get(stylesheetPath, hidden, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/css; charset=utf-8').send(stylesheet),
  );

  app.get<WithToken>('/login/:token', hidden, async (request, reply) => {
    const { token } = request.params;
    if (!isToken(token)) return showPage(reply, 410, spentPage(lookOf(request)));
    return showLink(request, reply, await findLink<never>(token, request, reply, async () => null));
  });

  app.post<WithToken>('/login/:token', hidden, async (request, reply) => {
    const { token } = request.params;
    const isUsable = isToken(token) && !isFromElsewhere(request, publicUrl());
    if (!isUsable) return showPage(reply, 410, spentPage(lookOf(request)));
    const use = productUrl === null ? 'session' : 'product';
    const validSeconds = use === 'session' ? dependencies.sessionValidSeconds : dependencies.codeValidSeconds;
    const earlier = sessionToken(request);
    const spend = () => spendLoginLink(database, token, { use, validSeconds, earlier, now: now() });
    const { found, accountId } = await findLink(token, request, reply, spend);
    if (found === null || !('token' in found)) return showLink(request, reply, { found, accountId });
    if (productUrl !== null) {
      const target = new URL(productUrl);
      target.searchParams.set('code', found.token);
      return reply.redirect(target.href, 303);
    }
    tokens.know(found.token);
    if (request.cookies[shopCookieName] !== undefined) setCookie(reply, shopCookieName, '', 0);
    return setCookie(reply, cookieName, found.token, validSeconds).redirect('/customer', 303);
  });

  app.get('/customer', hidden, async (request, reply) => {
    const token = sessionToken(request);
    const find = (sent: string) => findSessionCustomer(database, sent, now());
    const session = token && (await tokens.find(token, request, reply, () => find(token)));
    if (isRefusal(session)) return showLimited(request, reply, session);
    const customer = session && (await customers.find(session.accountId, session.customerNumber));
    if (!customer) return showSignedOut(request, reply);
    const account = await findAccount(database, customer.accountId);
    const look = { ...lookOf(request), shop: account?.displayName || null };
    if (isSuspended(customer)) return showPage(reply, 403, suspendedPage(look));
    const { byId, limits } = packages();
    const plan = byId.get(customer.packageId);
    const testClock = isTestAccount(customer.accountId) ? (account?.testClock ?? null) : null;
    return showPage(
      reply,
      200,
      customerPage(look, customer, { plan, limits }, testClock ?? now(), testClock !== null),
    );
  });

  app.post('/customer/logout', hidden, async (request, reply) => {
    if (isFromElsewhere(request, publicUrl())) return reply.redirect('/customer', 303);
    const token = sessionToken(request);
    const ended = token && (await tokens.find(token, request, reply, () => endSession(database, token)));
    if (isRefusal(ended)) return showLimited(request, reply, ended);
    if (ended) setCookie(reply, shopCookieName, sealLoggedOutShop(seal, ended, now()), loggedOutShopSeconds);
    return setCookie(reply, cookieName, '', 0).redirect('/customer', 303);
  });

  /** A made-up token costs one query, or two if it is spent first. */
  async function findLink<Spent>(
    token: string,
    request: FastifyRequest,
    reply: FastifyReply,
    spend: () => Promise<Spent | null>,
  ): Promise<FoundLink<Spent | Customer>> {
    let accountId: number | null = null;
    const found = await tokens.find<Spent | Customer>(token, request, reply, async () => {
      const spent = await spend();
      if (spent !== null) return spent;
      accountId = await findLinkAccount(database, token);
      if (accountId === null) return null;
      const open = await findOpenLink(database, token, now());
      return open && customers.find(open.accountId, open.customerNumber);
    });
    return { found, accountId };
  }

  async function lookWithShop(request: FastifyRequest, accountId: number | null): Promise<PageLook> {
    const account = accountId === null ? null : await findAccount(database, accountId);
    return { ...lookOf(request), shop: account?.displayName || null };
  }

  async function showLink(
    request: FastifyRequest,
    reply: FastifyReply,
    { found: customer, accountId }: FoundLink<Customer>,
  ): Promise<FastifyReply> {
    if (isRefusal(customer)) return showLimited(request, reply, customer);
    const look = await lookWithShop(request, accountId);
    if (customer === null) return showPage(reply, 410, spentPage(look));
    return isSuspended(customer)
      ? showPage(reply, 403, suspendedPage(look))
      : showPage(reply, 200, confirmPage(look));
  }

  async function showSignedOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const accountId = openLoggedOutShop(seal, request.cookies[shopCookieName] ?? '', now());
    if (accountId === null) return showPage(reply, 401, signedOutPage(lookOf(request)));
    return showPage(reply, 401, loggedOutPage(await lookWithShop(request, accountId)));
  }

  function showLimited(request: FastifyRequest, reply: FastifyReply, { code }: Refusal): FastifyReply {
    reply.errorCode = code;
    return showPage(reply, 429, limitedPage(lookOf(request)));
  }

  function setCookie(reply: FastifyReply, name: string, value: string, maxAge: number): FastifyReply {
    const attributes = { path: '/', maxAge, httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
    return reply.setCookie(name, value, attributes);
  }

  function sessionToken({ cookies }: FastifyRequest): string | null {
    const token = cookies[cookieName] ?? '';
    return isToken(token) ? token : null;
  }
}

/** Forms on other sites must not sign customers in or out. */
function isFromElsewhere({ headers }: FastifyRequest, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  // The origin "null" comes from a sandboxed frame or from a page that hides its origin.
  return origin !== undefined && origin !== new URL(publicUrl).origin;
}
