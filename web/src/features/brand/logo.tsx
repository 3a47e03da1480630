import { useQuery } from '@tanstack/react-query';
import { nameInitial } from '../../../../src/features/brand/name-initial.ts';
import { shownBrandQuery } from '../../api/queries.ts';
import { ownName, serviceName } from '../../text/service-name.ts';

/** Logos are designed for light backgrounds, so they keep a white background in dark mode. */
export const logoPlate = 'rounded bg-plate ring-2 ring-plate';

export function Logo() {
  const { data: brand, isPending } = useQuery({ ...shownBrandQuery, staleTime: Number.POSITIVE_INFINITY });
  const name = brand === undefined ? serviceName() : (brand.name ?? ownName);
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 font-semibold tracking-tight">
      {brand?.logo ? (
        <img src={brand.logo.url} alt="" className={`h-6 max-w-32 shrink-0 object-contain ${logoPlate}`} />
      ) : isPending ? (
        <span className="size-6 shrink-0" />
      ) : (
        <Mark name={name} />
      )}
      <bdi className="truncate">{name}</bdi>
    </span>
  );
}

/** The product's mark. For another name, its first letter, as in the browser tab (src/features/brand/brand-pages.ts). */
export function Mark({ name }: { readonly name: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      {name === ownName ? (
        <path
          d="M9 22.5h9.5a3.25 3.25 0 0 0 0-6.5h-5a3.25 3.25 0 0 1 0-6.5H23"
          fill="none"
          strokeWidth="3"
          strokeLinecap="round"
          className="stroke-on-accent"
        />
      ) : (
        <text x="16" y="22.5" textAnchor="middle" fontSize="18" fontWeight="600" className="fill-on-accent">
          {nameInitial(name)}
        </text>
      )}
    </svg>
  );
}
