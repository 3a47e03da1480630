// The page's h1, back link and actions. Also sets the window's title.

import { t } from '@lingui/core/macro';
import { createLink } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { AnchorHTMLAttributes, ReactNode } from 'react';
import { useTestClock } from '../api/test-clock.ts';
import { windowTitle } from '../text/service-name.ts';
import { classNames } from './class-names.ts';

interface PageHeaderProps {
  readonly title: string;
  readonly mark?: ReactNode;
  readonly description?: ReactNode;
  readonly back?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHeader({ title, mark, description, back, actions }: PageHeaderProps) {
  const isOfTests = useTestClock() !== null;
  return (
    <header className="mb-5">
      <title>{windowTitle(isOfTests ? `${t`Test`} · ${title}` : title)}</title>
      {back}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className={classNames('min-w-0', description !== undefined && 'sm:flex-1 sm:basis-80')}>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="text-xl tracking-tight wrap-anywhere">{title}</h1>
            {mark}
          </div>
          {description === undefined ? null : <p className="mt-0.5 text-soft">{description}</p>}
        </div>
        {actions === undefined ? null : (
          <div data-print="no" className="button-row">
            {actions}
          </div>
        )}
      </div>
    </header>
  );
}

export const BackLink = createLink(({ children, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <a {...rest} className="mb-1 inline-flex min-h-6 items-center gap-0.5 text-soft hover:text-ink">
    <ChevronLeft aria-hidden="true" className="-ml-1 size-4" />
    {children}
  </a>
));
