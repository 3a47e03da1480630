// The requests that match the list's filters, by outcome and day. The outcome is chosen here, beside its count.

import { t } from '@lingui/core/macro';
import type { RequestFigures } from '../../api/shapes.ts';
import { formatCount } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { OutcomeChoice, type OutcomeFilter, outcomeCount } from './outcome-choice.tsx';

interface RequestFiguresCardProps {
  /** undefined while they load. */
  readonly figures: RequestFigures | undefined;
  readonly outcome: OutcomeFilter;
  readonly onChoose: (outcome: OutcomeFilter) => void;
}

export function RequestFiguresCard({ figures, outcome, onChoose }: RequestFiguresCardProps) {
  return (
    <Card>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <OutcomeChoice figures={figures} outcome={outcome} onChoose={onChoose} />
        <p className="text-xs text-soft">{t`Days are in UTC.`}</p>
      </div>
      {figures === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <Days days={figures.days} outcome={outcome} />
      )}
    </Card>
  );
}

type Day = RequestFigures['days'][number];

function wordsOf({ date, succeeded, refused, failed }: Day): string {
  const counts = [
    t`${formatCount(succeeded)} succeeded`,
    t`${formatCount(refused)} refused`,
    t`${formatCount(failed)} failed`,
  ];
  return `${formatSeriesDate(date, 'long')}: ${counts.join(' · ')}`;
}

const parts = [
  { outcome: '2xx', color: 'bg-accent' },
  { outcome: '4xx', color: 'bg-[light-dark(#d98a1c,#f5c46b)]' },
  { outcome: '5xx', color: 'bg-bad' },
] as const;

const namedDaysMax = 10;

interface DaysProps {
  readonly days: readonly Day[];
  readonly outcome: OutcomeFilter;
}

function Days({ days, outcome }: DaysProps) {
  const shown = parts.filter((part) => outcome === '' || part.outcome === outcome);
  const sums = days.map((day) => shown.reduce((sum, part) => sum + outcomeCount(day, part.outcome), 0));
  const most = Math.max(1, ...sums);
  const namedEvery = days.length > namedDaysMax ? 5 : 1;
  const total = formatCount(sums.reduce((all, sum) => all + sum, 0));
  return (
    <div
      role="img"
      aria-label={t`Requests by day: ${total} in total. The requests are in the table below.`}
      className="flex h-24"
    >
      {days.map((day, index) => (
        <div key={day.date} className="group flex min-w-0 flex-1 flex-col items-center" title={wordsOf(day)}>
          <div className="flex w-full flex-1 flex-col-reverse items-center gap-px border-b border-line px-px group-hover:bg-fill">
            {shown.map((part) => {
              const count = outcomeCount(day, part.outcome);
              return count === 0 ? null : (
                <span
                  key={part.outcome}
                  className={classNames(
                    'min-h-0.5 w-full max-w-12 rounded-xs forced-color-adjust-none',
                    part.color,
                  )}
                  style={{ height: `${(count / most) * 100}%` }}
                />
              );
            })}
          </div>
          <span
            className={classNames(
              'figures mt-1 h-4 text-xs whitespace-nowrap text-soft',
              (days.length - 1 - index) % namedEvery !== 0 && 'invisible',
              namedEvery === 1 && (days.length - index) % 2 === 0 && 'max-sm:invisible',
            )}
          >
            {formatSeriesDate(day.date, 'short')}
          </span>
        </div>
      ))}
    </div>
  );
}
