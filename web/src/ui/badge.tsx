// Shows a state in one or two words. The color only supports the words.

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-fill text-soft',
  good: 'bg-good-fill text-good',
  warn: 'bg-warn-fill text-warn',
  bad: 'bg-bad-fill text-bad',
  accent: 'bg-accent-fill text-accent',
};

interface BadgeProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex items-center rounded-md px-1.5 py-px text-xs font-medium whitespace-nowrap forced-colors:border',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
