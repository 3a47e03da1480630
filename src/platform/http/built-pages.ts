// Pages that a browser shows, built beforehand into a folder: what may be loaded, by whom a page may be shown, and how it
// is kept apart from other sites. The panel and the documents are served by it; each says itself which path is which file.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Its name carries a hash of it: a new build gives what it changed a new name. */
export const keptForEver = { maxAge: '365d', immutable: true } as const;

/** Routes of `app` can then send the folder's files. */
export async function installBuiltPages(
  app: FastifyInstance,
  folder: string,
  contentSecurityPolicy: readonly string[],
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    // The build leaves a .br and a .gz beside what is worth it.
    preCompressed: true,
    suppressWarning: true,
  });
  const policy = contentSecurityPolicy.join('; ');
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    });
  });
}

export function isFile(folder: string, path: string): boolean {
  return statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
}

/** `page` says what to do about it. */
export function sendNotBuilt(reply: FastifyReply, page: string): FastifyReply {
  return reply.code(503).type('text/html; charset=utf-8').send(page);
}

/** Where `npm run build` in web/ puts the pages. */
export const builtPagesFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
