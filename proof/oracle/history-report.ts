// Labels of the events in histories, their distribution, and a failing history as a table.

import { groups, type PlayedHistory, packageTemplates, type Request, type Step } from './histories.ts';
import type { Order } from './oracle.ts';
import type { SettleOutcome } from './oracle-handoff.ts';
import type { PlanChangeOutcome } from './oracle-life.ts';
import type { Refusal } from './oracle-request.ts';

/** "place 201 change", "renew idempotency_conflict", "renewal 201, missed": for counting. */
function labelsOf({ request, expected, notes }: Step): readonly string[] {
  if (expected.type === 'done' || expected.type === 'packages') return [request.type];
  if (expected.type === 'renewals') {
    if (expected.attempts.length === 0) return ['jobs'];
    return expected.attempts.flatMap((attempt) => {
      const { endsAt, outcome } = attempt;
      const what = 'code' in outcome ? refusalLabel(outcome) : '201';
      const isMissed = 'order' in outcome && outcome.order.createdAt >= endsAt;
      const isHeld = 'order' in outcome && outcome.order.priceRule.rule === 'held';
      const label = `renewal ${what}${waits(outcome)}${isMissed ? ' of an end that was missed' : ''}`;
      return isHeld ? [label, 'renewal at a held price'] : [label];
    });
  }
  const { outcome } = expected;
  const asked = nameOf(request);
  if ('code' in outcome) return [`${asked} ${refusalLabel(outcome)}`, ...notes];
  if (expected.type === 'plan') {
    const { status, replayed, refundCents } = expected.outcome as Exclude<PlanChangeOutcome, Refusal>;
    const at = request.type === 'cancel' ? ` ${request.body?.['at']}` : '';
    const how = replayed ? ', replayed' : refundCents > 0n ? ' with a refund' : '';
    return [`${request.type} ${status}${at}${how}`, ...notes];
  }
  if (expected.type === 'settle') {
    const { order, replayed } = expected.outcome as Exclude<SettleOutcome, Refusal>;
    return [`${request.type} 200 ${order.status}${replayed ? ', replayed' : ''}`, ...notes];
  }
  if (expected.type === 'list')
    return [`${request.type} 200${'replayed' in outcome && outcome.replayed ? ', replayed' : ''}`];
  if (expected.type === 'status' || expected.type === 'reference') return [`${request.type} 200`, ...notes];
  const isGiven = !('given' in outcome) || outcome.given || outcome.replayed;
  const kind = 'order' in outcome ? ` ${outcome.order.kind}` : isGiven ? '' : ' running already';
  const refund = 'order' in outcome && outcome.order.refundCents > 0n ? ' with a refund' : '';
  const replayed = 'replayed' in outcome && outcome.replayed;
  const status = 'status' in outcome ? outcome.status : 201;
  return [`${asked} ${status}${kind}${replayed ? ', replayed' : refund + waits(outcome)}`, ...notes];
}

function nameOf(request: Request): string {
  const isOfCustomer = request.type === 'renew' && request.order.kind === 'customer';
  return isOfCustomer ? 'renew_customer' : request.type;
}

function heardOf({ owed }: Step): readonly string[] {
  return owed.map(({ text }) => `emitted ${text.split(' ', 1)[0]}`);
}

function waits(outcome: object): string {
  const isPending = 'order' in outcome && (outcome as { order: Order }).order.status === 'pending';
  return isPending ? ', pending' : '';
}

function refusalLabel({
  code,
  details,
}: {
  readonly code: string;
  readonly details: Readonly<Record<string, string>>;
}): string {
  const reason = details['reason'] === undefined ? '' : ` ${details['reason']}`;
  if (details['periods'] !== undefined) return `${code} of a period not sold`;
  const field = details['field'] === undefined ? '' : ` (${details['field']})`;
  return `${code}${reason}${field}`;
}

