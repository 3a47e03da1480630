// The top-ups that bank transfers pay. Money is credited in full, so a transfer without one gets a top-up of its own.

import { byGroup, type Queryable, type SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { cents, describeTable, int, writeRows } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { topupRows } from './topup-table.ts';

export interface Transfer {
  readonly lineId: number;
  readonly accountId: number;
  readonly amountCents: bigint;
}

/** An expired or canceled top-up of the same amount is taken to be meant for this long. */
const meantSeconds = 60 * 86_400;

const unpaid = describeTable('topups', {
  accountId: int('account_id'),
  number: int('number'),
  amountCents: cents('amount_cents'),
});

// Open ones come before those that were given up, the oldest first.
const findUnpaid: SqlStatement = {
  name: 'find_topups_for_transfers',
  text: `select ${unpaid.list('t')} from topups t
    where t.account_id = any($1::int[]) and t.method = 'bank_transfer'
      and (t.status = 'open' or t.status in ('expired', 'cancelled') and t.created_at > to_timestamp($2::bigint))
      and not exists (select from payments p where p.account_id = t.account_id and p.topup_number = t.number)
    order by t.account_id, t.status <> 'open', t.number`,
};

const findLast: SqlStatement = {
  name: 'find_last_topups',
  text: `select t.account_id, max(t.number) as number from topups t where t.account_id = any($1::int[]) group by t.account_id`,
};

const insert = topupRows.insert('insert_transfer_topups');

/**
 * The accounts must be locked. `taken`: top-ups of other lines, by `topupKey`.
 * @returns the number of the top-up of each line
 */
export async function topupsForTransfers(
  transaction: Queryable,
  transfers: readonly Transfer[],
  taken: ReadonlySet<string>,
  now: EpochSeconds,
): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map<number, number>();
  for (const [accountId, ofGroup] of byGroup(transaction, transfers, (one) => one.accountId)) {
    const group = transaction.ofAccount(accountId);
    const ids = numberArray([...new Set(ofGroup.map((one) => one.accountId))]);
    const open = (await group.query(findUnpaid, [ids, now - meantSeconds])).map((row) => unpaid.parse(row));
    const last = new Map(
      (await group.query(findLast, [ids])).map((row) => [Number(row['account_id']), Number(row['number'])]),
    );
    const used = new Set(taken);
    const made = ofGroup.flatMap(({ lineId, accountId: id, amountCents }) => {
      const found = open.find(
        (one) => one.accountId === id && one.amountCents === amountCents && !used.has(topupKey(one)),
      );
      const number = found?.number ?? (last.get(id) ?? 0) + 1;
      used.add(topupKey({ accountId: id, number }));
      numbers.set(lineId, number);
      if (found !== undefined) return [];
      last.set(id, number);
      return [newTopup(id, number, amountCents, now)];
    });
    await writeRows(group, insert, made);
  }
  return numbers;
}

export function topupKey({
  accountId,
  number,
}: {
  readonly accountId: number;
  readonly number: number;
}): string {
  return `${accountId} ${number}`;
}

/** The account sees it as open until it is credited, right after this. */
function newTopup(accountId: number, number: number, amountCents: bigint, now: EpochSeconds) {
  return {
    accountId,
    number,
    method: 'bank_transfer',
    amountCents,
    status: 'open',
    createdAt: now,
    expiresAt: null,
    providerKey: null,
    sessionId: null,
    payUrl: null,
    returnUrl: null,
    checkAt: null,
    checks: 0,
  } as const;
}
