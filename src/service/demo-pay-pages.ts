// The pages of the stand-in for Stripe, below a demo's own address.

import type { FastifyInstance } from 'fastify';
import { RequestRefused } from '../platform/http/request-refused.ts';
import { payPagePath, type StandInStripe } from '../stand-in-stripe/stand-in-stripe.ts';

export type PayPages = Pick<StandInStripe, 'url' | 'showPage'>;

export function demoPayPages(app: FastifyInstance, provider: () => PayPages | null): void {
  app.removeAllContentTypeParsers();
  // The stand-in reads the form itself.
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.route({
    method: ['GET', 'POST'],
    url: `${payPagePath}:session`,
    schema: { hide: true },
    async handler({ raw }, reply) {
      const pages = provider();
      if (pages === null) throw new RequestRefused('not_found');
      reply.hijack();
      await pages.showPage(raw, reply.raw);
    },
  });
}
