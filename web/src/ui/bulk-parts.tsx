// Parts shared by the bulk dialogs: the progress, and the list of customers with results.

import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';

interface BulkProgressProps {
  readonly total: number;
  readonly answered: number;
  readonly children: ReactNode;
}

export function BulkProgress({ total, answered, children }: BulkProgressProps) {
  return (
    <div role="status" className="space-y-1">
      <progress className="h-2 w-full accent-accent" max={total} value={answered} aria-label={t`Progress`} />
      <p className="figures">{children}</p>
    </div>
  );
}

export interface BulkRow {
  readonly id: number;
  readonly name: string;
  readonly says: ReactNode;
  readonly isBad: boolean;
}

const scrollsAbove = 5;

interface BulkRowsProps {
  readonly rows: readonly BulkRow[];
  readonly label?: string;
}

export function BulkRows({ rows, label = t`Selected customers` }: BulkRowsProps) {
  return (
    <section
      aria-label={label}
      // A long list scrolls; the focus makes it scrollable by keyboard.
      tabIndex={rows.length > scrollsAbove ? 0 : undefined}
      className="max-h-80 overflow-y-auto rounded-control border border-line px-3"
    >
      <ul>
        {rows.map(({ id, name, says, isBad }) => (
          <li
            key={id}
            className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-b-0"
          >
            <bdi className="font-medium wrap-anywhere">{name}</bdi>
            <span className={isBad ? 'text-bad' : 'text-soft'}>{says}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
