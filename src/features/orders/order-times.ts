// Lists the orders of all real accounts by time. A job does it behind the orders, so that they do not pay for it. The only
// writer of order_times and order_time_marks.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { createRollupWatermarks, type RollupWatermarks } from '../ledger/rollup-watermarks.ts';

export interface OrderTimes extends Pick<RollupWatermarks, 'bringAllUpToDate'> {
  /** Returns false, having done nothing, if a request would have to wait too long: after an upgrade. */
  bringAllNearly(): Promise<boolean>;
}

/** How many transactions a request waits for, beyond one for each account. The job does the rest. */
const piecesOfRequestMax = 10;

const addOrders: SqlStatement = {
  name: 'add_order_times',
  text: `insert into order_times (created_at, account_id, number)
    select created_at, account_id, number from orders
    where account_id = $1::int and number > $2::int and number <= $3::int on conflict do nothing`,
};

export function createOrderTimes(database: Database): OrderTimes {
  const marks = createRollupWatermarks(database, {
    table: 'order_time_marks',
    rows: 'orders',
    async add(transaction, accountId, mark, upto) {
      await transaction.query(addOrders, [accountId, mark, upto]);
    },
  });
  return {
    bringAllUpToDate: marks.bringAllUpToDate,
    async bringAllNearly() {
      const left = await marks.listBehind();
      const pieces = left.reduce((sum, one) => sum + one.pieces, 0);
      if (pieces > left.length + piecesOfRequestMax) return false;
      for (const { accountId } of left) await marks.bringUpToDate(accountId, piecesOfRequestMax);
      return true;
    },
  };
}
