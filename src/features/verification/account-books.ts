// Recomputes one account's books in SQL that shares no code with the engine: balance chain, sums, counters, numbering,
// orders against entries, reference claims, daily totals.
// | Orders continue meanwhile, so every later statement is bounded by the first one's snapshot (balance, counters, last
// numbers, totals and watermark). False alarms are impossible, because
// - orders, entries and plan changes are numbered in the transaction that moves their counter, and never change;
// - a hand-off is written with its order; its settlement, plan change and entries are written once, atomically;
// - newer rows lie beyond the counters, where no statement looks;
// - a customer and its reference claim are written together and stay;
// - daily totals and their watermark change together, and the watermark never runs ahead of the entries.
// Each statement is a short read over a range, so orders never wait long.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import {
  bySharding,
  queryShards,
  type ShardedStatement,
} from '../../platform/database/shards/query-shards.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { checkPayments } from './account-payments.ts';
import { recheckInDoubt } from './recheck-in-doubt.ts';
import type { Check, Findings } from './verification-findings.ts';
import type { AuditLimits } from './verification-limits.ts';

const problemsMax = 20;

const spendingBy = (step: 'day' | 'month') => `(select array[coalesce(sum(order_count), 0),
          coalesce(sum(charged_cents), 0), coalesce(sum(refunded_cents), 0)]::bigint[]
        from spending_sums s where s.account_id = a.id and s.step = '${step}')`;

/** Reads one snapshot, with a row for each day. */
const readHead: SqlStatement = {
  name: 'verify_head',
  text: `with head as materialized (
      select a.balance_cents, a.entry_count, a.order_count, a.customer_count, a.plan_change_count, a.order_hash, a.change_hash,
        m.entry_number as mark, coalesce(s.entry_number, 0) as spending_mark,
        ${spendingBy('day')} as spending_days, ${spendingBy('month')} as spending_months,
        coalesce(e.number, 0) as last_entry, coalesce(e.balance_after_cents, 0) as last_balance,
        coalesce((select number from orders where account_id = a.id order by number desc limit 1), 0) as last_order,
        coalesce((select number from customers where account_id = a.id order by number desc limit 1), 0) as last_customer,
        coalesce((select number from plan_changes where account_id = a.id order by number desc limit 1), 0) as last_change,
        coalesce((select order_number from order_handoffs where account_id = a.id
          order by order_number desc limit 1), 0) as last_handoff,
        (select count(*) from ledger_entries where account_id = a.id and number < 1)
          + (select count(*) from orders where account_id = a.id and number < 1)
          + (select count(*) from customers where account_id = a.id and number < 1)
          + (select count(*) from plan_changes where account_id = a.id and number < 1) as below_one
      from accounts a
      left join ledger_day_marks m on m.account_id = a.id
      left join spending_marks s on s.account_id = a.id
      left join lateral (
        select number, balance_after_cents from ledger_entries where account_id = a.id order by number desc limit 1) e on true
      where a.id = $1::int)
    select head.*, to_char(d.day, 'YYYY-MM-DD') as day, case when d.day is not null then array[d.order_count,
      d.entry_count, d.charged_cents, d.refunded_cents, d.credited_cents, d.debited_cents, d.first_entry, d.last_entry,
      coalesce(d.first_order, 0), coalesce(d.last_order, 0)]::bigint[] end as sums
    from head left join ledger_days d on d.account_id = $1::int order by d.day`,
};

/** Whether entry `e` was made when its order was settled instead of placed, according to the hand-off. */
const isSettling = `coalesce((select e.number = h.entry_number or (e.number = h.entry_number + 1 and h.status = 'failed')
        from order_handoffs h where h.account_id = e.account_id and h.order_number = e.order_number), false)`;

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The refund made when order `o` was placed. If the order waits for the product, it is at most the price. */
const refundAtOnce = `case when (select true from order_handoffs h
        where h.account_id = o.account_id and h.order_number = o.number)
      then least(o.refund_cents, o.price_cents) else o.refund_cents end`;

