// The order of what the search finds: guides before the reference, a page before its parts. MiniSearch takes functions, which
// the built configuration cannot hold: the content policy forbids to evaluate text.

import type { SiteData } from 'vitepress';
import type { Ref } from 'vue';

const searchOptions = {
  boost: { title: 4, titles: 2, text: 1 },
  /** Three letters are not misspelled: "tax" is not "max". */
  fuzzy: (word: string) => (word.length > 4 ? 0.2 : false),
  /** "retry" finds "retries", and the other way round. */
  processTerm(written: string): readonly string[] {
    const word = written.toLowerCase();
    return [...new Set([word, word.replace(/([^aeiou])y$/, '$1ies'), word.replace(/ies$/, 'y')])];
  },
  boostDocument: (id: string, _word: string, { titles }: { readonly titles?: readonly string[] } = {}) =>
    weightOf(id.replace(/^\/docs\/|#.*$/g, '')) * (titles?.length === 0 ? 2 : 1),
};

export function rankSearch(site: Ref<SiteData>): void {
  site.value.themeConfig.search.options = { miniSearch: { searchOptions } };
}

/** `path` is below /docs: start pages and the changelog repeat what guides explain. */
function weightOf(path: string): number {
  if (path.startsWith('reference/')) return 0.4;
  return ['', 'resellers', 'operators', 'changelog', 'command-line'].includes(path) ? 0.5 : 1;
}
