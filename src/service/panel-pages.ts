// The built pages (web/dist): hashed assets that may be kept for ever, and one index.html, never kept, for every
// other path of the panel: what it shows is up to the script. Nothing is loaded from elsewhere and nothing
// inline is run; the one inline style is that of index.html's shell, named by its hash. The operator's name stands in it from
// the first byte, so that no window is ever called otherwise. Without a build a plain page says how to make one.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand, BrandHolder } from '../features/brand/brand-store.ts';
import { brandStylesheetPath, iconAddress } from '../features/brand/brand-view.ts';
import { installBuiltPages, isFile, keptForEver, sendNotBuilt } from '../platform/http/built-pages.ts';
import { refusal } from '../shared/error-catalogue.ts';
import { html, type Markup } from '../shared/markup.ts';

const contentSecurityPolicy = (styleSources: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src ${styleSources}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

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

/** Registered with the prefix /panel. */
export async function panelPages(app: FastifyInstance, folder: string, brand: BrandHolder): Promise<void> {
  await installBuiltPages(app, folder, contentSecurityPolicy(styleSourcesOf(folder)));

  // Every path below /panel that has no route of its own.
  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply.refuse(refusal('not_found'));
    const path = assetPath(request);
    const isAsset = request.url.startsWith('/panel/assets/');
    if (path === null || !isFile(folder, path)) {
      return isAsset ? reply.refuse(refusal('not_found')) : showIndex(reply);
    }
    return reply.sendFile(path, isAsset ? keptForEver : { maxAge: '1h' });
  });

  async function showIndex(reply: FastifyReply): Promise<FastifyReply> {
    if (!isFile(folder, 'index.html')) return sendNotBuilt(reply, notBuilt);
    const { version } = brand.current();
    if (version === 0) return reply.sendFile('index.html', { cacheControl: false });
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    return reply.type('text/html; charset=utf-8').send(branded(page, brand.current()));
  }
}

/** The window's title until a page has its own, the name that pages put behind theirs (web/src/text/service-name.ts), the icon. */
function branded(page: string, brand: Brand): string {
  const { name, colour } = brand;
  const icon = iconAddress(brand);
  const marks: readonly (readonly [own: RegExp, ours: Markup | null])[] = [
    [/<title>[^<]*<\/title>/, name === null ? null : html`<title>${name}</title>`],
    [
      /<meta name="application-name"[^>]*>/,
      name === null ? null : html`<meta name="application-name" content="${name}">`,
    ],
    [/<link rel="icon"[^>]*>/, icon === null ? null : html`<link rel="icon" href="${icon}">`],
    // Where the pages' own stylesheet stands: the script waits for both, so no page is seen in another colour.
    [
      /<noscript>/,
      colour === null ? null : html`<link rel="stylesheet" href="${brandStylesheetPath}">\n    <noscript>`,
    ],
  ];
  return marks.reduce(
    (text, [own, ours]) => (ours === null ? text : text.replace(own, () => ours.text)),
    page,
  );
}

/** The stylesheets, and the style of the shell that index.html shows before they are there. */
function styleSourcesOf(folder: string): string {
  const page = isFile(folder, 'index.html') ? readFileSync(join(folder, 'index.html'), 'utf8') : '';
  const shell = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1];
  if (shell === undefined) return "'self'";
  return `'self' 'sha256-${createHash('sha256').update(shell).digest('base64')}'`;
}

/** What follows /panel/, when it can be the name of a file; index.html is not one: it is shown for every path. */
function assetPath({ url }: FastifyRequest): string | null {
  const sent = /^\/panel\/([A-Za-z0-9._/-]{1,200})(?:\?|$)/.exec(url)?.[1];
  if (sent === undefined || sent === 'index.html' || normalize(sent) !== sent || sent.startsWith('..'))
    return null;
  // Nothing hidden, such as a build's own notes.
  return sent.split('/').some((part) => part === '' || part.startsWith('.')) ? null : sent;
}