/** An entry may also be dated later than `at`: like the entry before it, or after a month whose statement was read. */
const isDatedRight = (
  at: string,
  entry: string,
) => `(${entry}.created_at = ${at} or (${entry}.created_at > ${at} and (
        ${entry}.created_at = date_trunc('month', ${entry}.created_at at time zone 'UTC') at time zone 'UTC'
        or ${entry}.created_at = (select b.created_at from ledger_entries b
          where b.account_id = $1::int and b.number = ${entry}.number - 1))))`;

const seconds = (column: string) => `extract(epoch from ${column})::bigint`;

/** The same as in order-engine/row-hashes.ts. hash_before is never null here. */
const hashOf = (fields: readonly string[]) => `left(translate(encode(sha256(convert_to(
      concat_ws(e'\\n', hash_before, ${fields.join(', ')}), 'UTF8')), 'base64'), '+/', '-_'), 22)`;
const orNothing = (column: string) => `coalesce(${column}::text, '')`;

const orderHash = hashOf([
  '$1::int',
  'number',
  'customer_number',
  'package_id',
  'months',
  'kind',
  'price_cents',
  'full_refund_cents',
  'balance_after_cents',
  seconds('created_at'),
  seconds('expires_at'),
  'fingerprint',
  'idempotency_key',
  'price_rule',
]);
const changeHash = hashOf([
  '$1::int',
  'number',
  'customer_number',
  'kind',
  seconds('created_at'),
  'after_order',
  orNothing('actor_id'),
  'by_party',
  orNothing('package_id'),
  orNothing(seconds('expires_at')),
  orNothing('plan_status'),
  orNothing('is_suspended'),
  orNothing('order_number'),
  orNothing('refund_cents'),
  orNothing('entry_number'),
  'is_empty::text',
  orNothing('balance_after_cents'),
  orNothing('fingerprint'),
  orNothing('code'),
  orNothing('renew_months'),
  orNothing('renew_max_cents'),
  orNothing('renew_hours_before'),
  orNothing('idempotency_key'),
  orNothing('reason'),
]);

const hashProblem =
  'its row and its hash do not fit, or the hash before it is not the one that it was made with';

/**
 * Reads entries $2 to $3 with their orders, which are those after order $6. A refund directly precedes its order's charge,
 * so no range ends between them. Settlements come later; verify_plan_changes checks them. $4: last entry; $5: balance
 * before; $7, $8: watermarks of daily totals and spending; $9: previous order hash, or ''.
 */
