// Filters a list by time: an offered span or two days in the reader's time zone, or the exact times of a link from a figure.

import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { zone } from '../text/clock.ts';
import { daySpan, daySpanOf, daySpanTitles, isDaySpan } from '../text/day-spans.ts';
import { isDay, spanEnd, spanStart } from '../text/days.ts';
import { formatSpan, formatTypedDay } from '../text/times.ts';
import { Button } from './button.tsx';
import { inputClasses, SelectField } from './field.tsx';

interface SpanFilterProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly what: string;
  readonly onSpan: (span: { readonly from?: string; readonly to?: string }) => void;
}

export function SpanFilter({ from, to, what, onSpan }: SpanFilterProps) {
  if ([from, to].some((end) => end !== undefined && !isDay(end))) {
    const words = formatSpan(spanStart(from), spanEnd(to));
    return (
      <Button aria-label={t`Remove date filter: ${words}`} onClick={() => onSpan({ from: '', to: '' })}>
        <span className="figures font-normal">{words}</span>
        <X aria-hidden="true" className="size-4" />
      </Button>
    );
  }
  return <DaySpanFilter from={from} to={to} what={what} onSpan={onSpan} />;
}

const custom = 'custom';
const choices = [
  { value: '', title: t`Any time` },
  ...Object.entries(daySpanTitles).map(([value, title]) => ({ value, title })),
  { value: custom, title: t`Between …` },
];

function DaySpanFilter({ from, to, what, onSpan }: SpanFilterProps) {
  const [isTyping, setIsTyping] = useState(false);
  const hasDays = from !== undefined || to !== undefined;
  const offered = daySpanOf(from, to);
  const isCustom = isTyping || (hasDays && offered === null);
  const words = [typedWords(from, to), zone].filter((part) => part !== '').join(' · ');
  return (
    <div className="flex flex-wrap items-center gap-2 max-sm:contents">
      <SelectField
        label={what}
        unlabeled
        options={choices}
        value={isCustom ? custom : (offered ?? '')}
        title={words}
        onValue={(chosen) => {
          setIsTyping(chosen === custom);
          if (chosen !== custom) onSpan(isDaySpan(chosen) ? daySpan(chosen) : { from: '', to: '' });
        }}
      />
      {isCustom ? <DayFields from={from} to={to} what={what} onSpan={onSpan} /> : null}
      {isCustom ? <span className="text-xs text-soft max-sm:basis-full">{words}</span> : null}
    </div>
  );
}

function DayFields({ from, to, what, onSpan }: SpanFilterProps) {
  return (
    <>
      <DayField
        label={t`From`}
        meaning={t`${what} on or after this day (${zone})`}
        value={from}
        max={to}
        onDay={(day) => onSpan({ from: day })}
      />
      <DayField
        label={t`to`}
        meaning={t`${what} on or before this day (${zone})`}
        value={to}
        min={from}
        onDay={(day) => onSpan({ to: day })}
      />
    </>
  );
}

/** Writes the days in words, because date inputs follow the browser's language and show 11/08 or 08/11. */
function typedWords(from: string | undefined, to: string | undefined): string {
  const days = [from, to].flatMap((day) => (day === undefined ? [] : [formatTypedDay(day)]));
  return [...new Set(days)].join(' – ');
}

interface DayFieldProps {
  readonly label: string;
  readonly meaning: string;
  readonly value: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly onDay: (day: string) => void;
}

function DayField({ label, meaning, value, min, max, onDay }: DayFieldProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-1.5 max-sm:basis-full">
      <label htmlFor={id} className="text-soft max-sm:w-10">
        {label}
      </label>
      <input
        id={id}
        type="date"
        title={meaning}
        value={value ?? ''}
        min={min}
        max={max}
        onChange={(event) => onDay(event.target.value)}
        className={`${inputClasses} figures sm:w-36`}
      />
    </div>
  );
}
