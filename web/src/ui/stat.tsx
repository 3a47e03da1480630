import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

interface StatProps {
  readonly name: ReactNode;
  readonly value: ReactNode | undefined;
  readonly note?: ReactNode;
  /** Stands in the head, at the end. */
  readonly action?: ReactNode;
}

/** Names, figures and notes of a row stand on three common lines. */
export function Stats({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="-mb-3 grid gap-x-3 min-[22.5rem]:grid-cols-2 lg:-mb-4 lg:grid-cols-4 lg:gap-x-4">
      {children}
    </dl>
  );
}

export function Stat({ name, value, note, action }: StatProps) {
  return (
    <div className="row-span-3 mb-3 grid min-w-0 grid-cols-1 grid-rows-subgrid rounded-card border border-line bg-card px-4 py-3.5 shadow-lift sm:px-5 lg:mb-4">
      <dt className="flex justify-between gap-x-3 text-soft">
        {name}
        {action}
      </dt>
      <dd className="figures mt-1 text-xl font-semibold tracking-tight sm:text-2xl">
        {value === undefined ? <Skeleton className="my-1.5 h-6 w-28" /> : value}
      </dd>
      {note === undefined ? null : <dd className="mt-1 min-h-5 text-xs text-balance text-soft">{note}</dd>}
    </div>
  );
}
