// Checks that an account's history follows the rules: replays each customer's orders and plan changes through the decide
// functions (replay-history.ts). There are no false alarms while orders continue, because rows are numbered and immutable,
// and one statement reads the last of them together with the customer's row.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { refusedAsReserved } from '../../shared/customer-references.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { groups } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { fingerprintOf } from '../order-engine/decisions/fingerprint.ts';
import {
  customers,
  isErased,
  lifeColumns,
  lifeOf,
  wholeCustomers,
} from '../order-engine/records/customer-table.ts';
import { orders } from '../order-engine/records/order-table.ts';
import { planChanges } from '../order-engine/records/plan-change.ts';
import type { PastOrder } from './past-orders.ts';
import type { LoggedDetails, PastReader } from './past-packages.ts';
import { createReplay, type Deviation, type Replay } from './replay-history.ts';
import type { Findings } from './verification-findings.ts';
import type { AuditLimits } from './verification-limits.ts';

const pastOrders = orders.pick(
  'number',
  'packageId',
  'months',
  'kind',
  'priceCents',
  'refundCents',
  'balanceAfterCents',
  'createdAt',
  'expiresAt',
  'fingerprint',
  'priceRule',
);
const pastChanges = planChanges.pick(
  'number',
  'kind',
  'createdAt',
  'byParty',
  'isEmpty',
  'packageId',
  'expiresAt',
  'planStatus',
  'isSuspended',
  'orderNumber',
  'refundCents',
  'code',
  'renewMonths',
  'renewMaxCents',
  'renewHoursBefore',
);
const present = wholeCustomers.pick(
  'number',
  'reference',
  'name',
  'externalRef',
  'status',
  'createdAt',
  'packageId',
  'anchorAt',
  'monthsRun',
  'expiresAt',
  'lastOrder',
  ...lifeColumns,
);
type Present = RowOf<typeof present>;
const presentPeriods = customers.pick('paidPeriods');

// Reads customers $2 to $5; of the first, only what follows order $3 and change $4. Each customer has at least one row; only
// the last one has the paid periods.
const readPage: SqlStatement = {
  name: 'verify_history',
  text: `select ${present.list('c', 'c_')}, a.group_name, s.audit_count, e.*,
      extract(epoch from coalesce(a.test_clock, a.ledger_open_from))::bigint as account_at,
      case when e.next_place is null then c.paid_periods end as c_paid_periods
    from customers c
    join accounts a on a.id = c.account_id
    left join last_order_marks m on m.account_id = c.account_id
    cross join service_state s
    left join lateral (
      select *, lead(place) over (order by place, is_change, p_number) as next_place from (
        (select o.number as place, 0 as is_change,
            o.row_hash is null and o.number > coalesce(m.order_number, 0) as is_unchecked, ${pastOrders.list('o', 'o_')},
            (select true from order_handoffs h
              where h.account_id = o.account_id and h.order_number = o.number) as is_handed_over,
            ${pastChanges.names.map((name) => `null as p_${name}`).join(', ')}
          from orders o where o.account_id = c.account_id and o.customer_number = c.number
            and o.number > case when c.number = $2::int then $3::int else 0 end
          order by o.account_id, o.customer_number, o.number limit $6::int)
        union all
        (select p.after_order, 1, p.row_hash is null and p.number > coalesce(m.change_number, 0),
            ${pastOrders.names.map(() => 'null').join(', ')}, null, ${pastChanges.list('p', 'p_')}
          from plan_changes p where p.account_id = c.account_id and p.customer_number = c.number
            and p.number > case when c.number = $2::int then $4::int else 0 end
          order by p.account_id, p.customer_number, p.number limit $6::int)) both_kinds
      order by place, is_change, p_number limit $6::int) e on true
    where c.account_id = $1::int and c.number between $2::int and $5::int
    order by c.number, e.place, e.is_change, e.p_number limit $6::int`,
};

interface Place {
  readonly customer: number;
  readonly order: number;
  readonly change: number;
}

