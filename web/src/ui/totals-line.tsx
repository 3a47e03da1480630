// The totals above a list.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

interface Total {
  readonly name: ReactNode;
  /** undefined while it loads. */
  readonly value: ReactNode | undefined;
}

export function TotalsLine({ totals }: { readonly totals: Readonly<Record<string, Total>> }) {
  return (
    <dl
      aria-label={t`Totals`}
      className="flex flex-wrap gap-x-8 gap-y-2 border-b border-line px-4 py-3 md:px-5"
    >
      {Object.entries(totals).map(([key, { name, value }]) => (
        <div key={key}>
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="figures font-medium">
            {value === undefined ? <Skeleton className="my-[0.15625rem] w-20" /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
