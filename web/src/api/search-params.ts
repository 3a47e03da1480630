// Parses URL parameters as text, so that ?customer=123 means the customer named "123". Drops values that are too long.

import { queryText } from './client.ts';

const lengthMax = 300;

/** If a name occurs twice, the last value counts. */
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

/** Changes filters and removes the cursor and the open row, which belong to the old filters. */
export function changedParams<Search extends object>(search: Search, change: Partial<Search>): Search {
  const { cursor: _cursor, open: _open, ...rest } = { cursor: undefined, open: undefined, ...search };
  const entries = Object.entries({ ...rest, ...change }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return Object.fromEntries(entries) as Search;
}
