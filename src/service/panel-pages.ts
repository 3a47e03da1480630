// Serves the built panel: hashed assets, and index.html for every other path; without a build, a plain page says so. A page
// loads nothing external, and inline only the shell's style and the script of the theme, which their hashes allow. It has the
// operator's name from its first byte, so that the window never shows another.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand, BrandHolder } from '../features/brand/brand-store.ts';
import { brandStylesheetPath, iconAddress } from '../features/brand/brand-view.ts';
import {
  installBuiltPages,
  isFile,
  keptForEver,
  sendBuilt,
  sendNotBuilt,
} from '../platform/http/built-pages.ts';
import { refusal } from '../shared/error-catalog.ts';
import { html, type Markup } from '../shared/markup.ts';

const contentSecurityPolicy = (page: string) => [
  "default-src 'none'",
  `script-src ${sourcesWith(page, /<script>([\s\S]*?)<\/script>/)}`,
  `style-src ${sourcesWith(page, /<style>([\s\S]*?)<\/style>/)}`,
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

export async function panelPages(app: FastifyInstance, folder: string, brand: BrandHolder): Promise<void> {
  const index = isFile(folder, 'index.html') ? await readFile(join(folder, 'index.html'), 'utf8') : '';
  await installBuiltPages(app, folder, contentSecurityPolicy(index));

  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply.refuse(refusal('not_found'));
    const path = assetPath(request);
    const isAsset = request.url.startsWith('/panel/assets/');
    if (path === null || !isFile(folder, path)) {
      return isAsset ? reply.refuse(refusal('not_found')) : showIndex(reply);
    }
    return sendBuilt(reply, path, isAsset ? keptForEver : { maxAge: '1h' });
  });

  async function showIndex(reply: FastifyReply): Promise<FastifyReply> {
    if (!isFile(folder, 'index.html')) return sendNotBuilt(reply, notBuilt);
    const { version } = brand.current();
    if (version === 0) return reply.sendFile('index.html', { cacheControl: false });
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    return reply.type('text/html; charset=utf-8').send(branded(page, brand.current()));
  }
}

/** Sets the initial title, the title suffix (web/src/text/service-name.ts) and the icon. */
function branded(page: string, brand: Brand): string {
  const { name, color } = brand;
  const icon = iconAddress(brand);
  const marks: readonly (readonly [own: RegExp, ours: Markup | null])[] = [
    [/<title>[^<]*<\/title>/, name === null ? null : html`<title>${name}</title>`],
    [
      /<meta name="application-name"[^>]*>/,
      name === null ? null : html`<meta name="application-name" content="${name}">`,
    ],
    [/<link rel="icon"[^>]*>/, icon === null ? null : html`<link rel="icon" href="${icon}">`],
    // Placed beside the page's own stylesheet: the script waits for both, so no page shows other colors first.
    [
      /<noscript>/,
      color === null ? null : html`<link rel="stylesheet" href="${brandStylesheetPath}">\n    <noscript>`,
    ],
  ];
  return marks.reduce(
    (text, [own, ours]) => (ours === null ? text : text.replace(own, () => ours.text)),
    page,
  );
}

/** CSP sources: the service's own files, and the hash of what stands inline in the page. */
function sourcesWith(page: string, inline: RegExp): string {
  const text = inline.exec(page)?.[1];
  if (text === undefined) return "'self'";
  return `'self' 'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The part after /panel/ if it can be a file. index.html is excluded, because every other path shows it. */
function assetPath({ url }: FastifyRequest): string | null {
  const sent = /^\/panel\/([A-Za-z0-9._/-]{1,200})(?:\?|$)/.exec(url)?.[1];
  if (sent === undefined || sent === 'index.html' || normalize(sent) !== sent || sent.startsWith('..'))
    return null;
  // No hidden files, such as build metadata.
  return sent.split('/').some((part) => part === '' || part.startsWith('.')) ? null : sent;
}
