import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { classNames } from './class-names.ts';
import { rowLinkClasses } from './data-table.tsx';

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

function RowAnchor({ children, ...rest }: AnchorProps) {
  return (
    <a {...rest} data-row-link className={rowLinkClasses}>
      {children}
    </a>
  );
}

const CreatedTextLink = createLink(Anchor);
const CreatedRowLink = createLink(RowAnchor);

export const TextLink: LinkComponent<typeof Anchor> = (props) => <CreatedTextLink {...props} />;
export const RowLink: LinkComponent<typeof RowAnchor> = (props) => <CreatedRowLink {...props} />;

export function DrawerLink({ id, children }: { readonly id: number | string; readonly children: ReactNode }) {
  return (
    <RowLink to="." search={(now) => ({ ...now, open: String(id) })} resetScroll={false}>
      {children}
    </RowLink>
  );
}
