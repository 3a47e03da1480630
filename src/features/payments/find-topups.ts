// Finds top-ups by payment reference, and what they asked for. For the console.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseRealOwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { accountIdOfReference } from './bank/rf-reference.ts';
import type { AllTopupsFilter, OwnedTopup } from './list-all-topups.ts';
import { findTopup } from './topup-store.ts';

const foundMax = 10;

// References are unique within an account, so this reads the index once per account. There are thousands of accounts.
const findByReference: SqlStatement = {
  name: 'find_payments_of_reference',
  text: `select p.account_id, p.topup_number from accounts a cross join lateral (
      select account_id, topup_number from payments
      where account_id = a.id and payment_ref = any($1::text[]) offset 0) p
    where a.id <= ${realAccountIdMax} limit ${foundMax}`,
};

/** The account that a bank reference belongs to. All of its transfers carry the same one. */
export function accountOfReference(typed: string): number | null {
  return accountIdOfReference(typed.replace(/[\s.-]/g, '').toUpperCase());
}

/** Finds top-ups by their own id or by the provider's payment id. */
export async function findTopupsOf(
  database: Database,
  typed: string,
  filter: AllTopupsFilter,
): Promise<OwnedTopup[]> {
  const rows = await queryShards(
    database,
    findByReference,
    [textArray([typed, `stripe:${typed}`, `bank:${typed}`])],
    'every',
  );
  const id = parseRealOwnedId(typed);
  const places = [
    ...(id === null ? [] : [id]),
    ...rows.map((row) => ({ accountId: Number(row['account_id']), number: Number(row['topup_number']) })),
  ].slice(0, foundMax);
  const topups = await Promise.all(
    places.map(({ accountId, number }) => findTopup(database, accountId, number)),
  );
  const found = topups.flatMap((topup) => (topup === null ? [] : [topup]));
  const names = await findAccountNames(
    database,
    found.map(({ accountId }) => accountId),
  );
  const { accountId, statuses, method, since, until } = filter;
  const isSince = (at: EpochSeconds | null, wanted: EpochSeconds | null) =>
    wanted === null || (at ?? 0) >= wanted;
  return found
    .filter(
      (topup) =>
        (accountId === null || topup.accountId === accountId) &&
        (statuses === null || statuses.includes(topup.status)) &&
        (method === null || topup.method === method) &&
        topup.createdAt >= since &&
        topup.createdAt < until &&
        isSince(topup.creditedAt, filter.creditedSince) &&
        isSince(topup.refundedAt, filter.refundedSince) &&
        isSince(topup.disputedAt, filter.disputedSince),
    )
    .map((topup) => ({ topup, username: names.get(topup.accountId) ?? '' }));
}

const findAsked: SqlStatement = {
  name: 'find_asked_amounts',
  text: `select account_id, number, amount_cents from topups
    join unnest($1::int[], $2::int[]) as wanted(account_id, number) using (account_id, number)`,
};

/** What top-ups asked for, by "account.number". Those that do not exist are missing. */
export async function findAskedAmounts(
  database: Database,
  problems: readonly { readonly accountId: number; readonly topupNumber: number }[],
): Promise<ReadonlyMap<string, string>> {
  if (problems.length === 0) return new Map();
  const ids = problems.map(({ accountId }) => accountId);
  const numbers = problems.map(({ topupNumber }) => topupNumber);
  const rows = await queryShards(database, findAsked, [numberArray(ids), numberArray(numbers)], 'every');
  return new Map(
    rows.map((row) => [`${row['account_id']}.${row['number']}`, formatAmount(bigint(row['amount_cents']))]),
  );
}
