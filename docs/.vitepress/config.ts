// The site of the documents, served by every running service at /docs: VitePress makes it from the Markdown files that
// page-list.ts names. Called by scripts/build-docs.ts.
// Invariant: a page loads nothing from elsewhere and contains no inline script or style, so that it works under the
// service's content policy (src/service/docs-pages.ts).

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { markdown } from './markdown.ts';
import { activeMatch, isSearched, pageAddress, pagePath, readers, sidebars } from './page-list.ts';

const inlineScript = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g;
const inlineStyle = / style="[^"]*"(?=[^<]*>)/g;
const iconStyles = /<link [^>]*vp-icons\.css[^>]*>/;

export default defineConfig({
  lang: 'en',
  title: 'Sellthrough',
  titleTemplate: ':title · Sellthrough',
  description: 'Guides and API reference of Sellthrough.',
  base: '/docs/',
  cleanUrls: true,
  srcDir: '..',
  srcExclude: [
    '!(docs|sdk|clients|examples|integrations|deploy)/**/*',
    '!(CHANGELOG).md',
    '{sdk,examples,deploy,clients/*,integrations/*}/*/**',
  ],
  rewrites: pagePath,
  markdown,
  metaChunk: true,
  // Otherwise each page begins by writing a style element into itself.
  appearance: { disableTransition: false },
  contentProps: {},
  vite: { publicDir: 'web/public' },
  // The service fills in the operator's name and logo (src/service/docs-pages.ts).
  head: [
    ['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }],
    ['meta', { name: 'application-name', content: 'Sellthrough' }],
    ['meta', { name: 'site-logo', content: '/docs/icon.svg' }],
  ],
  themeConfig: {
    // theme/site-brand.ts shows it.
    siteTitle: false,
    nav: [
      ...readers.map((reader) => ({
        text: reader.name,
        link: pageAddress(reader.start) ?? '/',
        activeMatch: activeMatch(reader),
      })),
      { text: 'API reference', link: '/reference/conventions', activeMatch: '/reference/' },
    ],
    sidebar: sidebars(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Without samples: the same four under each operation would be found for every word of them.
        _render(text, env, md) {
          if (!isSearched(env.relativePath)) return '';
          const { highlight } = md.options;
          md.options.highlight = () => '<pre></pre>';
          const html = md.render(text, env);
          // It is also the renderer of the pages.
          md.options.highlight = highlight;
          return html;
        },
      },
    },
  },
  transformPageData({ relativePath }) {
    // Each operation has the same headings below its name.
    if (relativePath.startsWith('reference/')) return { frontmatter: { outline: 2 } };
    if (relativePath === 'index.md') {
      return { frontmatter: { pageClass: 'start-index', aside: false, prev: false, next: false } };
    }
    const isStart = readers.some(({ start }) => pagePath(start) === relativePath);
    return isStart ? { frontmatter: { pageClass: 'start' } } : {};
  },
  transformHtml(html, _file, { siteConfig: { outDir, assetsDir } }) {
    return html
      .replace(iconStyles, '')
      .replace(inlineStyle, '')
      .replace('<div id="app"></div>', '$&<noscript><h1>There is no such page</h1></noscript>')
      .replace(inlineScript, (_whole, attributes: string, code: string) => {
        const name = `${assetsDir}/inline-${createHash('sha256').update(code).digest('hex').slice(0, 10)}.js`;
        mkdirSync(join(outDir, assetsDir), { recursive: true });
        writeFileSync(join(outDir, name), code);
        return `<script${attributes} src="/docs/${name}"></script>`;
      });
  },
});
