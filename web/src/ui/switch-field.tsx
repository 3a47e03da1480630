// On or off, with what it means.

import { Switch } from '@base-ui/react/switch';
import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface SwitchFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SwitchField({ label, hint, checked, disabled = false, onChange }: SwitchFieldProps) {
  const id = useId();
  return (
    <div
      className={classNames(
        'flex justify-between gap-4',
        hint === undefined ? 'items-center' : 'items-start',
      )}
    >
      <div className="min-w-0">
        <span id={id} className="font-medium">
          {label}
        </span>
        {hint === undefined ? null : <p className="text-xs text-soft">{hint}</p>}
      </div>
      <Switch.Root
        aria-labelledby={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="my-0.5 inline-flex h-6 w-10 shrink-0 cursor-pointer items-center rounded-full border border-edge bg-fill p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-60"
      >
        <Switch.Thumb className="size-4.5 rounded-full bg-edge transition-[translate] data-checked:translate-x-4 data-checked:bg-on-accent" />
      </Switch.Root>
    </div>
  );
}
