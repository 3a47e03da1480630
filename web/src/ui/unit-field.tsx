// A short input for a number, with its unit behind. The hint has to name the unit too, because the label does not.

import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import { Field, inputClasses } from './field.tsx';

interface UnitFieldProps extends Omit<ComponentProps<typeof Field>, 'children'> {
  readonly value: string;
  readonly unit: string;
  readonly onText: (text: string) => void;
}

export function UnitField({ value, unit, onText, ...field }: UnitFieldProps) {
  return (
    <Field {...field}>
      {(wiring) => (
        <div className="flex items-center gap-2">
          <input
            {...wiring}
            inputMode="numeric"
            autoComplete="off"
            maxLength={6}
            value={value}
            onChange={(event) => onText(event.target.value)}
            className={classNames(inputClasses, 'max-w-24')}
          />
          <span className="text-soft">{unit}</span>
        </div>
      )}
    </Field>
  );
}
