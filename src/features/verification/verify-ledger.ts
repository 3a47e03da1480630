// A full verification: every account's books in SQL (account-books.ts, stray-rows.ts), which halts accounts with wrong
// books, and their histories against the rules (account-conformity.ts). Its reads are short and separate, so it can run
// beside a busy service and be cancelled between them. shared-verification.ts runs one at a time.

import {
  type Database,
  DatabaseUnavailable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { accountGroupCount } from '../../platform/database/shards/find-shards.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { isInUse } from '../identity/account-in-use.ts';
import { checkAccountBooks } from './account-books.ts';
import { checkAccountHistory } from './account-conformity.ts';
import { halt, liftHaltUpTo, newestHalt } from './account-halts.ts';
import { checkBankLines } from './booked-bank-lines.ts';
import { checkEventNumbers } from './event-numbers.ts';
import { createLogCheck } from './log-check.ts';
import { createPastReader } from './past-packages.ts';
import { findStrayRows } from './stray-rows.ts';
import { createFindings, type Problem } from './verification-findings.ts';
import { type AuditLimits, usualRanges } from './verification-limits.ts';
import type { VerifyReportView } from './verification-schemas.ts';

const accountsPerList = 500;

const listAccounts: SqlStatement = {
  name: 'verify_list_accounts',
  text: `select a.id, a.halted_at is not null as is_halted from accounts a
    where a.id > $1::int and ${isInUse('a')} order by a.id limit ${accountsPerList}`,
};

/** The latest time that any service clock has shown, in case a clock was set back. */
const readLatest: SqlStatement = {
  name: 'verify_latest_moment',
  text: `select extract(epoch from greatest((select told_until from plan_end_marks where days = 0),
      (select at from audit_log order by number desc limit 1)))::bigint as at`,
};

/** By how much the clocks of processes may differ. */
const slackSeconds = 300;

const listTestsInUse: SqlStatement = {
  name: 'verify_list_tests_in_use',
  text: `select a.id from accounts a where a.id = any($1::int[]) and a.test_state = 'current'`,
};

/** @throws if cancelled, with halts kept; DatabaseUnavailable if the database was replaced */
export async function verifyLedger(
  database: Database,
  now: EpochSeconds,
  {
    ranges = usualRanges,
    signal = new AbortController().signal,
    clock = () => now,
  }: Partial<AuditLimits & { readonly clock: () => EpochSeconds }> = {},
): Promise<VerifyReportView> {
  const limits: AuditLimits = { ranges, signal };
  if ((await accountGroupCount(database)) !== database.accountGroups().length)
    throw new DatabaseUnavailable('The accounts are in other groups than this process knows.');
  const newest = await newestHalt(database);
  const findings = createFindings((accountId) => halt(database, accountId, now));
  await findStrayRows(database, findings, limits);
  await checkBankLines(database, findings, limits);
  const past = createPastReader(database);
  const log = createLogCheck(database, findings);
  const [latest] = await database.query(readLatest);
  const began = performance.now();
  const from = Math.max(now, Number(latest?.['at'] ?? 0)) + slackSeconds;
  const latestNow = () =>
    Math.max(from + Math.ceil((performance.now() - began) / 1000), clock() + slackSeconds);
  let [accounts, entries, testAccounts] = [0, 0, 0];
  for await (const { accountId, isHalted } of everyAccount(database)) {
    const books = database.ofAccount(accountId);
    const checked = await checkAccountBooks(books, accountId, findings, limits);
    if (checked === null) continue;
    if (isTestAccount(accountId)) testAccounts += 1;
    else {
      accounts += 1;
      entries += checked.entries;
    }
    if (isHalted && !findings.isBroken(accountId)) await liftHaltUpTo(database, accountId, newest);
    let latest: EpochSeconds | null = null;
    if (!isTestAccount(accountId)) {
      await log.checkCredits(accountId, checked.credits, signal);
      latest = await checkEventNumbers(database, accountId, findings, signal);
    }
    const now = () => Math.max(latest ?? 0, latestNow());
    const history = { accountId, customerCount: checked.customers, now };
    await checkAccountHistory(books, history, past, findings, limits);
  }
  await log.checkPresent(signal);
  const problems = await withoutReset(database, findings.list());
  const tests = testAccounts === 0 ? {} : { test_accounts: testAccounts };
  return { ok: problems.length === 0, accounts, entries, ...tests, problems };
}

/** Drops problems of tests that were reset meanwhile, because they are being deleted. */
async function withoutReset(database: Database, problems: readonly Problem[]): Promise<Problem[]> {
  const tests = [...new Set(problems.map(({ account_id: id }) => id).filter(isTestAccount))];
  const rows =
    tests.length === 0 ? [] : await queryShards(database, listTestsInUse, [numberArray(tests)], 'any');
  const inUse = new Set(rows.map((row) => Number(row['id'])));
  return problems.filter(({ account_id: id }) => !isTestAccount(id) || inUse.has(id));
}

async function* everyAccount(database: Database): AsyncGenerator<{ accountId: number; isHalted: boolean }> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const first = { columns: ['id'], limit: accountsPerList };
    const rows: readonly Row[] = await queryShards(database, listAccounts, [after], { first });
    const found = rows.map((row) => ({ accountId: Number(row['id']), isHalted: row['is_halted'] === true }));
    yield* found;
    after = found.at(-1)?.accountId;
  }
}
