// The way through a list: numbered pages where the service counts, older and newest where it does not.
// Both are links, so a page can be sent to somebody and the browser's Back works.

import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { changedParams } from '../api/search-params.ts';
import type { CursorPage, Page } from '../api/shapes.ts';
import { ButtonLink } from './button.tsx';

interface NumberedPagerProps {
  readonly list: Page<unknown> | undefined;
  readonly noun: string;
}

/** Sets `page` in the address. */
export function NumberedPager({ list, noun }: NumberedPagerProps) {
  if (list === undefined || list.total === 0) return null;
  const last = Math.max(1, Math.ceil(list.total / list.per_page));
  const first = (list.page - 1) * list.per_page + 1;
  const until = Math.min(list.total, first + list.data.length - 1);
  const figures = (value: number) => value.toLocaleString('en');
  return (
    <PagerBar
      says={
        list.data.length === 0
          ? `Page ${figures(list.page)} is past the end: ${figures(list.total)} ${noun}`
          : `${figures(first)}–${figures(until)} of ${figures(list.total)} ${noun}`
      }
    >
      <PageLink page={Math.min(last, list.page - 1)} shown={list.page > 1}>
        <ChevronLeft aria-hidden="true" className="size-4" />
        Newer
      </PageLink>
      <PageLink page={list.page + 1} shown={list.page < last}>
        Older
        <ChevronRight aria-hidden="true" className="size-4" />
      </PageLink>
    </PagerBar>
  );
}

interface CursorPagerProps {
  readonly list: CursorPage<unknown> | undefined;
  readonly before: string | undefined;
}

/** Sets `before` in the address. */
export function CursorPager({ list, before }: CursorPagerProps) {
  if (list === undefined || (before === undefined && list.next_before === null)) return null;
  return (
    <PagerBar says="">
      {before === undefined ? null : (
        <ButtonLink to="." search={(now) => changedParams(now, { before: '' })}>
          <ChevronsLeft aria-hidden="true" className="size-4" />
          Newest
        </ButtonLink>
      )}
      {list.next_before === null ? null : (
        <ButtonLink to="." search={(now) => changedParams(now, { before: String(list.next_before) })}>
          Older
          <ChevronRight aria-hidden="true" className="size-4" />
        </ButtonLink>
      )}
    </PagerBar>
  );
}

function PageLink({
  page,
  shown,
  children,
}: {
  readonly page: number;
  readonly shown: boolean;
  readonly children: ReactNode;
}) {
  if (!shown) return null;
  return (
    <ButtonLink to="." search={(now) => changedParams(now, { page: page === 1 ? '' : String(page) })}>
      {children}
    </ButtonLink>
  );
}

function PagerBar({ says, children }: { readonly says: string; readonly children: ReactNode }) {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 md:px-5"
    >
      <p className="figures text-soft">{says}</p>
      <div className="flex gap-2">{children}</div>
    </nav>
  );
}
