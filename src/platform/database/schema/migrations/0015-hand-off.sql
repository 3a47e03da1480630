-- The hand-off of orders to the operator's product. Where no product is set nothing of it is written, and an order that
-- was not handed over has no row here: it is completed.

alter table service_state
  add column product_mode text not null default 'none',
  add column product_url text,
  add column product_secret_sealed text,
  add constraint service_state_product check (product_mode = 'none'
    or (product_mode in ('notify', 'confirm') and product_url is not null and product_secret_sealed is not null));

-- The order that waits for the product's answer. Until then nothing else may change the customer's plan.
alter table customers add column pending_order int;

create domain handoff_status as text check (value in ('pending', 'completed', 'failed'));

-- Orders that count only once the product has taken them. The order itself never changes: what became of it stands here.
create table order_handoffs (
  account_id int not null,
  order_number int not null,
  customer_number int not null,
  status handoff_status not null,
  reason text,
  settled_at timestamptz,
  -- The administrator who settled it; NULL: the product's answer did.
  settled_by int,
  -- The first ledger entry that settling it took; NULL: it moved no money.
  entry_number int,
  primary key (account_id, order_number),
  constraint order_handoffs_settled check ((status = 'pending') = (settled_at is null))
);
create unique index order_handoffs_pending on order_handoffs (account_id, customer_number) where status = 'pending';
create index order_handoffs_status on order_handoffs (account_id, status, order_number) where status <> 'completed';

alter domain plan_change_kind drop constraint plan_change_kind_check;
alter domain plan_change_kind add constraint plan_change_kind_check check (value in (
  'trial', 'suspend', 'resume', 'cancel', 'cancel_at_period_end', 'auto_renew', 'auto_renew_off', 'renewal_failed',
  'order_completed', 'order_failed'));
alter domain plan_change_party drop constraint plan_change_party_check;
alter domain plan_change_party add constraint plan_change_party_check check (value in (
  'operator', 'account', 'service', 'product'));

-- Of order_completed and order_failed: which order. It is settled once.
alter table plan_changes add column order_number int;
create unique index plan_changes_order on plan_changes (account_id, order_number) where order_number is not null;

-- What the product is told: written in the transaction of what it tells, sent by whoever has the lease.
create table product_calls (
  id bigint generated always as identity primary key,
  -- Of what it tells, and never another one: the product ignores a repeat by it.
  call_id text collate "C" not null unique,
  account_id int not null,
  customer_number int not null,
  order_number int,
  -- Its answer settles the order.
  confirms boolean not null default false,
  type text not null,
  payload jsonb not null,
  created_at timestamptz not null,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed', 'attention')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  first_attempt_at timestamptz,
  last_status int,
  last_error text
);
create index product_calls_waiting on product_calls (next_attempt_at, id) where status = 'waiting';
create index product_calls_of_customer on product_calls (account_id, customer_number, id) where status = 'waiting';
create index product_calls_attention on product_calls (id) where status = 'attention';
create unique index product_calls_order on product_calls (account_id, order_number) where order_number is not null;
