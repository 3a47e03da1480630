// How many orders and customers all real accounts have: the sums of their counters.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';

const sumCounters: SqlStatement = {
  name: 'sum_account_counters',
  text: `select coalesce(sum(order_count), 0)::bigint as orders, coalesce(sum(customer_count), 0)::bigint as customers
    from accounts where id <= ${realAccountIdMax}`,
};

export async function sumCountersOfAll(
  database: Queryable,
): Promise<{ readonly orders: number; readonly customers: number }> {
  const rows = await queryShards(database, sumCounters, [], 'every');
  const sum = (name: 'orders' | 'customers') => rows.reduce((all, row) => all + Number(row[name]), 0);
  return { orders: sum('orders'), customers: sum('customers') };
}
