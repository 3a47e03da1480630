// The ledger's auditor: adds every ledger up again, checks the chain of balances, the counters, every
// order against its entries and every plan against its orders, in SQL that shares no code with the
// engine. An account with a problem is halted (its writes stop) and released when it is found content.
// It may run beside a busy service; on the embedded database, whose one session it shares, orders wait for
// the check that is running.

import type { VerifyReportView } from '../contract/admin-schemas.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Statement } from '../database/database.ts';
import { numberArray } from '../database/sql-arrays.ts';

/** Listed for each account and check; every account with a problem is listed. */
const problemsPerAccountMax = 20;

/**
 * The terms that the orders make, each from `starts` to `expiry`. A run begins where the order before it had
 * ended or was for another package; its terms end calendar months after its anchor. A trial that an
 * administrator gave leaves no order. `back`: 1 for the customer's newest order.
 */
const terms = `with stepped as (
    select o.*, lag(expires_at) over w as previous_expiry, lag(package_id) over w as previous_package
    from orders o window w as (partition by account_id, customer_number order by number)),
  marked as (
    select *, count(*) filter (where previous_expiry is null or previous_expiry <= created_at
        or previous_package <> package_id) over (partition by account_id, customer_number order by number) as run
    from stepped),
  runs as (
    select *, first_value(created_at) over r as anchor, sum(months) over r as months_run,
      row_number() over r = 1 as is_first
    from marked window r as (partition by account_id, customer_number, run order by number)),
  terms as (
    select *, (anchor at time zone 'UTC' + make_interval(months => months_run::int)) at time zone 'UTC' as expiry,
      case when is_first then anchor else previous_expiry end as starts,
      row_number() over newest as back, first_value(run) over newest as newest_run,
      first_value(created_at) over newest as newest_at
    from runs window newest as (partition by account_id, customer_number order by number desc))`;

