// The documents hold together: every link leads to a file and, with a #, to a heading of it; every Markdown file is
// a page. The check is a pure function over files, so that the second half can break it on purpose.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createSlugger, renderMarkdown } from '../../scripts/docs/markdown-page.ts';
import { pages } from '../../scripts/docs/page-list.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Texts = Readonly<Record<string, string>>;

/** Markdown files by their path, checked against each other and against `exists` for every other file. */
function linkProblems(texts: Texts, exists: (path: string) => boolean): string[] {
  const rendered = new Map(
    Object.entries(texts).map(([path, text]) => [path, renderMarkdown(path, text, () => null)]),
  );
  return [...rendered].flatMap(([path, page]) =>
    page.links.flatMap((href) => {
      if (/^(?:https?:|mailto:)/.test(href)) return [];
      const [file = '', anchor] = href.split('#');
      if (file.startsWith('/')) return [`${path}: ${href} works in one of the two places only`];
      const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
      if (!exists(target)) return [`${path}: there is no ${target}`];
      if (anchor === undefined) return [];
      const headings = rendered.get(target)?.headings ?? [];
      return headings.some(({ id }) => id === anchor) ? [] : [`${path}: ${target} has no #${anchor}`];
    }),
  );
}

describe('the documents', () => {
  const files = globSync(['docs/**/*.md', '*.md', 'sdk/*.md', 'examples/**/*.md', 'deploy/**/*.md'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**'],
  });
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]));

  test('every link leads to a file and its anchor to a heading', () => {
    assert.ok(files.length > 20);
    assert.deepEqual(
      linkProblems(texts, (path) => existsSync(`${root}${path}`)),
      [],
    );
  });

  test('every Markdown file below docs/ is a page, and every page is a file with one first heading', () => {
    const sources = pages.map(({ source }) => source);
    assert.deepEqual(
      sources.filter((source) => source.startsWith('docs/')).sort(),
      files.filter((file) => file.startsWith('docs/')).sort(),
    );
    assert.equal(new Set(pages.map(({ slug }) => slug)).size, pages.length);
    for (const source of sources) {
      const { headings } = renderMarkdown(source, texts[source] ?? '', () => null);
      assert.equal(headings.filter(({ level }) => level === 1).length, 1, source);
      assert.equal(headings[0]?.level, 1, `${source} begins with its title`);
    }
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
    renderMarkdown('docs/guides/a.md', text, (path) => (path === 'docs/b.md' ? '/docs/b' : null)).html;

  test('links pages to pages and leaves links to sources as text', () => {
    assert.match(render('[b](../b.md#x) [s](../../src/main.ts)'), /<a href="\/docs\/b#x">b<\/a> s/);
  });

  test('turns samples in several languages into tabs, and a single one into none', () => {
    const sample = (title: string, language: string) =>
      `<details>\n<summary>${title}</summary>\n\n\`\`\`${language}\nx < 1\n\`\`\`\n\n</details>\n`;
    const html = render(`# T\n\n${sample('curl', 'sh')}${sample('Python', 'python')}\nEnd.\n`);
    assert.equal(html.match(/<input type="radio"/g)?.length, 2);
    assert.match(html, /data-language="sh" checked/);
    assert.doesNotMatch(html, /<details>|x < 1/);
    assert.doesNotMatch(render(sample('curl', 'sh')), /<fieldset/);
  });

  test('gives headings the anchors that GitHub gives them', () => {
    const slug = createSlugger();
    assert.deepEqual(['POST /orders/{id}/renew', '`kind`, and more', 'Twice', 'Twice'].map(slug), [
      'post-ordersidrenew',
      'kind-and-more',
      'twice',
      'twice-1',
    ]);
  });
});
