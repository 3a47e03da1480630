-- What the outside hears of an account: numbered 1, 2, 3 … in it without gaps, from the moment that somebody listens.
-- NULL: nobody ever did, and nothing is written.
alter table accounts
  add column event_count int,
  -- The balance below which its people are told.
  add column alert_below_cents bigint;

-- Whether the operator listens to all accounts, those to come included.
alter table service_state add column listens_to_all boolean not null default false;

create table events (
  account_id int not null,
  number int not null,
  type text collate "C" not null,
  created_at timestamptz not null,
  -- JSON, as it is sent.
  data text not null,
  primary key (account_id, number)
);
create index events_of_type on events (account_id, type, number);

-- What was committed and has no place in the stream yet: one row for each transaction and account.
create table event_inbox (
  id bigint generated always as identity primary key,
  account_id int not null,
  first_number int not null,
  last_number int not null,
  created_at timestamptz not null
);

-- All accounts' events in one order, in which those of each account ascend. A row stands for several in a row, of which
-- the first has the position.
create table event_stream (
  position bigint primary key,
  account_id int not null,
  first_number int not null,
  last_number int not null,
  created_at timestamptz not null
);
create unique index event_stream_of_account on event_stream (account_id, last_number);

-- Made with the first row of the stream.
create table event_stream_head (
  only_row boolean primary key default true check (only_row),
  next_position bigint not null
);

-- How many days before its end a plan's last notice was given, 0 at its end; NULL: none yet for this end.
alter table customers add column end_notice_days int;

-- Up to which end the notices of each kind were given: those of plans that end later are still to come.
create table plan_end_marks (
  days int primary key,
  told_until timestamptz not null
);

create table alerts (
  account_id int primary key,
  -- So many days before a plan ends; NULL: not told.
  plans_ending_days int,
  emails text[] not null default '{}',
  -- The last event of each kind that was mailed, or would have been, and when plans that end were mailed last.
  low_mailed_number int not null default 0,
  ending_mailed_number int not null default 0,
  ending_mailed_at timestamptz
);
