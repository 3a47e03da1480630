import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Anchor, type AnchorProps } from './anchor.tsx';
import { rowLinkClasses } from './data-table.tsx';

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
