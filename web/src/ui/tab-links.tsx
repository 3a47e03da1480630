// Tabs as links, so that each has an address. The first has no parameter; the page's route must accept `tab`.

import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface TabName<Tab extends string> {
  readonly tab: Tab;
  readonly title: ReactNode;
}

export function useTab<Tab extends string>(tabs: readonly [TabName<Tab>, ...(readonly TabName<Tab>[])]): Tab {
  const search: { readonly tab?: string } = useSearch({ strict: false });
  return (tabs.find(({ tab }) => tab === search.tab) ?? tabs[0]).tab;
}

interface TabLinksProps<Tab extends string> {
  readonly label: string;
  readonly tabs: readonly TabName<Tab>[];
  readonly chosen: Tab;
}

export function TabLinks<Tab extends string>({ label, tabs, chosen }: TabLinksProps<Tab>) {
  return (
    <nav aria-label={label} className="-mb-2 flex flex-wrap gap-x-1 border-b border-line">
      {tabs.map(({ tab, title }, index) => (
        <Link
          key={tab}
          to="."
          search={index === 0 ? {} : { tab }}
          replace
          resetScroll={false}
          activeOptions={{ exact: true }}
          aria-current={tab === chosen ? 'page' : undefined}
          className="-mb-px inline-flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-3 py-1.5 text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11 forced-colors:not-aria-[current=page]:border-[Canvas]"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
