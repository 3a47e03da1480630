-- in each account group
-- What a call to the product says is stored before its first attempt, not when the call is written
-- (docs/decisions/0037-hand-off.md). A call that was never attempted is built anew; an attempted one keeps its payload,
-- because the product answers a repeated id as it did the first time.
alter table product_calls alter column payload drop not null;
update product_calls set payload = null where status = 'waiting' and attempts = 0;

-- Of an order's call: a hold or an end came while the order was pending, and wrote no call of its own.
alter table product_calls add column held_back boolean not null default false;
