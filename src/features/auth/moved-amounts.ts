// Sums what a person credited and debited in the console within an hour. Beyond a limit they must confirm their password.
// Invariant: the sum is read and updated under the lock of the person's row.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { cents, describeTable, int, text, time, writeRows } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export interface Moved {
  readonly personId: number;
  /** The same for a repeated request, which counts once. */
  readonly requestKey: string;
  readonly amountCents: bigint;
}

const rememberedSeconds = 3_600;

const movedAmounts = describeTable('moved_amounts', {
  personId: int('person_id'),
  requestKey: text('request_key'),
  at: time('at'),
  amountCents: cents('amount_cents'),
});

const lockPerson: SqlStatement = {
  name: 'lock_person_who_moves',
  text: 'select id from people where id = $1::int for no key update',
};

const deleteOld: SqlStatement = {
  name: 'delete_old_moved_amounts',
  text: 'delete from moved_amounts where person_id = $1::int and at <= to_timestamp($2::bigint)',
};

const sumOthers: SqlStatement = {
  name: 'sum_moved_amounts',
  text: `select coalesce(sum(amount_cents), 0)::bigint as sum, coalesce(bool_or(request_key = $2::text), false) as is_known
    from moved_amounts where person_id = $1::int`,
};

const insert = movedAmounts.insert('insert_moved_amount', 'on conflict (person_id, request_key) do nothing');

/** Returns false if the sum would exceed `limitCents`; then nothing is added. */
export function mayMove(
  database: Database,
  moved: Moved,
  limitCents: bigint,
  now: EpochSeconds,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { sumCents, isKnown } = await lockAndSum(transaction, moved, now);
    if (isKnown) return true;
    if (sumCents + moved.amountCents > limitCents) return false;
    await writeRows(transaction, insert, [{ ...moved, at: now }]);
    return true;
  });
}

export function countMoved(database: Database, moved: Moved, now: EpochSeconds): Promise<void> {
  return database.transaction(async (transaction) => {
    await lockAndSum(transaction, moved, now);
    await writeRows(transaction, insert, [{ ...moved, at: now }]);
  });
}

async function lockAndSum(transaction: Queryable, { personId, requestKey }: Moved, now: EpochSeconds) {
  await transaction.query(lockPerson, [personId]);
  await transaction.query(deleteOld, [personId, now - rememberedSeconds]);
  const [row] = await transaction.query(sumOthers, [personId, requestKey]);
  return { sumCents: bigint(row?.['sum']), isKnown: row?.['is_known'] === true };
}