const readEntries: SqlStatement = {
  name: 'verify_entries',
  text: `with span as materialized (
      select $3::int + (select count(*) from ledger_entries e
        where e.account_id = $1::int and e.number = $3::int and e.kind = 'refund' and e.order_number is not null
          and not (${isSettling}) and $3::int < $4::int)::int as upto),
    range as materialized (
      select number, kind, amount_cents, balance_after_cents, order_number, actor_id, created_at,
        lag(balance_after_cents, 1, $5::bigint) over (order by number) as previous, ${isSettling} as is_settling,
        kind not in ('charge', 'refund', 'debit') and exists (select from payment_entries p
          where p.account_id = e.account_id and p.entry_number = e.number) as is_of_payment
      from ledger_entries e where account_id = $1::int and number >= $2::int and number <= (select upto from span)),
    last_charged as materialized (
      select least(greatest(coalesce((select order_number from range where kind = 'charge' and not is_settling
        order by number desc limit 1), $6::int), $6::int), $6::int + (select count(*) from range)) as number),
    paid as materialized (
      select number, customer_number, package_id, created_at, price_cents, ${refundAtOnce} as refund_cents, balance_after_cents,
        months, kind, refund_cents as full_refund_cents, expires_at, fingerprint, idempotency_key, price_rule, row_hash
      from orders o where account_id = $1::int and number > $6::int and number <= (select number from last_charged)),
    hashed as materialized (
      select *, lag(row_hash, 1, $9::text) over (order by number) as hash_before from paid where row_hash is not null),
    sums as (
      select number, count(*) filter (where kind = 'order') as orders,
        count(*) filter (where kind <> 'order') as entries, count(*) filter (where kind = 'charge') as charges,
        sum(amount_cents) filter (where kind = 'charge') as charged,
        coalesce(sum(amount_cents) filter (where kind = 'refund'), 0) as refunded,
        max(balance_after_cents) filter (where kind = 'charge') as balance_after,
        max(price_cents) as price, max(refund_cents) as refund,
        max(balance_after_cents) filter (where kind = 'order') as said_after,
        max(created_at) filter (where kind = 'order') as ordered_at,
        min(created_at) filter (where kind <> 'order') as first_at, max(created_at) filter (where kind <> 'order') as last_at
      from (
        select order_number as number, kind, amount_cents, balance_after_cents, null::bigint as price_cents,
          null::bigint as refund_cents, created_at
        from range where order_number is not null and not is_settling
        union all
        select number, 'order', null, balance_after_cents, price_cents, refund_cents, created_at from paid) both_sides
      group by number),
    -- Nearly always none: to join all entries with all orders would cost more than the rest.
    otherwise_dated as materialized (
      select number, ordered_at from sums where first_at <> ordered_at or last_at <> ordered_at)
    select 'sums' as what, null as number, coalesce((select row_hash from hashed order by number desc limit 1), $9::text)
        as problem, null as day, array[
        (select upto from span), (select count(*) from range), (select coalesce(sum(amount_cents), 0) from range),
        coalesce((select balance_after_cents from range order by number desc limit 1), $5::bigint),
        (select number from last_charged), (select count(*) from paid),
        (select count(*) from range where kind = 'refund' and order_number is null),
        (select count(*) from range where is_settling),
        (select count(*) from range where kind = 'charge' and not is_settling and number <= $8::int),
        (select coalesce(-sum(amount_cents), 0) from range where kind = 'charge' and number <= $8::int),
        (select coalesce(sum(amount_cents), 0) from range where kind = 'refund' and number <= $8::int)]::bigint[] as sums
    union all
    (select 'chain', number, format('balance %s + amount %s is not %s cents', previous, amount_cents, balance_after_cents),
        null, null
      from range
      where previous + amount_cents <> balance_after_cents order by number limit ${problemsMax})
    union all
    (select 'kinds', number, 'the kind ' || kind || ' does not fit the amount ' || amount_cents, null, null
      from range
      where (kind = 'charge' and amount_cents > 0) or (kind in ('debit', 'reversal', 'settlement') and amount_cents >= 0)
        or (kind in ('credit', 'refund', 'reinstatement') and amount_cents <= 0)
        or (kind = 'charge' and order_number is null) or (kind not in ('charge', 'refund') and order_number is not null)
        or actor_id is not null and kind not in ('credit', 'debit')
        or case kind when 'debit' then actor_id is null when 'credit' then (actor_id is null) <> is_of_payment
          else kind not in ('charge', 'refund') and not is_of_payment end order by number limit ${problemsMax})
    union all
    (select 'dates', r.number, format('it is dated %s, its order %s', ${utc('r.created_at')}, ${utc('o.ordered_at')}), null, null
      from range r join otherwise_dated o on o.number = r.order_number
      where not r.is_settling and not ${isDatedRight('o.ordered_at', 'r')} order by r.number limit ${problemsMax})
    union all
    (select 'orders', number, case
          when orders = 0 and number <= $6::int then 'the ledger names it a second time'
          when orders = 0 and exists (select 1 from orders o where o.account_id = $1::int and o.number = s.number)
            then 'the ledger names it before its turn'
          when orders = 0 then 'the ledger names it, but it does not exist'
          when entries = 0 then 'it has no ledger entry'
          when charges <> 1 then 'it was charged ' || charges || ' times'
          when charged <> -price then format('price %s, charged %s cents', price, -charged)
          when refunded <> refund then format('refund %s, given back %s cents', refund, refunded)
          else format('it says %s cents were left, the ledger says %s', said_after, balance_after) end, null, null
      from sums s
      where orders = 0 or entries = 0 or charges <> 1 or charged is distinct from -price or refunded <> refund
        or balance_after is distinct from said_after order by number limit ${problemsMax})
    union all
    (select 'hashes', number, '${hashProblem}', null, null from hashed
      where row_hash <> ${orderHash} order by number limit ${problemsMax})
    union all
    (select 'references', o.number, 'its customer or package does not exist', null, null
      from paid o
      left join customers c on c.account_id = $1::int and c.number = o.customer_number
      left join packages p on p.id = o.package_id
      where c.number is null or p.id is null order by o.number limit ${problemsMax})
    union all
    select 'credits', null, null, null, array_agg(number order by number)::bigint[] from range
      where kind in ('credit', 'debit') and actor_id is not null having count(*) > 0
    union all
    select 'day', null, null, to_char(day, 'YYYY-MM-DD'), array[
        count(*) filter (where kind = 'charge' and not is_settling), count(*),
        coalesce(-sum(amount_cents) filter (where kind = 'charge'), 0),
        coalesce(sum(amount_cents) filter (where kind = 'refund'), 0),
        coalesce(sum(amount_cents) filter (where kind in ('credit', 'reinstatement')), 0),
        coalesce(-sum(amount_cents) filter (where kind in ('debit', 'reversal', 'settlement')), 0),
        min(number), max(number), coalesce(min(order_number) filter (where not is_settling), 0),
        coalesce(max(order_number) filter (where not is_settling), 0)]::bigint[]
      from (select *, (created_at at time zone 'UTC')::date as day from range where number <= $7::int) dated group by day`,
};

