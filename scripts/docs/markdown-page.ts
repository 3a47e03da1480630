// One Markdown file as HTML: headings with anchors, coloured code, samples in several languages as tabs, and links
// to other Markdown files turned into links between pages. Pure; called by build-docs.ts and by the link check.
// The texts are the project's own: what HTML they contain is taken as it stands.

import { posix } from 'node:path';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import nginx from 'highlight.js/lib/languages/nginx';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type Token, type Tokens } from 'marked';

export interface Heading {
  readonly level: number;
  readonly id: string;
  /** Without markup. */
  readonly text: string;
}

export interface MarkdownPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Each heading with the text under it, for the search. */
  readonly passages: readonly { readonly id: string; readonly heading: string; readonly text: string }[];
  /** As they stand in the source. */
  readonly links: readonly string[];
}

for (const [name, language] of Object.entries({
  sh: bash,
  http,
  ini,
  json,
  nginx,
  php,
  python,
  sql,
  ts: typescript,
  yaml,
})) {
  hljs.registerLanguage(name, language);
}

/** `addressOf` gives the address of a linked file (a path from the root of the repository), or null when it is no page. */
export function renderMarkdown(
  source: string,
  text: string,
  addressOf: (path: string) => string | null,
): MarkdownPage {
  const headings: Heading[] = [];
  const links: string[] = [];
  const passages: { id: string; heading: string; text: string }[] = [];
  const slugs = createSlugger();
  const tabGroups: string[] = [];

  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const plain = plainText(tokens);
        const id = slugs(plain);
        headings.push({ level: depth, id, text: plain });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to this part">#</a></h${depth}>\n`;
      },
      code({ text: code, lang }: Tokens.Code) {
        return `<pre tabindex="0"><code>${coloured(code, lang ?? '')}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const hasHead = token.header.some(({ text: title }) => title.trim() !== '');
        const head = hasHead ? `<thead><tr>${cells(token.header, 'th')}</tr></thead>` : '';
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const address = /^(?:https?:|mailto:|#|\/)/.test(href) ? href : pageLink(href);
        return address === null ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
    },
  });

  /** The page's address for "operations.md#backups"; null for files that are no page, such as sources. */
  function pageLink(href: string): string | null {
    const [path = '', hash] = href.split('#');
    const address = addressOf(posix.normalize(posix.join(posix.dirname(source), path)));
    return address === null ? null : address + (hash === undefined ? '' : `#${hash}`);
  }

  const withoutTabs = text.replace(tabGroupPattern, (group) => {
    tabGroups.push(group);
    return `\n<!--tabs ${tabGroups.length - 1}-->\n\n`;
  });
  const tokens = marked.lexer(withoutTabs);
  marked.walkTokens(tokens, (token) => {
    if (token.type === 'link') links.push(token.href);
  });
  collectPassages(tokens, passages);
  let html = marked.parser(tokens);
  html = html.replace(/<!--tabs (\d+)-->/g, (_whole, index) =>
    tabs(Number(index), tabGroups[Number(index)] ?? ''),
  );
  const title = headings.find(({ level }) => level === 1)?.text ?? source;
  return { title, html, headings, passages, links };
}

// ---- samples in several languages: a row of <details>, which GitHub folds and a page shows as tabs

const tabPattern = /<details>\n<summary>([^<]+)<\/summary>\n\n```(\w+)\n([\s\S]*?)\n```\n\n<\/details>\n*/;
const tabGroupPattern = new RegExp(`(?:${tabPattern.source}){2,}`, 'g');

/** Radio buttons and style alone: readable, and usable, without a script. */
function tabs(group: number, source: string): string {
  const parts = [...source.matchAll(new RegExp(tabPattern.source, 'g'))];
  const fields = parts.map(([, title = '', language = '', code = ''], index) => {
    const id = `sample-${group}-${index}`;
    const checked = index === 0 ? ' checked' : '';
    return `<input type="radio" name="sample-${group}" id="${id}" data-language="${language}"${checked}><label for="${id}">${title}</label><pre tabindex="0"><code>${coloured(code, language)}</code></pre>`;
  });
  return `<fieldset class="tabs"><legend>Sample</legend>${fields.join('')}</fieldset>\n`;
}

function coloured(code: string, language: string): string {
  return hljs.getLanguage(language) === undefined
    ? escapeHtml(code)
    : hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

// ---- text and anchors

function collectPassages(
  tokens: readonly Token[],
  passages: { id: string; heading: string; text: string }[],
): void {
  const slugs = createSlugger();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens ?? []);
      passages.push({ id: slugs(heading), heading, text: '' });
      continue;
    }
    const last = passages.at(-1);
    if (last === undefined || token.type === 'code' || token.type === 'html') continue;
    last.text = `${last.text} ${tokenText(token)}`.trim();
  }
}

function tokenText(token: Token): string {
  if (token.type === 'table') {
    const table = token as Tokens.Table;
    return [table.header, ...table.rows]
      .flat()
      .map((cell) => plainText(cell.tokens))
      .join(' ');
  }
  if (token.type === 'list') {
    return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
  }
  return 'tokens' in token && token.tokens !== undefined ? plainText(token.tokens) : '';
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      if (token.type === 'html' || token.type === 'br') return ' ';
      return 'text' in token ? unescapeHtml(String(token.text)) : '';
    })
    .join('');
}

/** The anchors that GitHub gives headings, so that one link serves both. */
export function createSlugger(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replace(/ /g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
