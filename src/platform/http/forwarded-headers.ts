// A proxy that TRUST_PROXY does not name is noticed by what it sends. Said once in the log of a process, at the first
// such request: every request of a misconfigured proxy is one, and a stranger who makes the header up must not fill the log.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

/** Only the first counts; the others say as well that somebody passes requests on. */
const forwardedHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const;

export function noticeUntrustedProxy(
  app: FastifyInstance,
  isTrusted: (peer: string) => boolean,
  logger: FastifyBaseLogger,
): void {
  let isSaid = false;
  app.addHook('onRequest', ({ headers, socket }, _reply, done) => {
    if (!isSaid && forwardedHeaders.some((name) => headers[name] !== undefined)) {
      const peer = socket.remoteAddress;
      if (peer !== undefined && !isTrusted(peer)) {
        isSaid = true;
        logger.warn(
          { peer },
          `Requests come with forwarded headers from ${peer}, which TRUST_PROXY does not name: they count as coming from there, for allow-lists and limits alike. If it is your proxy, name it in TRUST_PROXY.`,
        );
      }
    }
    done();
  });
}
