import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';

interface ChoiceProps<Value extends string | number> {
  readonly label: string;
  readonly labelShown?: boolean;
  readonly value: Value | null;
  readonly options: readonly {
    readonly value: Value;
    readonly title: ReactNode;
    readonly note?: ReactNode;
  }[];
  readonly onChoose: (value: Value) => void;
  readonly look?: 'segments' | 'cards';
}

export function Choice<Value extends string | number>({
  label,
  labelShown = false,
  value,
  options,
  onChoose,
  look = 'segments',
}: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0" data-print={look === 'segments' ? 'no' : undefined}>
      <legend className={labelShown ? 'mb-1 font-medium' : 'sr-only'}>{label}</legend>
      <div
        className={
          look === 'cards' ? 'grid gap-2' : 'inline-flex flex-wrap gap-1 rounded-control bg-fill p-1'
        }
      >
        {options.map((option) => (
          <label
            key={option.value}
            className={classNames(
              'relative cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              look === 'cards' ? cardClasses : segmentClasses,
            )}
          >
            <input
              type="radio"
              name={name}
              className={look === 'cards' ? radioClasses : 'sr-only'}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span className={classNames('min-w-0 wrap-anywhere', look === 'cards' && 'flex-1')}>
              {option.title}
            </span>
            {option.note === undefined ? null : <span className="text-soft">{option.note}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const segmentClasses =
  'flex grow justify-center min-h-7 pointer-coarse:min-h-10 items-center gap-1.5 rounded-md px-2.5 text-sm text-soft ' +
  'has-checked:bg-card has-checked:font-medium has-checked:text-ink has-checked:shadow-lift ' +
  'forced-colors:border forced-colors:border-transparent forced-colors:has-checked:border-[Highlight] forced-colors:has-checked:bg-[Highlight] forced-colors:has-checked:text-[HighlightText] forced-colors:forced-color-adjust-none forced-colors:text-[CanvasText]';
const cardClasses =
  'flex items-center gap-3 rounded-control border border-line px-3.5 py-2.5 hover:bg-fill/60 ' +
  'has-checked:border-accent has-checked:bg-accent-fill ' +
  'forced-colors:has-checked:outline-3 forced-colors:has-checked:-outline-offset-3 forced-colors:has-checked:outline-[Highlight]';
const radioClasses = 'size-4 shrink-0 accent-(--accent) outline-none';
