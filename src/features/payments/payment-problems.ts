// Money that came or went at the provider and could not be booked. The operator sees it until it is booked or dismissed. The
// only writer of payment_problems.

import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
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
import type { EpochSeconds } from '../../shared/times.ts';

export const problemReasons = [
  'unknown_topup',
  'amount_differs',
  'currency_differs',
  'second_payment',
  'account_blocked',
  'account_halted',
  'not_bookable',
] as const;
export type ProblemReason = (typeof problemReasons)[number];

/** These end by themselves, once the account is open again. */
export const waitingReasons: readonly ProblemReason[] = ['account_blocked', 'account_halted'];

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
  text: `update payment_problems set resolved_at = to_timestamp($2::bigint)
    where object_ref = $1::text and resolved_at is null`,
};

/** Does nothing if there is none. */
export async function resolveProblem(
  database: Queryable,
  objectRef: string,
  now: EpochSeconds,
): Promise<void> {
  await database.query(resolve, [objectRef, now]);
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
