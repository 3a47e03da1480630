// A document that is the same for everybody for as long as the process lives: openapi.json and its like. Made and
// compressed once, when it is first asked for; whoever names what he has got already is told that it still holds.

import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';

interface Encoded {
  readonly bytes: Buffer;
  /** Strong: of these very bytes, and so the same in every process of one version. */
  readonly etag: string;
  readonly encoding: 'br' | 'gzip' | null;
}

/** In the order in which they are preferred where the client is content with either. */
const encodings = new Negotiator({ supportedValues: ['br', 'gzip', 'identity'] });

export function serveDocument(app: FastifyInstance, path: string, make: () => object): void {
  let made: { readonly plain: Encoded; readonly br: Encoded; readonly gzip: Encoded } | null = null;

  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    made ??= encodedWays(JSON.stringify(make()));
    const accepted = encodings.negotiate(request.headers['accept-encoding'] ?? '');
    const { bytes, etag, encoding } = made[accepted === 'br' || accepted === 'gzip' ? accepted : 'plain'];
    // Kept, but asked for again each time: after an upgrade of the service it is another one.
    reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
}

function encodedWays(text: string) {
  const plain = Buffer.from(text);
  // A fifth of what the best quality would compute, for a tenth more bytes.
  const br = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return {
    plain: encoded(plain, null),
    br: encoded(br, 'br'),
    gzip: encoded(gzipSync(plain), 'gzip'),
  };
}

function encoded(bytes: Buffer, encoding: Encoded['encoding']): Encoded {
  return { bytes, encoding, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** If-None-Match compares weakly: proxies that compress by themselves mark what they pass on with W/. */
export function isKnown(etag: string, named: string | undefined): boolean {
  const known = (named ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
