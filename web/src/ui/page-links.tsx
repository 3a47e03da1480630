// Links to the page of one account, customer or order, in running text or, with `row`, as what a whole row follows. Customers and
// orders have a page in the panel of their account, and one in the console.

import type { ReactNode } from 'react';
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

/** Opens the row's drawer, beside the list. */
export function DrawerLink({ id, children }: { readonly id: number | string; readonly children: ReactNode }) {
  return (
    <RowLink to="." search={(now) => ({ ...now, open: String(id) })} resetScroll={false}>
      {children}
    </RowLink>
  );
}
