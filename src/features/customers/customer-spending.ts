// What a customer's orders have cost the account, without what was refunded.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import type { OwnedId } from '../../shared/identifiers.ts';

/** With more orders or changes than this, no sum is computed. */
const rowsMax = 1_000;

const sumSpending: SqlStatement = {
  name: 'sum_spending_of_customer',
  text: `with bought as (
      select o.price_cents - o.refund_cents as cents, coalesce(h.status, 'completed') as status
      from orders o
      left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number
      where o.account_id = $1::int and o.customer_number = $2::int
      order by o.account_id desc, o.customer_number desc, o.number desc limit ${rowsMax + 1}),
    changes as (
      select p.kind, p.refund_cents
      from plan_changes p
      where p.account_id = $1::int and p.customer_number = $2::int and not p.is_empty
      order by p.account_id desc, p.customer_number desc, p.number desc limit ${rowsMax + 1})
    select (select count(*) from bought) as orders,
      (select count(*) from bought) > ${rowsMax} or (select count(*) from changes) > ${rowsMax} as is_cut,
      coalesce((select sum(cents) from bought where status = 'completed'), 0)::bigint
        - coalesce((select sum(refund_cents) from changes where kind = 'cancel'), 0)::bigint as cents`,
};

export interface CustomerSpending {
  readonly orders: number;
  readonly cents: bigint;
}

/** Counts completed orders at what they were charged, less the refunds of canceled plans. null: there are too many. */
export async function sumCustomerSpending(
  database: Database,
  { accountId, number }: OwnedId,
): Promise<CustomerSpending | null> {
  const [row] = await database.ofAccount(accountId).query(sumSpending, [accountId, number]);
  if (row === undefined || row['is_cut'] === true) return null;
  return { orders: Number(row['orders']), cents: bigint(row['cents']) };
}
