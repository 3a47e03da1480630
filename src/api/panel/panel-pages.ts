// The built pages (web/dist): hashed assets that may be kept for ever, and one index.html, never kept, for every
// other path of the panel: what it shows is up to the script. Nothing is loaded from elsewhere and nothing
// inline is run. Without a build a plain page says how to make one.

import { existsSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '../../contract/error-catalogue.ts';
import { installPageHeaders } from '../../http/page-headers.ts';

/** Where `npm run build` in web/ puts the pages. */
export const builtPagesFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sellthrough</title></head>
<body>
<h1>The pages are not built yet</h1>
<p>Run <code>npm run build --workspace web</code> in the folder of the service, then load this page again.</p>
<p>The API is at <code>/api/v1</code> and needs no pages.</p>
</body>
</html>
`;

export interface PanelPagesOptions {
  readonly folder: string;
  readonly publicUrl: () => string;
}

/** Registered with the prefix /panel. */
export async function panelPages(app: FastifyInstance, options: PanelPagesOptions): Promise<void> {
  const { folder, publicUrl } = options;
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    // The build leaves a .br and a .gz beside what is worth it.
    preCompressed: true,
    suppressWarning: true,
  });

  installPageHeaders(app, { contentSecurityPolicy, isSecure: publicUrl().startsWith('https:') });

  // Every path below /panel that no route of its own takes.
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply.refuse(refusal('not_found'));
    const path = assetPath(request);
    const isAsset = request.url.startsWith('/panel/assets/');
    if (path === null || !isFile(join(folder, path))) {
      return isAsset ? reply.refuse(refusal('not_found')) : showIndex(reply);
    }
    // A new build gives what it changed a new name.
    return reply.sendFile(path, isAsset ? { maxAge: '365d', immutable: true } : { maxAge: '1h' });
  });

  function showIndex(reply: FastifyReply): FastifyReply {
    reply.header('cache-control', 'no-store');
    if (!existsSync(join(folder, 'index.html'))) {
      return reply.code(503).type('text/html; charset=utf-8').send(notBuilt);
    }
    return reply.sendFile('index.html', { cacheControl: false });
  }
}

/** What follows /panel/, when it can be the name of a file; index.html is none: it is shown for every path. */
function assetPath({ url }: FastifyRequest): string | null {
  const sent = /^\/panel\/([A-Za-z0-9._/-]{1,200})(?:\?|$)/.exec(url)?.[1];
  if (sent === undefined || sent === 'index.html' || normalize(sent) !== sent || sent.startsWith('..'))
    return null;
  // Nothing hidden, such as a build's own notes.
  return sent.split('/').some((part) => part === '' || part.startsWith('.')) ? null : sent;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
