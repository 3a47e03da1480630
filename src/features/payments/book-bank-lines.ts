// Books lines of bank statements that wait: credits what came, and takes back what was returned.
// Invariant: a line is stored with its top-up before the engine is asked, and marked after the engine has answered. The
// engine knows it by its key, so a crash in between, or another process at the same line, changes nothing.

import {
  byGroup,
  type Database,
  type Queryable,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { listWaiting, lockImports } from './bank-line-store.ts';
import { type BankLineRow, bankLines } from './bank-line-table.ts';
import { topupKey, topupsForTransfers } from './transfer-topups.ts';

export interface BankBooking {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly now: () => EpochSeconds;
}

export interface BookedBankLines {
  readonly credited: number;
  readonly returned: number;
  readonly unmatched: number;
}

/** As few as fit one batch of orders, because their accounts are locked together. */
const linesAtOnce = 200;

/**
 * Lines that do not wait any more are left out. `isOver`: whether the rest is left to the job.
 * @throws DatabaseUnavailable, Overloaded: the rest waits for the job
 */
export async function bookBankLines(
  booking: BankBooking,
  ids: readonly number[],
  isOver: () => boolean = () => false,
): Promise<BookedBankLines> {
  const counts = { credited: 0, returned: 0, unmatched: 0, waiting: 0 };
  const returns: number[] = [];
  for (let from = 0; from < ids.length && !isOver(); from += linesAtOnce) {
    const some = ids.slice(from, from + linesAtOnce);
    const { lines, returned } = await prepareCredits(booking, some);
    returns.push(...returned);
    const outcomes = await Promise.all(lines.map((line) => credit(booking, line)));
    const results = lines.map((line, place) => ({ line, ...resultOf(outcomes[place], 'credited') }));
    for (const status of await mark(booking, results)) counts[status] += 1;
  }
  // Money goes back after it came, also if one file has both.
  for (const id of returns) {
    if (isOver()) break;
    const prepared = await prepareReturn(booking, id);
    if (prepared === null) continue;
    const { line, outcome } = prepared;
    const result = { line, ...(outcome ?? resultOf(await takeBack(booking, line), 'returned')) };
    for (const status of await mark(booking, [result])) counts[status] += 1;
  }
  return counts;
}

/** A job that books what a crash, a blocked account or a long import left. @returns whether work is left */
export async function bookWaitingBankLines(booking: BankBooking, signal: AbortSignal): Promise<boolean> {
  for (let after = 0; ; ) {
    const ids = await listWaiting(booking.database, after, linesAtOnce);
    if (ids.length === 0) return false;
    if (signal.aborted) return true;
    await bookBankLines(booking, ids, () => signal.aborted);
    after = ids.at(-1) ?? after;
  }
}

const lockWaiting: SqlStatement = {
  name: 'lock_waiting_bank_lines',
  text: `select ${bankLines.list('b')} from bank_lines b where b.id = any($1::int[]) and b.status = 'waiting'
    order by b.id for no key update`,
};

const lockAccounts: SqlStatement = {
  name: 'lock_accounts_of_transfers',
  text: `select a.id, a.blocked from accounts a where a.id = any($1::int[]) order by a.id for no key update`,
};

const findTaken: SqlStatement = {
  name: 'find_topups_of_bank_lines',
  text: `select b.account_id, b.topup_number as number from bank_lines b
    where b.account_id = any($1::int[]) and b.topup_number is not null and b.status in ('waiting', 'unmatched')`,
};

const setTopups: SqlStatement = {
  name: 'set_topups_of_bank_lines',
  text: `update bank_lines b set topup_number = w.number
    from unnest($1::int[], $2::int[]) w (id, number) where b.id = w.id`,
};

const setReasons: SqlStatement = {
  name: 'set_reasons_of_bank_lines',
  text: `update bank_lines b set reason = $2::text where b.id = any($1::int[]) and b.reason is distinct from $2::text`,
};

/** Gives each credit its top-up. Money for blocked accounts waits until they are open again. */
function prepareCredits(
  { database, now }: BankBooking,
  ids: readonly number[],
): Promise<{ readonly lines: readonly BankLineRow[]; readonly returned: readonly number[] }> {
  return database.transaction(async (transaction) => {
    const waiting = (await transaction.query(lockWaiting, [numberArray(ids)])).map((row) =>
      bankLines.parse(row),
    );
    const returned = waiting.filter(({ amountCents }) => amountCents < 0n).map(({ id }) => id);
    const credits = waiting.filter(({ amountCents, accountId }) => amountCents > 0n && accountId !== null);
    const blocked = await lockAndFindBlocked(transaction, credits);
    const held = credits.filter((line) => blocked.has(accountOf(line)));
    if (held.length > 0)
      await transaction.query(setReasons, [numberArray(held.map(({ id }) => id)), 'account_blocked']);
    const open = credits.filter((line) => !blocked.has(accountOf(line)));
    const without = open.filter(({ topupNumber }) => topupNumber === null);
    if (without.length === 0) return { lines: open, returned };
    const ofAccounts = await transaction.query(findTaken, [numberArray(without.map(accountOf))]);
    const taken = new Set(
      ofAccounts.map((row) =>
        topupKey({ accountId: Number(row['account_id']), number: Number(row['number']) }),
      ),
    );
    const transfers = without.map((line) => ({
      lineId: line.id,
      accountId: accountOf(line),
      amountCents: line.amountCents,
    }));
    const numbers = await topupsForTransfers(transaction, transfers, taken, now());
    const given = [...numbers];
    await transaction.query(setTopups, [
      numberArray(given.map(([id]) => id)),
      numberArray(given.map(([, number]) => number)),
    ]);
    return {
      lines: open.map((line) => ({ ...line, topupNumber: numbers.get(line.id) ?? line.topupNumber })),
      returned,
    };
  });
}

async function lockAndFindBlocked(
  transaction: Queryable,
  lines: readonly BankLineRow[],
): Promise<ReadonlySet<number>> {
  const blocked = new Set<number>();
  for (const [accountId, ofGroup] of byGroup(transaction, lines, accountOf)) {
    const ids = numberArray([...new Set(ofGroup.map(accountOf))]);
    for (const row of await transaction.ofAccount(accountId).query(lockAccounts, [ids]))
      if (row['blocked'] === true) blocked.add(Number(row['id']));
  }
  return blocked;
}

function credit({ engine }: BankBooking, line: BankLineRow): Promise<OrderOutcome> {
  return engine.submit({
    type: 'receive_payment',
    accountId: accountOf(line),
    topupNumber: line.topupNumber ?? 0,
    paymentRef: nameOf(line),
    amountCents: line.amountCents,
    memo: memoOf(line),
  });
}

/**
 * The original has the same amount and the same end-to-end id, where both have one. A credit goes back once. Each arm of the
 * "or" has an index.
 */
const findOriginal: SqlStatement = {
  name: 'find_returned_bank_line',
  text: `select b.id, b.account_id, b.topup_number, b.status, b.reason from bank_lines b
    where (b.status = 'credited' and b.amount_cents = $1::bigint or b.status = 'waiting' and b.amount_cents = $1::bigint)
      and b.currency = $2::text
      and ($3::int is null or b.account_id = $3::int)
      and (b.end_to_end_id = $4::text or $3::int is not null and (b.end_to_end_id is null or $4::text is null))
      and not exists (select from bank_lines r where r.return_of = b.id)
    order by (b.end_to_end_id = $4::text) is true desc, b.status = 'credited' desc, b.booked_on desc, b.id desc
    limit 1`,
};

const setOriginal: SqlStatement = {
  name: 'set_original_of_bank_line',
  text: `update bank_lines set account_id = $2::int, topup_number = $3::int, return_of = $4::int where id = $1::int`,
};

interface PreparedReturn {
  readonly line: BankLineRow;
  /** null: it has a credited payment to take back. */
  readonly outcome: Result | null;
}

/** Finds the payment that went back. @returns null if the line does not wait any more */
function prepareReturn({ database }: BankBooking, id: number): Promise<PreparedReturn | null> {
  return database.transaction(async (transaction) => {
    await transaction.query(lockImports);
    const [row] = await transaction.query(lockWaiting, [numberArray([id])]);
    if (row === undefined) return null;
    const line = bankLines.parse(row);
    if (line.returnOf !== null) return { line, outcome: null };
    const original = await setOriginalOf(transaction, line);
    if (original.type === 'credited') return { line: original.line, outcome: null };
    return original.type === 'waiting'
      ? { line, outcome: { status: 'waiting', reason: original.reason } }
      : { line, outcome: { status: 'unmatched', reason: 'no_payment' } };
  });
}

/** The payment that a return takes back. `waiting`: it is not credited yet, so the return waits as well. */
export type OriginalOfReturn =
  | { readonly type: 'credited'; readonly line: BankLineRow }
  | { readonly type: 'waiting'; readonly reason: string | null }
  | { readonly type: 'none' };

/** The transaction must have locked imports, so that no other return takes the same payment. */
export async function setOriginalOf(transaction: Queryable, line: BankLineRow): Promise<OriginalOfReturn> {
  const { id, amountCents, currency, accountId, endToEndId } = line;
  const [found] = await transaction.query(findOriginal, [-amountCents, currency, accountId, endToEndId]);
  if (found === undefined) return { type: 'none' };
  if (found['status'] === 'waiting') {
    const reason = found['reason'];
    return { type: 'waiting', reason: reason === null ? null : String(reason) };
  }
  const original = { accountId: Number(found['account_id']), topupNumber: Number(found['topup_number']) };
  const returnOf = Number(found['id']);
  await transaction.query(setOriginal, [id, original.accountId, original.topupNumber, returnOf]);
  return { type: 'credited', line: { ...line, ...original, returnOf } };
}

function takeBack({ engine }: BankBooking, line: BankLineRow): Promise<OrderOutcome> {
  return engine.submit({
    type: 'reverse_payment',
    accountId: accountOf(line),
    topupNumber: line.topupNumber ?? 0,
    cause: nameOf(line),
    kind: 'return',
    amountCents: -line.amountCents,
    allowReceivable: true,
    by: null,
  });
}

interface Result {
  readonly status: 'credited' | 'returned' | 'unmatched' | 'waiting';
  readonly reason: string | null;
}

function resultOf(outcome: OrderOutcome | undefined, done: 'credited' | 'returned'): Result {
  if (outcome?.type === 'payment_moved') return { status: done, reason: null };
  if (outcome?.type !== 'refused') throw new Error(`Expected a moved payment, got "${outcome?.type}".`);
  const { code, details } = outcome.refusal;
  const isHalted = code === 'order_failed' && details['reason'] === 'account_halted';
  return isHalted
    ? { status: 'waiting', reason: 'account_halted' }
    : { status: 'unmatched', reason: 'not_bookable' };
}

const writeResult: SqlStatement = {
  name: 'settle_bank_lines',
  text: `update bank_lines b set status = $2::text, reason = $3::text, settled_at = to_timestamp($4::bigint)
    where b.id = any($1::int[]) and b.status = 'waiting' returning b.id`,
};

/** @returns what became of the lines that this process settled */
async function mark(
  { database, now }: BankBooking,
  results: readonly (Result & { readonly line: BankLineRow })[],
): Promise<Result['status'][]> {
  const settled: Result['status'][] = [];
  // One statement for each result: joined with a list of results, a table without statistics would be read once for each.
  for (const [, alike] of Map.groupBy(results, ({ status, reason }) => `${status} ${reason}`)) {
    const [{ status, reason } = { status: 'waiting', reason: null } as const] = alike;
    const settledAt = status === 'credited' || status === 'returned' ? now() : null;
    const ids = numberArray(alike.map(({ line }) => line.id));
    const rows = await database.query(writeResult, [ids, status, reason, settledAt]);
    settled.push(...rows.map(() => status));
  }
  return settled;
}

/** The payment's name in the ledger. */
function nameOf({ lineKey }: Pick<BankLineRow, 'lineKey'>): string {
  return `bank:${lineKey}`;
}

function memoOf({ payerName, bookedOn }: BankLineRow): string {
  return payerName === null || payerName === ''
    ? `Transfer of ${bookedOn}`
    : `Transfer of ${bookedOn}, ${payerName}`;
}

function accountOf({ accountId }: BankLineRow): number {
  if (accountId === null) throw new Error('A bank line without an account cannot be booked.');
  return accountId;
}
