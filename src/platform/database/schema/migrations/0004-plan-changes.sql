-- What happened to plans without an order, as history: numbered 1, 2, 3 … within the account, as its orders are, and
-- never changed. Until now a trial stood in the customer's row and the audit log, a suspension in the customer's status
-- and the audit log.

create domain plan_change_kind as text check (value in ('trial', 'suspend', 'resume'));

create table plan_changes (
  account_id int not null,
  number int not null,
  customer_number int not null,
  kind plan_change_kind not null,
  created_at timestamptz not null,
  -- The number of the account's newest order when it happened: where among the orders it stands.
  after_order int not null,
  -- The administrator who made it; null where it is not known.
  actor_id int,
  -- Of a trial: its package and its end.
  package_id int,
  expires_at timestamptz,
  primary key (account_id, number)
);
create index plan_changes_customer on plan_changes (account_id, customer_number, number);

create trigger plan_changes_append_only before update or delete or truncate on plan_changes
  for each statement execute function refuse_rewriting_history();

-- The history that there is, from the audit log. An entry that changed nothing is no change. A customer whose trial or
-- suspension nobody wrote down gets the row that explains them as they are. The planner takes what it cannot count for a
-- few rows, and would go through them once for each customer.
set local enable_nestloop = off;
with noted as (
  select r.account_id, r.customer_number, 'trial' as kind, l.at, l.number as audit_number, l.actor_id,
    (l.after ->> 'package_id')::int as package_id, to_timestamp((l.after ->> 'expires_at')::bigint) as expires_at
  from audit_log l
  -- The subject is the word "customer", a blank and the reference.
  join customer_references r
    on r.reference = substr(l.subject, 10) and r.account_id = (l.after ->> 'account_id')::int
  where l.action = 'customer.grant_trial'
  union all
  -- The subject holds the public id: the account's id, and nine digits for the customer's number.
  select (digits.id / 1000000000)::int, (digits.id % 1000000000)::int,
    case l.after ->> 'status' when 'suspended' then 'suspend' else 'resume' end, l.at, l.number, l.actor_id, null, null
  from audit_log l
  cross join lateral (select substring(l.subject from '^customer (\d{10,16})$')::bigint as id) digits
  where l.action = 'customer.update' and digits.id is not null
    and l.before ->> 'status' is distinct from l.after ->> 'status'),
missing_trials as (
  select c.account_id, c.number, 'trial', c.anchor_at, 0, null::int, c.package_id, c.expires_at
  from customers c
  where c.months_run = 0 and not exists (
    select from noted n where n.account_id = c.account_id and n.customer_number = c.number and n.kind = 'trial'
      and n.at = c.anchor_at and n.package_id = c.package_id)),
newest_statuses as (
  select distinct on (account_id, customer_number) account_id, customer_number, kind
  from noted where kind <> 'trial' order by account_id, customer_number, audit_number desc),
missing_statuses as (
  select c.account_id, c.number, case c.status when 'suspended' then 'suspend' else 'resume' end,
    date_trunc('second', now()), 2147483647, null::int, null::int, null::timestamptz
  from customers c
  left join newest_statuses n on n.account_id = c.account_id and n.customer_number = c.number
  where (c.status = 'suspended') <> (n.kind is not distinct from 'suspend')),
changes as (
  select * from noted union all select * from missing_trials union all select * from missing_statuses),
-- Orders and changes of the accounts that have changes, in the order in which they happened. Of the same second a trial
-- comes first: it begins where no plan runs, so an order of that second that did not end it came after. A suspension
-- comes last, because orders do not ask for it, and never before the customer's first order, by whatever clock.
happened as (
  select n.account_id, greatest(n.at, c.created_at) as place_at, case n.kind when 'trial' then 0 else 2 end as place,
    n.audit_number as place_number, n.customer_number, n.kind, n.at, n.actor_id, n.package_id, n.expires_at,
    null::int as order_number
  from changes n left join customers c on c.account_id = n.account_id and c.number = n.customer_number
  union all
  select o.account_id, o.created_at, 1, o.number, null, null, null, null, null, null, o.number
  from orders o where o.account_id in (select account_id from changes)),
placed as (
  select h.*, coalesce(max(order_number) over (
    partition by account_id order by place_at, place, place_number rows unbounded preceding), 0) as after_order
  from happened h)
insert into plan_changes (account_id, number, customer_number, kind, created_at, after_order, actor_id, package_id,
  expires_at)
select account_id, row_number() over (partition by account_id order by place_at, place, place_number), customer_number,
  kind, at, after_order, actor_id, package_id, expires_at
from placed where kind is not null;
set local enable_nestloop = on;

-- Last, because from here to the end of this migration nobody can look an account up.
alter table accounts add column plan_change_count int not null default 0;
update accounts a set plan_change_count = counted.changes
from (select account_id, count(*) as changes from plan_changes group by account_id) counted
where counted.account_id = a.id;
