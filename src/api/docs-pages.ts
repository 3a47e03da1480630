// The documents as pages, at /docs: built from docs/*.md by scripts/build-docs.ts into docs/dist. /docs/rate-limits
// is rate-limits.html there; assets carry a hash in their name and may be kept for ever. Nothing is loaded from
// elsewhere and nothing inline is run: the build leaves no inline script or style. Without a build a plain page says
// how to make one.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { installPageHeaders } from '../http/page-headers.ts';

/** Where scripts/build-docs.ts puts the pages. */
export const builtDocsFolder = fileURLToPath(new URL('../../docs/dist/', import.meta.url));

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The icons of the site's buttons are part of its stylesheet.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sellthrough</title></head>
<body>
<h1>The documents are not built yet</h1>
<p>Run <code>node scripts/build-docs.ts</code> in the folder of the service, then load this page again;
the same texts are in its folder <code>docs</code>.</p>
</body>
</html>
`;

export interface DocsPagesOptions {
  readonly folder: string;
  readonly publicUrl: () => string;
}

/** Registered with the prefix /docs. */
export async function docsPages(
  app: FastifyInstance,
  { folder, publicUrl }: DocsPagesOptions,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    index: false,
    // The build leaves a .br and a .gz beside what is worth it.
    preCompressed: true,
    suppressWarning: true,
  });
  installPageHeaders(app, { contentSecurityPolicy, isSecure: publicUrl().startsWith('https:') });

  const method = ['GET', 'HEAD'];
  const schema = { hide: true };
  app.route({ method, url: '/', schema, handler: show });
  app.route({ method, url: '/*', schema, handler: show });

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!existsSync(join(folder, 'index.html'))) {
      return reply
        .code(503)
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(notBuilt);
    }
    const file = fileOf(request.url);
    if (file === null || !isFile(join(folder, file))) {
      return reply.code(404).sendFile('404.html', { cacheControl: false });
    }
    const isHashed = file.startsWith('assets/');
    if (isHashed) return reply.sendFile(file, { maxAge: '365d', immutable: true });
    // Asked for again each time, and answered with 304 while nothing changed.
    return reply.header('cache-control', 'no-cache').sendFile(file, { cacheControl: false });
  }
}

/** "reference/orders.html" for /docs/reference/orders; null for what can be no page. */
function fileOf(url: string): string | null {
  const path = url.split('?')[0]?.replace(/^\/docs\/?/, '') ?? '';
  if (path === '') return 'index.html';
  // One name in a known folder, or words of letters, digits and hyphens: nothing hidden, nothing above the folder.
  if (/^assets\/(?:chunks\/)?[\w@-][\w@.-]*\.(?:css|js)$/.test(path)) return path;
  // The list of pages is asked for by a page that is older than the build.
  if (path === 'icon.svg' || path === 'hashmap.json') return path;
  return /^(?!404$)[a-z0-9-]+(?:\/[a-z0-9-]+){0,3}$/.test(path) ? `${path}.html` : null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
