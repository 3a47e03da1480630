// SQL that counts plans separately if their price may be held: by the start of their run and what they last paid for the
// period. Forecasts and overviews use it.

import type { Row } from '../../../platform/database/database.ts';
import { bigint, nullable } from '../../../platform/database/row-values.ts';
import { numberArray } from '../../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { Package } from '../../packages/package-catalog.ts';
import { noHeldSteps } from '../../packages/price-lines.ts';
import type { Run } from '../../packages/price-rules.ts';

/** `packages` is the parameter with the ids of packages that have held prices. The join must follow `customers c`. */
export function heldPlans(months: string, packages: string) {
  return {
    columns: `held.since as held_since, held.paid_cents as held_paid_cents`,
    groups: 'held.since, held.paid_cents',
    join: `left join lateral (
        select extract(epoch from c.anchor_at)::bigint as since, (
          select p.price_cents from orders p
            left join order_handoffs w on w.account_id = p.account_id and w.order_number = p.number
          where p.account_id = c.account_id and p.customer_number = c.number and p.months = ${months}
            and p.package_id = c.package_id
            and p.created_at >= c.anchor_at and w.status is distinct from 'failed'
          order by p.number desc limit 1) as paid_cents
        where c.package_id = any(${packages}::int[])) held on true`,
  };
}

/** Returns null if the package has no held prices. */
export function runFromRow(row: Row): Run | null {
  const since = nullable((value): EpochSeconds => Number(value), row['held_since']);
  if (since === null) return null;
  const paidCents = nullable(bigint, row['held_paid_cents']);
  return { since, lastPaidCents: () => paidCents };
}

export function packagesWithHolds(packages: Iterable<Package>): string {
  const held = [...packages].filter(({ heldSteps }) => heldSteps !== noHeldSteps);
  return numberArray(held.map(({ id }) => id));
}
