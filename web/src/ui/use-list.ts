// What the address says of a list or a page, and how that is changed: so that what is filtered can be sent to somebody.

import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { filtersOf, type ListSearch, withoutList } from '../api/list-params.ts';
import { changedParams, textParams } from '../api/search-params.ts';

/** What the address says of a list, and how that is changed. */
export interface List<Name extends string> {
  readonly search: { readonly [One in Name]?: string };
  /** What it filters by, without the place of a page and the order of its rows. */
  readonly filters: { readonly [One in Name]?: string };
  readonly isFiltered: boolean;
  change(changed: { readonly [One in Name]?: string }): void;
  /** For a link to all of it. */
  readonly all: (now: object) => object;
}

/** The route needs these texts of the address (list-params.ts). */
export function useList<const Names extends readonly string[]>(names: Names): List<Names[number]> {
  type Search = ListSearch<Names>;
  const search: Search = textParams<Names[number]>(...names)(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Search) =>
      void navigate({
        to: '.',
        search: (now: object) => changedParams(now, changed),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const filters = filtersOf(names, search);
  return {
    search,
    filters,
    isFiltered: Object.keys(filters).length > 0,
    change,
    all: (now) => withoutList(names, now),
  };
}
