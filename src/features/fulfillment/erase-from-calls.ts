// Takes what named an erased customer out of the calls to the product: payloads and the product's answers. Only the call that
// reports the erasure still has the words, until it is over, and it does not store them.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';

const supersede: SqlStatement = {
  name: 'supersede_product_calls_of_erased',
  text: `update product_calls set status = 'superseded'
    where account_id = $1::int and customer_number = $2::int and status in ('waiting', 'attention')
      and type <> 'customer.erased'`,
};

/** Nothing earlier is sent any more: the product is to forget the customer. */
export async function supersedeCallsOfErased(
  transaction: Queryable,
  accountId: number,
  number: number,
): Promise<void> {
  await transaction.query(supersede, [accountId, number]);
}

const empty: SqlStatement = {
  name: 'empty_product_calls_of_erased',
  text: `update product_calls set payload = null, attempt_log = '[]'::jsonb
    where account_id = $1::int and customer_number = $2::int and status not in ('waiting', 'attention')
      and (payload is not null or attempt_log <> '[]'::jsonb)`,
};

const findOpen: SqlStatement = {
  name: 'find_open_calls_of_erased',
  text: `select exists (select 1 from product_calls where account_id = $1::int and customer_number = $2::int
      and status in ('waiting', 'attention')) as is_open`,
};

/** Returns false while a call is still to be sent, which needs the words. */
export async function eraseFromCalls(
  database: Database,
  accountId: number,
  number: number,
): Promise<boolean> {
  const group = database.ofAccount(accountId);
  await group.query(empty, [accountId, number]);
  const [row] = await group.query(findOpen, [accountId, number]);
  return row?.['is_open'] !== true;
}