/** A run without all of these labels proves less than it claims. */
const labelsOfEveryRun: readonly string[] = [
  'place 201 activate',
  'place 201 renew',
  'place 201 change',
  'place 201 change with a refund',
  'place 201 activate, replayed',
  'place 201 renew, replayed',
  'place 201 change, replayed',
  'renew 201 renew',
  'renew 201 renew, replayed',
  'place idempotency_conflict',
  'renew idempotency_conflict',
  'place invalid_idempotency_key (idempotency_key)',
  'renew invalid_idempotency_key (idempotency_key)',
  'place invalid_json (customer_name)',
  'place invalid_json (return_login)',
  'place invalid_package (package_id)',
  'place invalid_customer (customer)',
  'place invalid_customer (customer_name)',
  'place invalid_months (months)',
  'place invalid_months (period)',
  'renew invalid_months (months)',
  'place package_unavailable (package_id)',
  'place customer_not_yours',
  'place invalid_max_charge (max_charge)',
  'renew invalid_max_charge (max_charge)',
  'place price_changed',
  'renew price_changed',
  'place insufficient_credit',
  'renew insufficient_credit',
  'place order_failed term_too_long',
  'renew order_failed term_too_long',
  'renew order_failed plan_changed',
  'renew order_not_found',
  'renew_customer 201 renew',
  'renew_customer 201 renew, replayed',
  'renew_customer 201 renew, pending',
  'renew_customer idempotency_conflict',
  'renew_customer customer_not_found',
  'renew_customer order_failed order_pending',
  'renew_customer order_not_found',
  'renew_customer package_unavailable free_trial',
  'credit 201',
  'credit 201, replayed',
  'credit idempotency_conflict',
  'credit insufficient_credit',
  'trial 201',
  'trial 201 running already',
  'trial 201, replayed',
  'trial idempotency_conflict',
  'trial trial_already_granted',
  'trial customer_not_yours',
  'trial order_failed plan_running',
  'trial package_unavailable (package_id)',
  'group',
  'prices',
  'schedule 201',
  'schedule 201, replayed',
  'schedule validation_failed (from)',
  'schedule package_unavailable',
  'schedule price_already_scheduled',
  'unschedule 204',
  'unschedule price_not_found',
  'unschedule price_has_begun',
  'list 200',
  'list 200, replayed',
  'list validation_failed (from)',
  'list validation_failed (until)',
  'list validation_failed (prices.0.package_id)',
  'list validation_failed (prices.1.package_id)',
  'list price_already_scheduled',
  'unlist 200',
  'unlist price_not_found',
  'unlist price_has_begun',
  'price of a list by name',
  'price of a list by percent',
  'held price, bought before',
  'held price, never bought',
  'held price above that of others',
  'held price below that of others',
  'held price before a list',
  'hold given up by activate',
  'hold given up by change',
  'hold given up by renew',
  'no hold for this group or period',
  'renewal at a held price',
  'retire',
  'periods',
  ...['place', 'renew', 'renew_customer', 'auto_renew', 'renewal'].map(
    (type) => `${type} invalid_months of a period not sold`,
  ),
  'wait',
  'block',
  'halt',
  'place order_failed account_halted',
  'renew order_failed account_halted',
  'credit order_failed account_halted',
  'trial order_failed account_halted',
  'cancel order_failed account_halted',
  'renewal order_failed account_halted',
  'close',
  'credit account_closed',
  'trial account_closed',
  'jobs',
  'status 200',
  'cancel 200 now with a refund',
  'cancel of several prices',
  'cancel 200 now',
  'cancel 200 now, replayed',
  'cancel 200 period_end',
  'cancel 200 period_end, replayed',
  'place in the second of a cancel',
  'suspend 200',
  'suspend 200, replayed',
  'resume 200',
  'resume 200, replayed',
  'auto_renew 200',
  'auto_renew 200, replayed',
  'auto_renew_off 200',
  'auto_renew_off 200, replayed',
  'renewal 201',
  'renewal 201 of an end that was missed',
  'renewal insufficient_credit',
  'renewal price_changed',
  'renewal account_blocked',
  ...(['cancel', 'suspend', 'resume', 'auto_renew', 'auto_renew_off'] as const).flatMap((type) => [
    `${type} customer_not_found`,
    `${type} idempotency_conflict`,
    `${type} invalid_idempotency_key (idempotency_key)`,
  ]),
  'cancel account_blocked',
  'cancel invalid_json',
  'cancel validation_failed (at)',
  'cancel order_failed plan_not_running',
  'suspend validation_failed (reason)',
  'auto_renew invalid_months (months)',
  'auto_renew invalid_max_charge (max_charge)',
  'auto_renew validation_failed (hours_before)',
  'auto_renew order_failed plan_not_running',
  'auto_renew package_unavailable free_trial',
  'mode',
  'place 201 activate, pending',
  'place 201 renew, pending',
  'place 201 change, pending',
  'place 201 change with a refund, pending',
  'renew 201 renew, pending',
  'renewal 201, pending',
  'renewal 201, pending of an end that was missed',
  ...(['place', 'renew', 'trial', 'cancel', 'auto_renew', 'auto_renew_off', 'renewal'] as const).map(
    (type) => `${type} order_failed order_pending`,
  ),
  'suspend while an order waits',
  'resume while an order waits',
  'replay of what is pending',
  'replay of what is completed',
  'replay of what is failed',
  'settle_order order_not_found',
  'settle_order order_failed account_halted',
  ...(['completed', 'failed'] as const).flatMap((outcome) => [
    `settle_order 200 ${outcome}`,
    `settle_order 200 ${outcome}, replayed`,
    `${outcome} the whole of a refund`,
    `${outcome} a part of a refund`,
    `${outcome} a refund and no price`,
    `${outcome} less on the balance than was given`,
    `${outcome} after 72 hours`,
    `${outcome} after the end of the plan before`,
    `${outcome} after the end of its own`,
    `${outcome} by the service`,
    `${outcome} of a plan that is suspended`,
    `${outcome} of a plan that is to end`,
    `${outcome} of a plan that was cancelled`,
    `${outcome} of no one’s before`,
    `${outcome} in another mode`,
    `${outcome} of a blocked account`,
  ]),
  ...[
    ...[
      'order.completed',
      'order.failed',
      'plan.activated',
      'plan.renewed',
      'plan.changed',
      'plan.suspended',
    ],
    ...['plan.resumed', 'plan.cancelled', 'customer.created', 'renewal.failed', 'balance.credited'],
    ...['balance.debited', 'balance.low'],
  ].map((type) => `emitted ${type}`),
];

