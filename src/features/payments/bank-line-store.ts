// Lines of bank statements: stored once each, read in lists. Only this file and book-bank-lines.ts write bank_lines.

import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { writeRows } from '../../platform/database/table.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { Page } from '../../shared/pages.ts';
import type { BankLineStatus } from '../../shared/topup-words.ts';
import type { actorOf } from '../identity/principal.ts';
import type { KeyedBankLine } from './bank/bank-line-key.ts';
import { type BankLineMatch, matchBankLine } from './bank/match-bank-line.ts';
import { accountIdOfReference } from './bank/rf-reference.ts';
import { type BankLineRow, bankLines } from './bank-line-table.ts';

export type BankActor = ReturnType<typeof actorOf>;

export interface StoredBankLines {
  readonly newCount: number;
  readonly knownCount: number;
  /** Lines of the file that wait to be booked, also from an earlier import that did not come to its end. */
  readonly waitingIds: readonly number[];
  readonly unmatchedCount: number;
}

interface LinesToStore {
  readonly iban: string;
  readonly currency: string;
  readonly lines: readonly KeyedBankLine[];
  /** Accounts that the references in the lines name. */
  readonly accountIds: readonly number[];
}

/** Imports at the same time wait for each other, so that two forms of one booking are never both new. */
export const lockImports: SqlStatement = {
  name: 'lock_bank_imports',
  text: 'select p.bank_iban from payment_settings p for no key update',
};

const findKnown: SqlStatement = {
  name: 'find_known_bank_lines',
  text: `select b.id, b.line_key, b.whole_key, b.status from bank_lines b where b.line_key = any($1::text[])
    union
    select b.id, b.line_key, b.whole_key, b.status from bank_lines b where b.whole_key = any($1::text[])`,
};

const findExisting: SqlStatement = {
  name: 'find_existing_accounts',
  text: 'select a.id from accounts a where a.id = any($1::int[]) and a.test_of is null',
};

const insert = bankLines.without('id').insert('insert_bank_lines', 'returning id, status');
const rowsAtOnce = 1_000;

/** Refusals: payment_method_off, if the account was changed meanwhile. */
export async function storeBankLines(
  database: Database,
  { iban, currency, lines, accountIds }: LinesToStore,
  actor: BankActor,
): Promise<StoredBankLines | Refusal> {
  const existing = await findAccounts(database, accountIds);
  return database.transaction(async (transaction) => {
    const [settings] = await transaction.query(lockImports);
    if (settings?.['bank_iban'] !== iban) return refusal('payment_method_off', { method: 'bank_transfer' });
    const { fresh, waitingIds } = await separate(transaction, lines);
    const rows = fresh.map((one) => rowOf(one, currency, existing, actor.now));
    const stored: Row[] = [];
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      stored.push(...(await writeRows(transaction, insert, rows.slice(from, from + rowsAtOnce))));
    const unmatchedCount = rows.filter(({ status }) => status === 'unmatched').length;
    const counts = { new: rows.length, known: lines.length - rows.length, unmatched: unmatchedCount };
    const audit = {
      action: 'bank_statement.import',
      subject: `bank account ${iban}`,
      before: null,
      after: counts,
    };
    if (rows.length > 0) await appendAudit(transaction, { ...actor, ...audit }, actor.now);
    const added = stored.filter(({ status }) => status === 'waiting').map(({ id }) => Number(id));
    return {
      newCount: counts.new,
      knownCount: counts.known,
      waitingIds: [...waitingIds, ...added],
      unmatchedCount,
    };
  });
}

async function findAccounts(database: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await queryShards(database, findExisting, [], { accounts: ids });
  return new Set(rows.map(({ id }) => Number(id)));
}

/** A line is known under its own key, under that of the whole booking, or as the whole of stored parts. */
async function separate(
  transaction: Queryable,
  lines: readonly KeyedBankLine[],
): Promise<{ readonly fresh: readonly KeyedBankLine[]; readonly waitingIds: readonly number[] }> {
  const keys = new Set(lines.flatMap(({ key, wholeKey }) => (wholeKey === null ? key : [key, wholeKey])));
  const known = await transaction.query(findKnown, [textArray([...keys])]);
  const waitingIds = known.filter(({ status }) => status === 'waiting').map(({ id }) => Number(id));
  const lineKeys = new Set(known.map((row) => String(row['line_key'])));
  const wholeKeys = new Set(
    known.flatMap((row) => (row['whole_key'] === null ? [] : String(row['whole_key']))),
  );
  const fresh = lines.filter(({ key, wholeKey }) => {
    const isInOtherForm = wholeKeys.has(key) || (wholeKey !== null && lineKeys.has(wholeKey));
    if (lineKeys.has(key) || isInOtherForm) return false;
    lineKeys.add(key);
    if (wholeKey !== null) wholeKeys.add(wholeKey);
    return true;
  });
  return { fresh, waitingIds };
}

