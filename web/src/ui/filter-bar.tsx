import { t } from '@lingui/core/macro';
import { FunnelX } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';

interface FilterBarProps {
  readonly children: ReactNode;
  /** Clears the filters; undefined if none is set. */
  readonly clear?: (() => void) | undefined;
  readonly end?: ReactNode;
}

/** The buttons at the end stay on the first line, however many filters there are; in a stacked bar, behind the search. */
export function FilterBar({ children, clear, end }: FilterBarProps) {
  return (
    <fieldset
      data-print="no"
      className="filter-bar group flex items-start gap-2 border-b border-line px-4 py-3 stacked:flex-wrap"
    >
      <legend className="sr-only">{t`Filters`}</legend>
      <div className="filters flex min-w-0 flex-1 flex-wrap items-center gap-2 stacked:contents">
        {children}
      </div>
      {end === undefined && clear === undefined ? null : (
        <div className="ml-auto flex shrink-0 items-center gap-1 stacked:group-has-[search]:-order-1">
          {/* Its place is kept, so that the filters do not move when one is set. */}
          <IconButton
            icon={FunnelX}
            label={t`Clear`}
            className={classNames(clear === undefined && 'invisible max-sm:hidden')}
            onClick={clear}
          />
          {end}
        </div>
      )}
    </fieldset>
  );
}
