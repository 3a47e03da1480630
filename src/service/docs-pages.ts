// The documents as pages, at /docs: built from docs/*.md by scripts/build-docs.ts into docs/dist. /docs/rate-limits
// is rate-limits.html there; assets carry a hash in their name and may be kept for ever. Nothing is loaded from
// elsewhere and nothing inline is run: the build leaves no inline script or style. Until they are built, a plain page
// says so.

import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { installBuiltPages, isFile, keptForEver, sendNotBuilt } from '../platform/http/built-pages.ts';

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
];

/** What is handed out to be kept; programs as text, which no browser runs. */
const downloadTypes: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.zip': 'application/zip',
  '.py': 'text/plain; charset=utf-8',
  '.php': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
};

const notBuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta http-equiv="refresh" content="5">
<title>Sellthrough</title>
</head>
<body>
<h1>The documents are not built yet</h1>
<p>After the first start they are built while the service runs: this page loads itself again until they are there.
If they do not come, run <code>node scripts/build-docs.ts</code> in the folder of the service; the same texts are in
its folder <code>docs</code>.</p>
</body>
</html>
`;

/** Registered with the prefix /docs. */
export async function docsPages(app: FastifyInstance, folder: string): Promise<void> {
  await installBuiltPages(app, folder, contentSecurityPolicy);
  const method = ['GET', 'HEAD'];
  const schema = { hide: true };
  app.route({ method, url: '/', schema, handler: show });
  app.route({ method, url: '/*', schema, handler: show });

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isFile(folder, 'index.html')) return sendNotBuilt(reply, notBuilt);
    const file = fileOf(request.url);
    if (file === null || !isFile(folder, file)) {
      return reply.code(404).sendFile('404.html', { cacheControl: false });
    }
    if (file.startsWith('assets/')) return reply.sendFile(file, keptForEver);
    // Asked for again each time, and answered with 304 while nothing changed.
    reply.header('cache-control', 'no-cache');
    const download = downloadTypes[extname(file)];
    if (download === undefined) return reply.sendFile(file, { cacheControl: false });
    return reply.type(download).sendFile(file, { cacheControl: false, contentType: false });
  }
}

/** "reference/orders.html" for /docs/reference/orders; null for what can be no page. */
function fileOf(url: string): string | null {
  const path = url.split('?')[0]?.replace(/^\/docs\/?/, '') ?? '';
  if (path === '') return 'index.html';
  // One name in a known folder, or words of letters, digits and hyphens: nothing hidden, nothing above the folder.
  if (/^assets\/(?:chunks\/)?[\w@-][\w@.-]*\.(?:css|js)$/.test(path)) return path;
  if (/^downloads\/[\w-][\w.-]*\.(?:tgz|zip|py|php|ts)$/.test(path)) return path;
  // The list of pages is asked for by a page that is older than the build.
  if (path === 'icon.svg' || path === 'hashmap.json') return path;
  return /^(?!404$)[a-z0-9-]+(?:\/[a-z0-9-]+){0,3}$/.test(path) ? `${path}.html` : null;
}
