// A table row's check box, labeled for screen readers. It is a native input, so that it stays visible in forced colors.

import { useEffect, useRef } from 'react';

interface SelectBoxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly indeterminate?: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function SelectBox({
  label,
  checked,
  indeterminate = false,
  disabled = false,
  onChange,
}: SelectBoxProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = indeterminate && !checked;
  }, [indeterminate, checked]);
  return (
    <label className="grid size-8 cursor-pointer place-items-center pointer-coarse:size-11 has-disabled:cursor-default">
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-accent"
      />
    </label>
  );
}
