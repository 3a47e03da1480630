// Whose service it is: the operator's logo and name, and the product's own where none is set.

import { useQuery } from '@tanstack/react-query';
import { shownBrandQuery } from '../api/queries.ts';

export function Logo() {
  const { data: brand } = useQuery({ ...shownBrandQuery, staleTime: Number.POSITIVE_INFINITY });
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 font-semibold tracking-tight">
      {brand?.logo ? (
        <img src={brand.logo.url} alt="" className="h-6 max-w-32 shrink-0 object-contain" />
      ) : (
        <OwnMark />
      )}
      <bdi className="truncate">{brand?.name ?? 'Sellthrough'}</bdi>
    </span>
  );
}

function OwnMark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M9 22.5h9.5a3.25 3.25 0 0 0 0-6.5h-5a3.25 3.25 0 0 1 0-6.5H23"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        className="stroke-on-accent"
      />
    </svg>
  );
}
