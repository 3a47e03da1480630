-- Statements of past months never change, even when the clock is set back (docs/decisions/0006-open-points.md).
-- in each account group
-- No ledger entry is dated before this moment: that of the last entry, or the month up to which statements were read as final.
alter table accounts add column ledger_open_from timestamptz;
-- The last order dated before its own entries.
alter table accounts add column postdated_order int;

update accounts a set ledger_open_from = e.created_at
  from ledger_entries e where e.account_id = a.id and e.number = a.entry_count;
