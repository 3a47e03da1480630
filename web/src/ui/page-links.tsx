// Links to accounts, customers and orders, in text or, with `row`, for a whole row.

import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Anchor, type AnchorProps } from './anchor.tsx';
import { RowLink, TextLink } from './text-link.tsx';

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

function FigureAnchor(props: AnchorProps) {
  return <Anchor {...props} className="text-ink decoration-transparent" />;
}

const CreatedFigureLink = createLink(FigureAnchor);

export const FigureLink: LinkComponent<typeof FigureAnchor> = (props) => <CreatedFigureLink {...props} />;
