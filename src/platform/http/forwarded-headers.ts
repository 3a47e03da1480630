// Detects a proxy that TRUST_PROXY does not name. It is logged once per process, so that forged headers cannot fill the log.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

/** The service reads only the first one, but each of them shows that there is a proxy. */
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
        logger.warn({ peer, setting: 'TRUST_PROXY' }, 'forwarded headers ignored');
      }
    }
    done();
  });
}
