// What the address holds of a page: plain texts only, so that ?customer=123 is the customer "123". Values that
// are too long are dropped, never refused.

import { queryText } from './client.ts';

const lengthMax = 300;

/** The texts of a query string, for the router: the last of a name counts. */
export function parseTexts(query: string): Record<string, string> {
  const texts = [...new URLSearchParams(query)].filter(
    ([, value]) => value !== '' && value.length <= lengthMax,
  );
  return Object.fromEntries(texts);
}

export function stringifyTexts(search: Record<string, unknown>): string {
  const texts = Object.entries(search).filter(([, value]) => typeof value === 'string');
  return queryText(Object.fromEntries(texts.map(([name, value]) => [name, String(value)])));
}

/** Validates a page's search: the named texts that are there. */
export function textParams<const Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): { [Key in Name]?: string } => {
    const found: { [Key in Name]?: string } = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string') found[name] = value;
    }
    return found;
  };
}

/** The search with some of it replaced; filters start again at the newest, with no row open. */
export function changedParams<Search extends object>(search: Search, change: Partial<Search>): Search {
  const { before: _before, open: _open, ...rest } = { before: undefined, open: undefined, ...search };
  const entries = Object.entries({ ...rest, ...change }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return Object.fromEntries(entries) as Search;
}
