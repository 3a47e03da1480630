// Builds the pages of /docs (docs/dist) from the Markdown that page-list.ts names: navigation, table of contents,
// previous and next, and a list of passages for the search. Called by build-pages.mjs; `node scripts/build-docs.ts`
// does the same by hand.
// Always true: the pages load nothing from elsewhere and contain no inline script or style; the old pages stay until
// the new ones are complete.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { escapeHtml, type MarkdownPage, renderMarkdown } from './docs/markdown-page.ts';
import { type PageEntry, pages, sections } from './docs/page-list.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const finished = join(root, 'docs', 'dist');
const worthBytes = 1_024;
/** A longer table of contents names the large parts alone. */
const contentsMax = 24;

export function buildDocs(folder: string): void {
  const addresses = new Map(pages.map(({ source, slug }) => [source, addressOfSlug(slug)]));
  const rendered = new Map<PageEntry, MarkdownPage>();
  for (const entry of pages) {
    const text = readFileSync(join(root, entry.source), 'utf8');
    rendered.set(
      entry,
      renderMarkdown(entry.source, text, (path) => addresses.get(path) ?? null),
    );
  }
  const titleOf = (entry: PageEntry) => entry.short ?? rendered.get(entry)?.title ?? entry.slug;
  const write = (path: string, text: string) => writeCompressed(join(folder, path), text);
  const asset = (name: string, ending: string, text: string): string => {
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 10);
    const path = `assets/${name}-${hash}.${ending}`;
    write(path, text);
    return `/docs/${path}`;
  };

  const readAsset = (name: string) => readFileSync(join(root, 'scripts', 'docs', name), 'utf8');
  const passages = pages.flatMap((entry) =>
    (rendered.get(entry)?.passages ?? []).map(({ id, heading, text }) => ({
      address: `${addressOfSlug(entry.slug)}${id === '' ? '' : `#${id}`}`,
      page: titleOf(entry),
      heading,
      text: text.replace(/\s+/g, ' ').slice(0, 400),
    })),
  );
  const frame: Frame = {
    titleOf,
    stylesheet: asset('docs', 'css', readAsset('docs.css')),
    script: asset('docs', 'js', readAsset('docs-page.js')),
    icon: asset('icon', 'svg', readFileSync(join(root, 'web', 'public', 'icon.svg'), 'utf8')),
    passages: asset('passages', 'json', JSON.stringify(passages)),
  };
  for (const [entry, page] of rendered) {
    write(entry.slug === '' ? 'index.html' : `${entry.slug}.html`, pageHtml(entry, page, frame));
  }
  const missing: MarkdownPage = { title: 'Not found', html: notFound, headings: [], passages: [], links: [] };
  write('not-found.html', pageHtml(null, missing, frame));
}

interface Frame {
  readonly titleOf: (entry: PageEntry) => string;
  readonly stylesheet: string;
  readonly script: string;
  readonly icon: string;
  readonly passages: string;
}

const notFound = `<h1>There is no such page</h1>
<p>It may have moved. The <a href="/docs/">overview</a> lists every page; the search above looks into all of them.</p>`;

function pageHtml(entry: PageEntry | null, page: MarkdownPage, frame: Frame): string {
  const isFirst = entry?.slug === '';
  const list = navigation(entry, frame);
  const title = isFirst ? 'Sellthrough documentation' : `${escapeHtml(page.title)} · Sellthrough`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${frame.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${frame.stylesheet}">
<script src="${frame.script}" type="module" data-passages="${frame.passages}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<a class="brand" href="/docs/"><img src="${frame.icon}" alt="" width="24" height="24">Sellthrough <span>docs</span></a>
<form class="search" role="search" hidden><input type="search" placeholder="Search the docs" aria-label="Search the docs" autocomplete="off"><ul class="results" hidden></ul></form>
<a class="to-panel" href="/panel/">Panel</a>
</header>
<div class="columns">
<details class="pages fold"><summary>All pages</summary><nav aria-label="Pages, folded">${list}</nav></details>
<nav class="pages" aria-label="Pages">${list}</nav>
<main id="content">
<article>${withContentsAfterTitle(page)}</article>
${entry === null ? '' : neighbours(entry, frame)}
</main>
${contents(page, 'side')}
</div>
</body>
</html>
`;
}

function navigation(current: PageEntry | null, { titleOf }: Frame): string {
  return sections
    .map(({ title, pages: entries }) => {
      const items = entries.map((entry) => {
        const here = entry === current ? ' aria-current="page"' : '';
        return `<li><a href="${addressOfSlug(entry.slug)}"${here}>${escapeHtml(titleOf(entry))}</a></li>`;
      });
      return `<section><h2>${title}</h2><ul>${items.join('')}</ul></section>`;
    })
    .join('\n');
}

/** The page with its table of contents folded under the title, for windows that are too narrow for the side. */
function withContentsAfterTitle(page: MarkdownPage): string {
  return page.html.replace('</h1>\n', `</h1>\n${contents(page, 'inline')}\n`);
}

function contents({ headings }: MarkdownPage, place: 'inline' | 'side'): string {
  const parts = headings.filter(({ level }) => level === 2);
  const all = headings.filter(({ level }) => level === 2 || level === 3);
  const shown = all.length > contentsMax ? parts : all;
  if (shown.length < 2) return place === 'side' ? '<div class="contents-side"></div>' : '';
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  const list = `<ul>${items.join('')}</ul>`;
  return place === 'side'
    ? `<nav class="contents-side" aria-label="On this page"><h2>On this page</h2>${list}</nav>`
    : `<details class="contents-inline"><summary>On this page</summary>${list}</details>`;
}

function neighbours(entry: PageEntry, { titleOf }: Frame): string {
  const place = pages.indexOf(entry);
  const link = (other: PageEntry | undefined, rel: 'prev' | 'next', word: string) =>
    other === undefined
      ? ''
      : `<a rel="${rel}" class="${rel}" href="${addressOfSlug(other.slug)}"><small>${word}</small>${escapeHtml(titleOf(other))}</a>`;
  const previous = place > 0 ? pages[place - 1] : undefined;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(previous, 'prev', 'Previous')}${link(pages[place + 1], 'next', 'Next')}</nav>`;
}

function addressOfSlug(slug: string): string {
  return `/docs/${slug}`;
}

function writeCompressed(path: string, text: string): void {
  const source = Buffer.from(text);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
  if (source.length < worthBytes) return;
  writeFileSync(`${path}.br`, brotliCompressSync(source));
  writeFileSync(`${path}.gz`, gzipSync(source));
}

if (import.meta.main) {
  const draft = `${finished}.draft`;
  rmSync(draft, { recursive: true, force: true });
  buildDocs(draft);
  rmSync(finished, { recursive: true, force: true });
  renameSync(draft, finished);
}
