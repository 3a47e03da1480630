-- in each account group
-- The latest attempts of a call, oldest first, as src/delivery/call-attempts.ts writes them. Attempts of before are counted
-- and have no entry.
alter table product_calls add column attempt_log jsonb not null default '[]';
