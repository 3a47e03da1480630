// Links to the page of one account, customer or order, in running text or, with `row`, as what a whole row follows. Customers and
// orders have a page in the panel of their account, and one in the console.

import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Anchor, type AnchorProps, RowLink, TextLink } from './text-link.tsx';

interface PageLinkProps {
  readonly id: number;
  readonly row?: boolean;
  readonly children: ReactNode;
}

export function AccountLink({ id, row = false, children }: PageLinkProps) {
  const Link = row ? RowLink : TextLink;
  return (
    <Link to="/admin/accounts/$accountId" params={{ accountId: String(id) }}>
      <bdi>{children}</bdi>
    </Link>
  );
}

interface OwnedLinkProps extends PageLinkProps {
  /** To the page in the console: it is of any account. */
  readonly isOperator?: boolean;
}

export function CustomerLink({ id, row = false, isOperator = false, children }: OwnedLinkProps) {
  const Link = row ? RowLink : TextLink;
  return (
    <Link
      to={isOperator ? '/admin/customers/$customerId' : '/customers/$customerId'}
      params={{ customerId: String(id) }}
    >
      <bdi>{children}</bdi>
    </Link>
  );
}

export function OrderLink({ id, row = false, isOperator = false, children }: OwnedLinkProps) {
  const Link = row ? RowLink : TextLink;
  return (
    <Link to={isOperator ? '/admin/orders/$orderId' : '/orders/$orderId'} params={{ orderId: String(id) }}>
      {children}
    </Link>
  );
}

/** Of a figure: it is underlined only where it is pointed at. */
function FigureAnchor(props: AnchorProps) {
  return <Anchor {...props} className="decoration-transparent" />;
}

const CreatedFigureLink = createLink(FigureAnchor);

export const FigureLink: LinkComponent<typeof FigureAnchor> = (props) => <CreatedFigureLink {...props} />;
