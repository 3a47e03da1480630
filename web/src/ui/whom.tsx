// Names the customer whom a dialog is about: the name, and the email address or username below it.

import { referenceBeside } from '../text/words.ts';

interface WhomProps {
  readonly customer: { readonly name: string; readonly reference: string };
  /** The title has the name already. */
  readonly isNamed?: boolean;
}

export function Whom({ customer, isNamed = false }: WhomProps) {
  const reference = referenceBeside(customer);
  return (
    <span className="mb-1 block wrap-anywhere empty:hidden">
      {isNamed ? null : <bdi className="block text-ink">{customer.name}</bdi>}
      {reference === '' ? null : <bdi className="block text-xs">{reference}</bdi>}
    </span>
  );
}