/** Each returns account_id, subject, problem for what is wrong, and nothing when all is well. */
const checks: readonly Statement[] = [
  {
    name: 'verify_accounts',
    text: `select a.id as account_id, 'account ' || a.id as subject, p.problem
      from accounts a
      left join lateral (
        select count(*) as entries, coalesce(max(number), 0) as last, coalesce(sum(amount_cents), 0) as sum
        from ledger_entries where account_id = a.id) e on true
      left join lateral (
        select balance_after_cents as balance from ledger_entries where account_id = a.id order by number desc limit 1) l on true
      left join lateral (
        select count(*) as orders, coalesce(max(number), 0) as last from orders where account_id = a.id) o on true
      left join lateral (
        select count(*) as customers, coalesce(max(number), 0) as last from customers where account_id = a.id) c on true
      cross join lateral (values
        (case when e.sum <> a.balance_cents then
          format('the balance is %s cents, the entries add up to %s', a.balance_cents, e.sum) end),
        (case when coalesce(l.balance, 0) <> a.balance_cents then
          format('the balance is %s cents, the last entry says %s', a.balance_cents, coalesce(l.balance, 0)) end),
        (case when e.entries <> a.entry_count or e.last <> a.entry_count then
          format('%s entries numbered to %s, the counter says %s', e.entries, e.last, a.entry_count) end),
        (case when o.orders <> a.order_count or o.last <> a.order_count then
          format('%s orders numbered to %s, the counter says %s', o.orders, o.last, a.order_count) end),
        (case when c.customers <> a.customer_count or c.last <> a.customer_count then
          format('%s customers numbered to %s, the counter says %s', c.customers, c.last, a.customer_count) end)
      ) p (problem) where p.problem is not null`,
  },
  {
    name: 'verify_entries',
    text: `select account_id, 'ledger entry ' || number as subject,
        format('balance %s + amount %s is not %s cents', previous, amount_cents, balance_after_cents) as problem
      from (select account_id, number, amount_cents, balance_after_cents,
          lag(balance_after_cents, 1, 0::bigint) over (partition by account_id order by number) as previous
        from ledger_entries) chain
      where previous + amount_cents <> balance_after_cents
      union all
      select account_id, 'ledger entry ' || number, 'the kind ' || kind || ' does not fit the amount ' || amount_cents
      from ledger_entries
      where (kind = 'charge' and amount_cents > 0) or (kind = 'debit' and amount_cents >= 0)
        or (kind in ('credit', 'refund') and amount_cents <= 0)
        or (kind in ('charge', 'refund')) <> (order_number is not null)
        or (kind in ('credit', 'debit')) <> (actor_id is not null)`,
  },
  {
    name: 'verify_orders',
    text: `with sums as (
        select account_id, order_number,
          sum(amount_cents) filter (where kind = 'charge') as charged, count(*) filter (where kind = 'charge') as charges,
          coalesce(sum(amount_cents) filter (where kind = 'refund'), 0) as refunded,
          max(balance_after_cents) filter (where kind = 'charge') as balance_after
        from ledger_entries where order_number is not null group by account_id, order_number)
      select coalesce(o.account_id, s.account_id) as account_id,
        'order ' || coalesce(o.number, s.order_number) as subject,
        case when o.number is null then 'the ledger names it, but it does not exist'
          when s.order_number is null then 'it has no ledger entry'
          when s.charges <> 1 then 'it was charged ' || s.charges || ' times'
          when s.charged <> -o.price_cents then format('price %s, charged %s cents', o.price_cents, -s.charged)
          when s.refunded <> o.refund_cents then format('refund %s, given back %s cents', o.refund_cents, s.refunded)
          else format('it says %s cents were left, the ledger says %s', o.balance_after_cents, s.balance_after) end as problem
      from orders o full join sums s on s.account_id = o.account_id and s.order_number = o.number
      where o.number is null or s.order_number is null or s.charges is distinct from 1
        or s.charged is distinct from -o.price_cents or s.refunded is distinct from o.refund_cents
        or s.balance_after is distinct from o.balance_after_cents`,
  },
  {
    name: 'verify_owners',
    text: `select o.account_id, 'order ' || o.number as subject, 'its account does not exist' as problem from orders o
      where not exists (select from accounts a where a.id = o.account_id)
      union all
      select e.account_id, 'ledger entry ' || e.number, 'its account does not exist' from ledger_entries e
      where not exists (select from accounts a where a.id = e.account_id)`,
  },
  {
    name: 'verify_references',
    text: `select coalesce(c.account_id, r.account_id) as account_id,
        'customer ' || coalesce(c.number, r.customer_number) as subject,
        'the claim on its reference and its row disagree' as problem
      from customers c full join customer_references r
        on r.account_id = c.account_id and r.customer_number = c.number and r.reference = c.reference
      where c.number is null or r.customer_number is null
      union all
      select o.account_id, 'order ' || o.number, 'its customer or package does not exist' from orders o
      where not exists (select from customers c where c.account_id = o.account_id and c.number = o.customer_number)
        or not exists (select from packages p where p.id = o.package_id)`,
  },
  {
    name: 'verify_plans',
    text: `${terms}
      select account_id, 'order ' || number as subject,
        format('it ends at %s, its terms end at %s', expires_at, expiry) as problem
      from terms where expires_at <> expiry
      union all
      select account_id, 'order ' || number, 'it is an activation, but a plan was running'
      from terms where kind = 'activate' and previous_expiry > created_at
      union all
      select c.account_id, 'customer ' || c.number, 'the plan is not what the orders make of it'
      from customers c join packages p on p.id = c.package_id
      left join terms e on e.account_id = c.account_id and e.customer_number = c.number and e.back = 1
      where case when c.months_run = 0
        then c.paid_periods <> '{}' or not p.is_trial or c.expires_at <= c.anchor_at
        else e.number is null or e.package_id <> c.package_id or e.expiry <> c.expires_at or e.anchor <> c.anchor_at
          or e.months_run <> c.months_run end`,
  },
  {
    // What a change gave back: of each term of the run it replaced, the unused part of its price, rounded down.
    name: 'verify_refunds',
    text: `${terms}, due as (
        select c.account_id, c.number, c.refund_cents, coalesce(sum(
          t.price_cents * extract(epoch from t.expiry - greatest(c.created_at, t.starts))::bigint
            / extract(epoch from t.expiry - t.starts)::bigint), 0) as cents
        from terms c left join terms t on c.kind = 'change' and t.account_id = c.account_id
          and t.customer_number = c.customer_number and t.run = c.run - 1 and t.expiry > c.created_at
        group by c.account_id, c.number, c.refund_cents)
      select account_id, 'order ' || number as subject,
        format('it gave %s cents back, unused were %s', refund_cents, cents) as problem
      from due where refund_cents <> cents`,
  },
  {
    // The paid periods on the row are the newest terms of the orders, each with its start, end and price.
    name: 'verify_paid_periods',
    text: `${terms}, periods as (
        select c.account_id, c.number, p.place, cardinality(c.paid_periods) / 3 - p.place + 1 as back,
          c.paid_periods[p.place * 3 - 2] as starts, c.paid_periods[p.place * 3 - 1] as ends,
          c.paid_periods[p.place * 3] as cents
        from customers c cross join lateral generate_series(1, cardinality(c.paid_periods) / 3) p (place))
      select p.account_id, 'customer ' || p.number as subject,
        'paid period ' || p.place || ' does not fit the orders' as problem
      from periods p
      left join terms t on t.account_id = p.account_id and t.customer_number = p.number and t.back = p.back
      where t.price_cents is distinct from p.cents or extract(epoch from t.starts)::bigint is distinct from p.starts
        or extract(epoch from t.expiry)::bigint is distinct from p.ends
      union all
      select c.account_id, 'customer ' || c.number,
        case when cardinality(c.paid_periods) = 0 then 'a paid plan has no paid period'
          else format('it holds %s numbers for %s paid periods', cardinality(c.paid_periods), u.count) end
      from customers c left join (
        select account_id, customer_number, count(*) as count from terms
        where run = newest_run and expiry > newest_at group by account_id, customer_number
      ) u on u.account_id = c.account_id and u.customer_number = c.number
      where c.months_run > 0 and cardinality(c.paid_periods) <> coalesce(u.count, 0) * 3`,
  },
];

