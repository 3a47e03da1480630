// The filters above a list, and the way to clear them.

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface FilterBarProps {
  readonly children: ReactNode;
  /** undefined: nothing is filtered. */
  readonly clear?: (() => void) | undefined;
}

export function FilterBar({ children, clear }: FilterBarProps) {
  return (
    <fieldset className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 md:px-5">
      <legend className="sr-only">Filters</legend>
      {children}
      {clear === undefined ? null : (
        <Button look="quiet" onClick={clear}>
          <X aria-hidden="true" className="size-4" />
          Clear
        </Button>
      )}
    </fieldset>
  );
}
