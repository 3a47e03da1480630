// What customers' pages and linked pages of mails share: headers, language, errors. Register this first in their scope.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../../platform/database/database.ts';
import { acceptedLanguage, knownLanguage } from '../../platform/http/request-language.ts';
import { translatorOf } from '../../platform/text/translator.ts';
import { isJsonObject } from '../../shared/json.ts';
import type { Language } from '../../shared/languages.ts';
import type { BrandHolder } from './brand-store.ts';
import { type PageLook, unavailablePage } from './page-layout.ts';

export type LookOf = (request: FastifyRequest) => PageLook;

/**
 * Returns a function that chooses a request's language and brand. A language named in a link is remembered.
 * @param formTargets targets of forms, including redirects, for the CSP
 * @param notReadable page for malformed requests
 */
export function installPlainPages(
  app: FastifyInstance,
  {
    formTargets,
    notReadable,
    brand,
    publicUrl,
  }: {
    readonly formTargets: string;
    readonly notReadable: (look: PageLook) => string;
    readonly brand: BrandHolder;
    readonly publicUrl: () => string;
  },
): LookOf {
  const isSecure = publicUrl().startsWith('https:');
  // The prefix __Host- binds the cookie to this host and HTTPS. Plain HTTP cannot use it.
  const languageCookie = isSecure ? '__Host-sellthrough_language' : 'sellthrough_language';
  const languageCookieKept = `Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const contentSecurityPolicy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { bodyLimit: 4_096, parseAs: 'buffer' }, (_request, _body, done) =>
    done(null, undefined),
  );
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    raw.headers['content-type'] = 'application/octet-stream';
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      // With `no-referrer`, browsers would send `Origin: null` with the page's own form.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
    const chosen = chosenLanguage(request);
    if (chosen !== null) reply.header('set-cookie', `${languageCookie}=${chosen}; ${languageCookieKept}`);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode < 500) return showPage(reply, statusCode, notReadable(lookOf(request)));
    const isAway = error instanceof DatabaseUnavailable;
    if (isAway) request.log.warn({ reqId: request.id, reason: error.message }, 'page rejected');
    else request.log.error({ reqId: request.id, err: error }, 'page failed');
    if (isAway) reply.header('retry-after', 2);
    return showPage(reply, isAway ? 503 : 500, unavailablePage(lookOf(request)));
  });

  function lookOf(request: FastifyRequest): PageLook {
    const current = brand.current();
    const language =
      chosenLanguage(request) ??
      keptLanguage(request, languageCookie) ??
      acceptedLanguage(request.headers['accept-language']) ??
      current.language;
    return { brand: current, translator: translatorOf(language) };
  }
  return lookOf;
}

function chosenLanguage({ query }: FastifyRequest): Language | null {
  return isJsonObject(query) ? knownLanguage(query['language']) : null;
}

function keptLanguage({ headers }: FastifyRequest, cookie: string): Language | null {
  const sent = (headers.cookie ?? '').split(/; ?/).find((one) => one.startsWith(`${cookie}=`));
  return knownLanguage(sent?.slice(cookie.length + 1));
}

export function showPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}
