// Tabs as links, so that each has an address. The first has no parameter; the page's route must accept `tab`.

import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

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
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is chosen.
  useLayoutEffect(() => {
    const { current: element } = bar;
    const link = element?.querySelector<HTMLElement>('[aria-current="page"]');
    if (!element || !link) return;
    element.scrollLeft = link.offsetLeft - (element.clientWidth - link.offsetWidth) / 2;
  }, [chosen]);
  return (
    <nav
      ref={bar}
      aria-label={label}
      className="scroll-sides relative -mb-2 flex gap-x-1 overflow-x-auto shadow-[inset_0_-1px_var(--line)] [scrollbar-width:none]"
    >
      {tabs.map(({ tab, title }, index) => (
        <Link
          key={tab}
          to="."
          search={index === 0 ? {} : { tab }}
          replace
          resetScroll={false}
          activeOptions={{ exact: true }}
          aria-current={tab === chosen ? 'page' : undefined}
          className="inline-flex min-h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-3 py-1.5 whitespace-nowrap text-soft -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11 forced-colors:not-aria-[current=page]:border-[Canvas]"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
