// The brand's public files: logo, a stylesheet with the accent color (pages have no inline styles), and an icon with the
// name's first letter.
// Invariant: the logo is sent only as the image type as which it was parsed.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { isKnown } from '../../platform/http/served-document.ts';
import { type AccentShades, accentThemes, productColor } from '../../shared/accent-shades.ts';
import { html } from '../../shared/markup.ts';
import type { BrandHolder } from './brand-store.ts';
import { brandIconPath, brandStylesheetPath, logoPath } from './brand-view.ts';
import { nameInitial } from './name-initial.ts';

const hidden = { schema: { hide: true } };

export function brandPages(app: FastifyInstance, brand: BrandHolder): void {
  app.get(logoPath, hidden, async (request, reply) => {
    const { logo } = brand.current();
    if (logo === null) throw new RequestRefused('not_found');
    reply.headers({ ...pictureHeaders, 'content-disposition': 'inline; filename="logo"' });
    return sendKept(request, reply, logo.etag, logo.type, logo.bytes);
  });

  let written: { readonly version: number; readonly css: string; readonly etag: string } | null = null;
  app.get(brandStylesheetPath, hidden, async (request, reply) => {
    const { version, color } = brand.current();
    if (written?.version !== version) {
      const css = brandCss(color);
      written = { version, css, etag: `"${createHash('sha256').update(css).digest('base64url')}"` };
    }
    return sendKept(request, reply, written.etag, 'text/css; charset=utf-8', written.css);
  });

  app.get(brandIconPath, hidden, async (request, reply) => {
    const { version, name, color } = brand.current();
    if (name === null) throw new RequestRefused('not_found');
    reply.headers(pictureHeaders);
    return sendKept(request, reply, `"${version}"`, 'image/svg+xml; charset=utf-8', letterIcon(name, color));
  });
}

const pictureHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The same icon as the pages draw (web/src/features/brand/logo.tsx). */
function letterIcon(name: string, color: string | null): string {
  const { accent, onAccent } = accentThemes(color ?? productColor).light;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accent}"/><text x="16" y="22.5" text-anchor="middle" font-family="system-ui, sans-serif" font-size="18" font-weight="600" fill="${onAccent}">${nameInitial(name)}</text></svg>
`.text;
}

function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  type: string,
  content: Buffer | string,
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send();
  return reply.type(type).send(content);
}

/** The selector `:root:root` overrides the pages' own rules in any order of stylesheets. `data-theme` is a person's choice. */
function brandCss(color: string | null): string {
  if (color === null) return '/* The colors of the product. */\n';
  const { light, dark } = accentThemes(color);
  const inDark = `{\n${variables(dark)}}\n`;
  return `:root:root {\n${variables(light)}}\n@media screen {\n:root:root:where([data-theme=dark]) ${inDark}}\n@media screen and (prefers-color-scheme: dark) {\n:root:root:where(:not([data-theme])) ${inDark}}\n`;
}

function variables({ accent, accentStrong, accentFill, onAccent }: AccentShades): string {
  const named = {
    accent,
    'accent-strong': accentStrong,
    'accent-fill': accentFill,
    'on-accent': onAccent,
  };
  return Object.entries(named)
    .map(([name, value]) => `  --${name}: ${value};\n`)
    .join('');
}
