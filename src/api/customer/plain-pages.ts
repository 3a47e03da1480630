// What the plain pages have in common, those of a customer and those that a mail leads to: their headers, forms without
// fields, and what is shown when something goes wrong. Registered first in their scope.

import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { DatabaseUnavailable } from '../../database/database.ts';
import { unavailablePage } from './customer-pages.ts';

/**
 * @param formTargets where their forms lead, by redirects too: browsers check them
 * @param notReadable shown for a request that could not be read
 */
export function installPlainPages(
  app: FastifyInstance,
  { formTargets, notReadable }: { readonly formTargets: string; readonly notReadable: () => string },
): void {
  const contentSecurityPolicy = [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  // Whatever a body holds is not read.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { bodyLimit: 4_096, parseAs: 'buffer' }, (_request, _body, done) =>
    done(null, undefined),
  );
  app.addHook('onRequest', async ({ raw }, reply) => {
    raw.headers['content-type'] = 'application/octet-stream';
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode < 500) return showPage(reply, statusCode, notReadable());
    const isAway = error instanceof DatabaseUnavailable;
    if (isAway) request.log.warn({ reqId: request.id, reason: error.message }, 'page not served');
    else request.log.error({ reqId: request.id, err: error }, 'page failed');
    if (isAway) reply.header('retry-after', 2);
    return showPage(reply, isAway ? 503 : 500, unavailablePage());
  });
}

export function showPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}
