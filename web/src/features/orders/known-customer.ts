// Finds an order's customer and their plan. For an unknown reference, finds similar customers in case of a typo.

import { useQuery } from '@tanstack/react-query';
import { customerQuery, customersQuery, ordersQuery } from '../../api/queries.ts';
import type { Order, PanelCustomer } from '../../api/shapes.ts';
import { fragments, isSimilar, sameReference } from './similar-reference.ts';

interface KnownCustomer {
  readonly isAsking: boolean;
  readonly found: readonly PanelCustomer[];
  readonly customer: PanelCustomer | undefined;
  readonly lastOrder: Order | undefined;
  readonly isNew: boolean;
  readonly similar: readonly PanelCustomer[];
}

const similarMax = 3;

export function useKnownCustomer(reference: string): KnownCustomer {
  const isNamed = reference !== '';
  const search = useQuery({ ...customersQuery({ words: reference }), enabled: isNamed });
  const found = isNamed && !search.isPlaceholderData ? (search.data?.data ?? []) : [];
  const listed = found.find((one) => sameReference(one.reference, reference));
  const isCut = listed === undefined && (search.data?.next_cursor ?? null) !== null;
  const orders = useQuery({ ...ordersQuery({ customer: reference }), enabled: isNamed && isCut });
  const ordered = isCut && !orders.isPlaceholderData ? orders.data?.data[0]?.customer : undefined;
  const id = listed?.id ?? (ordered && sameReference(ordered.reference, reference) ? ordered.id : undefined);
  const one = useQuery({ ...customerQuery(String(id)), enabled: id !== undefined });
  const details = id !== undefined && one.data?.customer.id === id ? one.data : undefined;

  const isUnknown = isNamed && id === undefined;
  const { head, tail } = fragments(reference);
  const heads = useQuery({ ...customersQuery({ words: head }), enabled: isUnknown && head.length === 3 });
  const tails = useQuery({ ...customersQuery({ words: tail }), enabled: isUnknown && tail.length === 3 });
  const isWaiting = ({ isLoading, isPlaceholderData }: { isLoading: boolean; isPlaceholderData: boolean }) =>
    isLoading || isPlaceholderData;
  const isAsking =
    isNamed &&
    (isWaiting(search) ||
      (isCut && isWaiting(orders)) ||
      (id !== undefined && one.isLoading) ||
      (isUnknown && (isWaiting(heads) || isWaiting(tails))));
  const candidates = [...found, ...(heads.data?.data ?? []), ...(tails.data?.data ?? [])];
  const isNew = isUnknown && !isAsking;
  return {
    isAsking,
    found,
    customer: details?.customer ?? listed,
    lastOrder:
      details?.orders.find(({ id: orderId }) => orderId === details.last_order_id) ?? details?.orders[0],
    isNew,
    similar: isNew
      ? candidates
          .filter((known, at) => candidates.findIndex(({ id: first }) => first === known.id) === at)
          .filter((known) => isSimilar(reference, known.reference))
          .slice(0, similarMax)
      : [],
  };
}
