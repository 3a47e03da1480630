// Keeps the newest verifications of the ledgers, for the console's health page. The only writer of verifications.
// Invariant: it keeps counts only, because the texts of problems may name customers.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { oneOf } from '../../platform/database/row-values.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type VerificationStarter,
  type VerifyReportView,
  verificationStarters,
} from './verification-schemas.ts';

export interface VerificationRecord {
  readonly id: number;
  readonly finishedAt: EpochSeconds;
  readonly startedBy: VerificationStarter;
  readonly milliseconds: number;
  readonly accounts: number;
  readonly entries: number;
  readonly problems: number;
}

const recordsKept = 50;

const addRecord: SqlStatement = {
  name: 'add_verification',
  text: `with gone as (delete from verifications
      where id <= (select id from verifications order by id desc offset ${recordsKept - 1} limit 1))
    insert into verifications (finished_at, started_by, milliseconds, account_count, entry_count, problem_count)
    values (to_timestamp($1::bigint), $2, $3::int, $4::int, $5::bigint, $6::int)`,
};

const listRecords: SqlStatement = {
  name: 'list_verifications',
  text: `select id, extract(epoch from finished_at)::bigint as finished_at, started_by, milliseconds, account_count,
      entry_count, problem_count
    from verifications order by id desc limit ${recordsKept}`,
};

interface Recording {
  readonly startedBy: VerificationStarter;
  readonly now: () => EpochSeconds;
  readonly onUnrecorded: (error: unknown) => void;
}

/** The report stays valid if it cannot be recorded. */
export async function recordVerification(
  database: Queryable,
  { startedBy, now, onUnrecorded }: Recording,
  verify: () => Promise<VerifyReportView>,
): Promise<VerifyReportView> {
  const began = performance.now();
  const report = await verify();
  const { accounts, entries, problems } = report;
  const milliseconds = Math.round(performance.now() - began);
  const values = [now(), startedBy, milliseconds, accounts, entries, problems.length];
  await database.query(addRecord, values).catch(onUnrecorded);
  return report;
}

/** The newest first. */
export async function listVerifications(database: Queryable): Promise<VerificationRecord[]> {
  const rows = await database.query(listRecords);
  return rows.map((row) => ({
    id: Number(row['id']),
    finishedAt: Number(row['finished_at']),
    startedBy: oneOf(verificationStarters, row['started_by']),
    milliseconds: Number(row['milliseconds']),
    accounts: Number(row['account_count']),
    entries: Number(row['entry_count']),
    problems: Number(row['problem_count']),
  }));
}
