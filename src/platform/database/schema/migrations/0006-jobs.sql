-- Work that nobody waits for: one row for each kind, made when the kind is first run. Who holds the lease does the
-- work; all times are the database's, because the clocks of processes differ.
create table jobs (
  kind text collate "C" primary key,
  -- Moves with every lease: what an earlier holder still has to say counts no more.
  lease_number bigint not null,
  -- null: nobody runs it.
  leased_by text,
  lease_until timestamptz,
  -- The holder sees it when it renews its lease, and stops.
  stop_asked boolean not null default false,
  started_at timestamptz not null,
  finished_at timestamptz,
  succeeded_at timestamptz,
  -- null: it runs only when it is asked for, or has never come to an end.
  next_run_at timestamptz,
  -- What the last run left for the next one.
  backlog bigint not null default 0,
  failure_count bigint not null default 0,
  failures_in_a_row int not null default 0,
  -- The newest failure, kept after later runs went well.
  last_error text,
  last_error_at timestamptz
);
