-- Each order and each plan change is written with a hash of its row and of the hash before it, so that verify sees a row
-- that was changed by SQL. The account keeps the last hash of both. NULL: rows from before, and rows that a process of the
-- previous version writes during an upgrade; the chain passes over them.
-- in each account group
alter table orders add column row_hash text;
alter table plan_changes add column row_hash text;
alter table accounts add column order_hash text, add column change_hash text;
