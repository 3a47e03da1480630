// Labeled inputs. A problem is shown below the input and linked to it for screen readers.

import { t } from '@lingui/core/macro';
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId, useState } from 'react';
import { classNames } from './class-names.ts';

export const inputClasses =
  'min-h-9 pointer-coarse:min-h-11 w-full rounded-control border border-edge bg-card px-3 text-sm text-ink ' +
  'pointer-coarse:text-base focus-visible:outline-offset-0 disabled:bg-fill disabled:text-soft aria-invalid:border-bad';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | null | undefined;
  /** Only screen readers get the label. */
  readonly unlabeled?: boolean;
  readonly className?: string;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** Wraps inputs of other kinds: passes ids and ARIA attributes to the child. */
export function Field({
  label,
  hint,
  problem,
  unlabeled = false,
  className,
  children,
}: FieldProps & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const hasNote = (problem ?? null) !== null || hint !== undefined;
  return (
    <div
      className={classNames(
        'min-w-0',
        unlabeled && 'max-sm:flex-[1_0_calc(50%-0.25rem)] sm:max-w-44',
        className,
      )}
    >
      <label htmlFor={id} className={unlabeled ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hasNote ? (
        <p
          id={`${id}-note`}
          role={problem ? 'alert' : undefined}
          className={classNames('mt-1 text-xs', problem ? 'text-bad' : 'text-soft')}
        >
          {problem ?? hint}
        </p>
      ) : null}
    </div>
  );
}

/** Attributes of the input by kind of value. */
const kinds = {
  /** Names are not words, so spell checking is off. */
  name: { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  address: { autoComplete: 'off', spellCheck: false },
  email: { type: 'email', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, maxLength: 254 },
  money: { inputMode: 'decimal', autoComplete: 'off' },
  count: { inputMode: 'numeric', autoComplete: 'off' },
} as const satisfies Record<string, InputHTMLAttributes<HTMLInputElement>>;

type TextFieldProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className'> & {
    readonly kind?: keyof typeof kinds;
    readonly onText: (text: string) => void;
    readonly mono?: boolean;
  };

export function TextField({
  label,
  hint,
  problem,
  unlabeled,
  className,
  kind,
  onText,
  mono = false,
  ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, hint, problem }} {...defined({ unlabeled, className })}>
      {(wiring) => (
        <input
          {...wiring}
          {...(kind && kinds[kind])}
          {...rest}
          onChange={(event) => onText(event.target.value)}
          className={classNames(inputClasses, mono && 'font-mono')}
        />
      )}
    </Field>
  );
}

/** A password that can be shown while it is typed. */
export function PasswordField({ label, hint, problem, onText, ...rest }: TextFieldProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field {...{ label, hint, problem }}>
      {(wiring) => (
        <div className="relative">
          <input
            {...wiring}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="none"
            {...rest}
            type={isShown ? 'text' : 'password'}
            onChange={(event) => onText(event.target.value)}
            className={classNames(inputClasses, 'pr-20')}
          />
          <button
            type="button"
            aria-controls={wiring.id}
            aria-pressed={isShown}
            className="absolute inset-y-0 right-1 my-1 rounded px-2 text-xs text-soft hover:text-ink"
            onClick={() => setIsShown(!isShown)}
          >
            {isShown ? t`Hide` : t`Show`}
          </button>
        </div>
      )}
    </Field>
  );
}

interface Option<Value extends string> {
  readonly value: Value;
  readonly title: string;
}

type SelectFieldProps<Value extends string> = FieldProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'className' | 'value'> & {
    readonly value: Value;
    readonly options: readonly Option<Value>[];
    readonly onValue: (value: Value) => void;
  };

export function SelectField<Value extends string>({
  label,
  hint,
  problem,
  unlabeled,
  className,
  options,
  onValue,
  ...rest
}: SelectFieldProps<Value>) {
  return (
    <Field {...{ label, hint, problem }} {...defined({ unlabeled, className })}>
      {(wiring) => (
        <select
          {...wiring}
          {...rest}
          onChange={(event) => {
            const chosen = options.find(({ value }) => value === event.target.value);
            if (chosen !== undefined) onValue(chosen.value);
          }}
          className={classNames(inputClasses, 'pr-1')}
        >
          {options.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Drops undefined properties: passing undefined differs from passing nothing. */
function defined({
  unlabeled,
  className,
}: {
  unlabeled?: boolean | undefined;
  className?: string | undefined;
}) {
  return { ...(unlabeled !== undefined && { unlabeled }), ...(className !== undefined && { className }) };
}