const listUnpaid: SqlStatement = {
  name: 'verify_unpaid_orders',
  text: `select number from orders where account_id = $1::int and number > $2::int and number <= $3::int
    order by number limit ${problemsMax}`,
};

export const claimProblem = 'its row and the claim on its reference disagree';

/** If `references` is null, claims are checked separately. */
const readCustomersBeside = (name: string, references: string | null): SqlStatement => ({
  name,
  text: `with range as materialized (
      select number, reference, pending_order from customers
      where account_id = $1::int and number between $2::int and $3::int)
    select null as number, null as problem, count(*) as count, 0 as refunds, 0 as settling from range
    union all
    (select number, 'no order of theirs waits for the product, but number ' || pending_order || ' holds their plan',
        null, null, null from range c
      where pending_order is not null and not exists (select 1 from order_handoffs h where h.account_id = $1::int
        and h.order_number = c.pending_order and h.customer_number = c.number and h.status = 'pending')
      order by number limit ${problemsMax})
    ${
      references === null
        ? ''
        : `union all
    (select number, '${claimProblem}', null, null, null from range c
      where not exists (select 1 from ${references} r
        where r.reference = c.reference and r.account_id = $1::int and r.customer_number = c.number)
      order by number limit ${problemsMax})`
    }`,
});

const readCustomers = readCustomersBeside('verify_customers', 'customer_references');
const readCustomersApart = readCustomersBeside('verify_customers_apart', null);
const readTestCustomers = readCustomersBeside('verify_test_customers', 'test_customer_references');

/** Problems with this prefix are reported but do not halt the account. */
const ruleSaying = 'not by the rules: ';

