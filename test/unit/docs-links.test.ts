// Links in the documents lead to files and headings that exist. The second half breaks links on purpose.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createMarkdownRenderer } from 'vitepress';
import { markdown } from '../../docs/.vitepress/markdown.ts';
import {
  activeMatch,
  isSearched,
  pageAddress,
  pageSources,
  pagesOf,
  readers,
  sidebars,
} from '../../docs/.vitepress/page-list.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const renderer = await createMarkdownRenderer(root, markdown);

type Texts = Readonly<Record<string, string>>;

interface Outline {
  readonly headings: readonly { readonly tag: string; readonly id: string | null }[];
  readonly links: readonly string[];
}

function outlineOf(path: string, text: string): Outline {
  renderer.core.ruler.disable('links-to-pages');
  const tokens = renderer.parse(text, { path: `${root}${path}` });
  renderer.core.ruler.enable('links-to-pages');
  return {
    headings: tokens
      .filter(({ type }) => type === 'heading_open')
      .map((token) => ({ tag: token.tag, id: token.attrGet('id') })),
    links: tokens
      .flatMap(({ children }) => children ?? [])
      .filter((token) => token.type === 'link_open' && token.attrGet('class') !== 'header-anchor')
      .map((token) => token.attrGet('href') ?? ''),
  };
}

/** `exists` answers for files that are not Markdown. */
function linkProblems(texts: Texts, exists: (path: string) => boolean): string[] {
  const outlines = new Map(Object.entries(texts).map(([path, text]) => [path, outlineOf(path, text)]));
  return [...outlines].flatMap(([path, { links }]) =>
    links.flatMap((href) => {
      if (/^(?:https?:|mailto:)/.test(href)) return [];
      const [file = '', anchor] = href.split('#');
      if (file.startsWith('/')) return [`${path}: ${href} works in one of the two places only`];
      const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
      if (!exists(target)) return [`${path}: there is no ${target}`];
      if (anchor === undefined) return [];
      const headings = outlines.get(target)?.headings ?? [];
      return headings.some(({ id }) => id === anchor) ? [] : [`${path}: ${target} has no #${anchor}`];
    }),
  );
}

describe('the documents', () => {
  const files = globSync(
    [
      'docs/**/*.md',
      '*.md',
      'sdk/*.md',
      'clients/*/*.md',
      'examples/**/*.md',
      'integrations/**/*.md',
      'deploy/**/*.md',
    ],
    {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    },
  );
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]));

  test('every link leads to a file and its anchor to a heading', () => {
    assert.ok(files.length > 20);
    assert.deepEqual(
      linkProblems(texts, (path) => existsSync(`${root}${path}`)),
      [],
    );
  });

  test('every Markdown file below docs/ is a page in the navigation, and every page has one first heading', () => {
    assert.deepEqual(
      pageSources.filter((source) => source.startsWith('docs/')).sort(),
      files.filter((file) => file.startsWith('docs/')).sort(),
    );
    const items = Object.values(sidebars())
      .flat()
      .flatMap((group) => group.items);
    const links = items.flatMap(({ link, items: inner = [] }) => [link, ...inner.map((item) => item.link)]);
    assert.deepEqual([...new Set(links)].sort(), pageSources.map(pageAddress).sort());
    for (const source of pageSources) {
      const { headings } = outlineOf(source, texts[source] ?? '');
      assert.equal(headings.filter(({ tag }) => tag === 'h1').length, 1, source);
      assert.equal(headings[0]?.tag, 'h1', `${source} begins with its title`);
    }
  });
});

