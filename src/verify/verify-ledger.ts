// One audit of everything: the books of every account in SQL (account-books.ts, stray-rows.ts), which halts an
// account at the moment it is found broken and lifts older halts where it is found sound; and whether its history
// follows the rules (account-conformity.ts), which is reported and halts nobody. It may run beside a busy service:
// it comes in short reads, each a statement of its own, and can be cancelled between any two of them.
// Of what runs at once, and where, it knows nothing: see single-audit.ts.

import type { VerifyReportView } from '../contract/admin-schemas.ts';
import { isTestAccount } from '../contract/identifiers.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Row, Statement } from '../database/database.ts';
import { checkAccountBooks } from './account-books.ts';
import { checkAccountHistory } from './account-conformity.ts';
import { halt, liftHaltUpTo, newestHalt } from './account-halts.ts';
import { createFindings } from './audit-findings.ts';
import { type AuditLimits, usualRanges } from './audit-limits.ts';
import { createPastReader } from './past-packages.ts';
import { findStrayRows } from './stray-rows.ts';

const accountsPerList = 500;

const listAccounts: Statement = {
  name: 'verify_list_accounts',
  // What a test that was reset held is being deleted.
  text: `select id, halted_at is not null as is_halted from accounts
    where id > $1::int and test_state is distinct from 'discarded' order by id limit ${accountsPerList}`,
};

// Reset, and perhaps begun again, while the audit ran: their tests hold less than they held when it read them.
const listReset: Statement = {
  name: 'verify_list_reset_tests',
  text: `select id from accounts where test_state is not null and test_state <> 'current'`,
};

/** @throws the signal's reason when it is cancelled; what it halted by then stays halted */
export async function verifyLedger(
  database: Database,
  now: EpochSeconds,
  { ranges = usualRanges, signal = new AbortController().signal }: Partial<AuditLimits> = {},
): Promise<VerifyReportView> {
  const limits: AuditLimits = { ranges, signal };
  const newest = await newestHalt(database);
  const findings = createFindings((accountId) => halt(database, accountId, now));
  await findStrayRows(database, findings, limits);
  const past = createPastReader(database);
  let [accounts, entries, testAccounts] = [0, 0, 0];
  for await (const { accountId, isHalted } of everyAccount(database)) {
    const checked = await checkAccountBooks(database, accountId, findings, limits);
    if (checked === null) continue;
    if (isTestAccount(accountId)) testAccounts += 1;
    else {
      accounts += 1;
      entries += checked.entries;
    }
    if (isHalted && !findings.isBroken(accountId)) await liftHaltUpTo(database, accountId, newest);
    await checkAccountHistory(
      database,
      { accountId, customerCount: checked.customers },
      past,
      findings,
      limits,
    );
  }
  const reset = await listDiscarded(database);
  // What was being deleted while it was read is no problem.
  const problems = findings.list().filter(({ account_id: id }) => !reset.has(id));
  const tests = testAccounts === 0 ? {} : { test_accounts: testAccounts };
  return { ok: problems.length === 0, accounts, entries, ...tests, problems };
}

async function listDiscarded(database: Database): Promise<ReadonlySet<number>> {
  return new Set((await database.query(listReset)).map((row) => Number(row['id'])));
}

async function* everyAccount(database: Database): AsyncGenerator<{ accountId: number; isHalted: boolean }> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: readonly Row[] = await database.query(listAccounts, [after]);
    const found = rows.map((row) => ({ accountId: Number(row['id']), isHalted: row['is_halted'] === true }));
    yield* found;
    after = found.at(-1)?.accountId;
  }
}
