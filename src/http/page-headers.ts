// The headers of every page that a browser shows: what may be loaded, by whom the page may be shown, and how it is
// kept apart from other sites. Used by the panel and the documents.

import type { FastifyInstance } from 'fastify';

export function installPageHeaders(
  app: FastifyInstance,
  { contentSecurityPolicy, isSecure }: { readonly contentSecurityPolicy: string; readonly isSecure: boolean },
): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    });
  });
}
