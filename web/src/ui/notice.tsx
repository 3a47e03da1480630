import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

const looks = {
  info: { fill: 'bg-accent-fill', icon: Info, ink: 'text-accent' },
  good: { fill: 'bg-good-fill', icon: CircleCheck, ink: 'text-good' },
  warn: { fill: 'bg-warn-fill', icon: TriangleAlert, ink: 'text-warn' },
  bad: { fill: 'bg-bad-fill', icon: CircleAlert, ink: 'text-bad' },
} as const;

interface NoticeProps {
  readonly tone: keyof typeof looks;
  readonly children: ReactNode;
  /** What to do about it, at the end of the line. */
  readonly action?: ReactNode;
}

export function Notice({ tone, children, action }: NoticeProps) {
  const { fill, icon: Icon, ink } = looks[tone];
  return (
    <div className={classNames('flex flex-wrap items-start gap-2.5 rounded-control px-3.5 py-3', fill)}>
      <div className="flex min-w-0 flex-1 basis-58 items-start gap-2.5 self-center">
        <Icon aria-hidden="true" className={classNames('mt-0.5 size-4 shrink-0', ink)} />
        <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      </div>
      {action}
    </div>
  );
}
