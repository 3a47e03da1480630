-- Endpoints: addresses that an account, or the operator for all accounts, has its events sent to.
create table webhooks (
  id int generated always as identity primary key,
  -- 0: the operator's, who hears of all accounts.
  account_id int not null,
  url text not null,
  -- Empty: all.
  types text[] not null,
  description text,
  enabled boolean not null,
  sealed_secret text not null,
  -- Signs as well until then.
  sealed_previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null,
  -- Moves when somebody else than the deliverer decides where it stands: what a deliverer notes under an earlier one is void.
  queue_version int not null default 1,
  -- The last event that was delivered or set aside: its number in the account, of the operator's its position in the stream.
  cursor bigint not null,
  -- Rows of its log, the deleted ones included.
  attempt_count bigint not null default 0,
  -- How often the event behind the cursor was tried without success, and when it is tried again.
  head_step int not null default 0,
  due_at timestamptz,
  failures_in_a_row int not null default 0,
  failing_since timestamptz,
  failed_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('gone', 'failing'))
);
create index webhooks_of_account on webhooks (account_id, id);

-- The log: every attempt, numbered in its endpoint.
create table webhook_attempts (
  webhook_id int not null,
  number bigint not null,
  account_id int not null,
  event_number int not null,
  event_type text not null,
  attempt int not null,
  at timestamptz not null,
  outcome text collate "C" not null,
  -- NULL: there was no answer.
  status int,
  reason text,
  milliseconds int not null,
  answer text not null,
  primary key (webhook_id, number)
);
create index webhook_attempts_by_outcome on webhook_attempts (webhook_id, outcome, number);

-- Events that are tried on a schedule of their own, out of order: set aside, or asked for again.
create table webhook_retries (
  webhook_id int not null,
  account_id int not null,
  event_number int not null,
  step int not null,
  due_at timestamptz not null,
  -- Moves when somebody asks for it again: the attempt that was under way then does not end it.
  version int not null,
  primary key (webhook_id, account_id, event_number)
);
create index webhook_retries_due on webhook_retries (webhook_id, due_at);

-- Idempotency keys of changes to endpoints; the account is 0 for the operator's.
create table webhook_requests (
  account_id int not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  webhook_id int not null,
  created_at timestamptz not null,
  primary key (account_id, idempotency_key)
);

-- Deleted endpoints whose log was too long to go with them.
create table webhook_leftovers (
  webhook_id int primary key
);
