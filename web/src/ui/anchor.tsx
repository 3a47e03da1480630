import type { AnchorHTMLAttributes, Ref } from 'react';
import { classNames } from './class-names.ts';

export type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> };

export function Anchor({ children, className, ...rest }: AnchorProps) {
  return (
    <a
      {...rest}
      className={classNames(
        'text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent',
        className,
      )}
    >
      {children}
    </a>
  );
}
