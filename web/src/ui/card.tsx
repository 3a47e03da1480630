import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface LineCardProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A card with nothing to list says so in one line. */
export function LineCard({ title, action, children }: LineCardProps) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-card px-4 py-4 shadow-lift md:px-5"
    >
      <h2 className="text-[0.9375rem]">{title}</h2>
      <p className="min-w-0 flex-1 basis-52 text-soft max-sm:basis-full">{children}</p>
      {action}
    </section>
  );
}

interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
  /** The content reaches the card's edges. */
  readonly flush?: boolean;
  /** Like `flush`, with a line above the content. */
  readonly lined?: boolean;
  readonly className?: string;
}

export function Card({
  title,
  description,
  action,
  children,
  lined = false,
  flush = lined,
  className,
}: CardProps) {
  const titleId = useId();
  const isEmpty = children === undefined || children === null;
  return (
    <section
      aria-labelledby={title === undefined ? undefined : titleId}
      className={classNames('min-w-0 rounded-card border border-line bg-card shadow-lift', className)}
    >
      {title === undefined ? null : (
        <header
          className={classNames(
            'flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4 md:px-5',
            isEmpty ? 'pb-4' : 'pb-3',
          )}
        >
          <div className="min-w-0 flex-1 basis-52">
            <h2 id={titleId} className="text-[0.9375rem]">
              {title}
            </h2>
            {description === undefined ? null : <p className="mt-0.5 text-soft">{description}</p>}
          </div>
          {action}
        </header>
      )}
      {isEmpty ? null : (
        <div
          className={classNames(
            flush ? 'overflow-clip rounded-b-card' : 'px-4 pb-5 md:px-5',
            flush && title === undefined && 'rounded-t-card',
            !flush && title === undefined && 'pt-5',
          )}
        >
          {lined ? <div className="border-t border-line">{children}</div> : children}
        </div>
      )}
    </section>
  );
}
