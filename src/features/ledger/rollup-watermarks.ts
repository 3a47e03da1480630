// Records up to which entry an account is summed (daily-totals.ts, spending-totals.ts), or up to which order it is listed
// (order-times.ts). Each transaction adds some rows and moves the mark, so that orders do not pay for it.
// Invariant: the mark is the last row that was added, so each is added exactly once. Rows never change, and they become
// visible in order of their numbers, without gaps.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { holdTestInUse, isInUse } from '../identity/account-in-use.ts';

export interface RollupWatermarks {
  /** Returns whether all are summed. */
  bringUpToDate(accountId: number, piecesMax?: number): Promise<boolean>;
  listBehind(): Promise<readonly { readonly accountId: number; readonly pieces: number }[]>;
  /** Returns how many were left when the signal stopped it. */
  bringAllUpToDate(signal?: AbortSignal): Promise<number>;
}

export interface MarkedSums {
  readonly table: 'ledger_day_marks' | 'spending_marks' | 'order_time_marks';
  readonly rows: 'entries' | 'orders';
  add(transaction: Queryable, accountId: number, mark: number, upto: number): Promise<void>;
}

/** Entries or orders per transaction. On the embedded database, orders wait for each transaction. */
const rowsAtOnceMax = 2_000;
const columns = {
  entries: { counter: 'entry_count', mark: 'entry_number', isWanted: isInUse('a') },
  // The list of all orders leaves out test orders.
  orders: { counter: 'order_count', mark: 'order_number', isWanted: `a.id <= ${realAccountIdMax}` },
} as const;
const neverAborted = new AbortController().signal;

export function createRollupWatermarks(
  database: Database,
  { table, rows: counted, add }: MarkedSums,
): RollupWatermarks {
  const { counter, mark: marked, isWanted } = columns[counted];
  const statement = (name: string, text: string): SqlStatement => ({ name: `${name}_${table}`, text });
  const behind = `from accounts a left join ${table} m on m.account_id = a.id
    where a.${counter} > coalesce(m.${marked}, 0)`;
  const isBehind = statement('is_behind', `select true ${behind} and a.id = $1::int`);
  const ensure = statement(
    'ensure',
    `insert into ${table} (account_id, ${marked}) values ($1::int, 0) on conflict do nothing`,
  );
  const lock = statement('lock', `select ${marked} from ${table} where account_id = $1::int for update`);
  const countRows = statement('count_for', `select ${counter} from accounts where id = $1::int`);
  const move = statement('move', `update ${table} set ${marked} = $2::int where account_id = $1::int`);
  const findBehind = statement(
    'find_behind',
    `select a.id, a.${counter} - coalesce(m.${marked}, 0) as behind ${behind} and ${isWanted} order by a.id`,
  );

  function sumMore(accountId: number): Promise<boolean> {
    return database.ofAccount(accountId).transaction(
      async (transaction) => {
        if (!(await holdTestInUse(transaction, accountId))) return false;
        await transaction.query(ensure, [accountId]);
        const [locked] = await transaction.query(lock, [accountId]);
        const mark = Number(locked?.[marked]);
        const [found] = await transaction.query(countRows, [accountId]);
        const last = Number(found?.[counter] ?? 0);
        const upto = Math.min(last, mark + rowsAtOnceMax);
        if (upto <= mark) return false;
        await add(transaction, accountId, mark, upto);
        await transaction.query(move, [accountId, upto]);
        return upto < last;
      },
      { rank: 'reads' },
    );
  }

  async function listBehind() {
    const rows = await queryShards(database, findBehind, [], 'every');
    return rows.map((row) => ({ accountId: Number(row['id']), entries: Number(row['behind']) }));
  }

  return {
    async bringUpToDate(accountId, piecesMax = Number.POSITIVE_INFINITY) {
      let isMore = (await database.ofAccount(accountId).query(isBehind, [accountId])).length > 0;
      for (let pieces = 0; isMore && pieces < piecesMax; pieces += 1) isMore = await sumMore(accountId);
      return !isMore;
    },
    async listBehind() {
      return (await listBehind()).map(({ accountId, entries }) => ({
        accountId,
        pieces: Math.ceil(entries / rowsAtOnceMax),
      }));
    },
    async bringAllUpToDate(signal = neverAborted) {
      let left = 0;
      await eachInTurn(await listBehind(), async ({ accountId, entries }) => {
        let missing = entries;
        for (let isMore = true; isMore && !signal.aborted; missing -= rowsAtOnceMax) {
          isMore = await sumMore(accountId);
        }
        if (signal.aborted) left += Math.max(0, missing);
      });
      return left;
    },
  };
}
