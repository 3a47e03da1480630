// Serves the documentation at /docs, built by scripts/build-docs.ts; without a build, a plain page says so. Nothing external
// or inline is loaded. Pages have the operator's name and logo from their first byte (docs/.vitepress/theme/site-brand.ts).

import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand, BrandHolder } from '../features/brand/brand-store.ts';
import { iconAddress, logoAddress } from '../features/brand/brand-view.ts';
import {
  installBuiltPages,
  isFile,
  keptForEver,
  sendBuilt,
  sendNotBuilt,
} from '../platform/http/built-pages.ts';
import {
  acceptedEncoding,
  type EncodedDocument,
  encodeDocument,
  sendDocument,
} from '../platform/http/served-document.ts';
import { html, type Markup } from '../shared/markup.ts';

export const builtDocsFolder = fileURLToPath(new URL('../../docs/dist/', import.meta.url));

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The stylesheet contains the buttons' icons.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Types of downloads. Source code is sent as text, which browsers do not run. */
const downloadTypes: Readonly<Record<string, string>> = {
  '.tgz': 'application/gzip',
  '.zip': 'application/zip',
  '.whl': 'application/zip',
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

export async function docsPages(app: FastifyInstance, folder: string, brand: BrandHolder): Promise<void> {
  await installBuiltPages(app, folder, contentSecurityPolicy);
  const method = ['GET', 'HEAD'];
  const schema = { hide: true };
  app.route({ method, url: '/', schema, handler: show });
  app.route({ method, url: '/*', schema, handler: show });
  const branded = new Map<string, EncodedDocument>();
  let brandedVersion = 0;

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isFile(folder, 'index.html')) return sendNotBuilt(reply, notBuilt);
    const file = fileOf(request.url);
    if (file === null || !isFile(folder, file)) return showPage(request, reply.code(404), '404.html');
    if (file.startsWith('assets/')) return reply.sendFile(file, keptForEver);
    // Browsers revalidate these each time, usually with a 304.
    reply.header('cache-control', 'no-cache');
    const download = downloadTypes[extname(file)];
    if (download === undefined) return showPage(request, reply, file);
    return reply.type(download).sendFile(file, { cacheControl: false, contentType: false });
  }

  async function showPage(request: FastifyRequest, reply: FastifyReply, file: string): Promise<FastifyReply> {
    const { version, name, logo } = brand.current();
    if ((name === null && logo === null) || !file.endsWith('.html')) {
      return sendBuilt(reply, file, { cacheControl: false });
    }
    if (version !== brandedVersion) branded.clear();
    brandedVersion = version;
    const encoding = acceptedEncoding(request);
    const kept = branded.get(`${file} ${encoding}`);
    const document = kept ?? encodeDocument(await brandedPage(file), encoding);
    // Uncompressed pages are not kept, because they would take 10 MB.
    if (brandedVersion === version && encoding !== 'identity') branded.set(`${file} ${encoding}`, document);
    return sendDocument(request, reply, document, 'text/html; charset=utf-8');
  }

  async function brandedPage(file: string): Promise<string> {
    const page = await readFile(join(folder, file), 'utf8');
    return withBrand(page, brand.current());
  }
}

/** Fills in the placeholders that site-brand.ts and the build's head leave in each page. */
function withBrand(page: string, brand: Brand): string {
  const name = brand.name ?? 'Sellthrough';
  const icon = iconAddress(brand);
  const logo = brand.logo === null ? icon : logoAddress(brand);
  const marks: readonly (readonly [own: RegExp, ours: Markup | null])[] = [
    [/ · Sellthrough<\/title>/, html` · ${name}</title>`],
    [/(?<=<meta name="application-name" content=")[^"]*/, html`${name}`],
    [/(?<=<[^>]*class="site-name"[^>]*>)[^<]*/, html`${name}`],
    [/<link rel="icon"[^>]*>/, icon === null ? null : html`<link rel="icon" href="${icon}">`],
    [/(?<=<meta name="site-logo" content=")[^"]*/, logo === null ? null : html`${logo}`],
    [/(?<=<img class="site-logo"[^>]* src=")[^"]*/, logo === null ? null : html`${logo}`],
  ];
  return marks.reduce(
    (text, [own, ours]) => (ours === null ? text : text.replace(own, () => ours.text)),
    page,
  );
}

/** "reference/orders.html" for /docs/reference/orders; null: not a page. */
function fileOf(url: string): string | null {
  const path = url.split('?')[0]?.replace(/^\/docs\/?/, '') ?? '';
  if (path === '') return 'index.html';
  // Only known folders and plain names are allowed: no hidden files, nothing above the folder.
  if (/^assets\/(?:chunks\/)?[\w@-][\w@.-]*\.(?:css|js)$/.test(path)) return path;
  if (/^downloads\/[\w-][\w.-]*\.(?:tgz|zip|whl|php|ts)$/.test(path)) return path;
  // Pages that are older than the build request hashmap.json.
  if (path === 'icon.svg' || path === 'hashmap.json') return path;
  return /^(?!404$)[a-z0-9-]+(?:\/[a-z0-9-]+){0,3}$/.test(path) ? `${path}.html` : null;
}
