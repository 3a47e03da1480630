-- The panel: who is signed in, the second factor, the log of requests, and what its lists and figures need.

-- Moves with every change of the password: sessions that began under another one have ended.
alter table accounts add column password_version int not null default 1;

alter table api_keys
  -- To the minute, written behind the requests that used it.
  add column last_used_at timestamptz,
  -- When its owner first looked at it in the panel.
  add column viewed_at timestamptz;

-- The cookie holds the account and a token of 256 random bits; here is the token's hash.
create table sessions (
  account_id int not null,
  token_hash text not null,
  password_version int not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  address text not null,
  user_agent text not null,
  primary key (account_id, token_hash)
);
create index sessions_created on sessions (created_at);

create table totp_secrets (
  account_id int primary key,
  sealed_secret text not null,
  created_at timestamptz not null,
  -- null: shown, but not yet confirmed by a code.
  enabled_at timestamptz,
  -- The last time step whose code was used: a code works once.
  last_step bigint not null default 0
);

create table recovery_codes (
  account_id int not null,
  code_hash text not null,
  used_at timestamptz,
  primary key (account_id, code_hash)
);

-- Requests with an API key, numbered 1, 2, 3 … within their account. The oldest are deleted.
create table api_requests (
  account_id int not null,
  number bigint not null,
  at timestamptz not null,
  method text not null,
  path text not null,
  status smallint not null,
  code text,
  request_id text not null,
  milliseconds int not null,
  address text not null,
  primary key (account_id, number)
);

create table api_request_counts (
  account_id int primary key,
  request_count bigint not null
);

create table refusal_days (
  day date not null,
  code text not null,
  refusal_count bigint not null,
  primary key (day, code)
);

-- The ledger summed by UTC days, up to the entry in ledger_day_marks. Made from the ledger, behind it.
create table ledger_days (
  account_id int not null,
  day date not null,
  order_count int not null,
  entry_count int not null,
  charged_cents bigint not null,
  refunded_cents bigint not null,
  credited_cents bigint not null,
  debited_cents bigint not null,
  -- The day's entries and orders lie between these numbers, the ends included.
  first_entry int not null,
  last_entry int not null,
  first_order int,
  last_order int,
  primary key (account_id, day)
);

create table ledger_day_marks (
  account_id int primary key,
  entry_number int not null
);

-- The two indexes that the panel asks of the order path: a customer's orders, and the plans that end soon.
create index orders_customer on orders (account_id, customer_number, number);
create index customers_expiry on customers (account_id, expires_at);
