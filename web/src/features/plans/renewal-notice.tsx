// Says why a plan cannot be renewed, before a button is offered. The service checks it like the order itself.

import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/person.ts';
import { renewalsQuery } from '../../api/renewal-queries.ts';
import type { Renewal } from '../../api/shapes.ts';
import { renewalRefusalWords } from '../../text/renewal-words.ts';
import { Notice } from '../../ui/notice.tsx';

/** Returns undefined while unknown, or if the person may not order. */
export function useRenewal(customerId: number | undefined): Renewal | undefined {
  const mayOrder = useMay()('orders:write');
  const { data, isPlaceholderData } = useQuery(
    renewalsQuery(customerId === undefined || !mayOrder ? [] : [customerId]),
  );
  return isPlaceholderData ? undefined : data?.data[0];
}

/** Also true if the last order's period is no longer sold, because the renewal dialog offers the periods that are. */
export function mayRenew(renewal: Renewal | undefined): boolean {
  const refusal = renewal?.refusal ?? null;
  return refusal === null || refusal.code === 'invalid_months';
}

export function RenewalNotice({ renewal }: { readonly renewal: Renewal | undefined }) {
  if (renewal === undefined || renewal.refusal === null) return null;
  return <Notice tone="info">{renewalRefusalWords(renewal.refusal)}</Notice>;
}
