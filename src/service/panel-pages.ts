// Serves the built panel: hashed assets, and for every other path index.html, or entry.html to those who are not signed in;
// without a build, a plain page says so. A page loads nothing external, and inline only a style and the script of the theme,
// which their hashes allow. It has the operator's name from its first byte, so that the window never shows another.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import cookieParser from '@fastify/cookie';
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

const contentSecurityPolicy = (pages: string) => [
  "default-src 'none'",
  `script-src ${sourcesWith(pages, /<script>([\s\S]*?)<\/script>/g)}`,
  `style-src ${sourcesWith(pages, /<style>([\s\S]*?)<\/style>/g)}`,
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

export interface PanelPagesDependencies {
  readonly pagesFolder: string;
  readonly brand: BrandHolder;
  /** Whether the request has a cookie like those of sessions. The session may have ended. */
  readonly mayBeSignedIn: (request: FastifyRequest) => boolean;
}

export async function panelPages(app: FastifyInstance, dependencies: PanelPagesDependencies): Promise<void> {
  const { pagesFolder: folder, brand, mayBeSignedIn } = dependencies;
  const pages = await Promise.all(
    ['index.html', 'entry.html']
      .filter((file) => isFile(folder, file))
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
  await installBuiltPages(app, folder, contentSecurityPolicy(pages.join('\n')));
  await app.register(cookieParser);

  app.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply.refuse(refusal('not_found'));
    const path = assetPath(request);
    const isAsset = request.url.startsWith('/panel/assets/');
    if (path === null || !isFile(folder, path)) {
      return isAsset ? reply.refuse(refusal('not_found')) : showPage(request, reply);
    }
    return sendBuilt(reply, path, isAsset ? keptForEver : { maxAge: '1h' });
  });

  async function showPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const file = isEntry(request) ? 'entry.html' : 'index.html';
    if (!isFile(folder, file)) return sendNotBuilt(reply, notBuilt);
    const { version } = brand.current();
    if (version === 0) return reply.sendFile(file, { cacheControl: false });
    const page = await readFile(join(folder, file), 'utf8');
    return reply.type('text/html; charset=utf-8').send(branded(page, brand.current()));
  }

  function isEntry(request: FastifyRequest): boolean {
    return /^\/panel\/(?:sign-in|reset-password)\/?(?:\?|$)/.test(request.url) || !mayBeSignedIn(request);
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

/** CSP sources: the service's own files, and the hashes of what stands inline in the pages. */
function sourcesWith(pages: string, inline: RegExp): string {
  const texts = new Set([...pages.matchAll(inline)].map(([, text = '']) => text));
  const hashes = [...texts].map((text) => createHash('sha256').update(text).digest('base64'));
  return ["'self'", ...hashes.map((hash) => `'sha256-${hash}'`)].join(' ');
}

/** The part after /panel/ if it can be a file. The pages are excluded, because every other path shows one. */
function assetPath({ url }: FastifyRequest): string | null {
  const sent = /^\/panel\/([A-Za-z0-9._/-]{1,200})(?:\?|$)/.exec(url)?.[1];
  if (
    sent === undefined ||
    /^(?:index|entry)\.html$/.test(sent) ||
    normalize(sent) !== sent ||
    sent.startsWith('..')
  )
    return null;
  // No hidden files, such as build metadata.
  return sent.split('/').some((part) => part === '' || part.startsWith('.')) ? null : sent;
}
