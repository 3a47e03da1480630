// Money that came or went at the provider and could not be booked. The operator sees it until it is booked or dismissed. The
// only writer of payment_problems.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import {
  cents,
  describeTable,
  int,
  nullableTime,
  oneOf,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { problemReasons } from '../../shared/topup-words.ts';

const paymentProblems = describeTable('payment_problems', {
  id: int('id'),
  /** The payment, refund or dispute at the provider: "stripe:pi_…". */
  objectRef: text('object_ref'),
  accountId: int('account_id'),
  topupNumber: int('topup_number'),
  reason: oneOf('reason', problemReasons),
  amountCents: cents('amount_cents'),
  currency: text('currency'),
  createdAt: time('created_at'),
  resolvedAt: nullableTime('resolved_at'),
});

export type PaymentProblem = RowOf<typeof paymentProblems>;

const insert = paymentProblems
  .without('id')
  .insert(
    'keep_payment_problem',
    'on conflict (object_ref) do update set reason = excluded.reason, resolved_at = null where payment_problems.reason <> excluded.reason',
  );

export async function keepProblem(
  database: Queryable,
  problem: Omit<PaymentProblem, 'id' | 'resolvedAt'>,
): Promise<void> {
  await writeRows(database, insert, [{ ...problem, resolvedAt: null }]);
}

const resolve: SqlStatement = {
  name: 'resolve_payment_problem',
  text: 'delete from payment_problems where object_ref = $1::text and resolved_at is null',
};

/** Removes the problem of an object that was booked after all. */
export async function resolveProblem(database: Queryable, objectRef: string): Promise<void> {
  await database.query(resolve, [objectRef]);
}

const dismiss: SqlStatement = {
  name: 'dismiss_payment_problem',
  text: `update payment_problems p set resolved_at = to_timestamp($2::bigint)
    where p.id = $1::int and p.resolved_at is null returning ${paymentProblems.list('p')}`,
};

const findOne: SqlStatement = {
  name: 'find_payment_problem',
  text: `select ${paymentProblems.list('p')} from payment_problems p where p.id = $1::int`,
};

/** The operator has seen to it. Dismissing it again changes nothing. Refusals: payment_problem_not_found. */
export function dismissProblem(
  database: Database,
  id: number,
  note: string,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<PaymentProblem | Refusal> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(dismiss, [id, now]);
    if (row === undefined) {
      const [earlier] = await transaction.query(findOne, [id]);
      return earlier === undefined ? refusal('payment_problem_not_found') : paymentProblems.parse(earlier);
    }
    const problem = paymentProblems.parse(row);
    const before = {
      reason: problem.reason,
      reference: problem.objectRef,
      amount: formatAmount(problem.amountCents),
    };
    await appendAudit(
      transaction,
      {
        ...author,
        action: 'payment_problem.dismiss',
        subject: `payment problem ${id}`,
        before,
        after: { note },
      },
      now,
    );
    return problem;
  });
}

const listOfAccounts: SqlStatement = {
  name: 'list_payment_problems_of_accounts',
  text: `select ${paymentProblems.list('p')} from payment_problems p
    where p.resolved_at is null and p.account_id = any($1::int[])`,
};

export async function listProblemsOf(
  database: Queryable,
  accountIds: readonly number[],
): Promise<PaymentProblem[]> {
  if (accountIds.length === 0) return [];
  const rows = await database.query(listOfAccounts, [numberArray(accountIds)]);
  return rows.map((row) => paymentProblems.parse(row));
}

const listOpen: SqlStatement = {
  name: 'list_open_payment_problems',
  text: `select ${paymentProblems.list('p')} from payment_problems p where p.resolved_at is null and p.id > $1::int
    order by p.id limit $2::int`,
};

/** Oldest first. */
export async function listOpenProblems(
  database: Queryable,
  after: number,
  limit: number,
): Promise<PaymentProblem[]> {
  return (await database.query(listOpen, [after, limit])).map((row) => paymentProblems.parse(row));
}

const countedMax = 1_000;

const countOpen: SqlStatement = {
  name: 'count_open_payment_problems',
  text: `select count(*) as count from (
    select 1 from payment_problems where resolved_at is null limit ${countedMax + 1}) p`,
};

export async function countOpenProblems(database: Queryable): Promise<BoundedCount> {
  const [row] = await database.query(countOpen);
  const count = Number(row?.['count']);
  return { count: Math.min(count, countedMax), more: count > countedMax };
}
