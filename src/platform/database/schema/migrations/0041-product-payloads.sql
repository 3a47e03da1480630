-- Plans whose end could not be noted: tried again in every run, while the others go on.
create table plan_end_retries (
  account_id int not null,
  customer_number int not null,
  days int not null,
  expires_at timestamptz not null,
  tried_at timestamptz not null,
  primary key (account_id, customer_number, days)
);

-- in each account group
-- What a call to the product says is stored before its first attempt, not when the call is written
-- (docs/decisions/0037-hand-off.md). A call that was never attempted is built anew; an attempted one keeps its payload,
-- because the product answers a repeated id as it did the first time.
alter table product_calls alter column payload drop not null;
update product_calls set payload = null where status = 'waiting' and attempts = 0;

-- Of an order's call: a hold or an end came while the order was pending, and wrote no call of its own.
alter table product_calls add column held_back boolean not null default false;
