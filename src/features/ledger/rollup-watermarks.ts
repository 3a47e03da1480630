// Records up to which entry an account is summed (daily-totals.ts, spending-totals.ts). Each transaction adds some entries
// and moves the mark, so that orders do not pay for it.
// Invariant: the mark is the last summed entry, so each entry is summed exactly once. Entries never change, and they become
// visible in order of their numbers, without gaps.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { holdTestInUse, isInUse } from '../identity/account-in-use.ts';

export interface RollupWatermarks {
  /** Returns whether all are summed. */
  bringUpToDate(accountId: number, piecesMax?: number): Promise<boolean>;
  listBehind(): Promise<readonly { readonly accountId: number; readonly pieces: number }[]>;
  /** Returns how many were left when the signal stopped it. */
  bringAllUpToDate(signal?: AbortSignal): Promise<number>;
}

export interface MarkedSums {
  readonly table: 'ledger_day_marks' | 'spending_marks';
  add(transaction: Queryable, accountId: number, mark: number, upto: number): Promise<void>;
}

/** Entries per transaction. On the embedded database, orders wait for each transaction. */
const entriesAtOnceMax = 2_000;
const neverAborted = new AbortController().signal;

export function createRollupWatermarks(database: Database, { table, add }: MarkedSums): RollupWatermarks {
  const statement = (name: string, text: string): SqlStatement => ({ name: `${name}_${table}`, text });
  const behind = `from accounts a left join ${table} m on m.account_id = a.id
    where a.entry_count > coalesce(m.entry_number, 0)`;
  const isBehind = statement('is_behind', `select true ${behind} and a.id = $1::int`);
  const ensure = statement(
    'ensure',
    `insert into ${table} (account_id, entry_number) values ($1::int, 0) on conflict do nothing`,
  );
  const lock = statement('lock', `select entry_number from ${table} where account_id = $1::int for update`);
  const countEntries = statement('count_for', 'select entry_count from accounts where id = $1::int');
  const move = statement('move', `update ${table} set entry_number = $2::int where account_id = $1::int`);
  const findBehind = statement(
    'find_behind',
    `select a.id, a.entry_count - coalesce(m.entry_number, 0) as behind ${behind} and ${isInUse('a')} order by a.id`,
  );

  function sumMore(accountId: number): Promise<boolean> {
    return database.ofAccount(accountId).transaction(
      async (transaction) => {
        if (!(await holdTestInUse(transaction, accountId))) return false;
        await transaction.query(ensure, [accountId]);
        const [locked] = await transaction.query(lock, [accountId]);
        const mark = Number(locked?.['entry_number']);
        const [counted] = await transaction.query(countEntries, [accountId]);
        const last = Number(counted?.['entry_count'] ?? 0);
        const upto = Math.min(last, mark + entriesAtOnceMax);
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
        pieces: Math.ceil(entries / entriesAtOnceMax),
      }));
    },
    async bringAllUpToDate(signal = neverAborted) {
      let left = 0;
      await eachInTurn(await listBehind(), async ({ accountId, entries }) => {
        let missing = entries;
        for (let isMore = true; isMore && !signal.aborted; missing -= entriesAtOnceMax) {
          isMore = await sumMore(accountId);
        }
        if (signal.aborted) left += Math.max(0, missing);
      });
      return left;
    },
  };
}
