-- in each account group
-- Accounts that were closed for good. closing: what was decided about the balance, and once it has left, how much that was.
alter table accounts add column closed_at timestamptz, add column closing jsonb;
create index accounts_closed on accounts (closed_at) where closed_at is not null;
