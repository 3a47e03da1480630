// What the documents need beyond VitePress's Markdown, so that one text serves the site and a code host: links between
// files lead to pages, a row of <details> with code becomes tabs, headings have GitHub's anchors, and code is colored
// by classes, because the pages' content policy takes no inline style.

import { posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { slug } from 'github-slugger';
import { createCssVariablesTheme } from 'shiki';
import type { MarkdownOptions } from 'vitepress';
import { downloads, pageAddress, root } from './page-list.ts';

const foldedSample = /<details>\n<summary>([^<]+)<\/summary>\n\n```(\w+)\n([\s\S]*?)\n```\n\n<\/details>\n*/g;
const rowOfSamples = new RegExp(`(?:${foldedSample.source}){2,}`, 'g');

const downloadsAddress = '/docs/downloads/';

export const markdown: MarkdownOptions = {
  anchor: { slugify: slug },
  // "GET /orders/{id}" is a heading, not one with attributes.
  attrs: { disable: true },
  theme: createCssVariablesTheme({ variablePrefix: '--code-' }),
  codeTransformers: [
    {
      preprocess(_code, options) {
        // Half a second for a block by default: on a busy machine the rest of it would stay without colors.
        options.tokenizeTimeLimit = 0;
      },
      span(node) {
        const token = /--code-(token-[a-z-]+)\)/.exec(String(node.properties['style']))?.[1];
        delete node.properties['style'];
        if (token !== undefined) this.addClassToHast(node, token);
      },
      pre(node) {
        delete node.properties['style'];
      },
    },
  ],
  config(md) {
    md.core.ruler.after('normalize', 'samples-as-tabs', (state) => {
      state.src = state.src.replace(
        rowOfSamples,
        (row) => `::: code-group\n${row.replace(foldedSample, '```$2 [$1]\n$3\n```\n')}:::\n\n`,
      );
    });
    md.core.ruler.push('links-to-pages', (state) => {
      const source = relative(fileURLToPath(root), state.env.realPath ?? state.env.path);
      for (const token of state.tokens) {
        let isDropped = false;
        token.children =
          token.children?.filter((child) => {
            if (child.type === 'link_open') {
              const address = addressOf(child.attrGet('href') ?? '', source);
              isDropped = address === null;
              if (address !== null) child.attrSet('href', address);
              // Not a page: the browser keeps it, and VitePress and its router leave it alone.
              if (address?.startsWith(downloadsAddress)) child.attrSet('download', '');
            }
            return !(isDropped && child.type.startsWith('link_'));
          }) ?? null;
      }
    });
  },
};

/** Null for a link to a file that is not a page, such as a source: it stays as text. */
function addressOf(href: string, source: string): string | null {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path = '', hash] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(source), path));
  const download = downloads[target];
  if (download !== undefined) return downloadsAddress + download;
  const address = pageAddress(target);
  return address === null || hash === undefined ? address : `${address}#${hash}`;
}
