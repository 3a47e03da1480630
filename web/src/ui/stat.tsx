import type { ReactNode } from 'react';
import { Skeleton } from './skeleton.tsx';

interface StatProps {
  readonly name: ReactNode;
  readonly value: ReactNode | undefined;
  readonly note?: ReactNode;
  /** Stands in the head, at the end. */
  readonly action?: ReactNode;
}

export function Stats({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-3 min-[22.5rem]:grid-cols-2 lg:grid-cols-4 lg:gap-4">{children}</dl>;
}

export function Stat({ name, value, note, action }: StatProps) {
  return (
    <div className="min-w-0 rounded-card border border-line bg-card px-4 py-3.5 shadow-lift sm:px-5">
      <dt className="flex justify-between gap-x-3 text-soft">
        {name}
        {action}
      </dt>
      <dd className="figures mt-1 text-xl font-semibold tracking-tight sm:text-2xl">
        {value === undefined ? <Skeleton className="my-1.5 h-6 w-28" /> : value}
      </dd>
      {note === undefined ? null : <dd className="mt-1 min-h-5 text-xs text-soft">{note}</dd>}
    </div>
  );
}
