// Links of an order's page and drawer to its customer, its ledger entries and the request that placed it.

import type { ReactNode } from 'react';
import { referenceBeside } from '../text/words.ts';
import { CustomerLink } from './page-links.tsx';
import { RowLink, TextLink } from './text-link.tsx';

interface NamedCustomerProps {
  readonly customer: { readonly id: number; readonly name: string; readonly reference: string };
  readonly isOperator: boolean;
}

/** For facts: the name, with the reference below it. */
export function NamedCustomer({ customer, isOperator }: NamedCustomerProps) {
  const reference = referenceBeside(customer);
  return (
    <span className="block text-right">
      <CustomerLink id={customer.id} isOperator={isOperator}>
        {customer.name}
      </CustomerLink>
      {reference === '' ? null : <bdi className="block text-xs text-soft">{reference}</bdi>}
    </span>
  );
}

interface AccountsOwnProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly children: ReactNode;
}

/** Opens the entry among the entries of its order. */
export function EntryLink({
  entry: { id, order_id: orderId },
  row = false,
  accountId,
  children,
}: AccountsOwnProps & {
  readonly entry: { readonly id: number; readonly order_id: number | null };
  readonly row?: boolean;
}) {
  const Link = row ? RowLink : TextLink;
  const search = { order_id: String(orderId), open: String(id) };
  return accountId === null ? (
    <Link to="/ledger" search={search}>
      {children}
    </Link>
  ) : (
    <Link
      to="/admin/accounts/$accountId"
      params={{ accountId: String(accountId) }}
      search={{ tab: 'ledger', ...search }}
    >
      {children}
    </Link>
  );
}

export function RequestLink({ id, accountId, children }: AccountsOwnProps & { readonly id: number }) {
  const open = String(id);
  return accountId === null ? (
    <TextLink to="/requests" search={{ open }}>
      {children}
    </TextLink>
  ) : (
    <TextLink
      to="/admin/accounts/$accountId"
      params={{ accountId: String(accountId) }}
      search={{ tab: 'requests', open }}
    >
      {children}
    </TextLink>
  );
}
