// Takes the balance of a closed account through the engine, and writes off what it owes.
// Invariant: both have the key of the closing, so however often this runs, one entry takes the balance.

import type { ActingParty, AuditAuthor } from '../../platform/audit-log/actor.ts';
import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { bigint, nullable, oneOf } from '../../platform/database/row-values.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { isJsonObject } from '../../shared/json.ts';
import { writeClosing } from '../identity/account-row.ts';
import type { CreditAccount, WriteOffReceivable } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { type ClosingBalance, closingBalances } from './closing-schemas.ts';

/** The balance may fall between reading and taking it, if a payment goes back. */
const attemptsMax = 5;

const findClosing: SqlStatement = {
  name: 'find_closing',
  text: `select a.id, a.closing, a.balance_cents, a.receivable_cents,
      (select -e.amount_cents from ledger_entries e
        where e.account_id = a.id and e.idempotency_key = a.closing->>'key') as taken_cents,
      (select sum(w.amount_cents)::bigint from write_offs w
        where w.account_id = a.id and w.idempotency_key = a.closing->>'key') as written_off_cents
    from accounts a where a.id = $1::int and a.closing is not null`,
};

const listUnsettled: SqlStatement = {
  name: 'list_unsettled_closings',
  text: `select a.id from accounts a where a.closed_at is not null and a.closing->>'amount' is null order by a.id limit 100`,
};

export interface Closing {
  readonly balance: ClosingBalance;
  readonly memo: string;
  readonly amount: string;
  readonly writtenOff: string;
}

interface SettleDependencies {
  readonly database: Database;
  readonly engine: OrderEngine;
}

/** Returns null for an account that is not closed. @throws if the engine refuses for now; the job tries again */
export async function settleClosing(
  { database, engine }: SettleDependencies,
  accountId: number,
): Promise<Closing | null> {
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    const [row] = await database.ofAccount(accountId).query(findClosing, [accountId]);
    if (row === undefined) return null;
    const closing = parseClosing(row);
    if (closing.amount !== null && closing.writtenOff !== null)
      return { ...closing, amount: closing.amount, writtenOff: closing.writtenOff };
    const command = commandOf(accountId, closing);
    if (command !== null) {
      const outcome = await engine.submit(command);
      // A payment went back meanwhile, so the balance is smaller now.
      if (outcome.type === 'refused' && outcome.refusal.code !== 'insufficient_credit')
        throw new Error(`The balance of account ${accountId} was not taken: ${outcome.refusal.code}.`);
      continue;
    }
    const amounts = {
      amount: formatAmount(closing.takenCents ?? 0n),
      written_off: formatAmount(closing.writtenOffCents ?? 0n),
    };
    await writeClosing(database, accountId, { ...closing.stored, ...amounts });
  }
  throw new Error(`The balance of account ${accountId} was not taken.`);
}

/** For the job: closings that a crash left. Returns how many are left. */
export async function settleClosings(dependencies: SettleDependencies, signal: AbortSignal): Promise<number> {
  let left = 0;
  for (const group of dependencies.database.accountGroups()) {
    await eachInTurn(await group.query(listUnsettled), async (row) => {
      if (signal.aborted) left += 1;
      else await settleClosing(dependencies, Number(row['id']));
    });
  }
  return left;
}

function parseClosing(row: Row) {
  const stored = row['closing'];
  if (!isJsonObject(stored)) throw new Error('A closing is not an object.');
  const textOf = (name: string) => nullable(String, stored[name]);
  return {
    stored,
    balance: oneOf(closingBalances, stored['balance']),
    memo: String(stored['memo']),
    key: String(stored['key']),
    author: { actorId: Number(stored['actor_id']), by: actingParty(stored['by']) } satisfies AuditAuthor,
    amount: textOf('amount'),
    writtenOff: textOf('written_off'),
    balanceCents: bigint(row['balance_cents']),
    receivableCents: bigint(row['receivable_cents']),
    takenCents: nullable(bigint, row['taken_cents']),
    writtenOffCents: nullable(bigint, row['written_off_cents']),
  };
}

function actingParty(by: unknown): ActingParty | null {
  if (!isJsonObject(by)) return null;
  return { type: by['type'] === 'person' ? 'person' : 'key', id: Number(by['id']) };
}

/** Returns null if nothing is left to take. */
function commandOf(
  accountId: number,
  { key, memo, balance, author, ...cents }: ReturnType<typeof parseClosing>,
): CreditAccount | WriteOffReceivable | null {
  const keyed = { accountId, idempotencyKey: key, keyIsMinted: false };
  const said = `Account closed, ${balance === 'paid_out' ? 'paid out' : 'written off'}: ${memo}`;
  if (cents.writtenOffCents === null && cents.receivableCents > 0n)
    return { type: 'write_off_receivable', ...keyed, amountCents: null, memo: said, by: author };
  if (cents.takenCents === null && cents.balanceCents > 0n)
    return { type: 'credit', ...keyed, ...author, amountCents: -cents.balanceCents, memo: said };
  return null;
}
