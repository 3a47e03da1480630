-- The newest verifications of the ledgers. Counts only: the texts of problems may name customers.
create table verifications (
  id bigint generated always as identity primary key,
  finished_at timestamptz not null,
  -- verify and restore: the commands.
  started_by text not null check (started_by in ('console', 'api', 'verify', 'restore')),
  milliseconds int not null,
  account_count int not null,
  entry_count bigint not null,
  problem_count int not null
);
