// A change made elsewhere, such as a top-up or an API order, makes all lists on the page stale.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

const others: readonly unknown[] = ['/me', '/person', '/v1/balance', '/v1/test/clock', '/orders/preview'];

/** Refetches lists when `state` changes, such as the balance; undefined means that it is unknown. */
export function useFreshListsWith(state: string | undefined): void {
  const client = useQueryClient();
  const shown = useRef(state);
  useEffect(() => {
    const isMoved = shown.current !== undefined && state !== undefined && shown.current !== state;
    shown.current = state ?? shown.current;
    if (!isMoved) return;
    void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => !others.includes(path) });
  }, [state, client]);
}