/** Reads changes $2 to $3. $4: last order; $5: previous change hash, or ''. */
const readPlanChanges: SqlStatement = {
  name: 'verify_plan_changes',
  text: `with range as materialized (
      select p.number, p.created_at, p.customer_number, p.after_order, lag(p.after_order) over (order by p.number) as previous,
        p.kind, p.idempotency_key, p.fingerprint, p.refund_cents, p.entry_number, p.balance_after_cents, p.order_number,
        p.actor_id, p.by_party, p.package_id, p.expires_at, p.plan_status, p.is_suspended, p.is_empty, p.reason, p.reason_erased, p.code,
        p.renew_months, p.renew_max_cents, p.renew_hours_before, p.row_hash,
        p.kind in ('order_completed', 'order_failed') as is_settling, o.price_cents, o.customer_number as ordered_by,
        case p.kind when 'order_completed' then greatest(o.refund_cents - o.price_cents, 0) else o.price_cents end as owed,
        case p.kind when 'order_failed' then least(o.refund_cents, o.price_cents) else 0 end as taken
      from plan_changes p
      left join orders o on o.account_id = p.account_id and o.number = p.order_number
      where p.account_id = $1::int and p.number between $2::int - 1 and $3::int),
    hashed as materialized (
      select r.*, lag(row_hash, 1, $5::text) over (order by number) as hash_before
      from range r where r.number >= $2::int and row_hash is not null)
    select null as number, coalesce((select row_hash from hashed order by number desc limit 1), $5::text) as problem,
        count(*) as count,
        count(entry_number) filter (where not is_settling) as refunds,
        coalesce(sum((owed > 0)::int + (taken > 0)::int) filter (where is_settling), 0) as settling
      from range where number >= $2::int
    union all
    (select r.number, 'its customer, or its place among the orders, does not exist', null, null, null from range r
      left join customers c on c.account_id = $1::int and c.number = r.customer_number
      where r.number >= $2::int and (c.number is null or r.after_order > $4::int or r.after_order < r.previous)
      order by r.number limit ${problemsMax})
    union all
    (select number, '${hashProblem}', null, null, null from hashed
      where row_hash <> ${changeHash} and not reason_erased order by number limit ${problemsMax})
    union all
    (select r.number, '${ruleSaying}its idempotency key or its fingerprint is missing', null, null, null from range r
      where r.number >= $2::int and (r.idempotency_key is null) <> (r.fingerprint is null)
      order by r.number limit ${problemsMax})
    union all
    (select r.number, 'the ledger does not have what it gave back', null, null, null from range r
      left join ledger_entries e on e.account_id = $1::int and e.number = r.entry_number
      left join ledger_entries t on t.account_id = $1::int and t.number = r.entry_number + 1 and r.taken > 0
      where r.number >= $2::int and case when r.entry_number is null then coalesce(r.refund_cents, 0) <> 0
        else (r.kind <> 'cancel' and not r.is_settling) or e.number is null or e.kind <> 'refund'
          or e.order_number is distinct from r.order_number or e.amount_cents is distinct from r.refund_cents
          or coalesce(t.balance_after_cents, e.balance_after_cents) is distinct from r.balance_after_cents end
      order by r.number limit ${problemsMax})
    union all
    (select r.number, format('it happened %s, its ledger entry %s is dated %s', ${utc('r.created_at')}, e.number,
        ${utc('e.created_at')}), null, null, null
      from range r join ledger_entries e on e.account_id = $1::int and e.number = r.entry_number
      where r.number >= $2::int and not ${isDatedRight('r.created_at', 'e')} order by r.number limit ${problemsMax})
    union all
    (select r.number, case when r.ordered_by is distinct from r.customer_number then 'it settles no order of its customer'
          when h.entry_number is distinct from r.entry_number or h.status is distinct from case r.kind
            when 'order_completed' then 'completed' else 'failed' end
            then 'what became of its order is not what it says'
          when r.refund_cents is distinct from r.owed then format('its order was owed %s cents, it gave %s back',
            r.owed, r.refund_cents)
          else format('the ledger did not take the %s cents back that were given with the order', r.taken) end,
        null, null, null
      from range r
      left join order_handoffs h on h.account_id = $1::int and h.order_number = r.order_number
      left join ledger_entries t on t.account_id = $1::int and t.number = r.entry_number + 1
      where r.number >= $2::int and r.is_settling and (r.ordered_by is distinct from r.customer_number
        or h.entry_number is distinct from r.entry_number
        or h.status is distinct from case r.kind when 'order_completed' then 'completed' else 'failed' end
        or r.refund_cents is distinct from r.owed
        or (r.taken > 0 and (t.kind is distinct from 'charge' or t.order_number is distinct from r.order_number
          or t.amount_cents is distinct from -r.taken)))
      order by r.number limit ${problemsMax})`,
};

/** Reads hand-offs of orders after $2 up to $3, at most $4. Each must be settled by a change or still wait. */
const readHandoffs: SqlStatement = {
  name: 'verify_handoffs',
  text: `with range as materialized (
      select order_number, customer_number, status from order_handoffs
      where account_id = $1::int and order_number > $2::int and order_number <= $3::int
      order by order_number limit $4::int)
    select max(order_number) as number, null as problem, count(*) as count from range
    union all
    (select h.order_number, case when o.number is null then 'it was handed over, but it does not exist'
          when o.customer_number <> h.customer_number then 'it was handed over for another customer'
          when h.status <> 'pending' then 'it is ' || h.status || ', but no change of a plan says so'
          when p.number is not null then 'it waits for the product, but change ' || p.number || ' has settled it'
          when c.pending_order is distinct from h.order_number
            then 'it waits for the product, but does not hold its customer''s plan'
          else '${ruleSaying}it waits for the product, which nothing asks' end, null
      from range h
      left join orders o on o.account_id = $1::int and o.number = h.order_number
      left join customers c on c.account_id = $1::int and c.number = h.customer_number
      left join plan_changes p on p.account_id = $1::int and p.order_number = h.order_number
      left join product_calls k on k.account_id = $1::int and k.order_number = h.order_number
        and k.status in ('waiting', 'attention')
      where o.customer_number is distinct from h.customer_number or (p.number is null) <> (h.status = 'pending')
        or (h.status = 'pending' and (c.pending_order is distinct from h.order_number or k.id is null))
      order by h.order_number limit ${problemsMax})`,
};

