// Serves a document that never changes while the process lives, such as openapi.json: built and compressed on first use,
// with an ETag.

import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance } from 'fastify';

interface Encoded {
  readonly bytes: Buffer;
  /** Strong: a hash of these bytes, equal in every process of one version. */
  readonly etag: string;
  readonly encoding: 'br' | 'gzip' | null;
}

const encodings = new Negotiator({ supportedValues: ['br', 'gzip', 'identity'] });

export function serveDocument(app: FastifyInstance, path: string, make: () => object): void {
  let made: { readonly plain: Encoded; readonly br: Encoded; readonly gzip: Encoded } | null = null;

  app.get(path, { schema: { hide: true } }, async (request, reply) => {
    made ??= encodedWays(JSON.stringify(make()));
    const accepted = encodings.negotiate(request.headers['accept-encoding'] ?? '');
    const { bytes, etag, encoding } = made[accepted === 'br' || accepted === 'gzip' ? accepted : 'plain'];
    // Revalidated each time, because an upgrade changes it.
    reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
}

function encodedWays(text: string) {
  const plain = Buffer.from(text);
  // A fifth of the computation of the best quality, for a tenth more bytes.
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

/** If-None-Match compares weakly: compressing proxies add W/. */
export function isKnown(etag: string, named: string | undefined): boolean {
  const known = (named ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