const countChecked: Statement = {
  name: 'verify_count',
  text: 'select (select count(*) from accounts) as accounts, (select count(*) from ledger_entries) as entries',
};

const noTimeout: Statement = { name: '', text: 'set local statement_timeout = 0' };
// The order path's planner settings would make the auditor's full passes slow (embedded: one session).
const wholeTables: readonly Statement[] = [
  'enable_seqscan = on',
  'enable_hashjoin = on',
  'enable_mergejoin = on',
  'plan_cache_mode = auto',
].map((setting) => ({ name: '', text: `set local ${setting}` }));

// In the order in which batches lock accounts.
const haltAccounts: Statement = {
  name: 'halt_accounts',
  text: `with moved as (
      select id from accounts where (halted_at is not null) <> (id = any($1::int[])) order by id for no key update)
    update accounts a set halted_at = case when a.id = any($1::int[]) then to_timestamp($2::bigint) end
    from moved where a.id = moved.id`,
};

const verifyMilliseconds = 3_600_000;

/** Each check is a statement of its own, and so sees one state of the books; orders go on between them. */
export async function verifyLedger(database: Database, now: EpochSeconds): Promise<VerifyReportView> {
  const problems: VerifyReportView['problems'] = [];
  for (const check of checks) problems.push(...(await runCheck(database, check)));
  const [counted] = await database.query(countChecked);
  const accountIds = [...new Set(problems.map((problem) => problem.account_id))];
  await database.query(haltAccounts, [numberArray(accountIds), now]);
  return {
    ok: problems.length === 0,
    accounts: Number(counted?.['accounts']),
    entries: Number(counted?.['entries']),
    problems,
  };
}

function runCheck(database: Database, { text }: Statement): Promise<VerifyReportView['problems']> {
  const listed = `select account_id, subject, problem from (
      select *, row_number() over (partition by account_id) as place from (${text}) found) numbered
    where place <= ${problemsPerAccountMax} order by account_id, place`;
  return database.transaction(
    async (transaction) => {
      await transaction.query(noTimeout);
      for (const setting of wholeTables) await transaction.query(setting);
      const rows = await transaction.query({ name: '', text: listed });
      return rows.map((row) => ({
        account_id: Number(row['account_id']),
        subject: String(row['subject']),
        problem: String(row['problem']),
      }));
    },
    { timeoutMilliseconds: verifyMilliseconds },
  );
}
