// Repairs `last_order` of customers. The previous version did not write it with orders and trials; rows that it wrote have
// no hash (order-engine/row-hashes.ts). The only writer of last_order_marks.
// Invariant: up to the mark, no customer still has an earlier plan's last order because of such a row.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { holdTestInUse, isInUse, lockAccountInUse } from '../identity/account-in-use.ts';

const rowsAtOnce = 500;

const findBehind: SqlStatement = {
  name: 'find_accounts_with_unchecked_last_orders',
  text: `select a.id, coalesce(m.order_number, 0) as order_number, coalesce(m.change_number, 0) as change_number
    from accounts a left join last_order_marks m on m.account_id = a.id
    where (a.order_count > coalesce(m.order_number, 0) or a.plan_change_count > coalesce(m.change_number, 0))
      and ${isInUse('a')} order by a.id`,
};

const unchecked = (
  table: 'orders' | 'plan_changes',
  mark: string,
) => `select number, customer_number, row_hash from ${table}
    where account_id = $1::int and number > ${mark} order by number limit ${rowsAtOnce}`;

const readUnchecked: SqlStatement = {
  name: 'read_unchecked_last_orders',
  text: `with o as (${unchecked('orders', '$2::int')}), p as (${unchecked('plan_changes', '$3::int')})
    select (select max(number) from o) as order_number, (select max(number) from p) as change_number,
      (select count(*) from o) + (select count(*) from p) as row_count,
      array(select customer_number from o where row_hash is null
        union select customer_number from p where row_hash is null) as customers`,
};

// The rule of 0038-last-orders.sql: the last completed order, if it is of the plan's package.
const staleOf = `select c.number, l.last_order
    from unnest($2::int[]) wanted (number)
    join customers c on c.account_id = $1::int and c.number = wanted.number
    left join lateral (
      select case when o.package_id = c.package_id then o.number end as last_order from orders o
      where o.account_id = c.account_id and o.customer_number = c.number
        and not exists (select from order_handoffs h
          where h.account_id = o.account_id and h.order_number = o.number and h.status <> 'completed')
      order by o.account_id, o.customer_number desc, o.number desc limit 1) l on true
    where c.last_order is distinct from l.last_order`;

const listStale: SqlStatement = { name: 'list_stale_last_orders', text: staleOf };

const repair: SqlStatement = {
  name: 'repair_last_orders',
  text: `update customers c set last_order = s.last_order from (${staleOf}) s
    where c.account_id = $1::int and c.number = s.number`,
};

const setMark: SqlStatement = {
  name: 'set_last_order_mark',
  text: `insert into last_order_marks as m (account_id, order_number, change_number) values ($1::int, $2::int, $3::int)
    on conflict (account_id) do update set order_number = greatest(m.order_number, excluded.order_number),
      change_number = greatest(m.change_number, excluded.change_number)`,
};

const neverAborted = new AbortController().signal;

export async function repairLastOrders(database: Database, signal = neverAborted): Promise<number> {
  let left = 0;
  await eachInTurn(await queryShards(database, findBehind, [], 'every'), async (row) => {
    const mark = {
      accountId: Number(row['id']),
      order: Number(row['order_number']),
      change: Number(row['change_number']),
    };
    for (let isDone = false; !isDone; ) {
      if (signal.aborted) {
        left += 1;
        return;
      }
      isDone = await checkMore(database.ofAccount(mark.accountId), mark);
    }
  });
  return left;
}

interface Mark {
  readonly accountId: number;
  order: number;
  change: number;
}

/** Returns true if it was the last piece. */
async function checkMore(ofAccount: Database, mark: Mark): Promise<boolean> {
  const { accountId } = mark;
  const [piece] = await ofAccount.query(readUnchecked, [accountId, mark.order, mark.change]);
  const sent: unknown = piece?.['customers'];
  const customers = Array.isArray(sent) ? sent.map(Number) : [];
  const numbers = numberArray(customers);
  mark.order = Number(piece?.['order_number'] ?? mark.order);
  mark.change = Number(piece?.['change_number'] ?? mark.change);
  await ofAccount.transaction(
    async (transaction) => {
      if (!(await holdTestInUse(transaction, accountId))) return;
      const stale = customers.length === 0 ? [] : await transaction.query(listStale, [accountId, numbers]);
      // Orders wait for this lock, so take it only for repairs. The repair reads the rows again.
      if (stale.length > 0) {
        await lockAccountInUse(transaction, accountId);
        await transaction.query(repair, [accountId, numbers]);
      }
      await transaction.query(setMark, [accountId, mark.order, mark.change]);
    },
    { rank: 'reads' },
  );
  return Number(piece?.['row_count'] ?? 0) < rowsAtOnce;
}
