// Security headers of every answer, including errors and unknown paths. Pages, assets and documents override them.

import type { FastifyInstance } from 'fastify';

export const privateAnswer = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
} as const;

/** Without includeSubDomains, because other names of the domain may belong to other services. */
const onlyByHttps = { 'strict-transport-security': 'max-age=31536000' } as const;

/** Register before any other hook, so that later ones can override. */
export function installAnswerHeaders(app: FastifyInstance, publicUrl: string): void {
  const headers = { ...privateAnswer, ...(publicUrl.startsWith('https:') ? onlyByHttps : {}) };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
