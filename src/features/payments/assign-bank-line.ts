// The operator decides about a line that no account was found for.
// Invariant: a line that was decided in one way is never decided in another. The same decision again changes nothing.

import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { type BankActor, findBankLine, lockImports } from './bank-line-store.ts';
import { type BankLineRow, bankLines } from './bank-line-table.ts';
import { type BankBooking, bookBankLines, setOriginalOf } from './book-bank-lines.ts';

const lockOne: SqlStatement = {
  name: 'lock_bank_line',
  text: `select ${bankLines.list('b')} from bank_lines b where b.id = $1::int for no key update`,
};

const setAccount: SqlStatement = {
  name: 'assign_bank_line',
  text: `update bank_lines set status = 'waiting', reason = null, account_id = $2::int, topup_number = $3::int
    where id = $1::int`,
};

const setIgnored: SqlStatement = {
  name: 'ignore_bank_line',
  text: `update bank_lines set status = 'ignored' where id = $1::int`,
};

const open: readonly BankLineRow['status'][] = ['unmatched', 'ignored'];

/** Credits the line, or takes back the payment that was returned. The account must exist. */
export async function assignBankLine(
  booking: BankBooking & { readonly currency: string },
  id: number,
  accountId: number,
  actor: BankActor,
): Promise<BankLineRow | Refusal> {
  const refused = await booking.database.transaction(async (transaction) => {
    await transaction.query(lockImports);
    const line = await lockLine(transaction, id);
    if (line === null) return refusal('bank_line_not_found');
    if (!open.includes(line.status))
      return line.accountId === accountId ? null : refusal('bank_line_settled', { status: line.status });
    const problem = problemOf(line, booking.currency);
    if (problem !== null) return fieldRefusal('validation_failed', 'account_id', problem);
    const isReturn = line.amountCents < 0n;
    const original = isReturn ? await setOriginalOf(transaction, { ...line, accountId }) : null;
    if (original?.type === 'none') return refusal('topup_not_found');
    const topupNumber = original?.type === 'credited' ? original.line.topupNumber : null;
    await transaction.query(setAccount, [id, accountId, topupNumber]);
    await log(transaction, 'bank_line.assign', line, { account_id: accountId }, actor);
    return null;
  });
  if (refused !== null) return refused;
  await bookBankLines(booking, [id]);
  return (await findBankLine(booking.database, id)) ?? refusal('bank_line_not_found');
}

export function ignoreBankLine(
  database: Database,
  id: number,
  note: string | null,
  actor: BankActor,
): Promise<BankLineRow | Refusal> {
  return database.transaction(async (transaction) => {
    const line = await lockLine(transaction, id);
    if (line === null) return refusal('bank_line_not_found');
    if (line.status === 'ignored') return line;
    if (!open.includes(line.status)) return refusal('bank_line_settled', { status: line.status });
    await transaction.query(setIgnored, [id]);
    await log(transaction, 'bank_line.ignore', line, note === null ? {} : { note }, actor);
    return { ...line, status: 'ignored' };
  });
}

async function lockLine(transaction: Queryable, id: number): Promise<BankLineRow | null> {
  const [row] = await transaction.query(lockOne, [id]);
  return row === undefined ? null : bankLines.parse(row);
}

function problemOf({ amountCents, currency }: BankLineRow, ours: string): string | null {
  if (amountCents === 0n) return 'the line moves no money';
  return currency === ours ? null : `the line is in ${currency}, and balances are in ${ours}`;
}

function log(
  transaction: Queryable,
  action: string,
  { id, status, amountCents, currency, bookedOn }: BankLineRow,
  more: { readonly account_id?: number; readonly note?: string },
  actor: BankActor,
): Promise<void> {
  const after = { amount: formatAmount(amountCents), currency, booked_on: bookedOn, ...more };
  const entry = { ...actor, action, subject: `bank line ${id}`, before: { status }, after };
  return appendAudit(transaction, entry, actor.now);
}
