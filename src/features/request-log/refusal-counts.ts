// Counts refusals per code and UTC day, of the whole service and of each known account. Excludes tests. The only writer of
// refusal_days and refusal_account_days.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { describeTable, int, int8, text, writeRows } from '../../platform/database/table.ts';
import { type ErrorCode, errorCatalog } from '../../shared/error-catalog.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { dayOf, type EpochSeconds } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';

const refusalDays = describeTable('refusal_days', {
  day: { ...text('day'), arrayType: 'date[]' },
  code: text('code'),
  count: int8('refusal_count'),
});

const refusalAccountDays = describeTable('refusal_account_days', {
  code: text('code'),
  day: { ...text('day'), arrayType: 'date[]' },
  accountId: int('account_id'),
  count: int8('refusal_count'),
});

const countRefusals = refusalDays.insert(
  'count_refusals',
  `order by day, code on conflict (day, code)
    do update set refusal_count = refusal_days.refusal_count + excluded.refusal_count`,
);

const countRefusalsOfAccounts = refusalAccountDays.insert(
  'count_refusals_of_accounts',
  `order by code, day, account_id on conflict (code, day, account_id)
    do update set refusal_count = refusal_account_days.refusal_count + excluded.refusal_count`,
);

const sumRefusals: SqlStatement = {
  name: 'sum_refusals',
  text: `select code, sum(refusal_count)::bigint as refusals from refusal_days where day >= $1::date
    group by code order by 2 desc, 1`,
};

const sumOfCode: SqlStatement = {
  name: 'sum_refusals_of_code',
  text: `select coalesce(sum(refusal_count), 0)::bigint as refusals from refusal_days
    where day between $2::date and $3::date and code = $1::text`,
};

const listAccounts: SqlStatement = {
  name: 'list_refused_accounts',
  text: `select account_id, sum(refusal_count)::bigint as refusals, max(day)::text as last_day,
      sum(sum(refusal_count)) over ()::bigint as total
    from refusal_account_days where code = $1::text and day between $2::date and $3::date
    group by account_id order by 2 desc, 1 limit $4::int`,
};

const sumOfAccount: SqlStatement = {
  name: 'sum_refusals_of_account',
  text: `select code, sum(refusal_count)::bigint as refusals from refusal_account_days
    where code = any($4::text[]) and account_id = $1::int
      and day = any(array(select generate_series($2::date, $3::date, interval '1 day')::date))
    group by code order by 2 desc, 1`,
};

const topAccounts: SqlStatement = {
  name: 'find_most_refused_accounts',
  text: `select distinct on (code) code, account_id
    from (select code, account_id, sum(refusal_count) as refusals from refusal_account_days
      where code = any($1::text[]) and day >= $2::date group by code, account_id) sums
    order by code, refusals desc, account_id`,
};

const everyCode = textArray(Object.keys(errorCatalog));

const deleteAtOnceMax = 1_000;

const oldRows: OldRows = {
  deletion: {
    name: 'delete_old_refusals_of_accounts',
    text: `with gone as (
      delete from refusal_account_days where ctid = any(array(
        select ctid from refusal_account_days where code = any($1::text[]) and day < $2::date
        limit ${deleteAtOnceMax})) returning 1)
      select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

export interface RefusalCounter {
  note(code: string, at: EpochSeconds, accountId: number | null): void;
  /** Never fails. Counts that cannot be written are lost, which is acceptable. */
  write(): Promise<void>;
  size(): number;
}

export function createRefusalCounter(database: Database): RefusalCounter {
  let ofAll = new Map<string, number>();
  let ofAccounts = new Map<string, number>();

  return {
    note(code, at, accountId) {
      if (accountId !== null && isTestAccount(accountId)) return;
      const key = `${Math.floor(at / 86_400)} ${code}`;
      ofAll.set(key, (ofAll.get(key) ?? 0) + 1);
      if (accountId === null) return;
      const ofAccount = `${key} ${accountId}`;
      ofAccounts.set(ofAccount, (ofAccounts.get(ofAccount) ?? 0) + 1);
    },
    async write() {
      const [all, accounts] = [ofAll, ofAccounts];
      ofAll = new Map();
      ofAccounts = new Map();
      const days = [...all].map(([key, count]) => ({ ...partsOf(key), count }));
      await writeRows(database, countRefusals, days).catch(() => undefined);
      const accountDays = [...accounts].map(([key, count]) => ({ ...partsOf(key), count }));
      await writeRows(database, countRefusalsOfAccounts, accountDays).catch(() => undefined);
    },
    size: () => ofAll.size,
  };
}

function partsOf(key: string): { day: string; code: string; accountId: number } {
  const [day, code = '', accountId] = key.split(' ');
  return { day: dayOf(Number(day) * 86_400), code, accountId: Number(accountId ?? 0) };
}

export function deleteOldRefusals(
  database: Database,
  beforeDay: string,
  signal: AbortSignal,
): Promise<boolean> {
  return deleteInPieces(database, oldRows, [everyCode, beforeDay], signal);
}

interface RefusalsOfCode {
  readonly code: string;
  readonly count: number;
  /** The account refused most often; null: only unknown keys were, or the code is a rare one. */
  readonly account: { readonly id: number; readonly username: string } | null;
}

const topAccountCodesMax = 12;

export async function listRefusals(database: Queryable, sinceDay: string): Promise<RefusalsOfCode[]> {
  const counts = (await database.query(sumRefusals, [sinceDay])).map(parseCount);
  const codes = counts.slice(0, topAccountCodesMax).map(({ code }) => code);
  const rows = codes.length === 0 ? [] : await database.query(topAccounts, [textArray(codes), sinceDay]);
  const ids = new Map(rows.map((row) => [String(row['code']), Number(row['account_id'])]));
  const names = await findAccountNames(database, [...new Set(ids.values())]);
  return counts.map(({ code, count }) => {
    const id = ids.get(code);
    return { code, count, account: id === undefined ? null : { id, username: names.get(id) ?? '' } };
  });
}

export async function listRefusalsOfAccount(
  database: Queryable,
  accountId: number,
  fromDay: string,
  toDay: string,
): Promise<{ code: string; count: number }[]> {
  return (await database.query(sumOfAccount, [accountId, fromDay, toDay, everyCode])).map(parseCount);
}

export interface RefusedAccounts {
  readonly count: number;
  readonly accounts: readonly { id: number; username: string; count: number; lastDay: string }[];
  readonly countOfAccounts: number;
}

export async function listRefusedAccounts(
  database: Queryable,
  code: ErrorCode,
  { fromDay, toDay, limit }: { fromDay: string; toDay: string; limit: number },
): Promise<RefusedAccounts> {
  const [[sum], rows] = await Promise.all([
    database.query(sumOfCode, [code, fromDay, toDay]),
    database.query(listAccounts, [code, fromDay, toDay, limit]),
  ]);
  const names = await findAccountNames(
    database,
    rows.map((row) => Number(row['account_id'])),
  );
  return {
    count: Number(sum?.['refusals'] ?? 0),
    accounts: rows.map((row) => ({
      id: Number(row['account_id']),
      username: names.get(Number(row['account_id'])) ?? '',
      count: Number(row['refusals']),
      lastDay: String(row['last_day']),
    })),
    countOfAccounts: Number(rows[0]?.['total'] ?? 0),
  };
}

function parseCount(row: Readonly<Record<string, unknown>>): { code: string; count: number } {
  return { code: String(row['code']), count: Number(row['refusals']) };
}
