// The state of a list or page in the URL, so that it can be shared.

import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { filtersOf, type ListSearch, withoutList } from '../api/list-params.ts';
import { changedParams, textParams } from '../api/search-params.ts';

export interface List<Name extends string> {
  readonly search: { readonly [One in Name]?: string };
  readonly filters: { readonly [One in Name]?: string };
  readonly isFiltered: boolean;
  change(changed: { readonly [One in Name]?: string }): void;
  readonly all: (now: object) => object;
}

/** The route must accept these parameters (list-params.ts). */
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
