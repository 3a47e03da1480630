import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface FilterBarProps {
  readonly children: ReactNode;
  readonly clear?: (() => void) | undefined;
  readonly end?: ReactNode;
}

export function FilterBar({ children, clear, end }: FilterBarProps) {
  return (
    <fieldset
      data-print="no"
      className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 md:px-5"
    >
      <legend className="sr-only">{t`Filters`}</legend>
      {children}
      {clear === undefined ? null : (
        <Button icon={X} look="quiet" onClick={clear}>
          {t`Clear`}
        </Button>
      )}
      {end === undefined ? null : <div className="ml-auto flex flex-wrap items-center gap-2">{end}</div>}
    </fieldset>
  );
}