/** order_count, entry_count, charged, refunded, credited, debited, first and last entry, first and last order (or 0). */
type DaySums = readonly bigint[];
const places = { firstEntry: 6, lastEntry: 7, firstOrder: 8, lastOrder: 9 } as const;

export interface CheckedAccount {
  readonly entries: number;
  readonly customers: number;
  readonly credits: readonly number[];
}

export async function checkAccountBooks(
  database: Database,
  accountId: number,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<CheckedAccount | null> {
  const rows = await database.ofAccount(accountId).query(readHead, [accountId]);
  const [head] = rows;
  if (head === undefined) return null;
  const number = (column: string) => Number(head[column]);
  const found = (check: Check, subject: string, problem: string) =>
    findings.add(check, accountId, subject, problem);
  const about = (problem: string) => found('account', `account ${accountId}`, problem);

  const counted = { entries: number('entry_count'), orders: number('order_count') };
  const customers = number('customer_count');
  const changes = number('plan_change_count');
  const balance = bigint(head['balance_cents']);
  for (const [what, last, count] of [
    ['entry', number('last_entry'), counted.entries],
    ['order', number('last_order'), counted.orders],
    ['customer', number('last_customer'), customers],
    ['plan change', number('last_change'), changes],
  ] as const) {
    if (last !== count) await about(`the last ${what} is number ${last}, the counter says ${count}`);
  }
  if (number('last_handoff') > counted.orders) {
    await about(`order ${number('last_handoff')} was handed over, but the last order is ${counted.orders}`);
  }
  if (number('below_one') > 0) await about(`${number('below_one')} rows are numbered below 1`);
  if (bigint(head['last_balance']) !== balance) {
    await about(`the balance is ${balance} cents, the last entry says ${head['last_balance']}`);
  }

  const mark = number('mark');
  if (mark > counted.entries)
    await found('days', `account ${accountId}`, `days are summed to entry ${mark} of ${counted.entries}`);
  const credits: number[] = [];
  const spendingMark = number('spending_mark');
  const spending: bigint[] = [];
  const days = new Map<string, DaySums>();
  const ledger = { entries: 0, orders: 0, planRefunds: 0, settling: 0, sum: 0n, balance: 0n, lastOrder: 0 };
  const lastHashes = { order: '', change: '' };
  for (let from = 1; from <= counted.entries; ) {
    signal.throwIfAborted();
    const to = Math.min(from + ranges.entries - 1, counted.entries);
    const read = await database
      .ofAccount(accountId)
      .query(readEntries, [
        accountId,
        from,
        to,
        counted.entries,
        ledger.balance,
        ledger.lastOrder,
        mark,
        spendingMark,
        lastHashes.order,
      ]);
    from = to + 1;
    for (const row of read) {
      const what = String(row['what']);
      if (what === 'sums') {
        const [upto, entries, sum, last, lastOrder, orders, refunds, settling, ...spent] = sumsOf(row);
        lastHashes.order = String(row['problem']);
        for (const [place, cents] of spent.entries()) spending[place] = (spending[place] ?? 0n) + cents;
        from = Number(upto) + 1;
        ledger.entries += Number(entries);
        ledger.orders += Number(orders);
        ledger.planRefunds += Number(refunds);
        ledger.settling += Number(settling);
        ledger.sum += sum ?? 0n;
        ledger.balance = last ?? 0n;
        ledger.lastOrder = Number(lastOrder);
      } else if (what === 'credits') {
        credits.push(...sumsOf(row).map(Number));
      } else if (what === 'day') {
        const day = String(row['day']);
        days.set(day, addDays(days.get(day), sumsOf(row)));
      } else {
        await found(checkOf(what), subjectOf(what, row), String(row['problem']));
      }
    }
  }
  for (const row of await unpaid(database, accountId, ledger.lastOrder, counted.orders)) {
    await found('orders', `order ${row['number']}`, 'it has no ledger entry');
  }
  if (ledger.sum !== balance)
    await about(`the balance is ${balance} cents, the entries add up to ${ledger.sum}`);
  if (ledger.entries !== counted.entries)
    await about(`${ledger.entries} entries are numbered 1 to ${counted.entries}`);
  if (ledger.orders !== counted.orders)
    await about(`${ledger.orders} orders are numbered 1 to ${counted.orders}`);

  for (const step of ['days', 'months'] as const) {
    const is = bigints(head[`spending_${step}`]);
    if (is.some((value, place) => value !== (spending[place] ?? 0n)))
      await found(
        'log',
        `account ${accountId}`,
        `its spending by ${step} adds up to ${is.join(', ')}, its ledger entries to ${spending.join(', ')}`,
      );
  }

  for (const problem of compareDays(rows, days)) {
    await found('days', `day ${problem.day}`, problem.text);
  }

  const rangesOf = async (
    what: string,
    count: number,
    statement: ShardedStatement,
    more: () => readonly unknown[],
    onProblem: (place: number, problem: string) => Promise<void>,
  ) => {
    let isThere = 0;
    let refunds = 0;
    let settling = 0;
    for (let from = 1; from <= count; from += ranges.customers) {
      signal.throwIfAborted();
      const to = Math.min(from + ranges.customers - 1, count);
      const values = [accountId, from, to, ...more()];
      for (const row of await queryShards(database, statement, values, { account: accountId })) {
        const place = nullable(Number, row['number']);
        if (place === null) {
          isThere += Number(row['count']);
          refunds += Number(row['refunds']);
          settling += Number(row['settling']);
          if (statement === readPlanChanges) lastHashes.change = String(row['problem']);
        } else await onProblem(place, String(row['problem']));
      }
    }
    if (isThere !== count) await about(`${isThere} ${what} are numbered 1 to ${count}`);
    return { refunds, settling };
  };
  const together = isTestAccount(accountId) ? readTestCustomers : readCustomers;
  await rangesOf(
    'customers',
    customers,
    { together, apart: readCustomersApart },
    () => [],
    (place, problem) => found('references', `customer ${place}`, problem),
  );
  await bySharding(database, {
    together: async () => undefined,
    apart: async () => {
      for (let from = 1; from <= customers; from += ranges.customers) {
        signal.throwIfAborted();
        const to = Math.min(from + ranges.customers - 1, customers);
        for (const number of await unclaimedStill(database, accountId, { from, to }, signal))
          await found('references', `customer ${number}`, claimProblem);
      }
    },
  });
  const changed = await rangesOf(
    'plan changes',
    changes,
    readPlanChanges,
    () => [counted.orders, lastHashes.change],
    (place, problem) => found(changeCheckOf(problem), `plan change ${place}`, problem),
  );
  for (const [what, is, should] of [
    ['order', head['order_hash'], lastHashes.order],
    ['plan change', head['change_hash'], lastHashes.change],
  ] as const) {
    if ((is ?? '') === should) continue;
    const problem = `the last hash of ${what === 'order' ? 'an order' : 'a plan change'} is not the one that the account has`;
    await found('hashes', `account ${accountId}`, problem);
  }
  if (changed.refunds !== ledger.planRefunds) {
    await about(
      `${ledger.planRefunds} refunds are not those of orders, but changes of plans gave back ${changed.refunds} times`,
    );
  }
  if (changed.settling !== ledger.settling) {
    await about(
      `${ledger.settling} entries settle orders, but changes of plans say that ${changed.settling} do`,
    );
  }
  await checkHandoffs(database, accountId, counted.orders, findings, { ranges, signal });
  await checkPayments(database, accountId, findings);
  return { entries: counted.entries, customers, credits };
}

const listReferences: SqlStatement = {
  name: 'verify_references_of_account',
  text: 'select number, reference from customers where account_id = $1::int and number between $2::int and $3::int',
};

const findClaimsOf = (name: string, references: string): SqlStatement => ({
  name,
  text: `select reference, customer_number from ${references} where reference = any($2::text[]) and account_id = $1::int`,
});
const findClaims = findClaimsOf('verify_find_claims', 'customer_references');
const findTestClaims = findClaimsOf('verify_find_test_claims', 'test_customer_references');

async function unclaimedStill(
  database: Database,
  accountId: number,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<number[]> {
  const suspects = await recheckInDoubt(database, () => unclaimed(database, accountId, from, to), signal);
  return suspects.slice(0, problemsMax);
}

/** On several servers: finds customers whose reference is claimed by another customer or by none. */
async function unclaimed(database: Database, accountId: number, from: number, to: number): Promise<number[]> {
  const rows = await database.ofAccount(accountId).query(listReferences, [accountId, from, to]);
  const references = textArray(rows.map((row) => String(row['reference'])));
  const claims = await database.query(isTestAccount(accountId) ? findTestClaims : findClaims, [
    accountId,
    references,
  ]);
  const claimed = new Map(claims.map((row) => [row['reference'], Number(row['customer_number'])]));
  return rows
    .filter((row) => claimed.get(row['reference']) !== Number(row['number']))
    .map((row) => Number(row['number']));
}

async function checkHandoffs(
  database: Database,
  accountId: number,
  lastOrder: number,
  findings: Findings,
  { ranges, signal }: AuditLimits,
): Promise<void> {
  for (let after = 0, count = ranges.customers; count === ranges.customers; ) {
    signal.throwIfAborted();
    const [range, ...problems] = await database
      .ofAccount(accountId)
      .query(readHandoffs, [accountId, after, lastOrder, ranges.customers]);
    for (const row of problems) {
      const problem = String(row['problem']);
      const check = problem.startsWith(ruleSaying) ? 'rules' : 'orders';
      await findings.add(check, accountId, `order ${row['number']}`, problem);
    }
    count = Number(range?.['count'] ?? 0);
    after = Number(range?.['number'] ?? 0);
  }
}

function unpaid(database: Database, accountId: number, after: number, last: number): Promise<readonly Row[]> {
  return after >= last
    ? Promise.resolve([])
    : database.ofAccount(accountId).query(listUnpaid, [accountId, after, last]);
}

function changeCheckOf(problem: string): Check {
  if (problem === hashProblem) return 'hashes';
  return problem.startsWith(ruleSaying) ? 'rules' : 'plan_changes';
}

function checkOf(what: string): Check {
  if (
    what === 'hashes' ||
    what === 'chain' ||
    what === 'kinds' ||
    what === 'dates' ||
    what === 'orders' ||
    what === 'references'
  )
    return what;
  throw new Error(`An audit found something that is called ${what}.`);
}

function subjectOf(what: string, row: Row): string {
  return `${what === 'chain' || what === 'kinds' || what === 'dates' ? 'ledger entry' : 'order'} ${row['number']}`;
}

function sumsOf(row: Row): readonly bigint[] {
  return bigints(row['sums']);
}

function bigints(sums: unknown): readonly bigint[] {
  if (!Array.isArray(sums)) throw new Error('Sums are not an array.');
  return sums.map(bigint);
}

function addDays(one: DaySums | undefined, other: DaySums): DaySums {
  if (one === undefined) return other;
  const firsts: readonly number[] = [places.firstEntry, places.firstOrder];
  const lasts: readonly number[] = [places.lastEntry, places.lastOrder];
  return other.map((value, place) => {
    const before = one[place] ?? 0n;
    if (firsts.includes(place)) return before === 0n || (value !== 0n && value < before) ? value : before;
    if (lasts.includes(place)) return value > before ? value : before;
    return before + value;
  });
}

function* compareDays(
  rows: readonly Row[],
  made: ReadonlyMap<string, DaySums>,
): Generator<{ day: string; text: string }> {
  const stored = new Set<string>();
  for (const row of rows) {
    const day = nullable(String, row['day']);
    if (day === null) continue;
    stored.add(day);
    const is = sumsOf(row).join(', ');
    const should = made.get(day)?.join(', ');
    if (should === undefined) yield { day, text: 'it has sums, but no ledger entry up to the mark' };
    else if (is !== should) yield { day, text: `its sums are ${is}, but the entries make them ${should}` };
  }
  for (const day of made.keys()) {
    if (!stored.has(day)) yield { day, text: 'its ledger entries are not summed, but the mark is past them' };
  }
}