function rowOf(
  { line, key, wholeKey }: KeyedBankLine,
  currency: string,
  existing: ReadonlySet<number>,
  now: number,
): Omit<BankLineRow, 'id'> {
  const accountOf = (reference: string) => {
    const id = accountIdOfReference(reference);
    return id !== null && existing.has(id) ? id : null;
  };
  const match = matchBankLine(line, currency, accountOf);
  return {
    lineKey: key,
    wholeKey,
    bookedOn: line.bookedOn,
    amountCents: line.amountCents,
    currency: clean(line.currency, 3),
    payerName: orNull(line.payerName, 200),
    payerIban: orNull(line.payerIban, 64),
    remittance: clean(line.text, 2_000),
    reference: orNull(line.reference, 500),
    endToEndId: orNull(line.endToEndId, 200),
    bankId: orNull(line.bankId, 200),
    isReturn: line.isReturn,
    ...stateOf(match),
    topupNumber: null,
    returnOf: null,
    importedAt: now,
    settledAt: null,
  };
}

function stateOf(match: BankLineMatch): Pick<BankLineRow, 'status' | 'reason' | 'accountId'> {
  switch (match.kind) {
    case 'account':
      return { status: 'waiting', reason: null, accountId: match.accountId };
    case 'return': {
      const [accountId] = match.accountIds;
      const known = match.accountIds.length === 1 && accountId !== undefined ? accountId : null;
      // It can be a refund that the operator sent and has recorded already.
      if (!match.isMarked) return { status: 'unmatched', reason: 'not_marked_as_return', accountId: null };
      return { status: 'waiting', reason: null, accountId: known };
    }
    case 'unmatched':
      return { status: 'unmatched', reason: match.reason, accountId: null };
    default:
      return match satisfies never;
  }
}

/** Files may hold texts of any length, and characters that the database refuses. */
function clean(text: string, lengthMax: number): string {
  return text.replaceAll('\0', '').toWellFormed().slice(0, lengthMax).toWellFormed();
}

function orNull(text: string | null, lengthMax: number): string | null {
  return text === null ? null : clean(text, lengthMax);
}

const findOne: SqlStatement = {
  name: 'find_bank_line',
  text: `select ${bankLines.list('b')} from bank_lines b where b.id = $1::int`,
};

export async function findBankLine(database: Queryable, id: number): Promise<BankLineRow | null> {
  const [row] = await database.query(findOne, [id]);
  return row === undefined ? null : bankLines.parse(row);
}

const findPage: SqlStatement = {
  name: 'list_bank_lines',
  text: `select ${bankLines.list('b')} from bank_lines b where $1::text is null or b.status = $1::text
    order by b.id desc limit $2::int offset $3::bigint`,
};

const countAll: SqlStatement = {
  name: 'count_bank_lines',
  text: 'select count(*) as total from bank_lines b where $1::text is null or b.status = $1::text',
};

/** Newest first. */
export async function listBankLines(
  database: Queryable,
  status: BankLineStatus | null,
  { page, limit }: Page,
): Promise<{ readonly lines: readonly BankLineRow[]; readonly total: number }> {
  const offset = Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit);
  const [rows, [counted]] = await Promise.all([
    database.query(findPage, [status, limit, offset]),
    database.query(countAll, [status]),
  ]);
  return { lines: rows.map((row) => bankLines.parse(row)), total: Number(counted?.['total']) };
}

const findWaiting: SqlStatement = {
  name: 'list_waiting_bank_lines',
  text: `select b.id from bank_lines b where b.status = 'waiting' and b.id > $1::int order by b.id limit $2::int`,
};

export async function listWaiting(database: Queryable, after: number, limit: number): Promise<number[]> {
  return (await database.query(findWaiting, [after, limit])).map(({ id }) => Number(id));
}

const countOf: SqlStatement = {
  name: 'count_waiting_bank_lines',
  text: `select count(*) as waiting from bank_lines b where b.id = any($1::int[]) and b.status = 'waiting'`,
};

/** How many of these lines still wait. */
export async function countWaiting(database: Queryable, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const [row] = await database.query(countOf, [numberArray(ids)]);
  return Number(row?.['waiting']);
}
