// Row keys for delivery attempts, which have no ids: event, attempt number and second. A newer duplicate gets a suffix.

import type { Delivery } from '../../api/shapes.ts';

export interface KeyedDelivery extends Delivery {
  readonly key: string;
}

export function keyedDeliveries(rows: readonly Delivery[]): readonly KeyedDelivery[] {
  const alike = new Map<string, number>();
  return rows
    .toReversed()
    .map((row) => {
      const key = `${row.event_id}-${row.attempt}-${row.at}`;
      const count = (alike.get(key) ?? 0) + 1;
      alike.set(key, count);
      return { ...row, key: count === 1 ? key : `${key}-${count}` };
    })
    .reverse();
}
