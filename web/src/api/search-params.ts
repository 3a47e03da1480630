// URL parameters as plain texts, so that ?customer=123 is the customer "123". Values that are too long are dropped.

import { queryText } from './client.ts';

const lengthMax = 300;

/** The last value of a name counts. */
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

/** Changing filters resets cursor and open row. */
export function changedParams<Search extends object>(search: Search, change: Partial<Search>): Search {
  const { cursor: _cursor, open: _open, ...rest } = { cursor: undefined, open: undefined, ...search };
  const entries = Object.entries({ ...rest, ...change }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return Object.fromEntries(entries) as Search;
}
