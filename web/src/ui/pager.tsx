// Links to older, newer and newest rows. They are links, so they can be shared and work with Back.

import { t } from '@lingui/core/macro';
import { useRouterState } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, ChevronsLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { changedParams } from '../api/search-params.ts';
import type { CursorPage } from '../api/shapes.ts';
import { ButtonLink } from './button-link.tsx';

interface CursorPagerProps {
  readonly list: Pick<CursorPage<unknown>, 'next_cursor'> | undefined;
  readonly cursor: string | undefined;
  readonly says?: string | undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Cursors of the newer pages, newest first. "" is the newest page. */
    readonly newerPages?: readonly string[];
  }
}

/** "Newer" is offered only if the user came from a newer page, because cursors only lead to older ones. */
export function CursorPager({ list, cursor, says = '' }: CursorPagerProps) {
  const newerPages = useRouterState({ select: ({ location }) => location.state.newerPages ?? [] });
  const newer = newerPages.at(-1);
  if (list === undefined) return null;
  const next = list.next_cursor;
  if (cursor === undefined && next === null && says === '') return null;
  return (
    <PagerBar says={says}>
      {cursor === undefined ? null : (
        <ButtonLink icon={ChevronsLeft} to="." search={(now) => changedParams(now, { cursor: '' })}>
          {t`Newest`}
        </ButtonLink>
      )}
      {cursor === undefined || newer === undefined ? null : (
        <ButtonLink
          icon={ChevronLeft}
          to="."
          search={(now) => changedParams(now, { cursor: newer })}
          state={(now) => ({ ...now, newerPages: newerPages.slice(0, -1) })}
        >
          {t`Newer`}
        </ButtonLink>
      )}
      {next === null ? null : (
        <ButtonLink
          to="."
          search={(now) => changedParams(now, { cursor: next })}
          state={(now) => ({ ...now, newerPages: [...newerPages, cursor ?? ''] })}
        >
          {t`Older`}
          <ChevronRight aria-hidden="true" className="size-4" />
        </ButtonLink>
      )}
    </PagerBar>
  );
}

function PagerBar({ says, children }: { readonly says: string; readonly children: ReactNode }) {
  return (
    <nav
      aria-label={t`Pages`}
      className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-3 md:px-5"
    >
      <p className="figures text-soft">{says}</p>
      <div className="flex gap-2">{children}</div>
    </nav>
  );
}
