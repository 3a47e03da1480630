// A native check box drawn as a switch. In forced colors it stays a check box.

import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface SwitchFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  /** Where the field is wide: the switch stands before its label, not at the far end. */
  readonly leads?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SwitchField({
  label,
  hint,
  checked,
  disabled = false,
  leads = false,
  onChange,
}: SwitchFieldProps) {
  const id = useId();
  return (
    <div
      className={classNames(
        'flex justify-between gap-4',
        leads && 'flex-row-reverse !justify-end',
        hint === undefined ? 'items-center' : 'items-start',
      )}
    >
      <div className="min-w-0">
        <span id={id} className="font-medium">
          {label}
        </span>
        {hint === undefined ? null : <p className="text-xs text-soft">{hint}</p>}
      </div>
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        aria-labelledby={id}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className={classNames(
          'my-0.5 inline-flex h-6 w-10 shrink-0 cursor-pointer appearance-none items-center rounded-full border border-edge bg-fill p-0.5 transition-colors',
          'before:size-4.5 before:rounded-full before:bg-edge before:transition-[translate] checked:border-accent checked:bg-accent',
          'checked:before:translate-x-4 checked:before:bg-on-accent disabled:cursor-not-allowed disabled:opacity-60',
          'forced-colors:size-5 forced-colors:appearance-auto forced-colors:before:hidden',
        )}
      />
    </div>
  );
}
