import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Skeleton } from './skeleton.tsx';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode | undefined;
  /** Takes the whole row of two columns. */
  readonly isWide?: boolean;
}

export function Facts({ facts, columns = 1 }: { readonly facts: readonly Fact[]; readonly columns?: 1 | 2 }) {
  return (
    <dl className={classNames('-my-2 grid gap-x-10 overflow-hidden', columns === 2 && 'md:grid-cols-2')}>
      {facts.map(({ name, value, isWide = false }) => (
        <div
          key={name}
          className={classNames(
            'flex items-center justify-between gap-x-5 -mt-px border-t border-line py-2',
            isWide && columns === 2 && 'md:col-span-2',
          )}
        >
          <dt className="shrink-99 text-soft">{name}</dt>
          <dd className="figures min-w-0 text-right wrap-anywhere">
            {value === undefined ? <Skeleton className="my-[0.15625rem] w-28" /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
