// The span of time of a list: two days of the reader's zone, which is said beside them. Where a figure led here with exact
// times, it says those, until they are taken away.

import { t } from '@lingui/core/macro';
import { X } from 'lucide-react';
import { useId } from 'react';
import { isDay } from '../text/days.ts';
import { zone } from '../text/language.ts';
import { formatUtc } from '../text/times.ts';
import { Button } from './button.tsx';
import { inputClasses } from './field.tsx';

interface SpanFilterProps {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** What happened then: "Placed", for whoever points at a field or hears it. */
  readonly what: string;
  readonly onSpan: (span: { readonly from?: string; readonly to?: string }) => void;
}

export function SpanFilter({ from, to, what, onSpan }: SpanFilterProps) {
  if ([from, to].some((end) => end !== undefined && !isDay(end))) {
    return (
      <Button
        aria-label={t`Take away the time: ${from === undefined ? '' : formatUtc(from)} – ${to === undefined ? '' : formatUtc(to)}`}
        onClick={() => onSpan({ from: '', to: '' })}
      >
        <span className="figures font-normal">
          {from === undefined ? '' : formatUtc(from)} – {to === undefined ? '' : formatUtc(to)}
        </span>
        <X aria-hidden="true" className="size-4" />
      </Button>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
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
      <span className="text-xs text-soft max-sm:basis-full max-sm:pl-11.5">{zone}</span>
    </div>
  );
}

interface DayFieldProps {
  readonly label: string;
  /** Read out and shown when pointed at. */
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
