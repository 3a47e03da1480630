// The log of deliveries has no ids: an attempt is told apart by its event, its number and its second. Who asks for an event twice
// within a second has two that are alike; the newer one then has a number behind it.

import type { Delivery } from '../../api/shapes.ts';

export interface KeyedDelivery extends Delivery {
  readonly key: string;
}

/** `rows`: the newest first, as the service lists them. */
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