const labelsOfPayments: readonly string[] = [
  'receive_payment 201',
  'receive_payment 201, replayed',
  'receive_payment idempotency_conflict',
  'reverse_payment 201',
  'reverse_payment 201, replayed',
  'reverse_payment idempotency_conflict',
  'reverse_payment topup_not_found',
  'reverse_payment refund_too_large',
  'reverse_payment insufficient_credit',
  'reinstate_payment 201',
  'reinstate_payment 201, replayed',
  'reinstate_payment reversal_not_found',
  'write_off_receivable 201',
  'write_off_receivable 201, replayed',
  'write_off_receivable idempotency_conflict',
  'write_off_receivable validation_failed (amount)',
  ...(['receive_payment', 'reverse_payment', 'reinstate_payment', 'write_off_receivable'] as const).map(
    (type) => `${type} order_failed account_halted`,
  ),
  ...(['credit', 'receive_payment', 'reinstate_payment'] as const).flatMap((type) => [
    `settled by ${type}`,
    `${type} again that settled`,
  ]),
  'settled several reversals at once',
  'settled a part',
  'settled by the second credit',
  'settled by the third credit or a later one',
  'settled beside a balance',
  'settled what was written off in part',
  'reversed within the balance',
  'reversed more than the balance',
  'reversed with an empty balance',
  'reversed beside other receivables',
  'reversed a part of a payment again',
  'reversed again what was won',
  'won after a settlement',
  'won after a write-off',
  'won after a settlement and a write-off',
  'won what is still open',
  'won without an entry',
  'won a refund',
  'wrote off a part',
  'wrote off all',
  'wrote off several reversals',
  'wrote off after a settlement',
  'receive_payment again after a reversal',
  'reverse_payment again after a settlement',
  'reverse_payment again after a write-off',
  'reverse_payment again after a win',
  'reinstate_payment again after a settlement',
  'reinstate_payment again after a write-off',
  'write_off_receivable again after a win',
  'order while money is owed',
  'refund of a cancel while money is owed',
];

export type Distribution = Map<string, number>;

export function countLabels(steps: readonly Step[], into: Distribution): void {
  const labels = [...steps.flatMap(labelsOf), ...steps.flatMap(heardOf)];
  for (const label of labels) into.set(label, (into.get(label) ?? 0) + 1);
}

export function missingLabels(counted: ReadonlyMap<string, number>): string[] {
  return labelsOfEveryRun.filter((label) => !counted.has(label));
}

export function rarePaymentLabels(counted: ReadonlyMap<string, number>, times: number): string[] {
  return labelsOfPayments.filter((label) => (counted.get(label) ?? 0) < times);
}

export function formatDistribution(counted: ReadonlyMap<string, number>): string {
  const total = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const rows = [...counted].sort(([, a], [, b]) => b - a);
  return rows
    .map(([label, count]) => {
      const percent = ((100 * count) / total).toFixed(2);
      return `${String(count).padStart(10)} ${percent.padStart(6)} %  ${label}`;
    })
    .join('\n');
}

/** The history as a table; `answers` are those that differ from the oracle's, by step. */
export function formatHistory(played: PlayedHistory, problems: ReadonlyMap<number, string>): string {
  const names = new Map(played.naming.packageIds.map((id, slot) => [id, packageTemplates[slot]?.name]));
  const packages = played.naming.packageIds.map((id) => `${id} ${names.get(id)}`).join(', ');
  const accounts = groups.map((group, account) => `${account} ${group}`).join(', ');
  const lines = played.steps.map((step, index) => {
    const time = new Date(step.at * 1000).toISOString().slice(0, 19);
    const problem = problems.get(index);
    const mark = problem === undefined ? '' : `\n      >>> ${problem}`;
    return `${String(index).padStart(4)}  ${time}  ${formatRequest(step.request)}\n      oracle: ${formatExpected(step)}${mark}`;
  });
  return [`accounts: ${accounts}`, `packages: ${packages}`, ...lines].join('\n');
}

function formatRequest(request: Request): string {
  const { type, ...rest } = request;
  return `${type} ${toText(rest)}`;
}

function formatExpected(step: Step): string {
  const { expected } = step;
  if (expected.type === 'packages') return `packages ${toText(expected.views)}`;
  if (expected.type === 'done') return 'done';
  const what = expected.type === 'renewals' ? expected.attempts : expected.outcome;
  return `${labelsOf(step).join(', ')} ${toText(what)}`;
}

export function toText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? `${member}c` : member,
  );
}