describe('the readers', () => {
  const [ofResellers = [], ofOperators = [], ofContributors = []] = readers.map(pagesOf);

  test('a guide belongs to one reader, and only decisions have no place of their own', () => {
    const placed = [...ofResellers, ...ofOperators, ...ofContributors];
    assert.deepEqual(placed, [...new Set(placed)]);
    const listed = ofContributors.filter((source) => !source.startsWith('docs/decisions/'));
    assert.deepEqual(
      listed,
      Object.values(readers[2]?.groups ?? {}).flatMap((pages) => pages.map(([, source]) => source)),
    );
  });

  test('the search finds the pages of resellers, of operators and of the reference, and no page of contributors', () => {
    for (const source of [...ofResellers, ...ofOperators, 'docs/reference/objects.md'])
      assert.ok(isSearched(source), source);
    for (const hidden of [
      'asvs',
      'seeded-bugs',
      'openapi-rules',
      'reliability',
      'development',
      'contributors',
    ])
      assert.ok(!isSearched(`docs/${hidden}.md`), hidden);
    for (const source of ofContributors) assert.ok(!isSearched(source), source);
  });

  test('the index leads to the start page of every reader, and those of resellers and operators to the downloads', () => {
    const linksOf = (source: string) => outlineOf(source, readFileSync(`${root}${source}`, 'utf8')).links;
    for (const { start } of readers)
      assert.ok(linksOf('docs/README.md').includes(start.replace('docs/', '')));
    for (const { start } of readers.slice(0, 2)) assert.ok(linksOf(start).includes('downloads.md'), start);
  });

  test('the navigation bar marks the reader of a page', () => {
    const matchesOf = (address: string) =>
      readers.filter((reader) => new RegExp(activeMatch(reader)).test(address)).map(({ name }) => name);
    assert.deepEqual(matchesOf('/errors'), ['Resellers']);
    assert.deepEqual(matchesOf('/changelog'), ['Operators']);
    assert.deepEqual(matchesOf('/decisions/0017-the-gate'), ['Contributors']);
    assert.deepEqual(matchesOf('/reference/objects'), []);
    assert.deepEqual(matchesOf('/'), []);
  });
});

describe('a broken link is reported', () => {
  const exists = (path: string) => ['docs/a.md', 'docs/b.md', 'src/main.ts'].includes(path);
  const broken: readonly (readonly [title: string, link: string, reported: string])[] = [
    ['a missing file', 'c.md', 'docs/a.md: there is no docs/c.md'],
    ['a missing source', '../src/gone.ts', 'docs/a.md: there is no src/gone.ts'],
    ['a missing heading of another file', 'b.md#three', 'docs/a.md: docs/b.md has no #three'],
    ['a missing heading of its own', '#two', 'docs/a.md: docs/a.md has no #two'],
    ['an address of the service', '/docs/b', 'docs/a.md: /docs/b works in one of the two places only'],
  ];
  for (const [title, link, reported] of broken) {
    test(title, () => {
      const texts = { 'docs/a.md': `# A\n\n[x](${link})\n`, 'docs/b.md': '# B\n\n## Two things\n' };
      assert.deepEqual(linkProblems(texts, exists), [reported]);
      const mended = { ...texts, 'docs/a.md': '# A\n\n[x](b.md#two-things), [y](../src/main.ts)\n' };
      assert.deepEqual(linkProblems(mended, exists), []);
    });
  }
});

describe('a page of Markdown', () => {
  const render = (text: string) =>
    renderer.render(text, { path: `${root}docs/decisions/a.md`, cleanUrls: true });

  test('links pages to pages and leaves links to sources as text', () => {
    assert.match(
      render('[b](../errors.md#x) [c](../../CHANGELOG.md) [s](../../src/main.ts) [t](#u)'),
      /<a href="\/errors#x">b<\/a> <a href="\/changelog">c<\/a> s <a href="#u">t<\/a>/,
    );
  });

  test('links what the site hands out to where it does', () => {
    assert.match(
      render('[p](../../examples/small-product/small-product.php) [q](../../examples/reconcile.py)'),
      /<a href="\/docs\/downloads\/small-product\.php" download(?:="")?[^>]*>p<\/a> q/,
    );
  });

  test('turns samples in several languages into tabs, and a single one into none', () => {
    const sample = (title: string, language: string) =>
      `<details>\n<summary>${title}</summary>\n\n\`\`\`${language}\nx < 1\n\`\`\`\n\n</details>\n`;
    const html = render(`# T\n\n${sample('curl', 'sh')}${sample('Python', 'python')}\nEnd.\n`);
    assert.equal(html.match(/<input type="radio"/g)?.length, 2);
    assert.match(html, /checked><label [^>]*>curl<\/label>/);
    assert.doesNotMatch(html, /<details>|x < 1/);
    assert.doesNotMatch(render(sample('curl', 'sh')), /<input/);
  });

  test('colors code by classes', () => {
    const html = render("```ts\nconst a = 'b';\n```\n");
    assert.match(html, /<span class="token-keyword">const<\/span>/);
    assert.doesNotMatch(html, /style=/);
  });

  test('gives headings the anchors that GitHub gives them', () => {
    const text = ['POST /orders/{id}/renew', '`kind`, and more', 'Twice', 'Twice', 'GET /orders/{id}'];
    const { headings } = outlineOf('docs/a.md', text.map((heading) => `## ${heading}\n`).join('\n'));
    assert.deepEqual(
      headings.map(({ id }) => id),
      ['post-ordersidrenew', 'kind-and-more', 'twice', 'twice-1', 'get-ordersid'],
    );
  });
});
