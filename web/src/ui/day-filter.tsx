// A day of a filter, with its label in front: two of them make a span of time.

import { useId } from 'react';
import { inputClasses } from './field.tsx';

interface DayFilterProps {
  readonly label: string;
  /** Read out and shown when pointed at. */
  readonly meaning: string;
  readonly value: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly onDay: (day: string) => void;
}

export function DayFilter({ label, meaning, value, min, max, onDay }: DayFilterProps) {
  const id = useId();
  return (
    <div className="flex items-center gap-1.5 max-sm:flex-1 max-sm:basis-32">
      <label htmlFor={id} className="text-soft">
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