/** Leaves customers beyond `customerCount` to the next verification. No service clock has shown a later time than `now`. */
export async function checkAccountHistory(
  database: Database,
  {
    accountId,
    customerCount,
    now,
  }: { readonly accountId: number; readonly customerCount: number; readonly now: () => EpochSeconds },
  pastReader: PastReader,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<void> {
  let place: Place = { customer: 1, order: 0, change: 0 };
  let begun: Replay | null = null;
  let firstOrder: PastOrder | null = null;
  const isTest = isTestAccount(accountId);
  const report = async (deviations: readonly Deviation[]) => {
    for (const { subject, problem } of deviations) await findings.add('rules', accountId, subject, problem);
  };
  while (place.customer <= customerCount) {
    signal.throwIfAborted();
    const rows: readonly Row[] = await database
      .ofAccount(accountId)
      .query(readPage, [accountId, place.customer, place.order, place.change, customerCount, ranges.events]);
    const [first] = rows;
    if (first === undefined) return;
    const past = await pastReader.upTo(Number(first['audit_count']), signal);
    const isLastPage = rows.length < ranges.events;
    for (const [index, row] of rows.entries()) {
      const number = Number(row['c_number']);
      if (number !== place.customer) place = { customer: number, order: 0, change: 0 };
      const replay: Replay = begun ?? replayOf(accountId, row);
      const change = nullable(Number, row['p_number']);
      const order = nullable(Number, row['o_number']);
      const isEmpty = change === null && order === null;
      const isFirst = place.order === 0 && place.change === 0;
      if (isFirst) firstOrder = null;
      if (change !== null) {
        const made = { ...pastChanges.parse(row, 'p_'), isUnchecked: row['is_unchecked'] === true };
        if (isFirst) await report(compareBeginning(row, made.createdAt));
        await report(replay.change(made, past));
        place = { ...place, change };
      } else if (order !== null) {
        const isHandedOver = row['is_handed_over'] === true;
        const isUnchecked = row['is_unchecked'] === true;
        const made = { ...pastOrders.parse(row, 'o_'), isHandedOver, isUnchecked };
        if (isFirst) {
          firstOrder = made;
          await report(compareBeginning(row, made.createdAt));
        }
        await report(replay.order(made, past));
        place = { ...place, order };
      }
      const next = rows[index + 1];
      const isOver = next === undefined ? isLastPage || isEmpty : Number(next['c_number']) !== number;
      begun = isOver ? null : replay;
      if (!isOver) continue;
      const shown = present.parse(row, 'c_');
      const { status, packageId, anchorAt, monthsRun, expiresAt, lastOrder } = shown;
      const { paidPeriods } = presentPeriods.parse(row, 'c_');
      const plan = { packageId, anchorAt, monthsRun, expiresAt, paidPeriods, lastOrder };
      await report(replay.end({ status, plan, life: lifeOf(shown) }));
      const at = Number(row['account_at'] ?? 0);
      await report(compareNotice(shown, isTest ? at : Math.max(at, now())));
      // The audit log contains no tests.
      if (!isTest && !isErased({ ...shown, accountId }))
        await report(compareDetails(shown, firstOrder, past.detailsOf(accountId, number)));
      place = { customer: number + 1, order: 0, change: 0 };
    }
    if (isLastPage) return;
  }
}

function compareBeginning(row: Row, at: EpochSeconds): Deviation[] {
  const { number, createdAt } = present.parse(row, 'c_');
  const problem = `the customer was made ${formatTime(createdAt)}, but their first order or trial ${formatTime(at)}`;
  return createdAt === at ? [] : [{ subject: `customer ${number}`, problem: `not by the rules: ${problem}` }];
}

const daySeconds = 86_400;

function compareNotice(
  { number, expiresAt, endNoticeDays }: Pick<Present, 'number' | 'expiresAt' | 'endNoticeDays'>,
  latest: EpochSeconds,
): Deviation[] {
  if (endNoticeDays === null || expiresAt - endNoticeDays * daySeconds <= latest) return [];
  const problem = `the notice of ${endNoticeDays} days before the plan's end is marked as given, but is not due yet`;
  return [{ subject: `customer ${number}`, problem: `not by the rules: ${problem}` }];
}

/** The first order's fingerprint contains the first reference and name. Later changes are in the log. */
function compareDetails(
  { number, name, reference, externalRef }: Pick<Present, 'number' | 'name' | 'reference' | 'externalRef'>,
  firstOrder: PastOrder | null,
  logged: LoggedDetails | null,
): Deviation[] {
  const problems: string[] = [];
  const firstName = logged === null ? name : String(logged.firstName);
  const firstReference = String(logged?.firstReference ?? reference);
  const names = firstName === firstReference ? [null, firstName] : [firstName];
  const isOrdered =
    firstOrder === null ||
    names.some((one) => {
      const { packageId, months, fingerprint } = firstOrder;
      return fingerprint === fingerprintOf('place', packageId, firstReference, months, one);
    });
  if (!isOrdered) problems.push('the name is not the one that the first order was sent with');
  if ((logged?.reference ?? reference) !== reference)
    problems.push('the reference is not the one that the audit log has');
  if (logged !== null && logged.name !== name)
    problems.push('the name is not the one that the audit log has');
  if ((logged?.externalRef ?? null) !== externalRef)
    problems.push('the external id is not the one that the audit log has');
  return problems.map((problem) => ({
    subject: `customer ${number}`,
    problem: `not by the rules: ${problem}`,
  }));
}

function replayOf(accountId: number, row: Row): Replay {
  const { number, reference: shown } = present.parse(row, 'c_');
  // New orders under the name of an erased customer are refused, and these were decided before.
  const reference = refusedAsReserved(shown) === null ? shown : 'erased';
  return createReplay({ accountId, number, reference, group: oneOf(groups, row['group_name']) });
}
