// Why a customer's plan cannot be renewed now, said before there is a button to try it. Asked of the service, which decides as
// it would for the order.

import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/person.ts';
import { renewalsQuery } from '../../api/queries.ts';
import type { Renewal } from '../../api/shapes.ts';
import { renewalRefusalWords } from '../../text/renewal-words.ts';
import { Notice } from '../../ui/notice.tsx';

/** undefined: not known yet, or not asked: whoever may not order is offered no renewal. */
export function useRenewal(customerId: number | undefined): Renewal | undefined {
  const mayOrder = useMay()('orders:write');
  const { data, isPlaceholderData } = useQuery(
    renewalsQuery(customerId === undefined || !mayOrder ? [] : [customerId]),
  );
  return isPlaceholderData ? undefined : data?.data[0];
}

/** Nothing where the plan can be renewed. */
export function RenewalNotice({ renewal }: { readonly renewal: Renewal | undefined }) {
  if (renewal === undefined || renewal.refusal === null) return null;
  return <Notice tone="info">{renewalRefusalWords(renewal.refusal)}</Notice>;
}
