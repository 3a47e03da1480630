// Serves prebuilt browser pages from a folder, with their content security policy.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic, { type SendOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

export const keptForEver = { maxAge: '365d', immutable: true } as const;

export async function installBuiltPages(
  app: FastifyInstance,
  folder: string,
  contentSecurityPolicy: readonly string[],
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    // The build writes .br and .gz files beside the files that compress well.
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

/** SVG is text, but the static server names no charset for it. */
export function sendBuilt(reply: FastifyReply, path: string, options: SendOptions): FastifyReply {
  if (!path.endsWith('.svg')) return reply.sendFile(path, options);
  return reply.type('image/svg+xml; charset=utf-8').sendFile(path, { ...options, contentType: false });
}

export function sendNotBuilt(reply: FastifyReply, page: string): FastifyReply {
  return reply.code(503).type('text/html; charset=utf-8').send(page);
}

/** Output of `npm run build` in web/. */
export const builtPagesFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
