// Buttons, and links that look like buttons. They are 36 px high, 44 px for touch (WCAG 2.2, 2.5.8).

import type { LucideIcon } from 'lucide-react';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from 'react';
import { classNames } from './class-names.ts';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

const shape =
  'inline-flex min-h-9 pointer-coarse:min-h-11 items-center justify-center gap-2 rounded-control border px-3.5 ' +
  'text-sm font-medium whitespace-nowrap select-none transition-colors disabled:cursor-not-allowed ' +
  'disabled:opacity-60 aria-disabled:opacity-60';
const looks: Readonly<Record<ButtonLook, string>> = {
  primary: 'border-transparent bg-accent text-on-accent hover:not-disabled:bg-accent-strong',
  plain: 'border-line bg-card text-ink shadow-lift hover:not-disabled:bg-fill',
  quiet: 'border-transparent text-ink hover:not-disabled:bg-fill',
  danger: 'border-line bg-card text-bad shadow-lift hover:not-disabled:bg-bad-fill',
};

export function buttonClasses(look: ButtonLook, className?: string): string {
  return classNames(shape, looks[look], className);
}

interface Look {
  readonly look?: ButtonLook;
  readonly icon?: LucideIcon;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  look = 'plain',
  icon: Icon,
  busy = false,
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={buttonClasses(look, className)}
    >
      {busy ? <BusyMark /> : null}
      {Icon && <Icon aria-hidden="true" className="size-4" />}
      {children}
    </button>
  );
}

/** A button with only an icon. Screen readers and the tooltip use the label. */
export function IconButton({
  label,
  look = 'quiet',
  icon: Icon,
  className,
  children,
  ...rest
}: ButtonProps & { readonly label: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={buttonClasses(look, classNames('aspect-square !px-0 pointer-coarse:min-w-11', className))}
    >
      {Icon && <Icon aria-hidden="true" className="size-4" />}
      {children}
    </button>
  );
}

interface AnchorButtonProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Look {
  readonly ref?: Ref<HTMLAnchorElement>;
}

export function AnchorButton({
  look = 'plain',
  icon: Icon,
  className,
  children,
  ...rest
}: AnchorButtonProps) {
  return (
    <a {...rest} className={buttonClasses(look, className)}>
      {Icon && <Icon aria-hidden="true" className="size-4" />}
      {children}
    </a>
  );
}

function BusyMark() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
