// The rows of refunds that the operator makes here. The only writer of topup_refunds.

import {
  type Database,
  type Queryable,
  ranked,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import {
  cents,
  describeTable,
  int,
  nullableText,
  oneOf,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';

const topupRefunds = describeTable('topup_refunds', {
  accountId: int('account_id'),
  /** The cause of its reversal. */
  cause: text('cause'),
  topupNumber: int('topup_number'),
  amountCents: cents('amount_cents'),
  reason: nullableText('reason'),
  status: oneOf('status', ['new', 'sent', 'failed', 'by_hand']),
  createdAt: time('created_at'),
});

export type TopupRefund = RowOf<typeof topupRefunds>;

const insert = topupRefunds.insert('insert_topup_refund', 'on conflict do nothing');

const find: SqlStatement = {
  name: 'find_topup_refund',
  text: `select ${topupRefunds.list('f')}, r.reinstated_at is not null as is_given_back, r.cause is not null as is_taken
    from topup_refunds f left join reversals r on r.account_id = f.account_id and r.cause = f.cause
    where f.account_id = $1::int and f.cause = $2::text`,
};

const write: SqlStatement = {
  name: 'set_topup_refund_status',
  text: `update topup_refunds set status = $3::text
    where account_id = $1::int and cause = $2::text and status = 'new'`,
};

// A refund whose reversal is missing was refused, or its request died before the books moved.
const listUnsent: SqlStatement = {
  name: 'list_unsent_topup_refunds',
  text: `select ${topupRefunds.list('f')} from topup_refunds f
    join reversals r on r.account_id = f.account_id and r.cause = f.cause
    where f.status = 'new' and f.created_at <= to_timestamp($1::bigint) order by random() limit $2::int`,
};

export interface FoundRefund {
  readonly refund: TopupRefund;
  /** The books have moved. */
  readonly isTaken: boolean;
  readonly isGivenBack: boolean;
}

/** Stores a wanted refund once. @returns the stored one */
export async function addRefund(database: Database, wanted: TopupRefund): Promise<FoundRefund | null> {
  const changes = ranked(database, 'changes').ofAccount(wanted.accountId);
  await writeRows(changes, insert, [wanted]);
  return findRefund(changes, wanted.accountId, wanted.cause);
}

export async function findRefund(
  database: Queryable,
  accountId: number,
  cause: string,
): Promise<FoundRefund | null> {
  const [row] = await database.ofAccount(accountId).query(find, [accountId, cause]);
  if (row === undefined) return null;
  return {
    refund: topupRefunds.parse(row),
    isTaken: row['is_taken'] === true,
    isGivenBack: row['is_given_back'] === true,
  };
}

export async function writeRefundStatus(
  database: Database,
  { accountId, cause }: Pick<TopupRefund, 'accountId' | 'cause'>,
  status: Exclude<TopupRefund['status'], 'new'>,
): Promise<void> {
  await ranked(database, 'changes').ofAccount(accountId).query(write, [accountId, cause, status]);
}

/** The provider reports the refund, so it was sent. */
export function noteSent(database: Database, accountId: number, cause: string): Promise<void> {
  return writeRefundStatus(database, { accountId, cause }, 'sent');
}

/** Refunds made before this time that the provider may not know yet. In no order, so that none holds up the others. */
export async function listUnsentRefunds(
  database: Database,
  before: EpochSeconds,
  limit: number,
): Promise<TopupRefund[]> {
  const found: TopupRefund[] = [];
  for (const group of database.accountGroups())
    found.push(...(await group.query(listUnsent, [before, limit])).map((row) => topupRefunds.parse(row)));
  return found;
}

const refundsShown = 20;

const listOf: SqlStatement = {
  name: 'list_refunds_of_topups',
  text: `select f.* from (
      select ${topupRefunds.list('f')}, row_number() over (partition by f.account_id, f.topup_number order by f.created_at desc) as place
      from unnest($1::int[], $2::int[]) wanted (account_id, number)
      join topup_refunds f on f.account_id = wanted.account_id and f.topup_number = wanted.number
      join reversals r on r.account_id = f.account_id and r.cause = f.cause) f
    where f.place <= ${refundsShown}`,
};

/** The newest refunds of each top-up, newest first. Those that the books refused are left out. */
export async function listRefundsOf(
  database: Queryable,
  topups: readonly { readonly accountId: number; readonly number: number }[],
): Promise<TopupRefund[]> {
  if (topups.length === 0) return [];
  const rows = await queryShards(database, listOf, [], {
    of: topups,
    accountOf: ({ accountId }) => accountId,
    columns: (some) => [
      numberArray(some.map(({ accountId }) => accountId)),
      numberArray(some.map(({ number }) => number)),
    ],
  });
  return rows.map((row) => topupRefunds.parse(row)).sort((one, other) => other.createdAt - one.createdAt);
}
