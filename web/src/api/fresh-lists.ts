// What moved elsewhere, by a top-up or an order through the API, makes every list on the page old.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Asked again by themselves, or never kept. */
const others: readonly unknown[] = ['/me', '/person', '/v1/balance', '/v1/test/clock', '/orders/preview'];

/** `state`: what shows that something moved, such as the balance; undefined while it is not known. */
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
