// What every answer says of itself, errors and unknown paths included: nobody keeps it, nobody reads it as anything but
// what it says it is, and browsers ask for nothing here without https once they have come by https.
// Pages, assets and documents that may be kept say so over it.

import type { FastifyInstance } from 'fastify';

export const privateAnswer = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Other names of the same domain are not ours to speak for: no includeSubDomains. */
const onlyByHttps = { 'strict-transport-security': 'max-age=31536000' } as const;

/** Before any other hook: later ones have the last word. */
export function installAnswerHeaders(app: FastifyInstance, publicUrl: string): void {
  const headers = { ...privateAnswer, ...(publicUrl.startsWith('https:') ? onlyByHttps : {}) };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
