import { classNames } from './class-names.ts';

export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <span
      aria-hidden="true"
      data-skeleton
      className={classNames('block h-4 animate-pulse rounded bg-fill', className ?? 'w-24')}
    />
  );
}
