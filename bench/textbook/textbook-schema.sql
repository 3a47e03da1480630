-- The schema of the textbook implementation: one row for each fact, foreign keys, and an index for each query of its API.

create table accounts (
  id bigint generated always as identity primary key,
  username text not null unique,
  group_name text not null,
  key_hash bytea not null unique,
  rate_limit_per_minute int not null default 60,
  balance_cents bigint not null default 0 check (balance_cents >= 0),
  created_at timestamptz not null default now()
);

create table packages (
  id int primary key,
  name text not null
);

create table package_prices (
  package_id int not null references packages,
  group_name text not null,
  months int not null,
  price_cents bigint not null,
  primary key (package_id, group_name, months)
);

create table customers (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  reference text not null unique,
  package_id int not null references packages,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index customers_of_account on customers (account_id, id);

create table orders (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  customer_id bigint not null references customers,
  package_id int not null references packages,
  months int not null,
  kind text not null,
  price_cents bigint not null,
  balance_after_cents bigint not null,
  expires_at timestamptz not null,
  idempotency_key text not null,
  created_at timestamptz not null default now()
);
create index orders_of_account on orders (account_id, id);

create table idempotency_keys (
  account_id bigint not null references accounts,
  key text not null,
  fingerprint text not null,
  order_id bigint not null references orders,
  primary key (account_id, key)
);

create table ledger_entries (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts,
  order_id bigint references orders,
  amount_cents bigint not null,
  balance_after_cents bigint not null,
  created_at timestamptz not null default now()
);
create index ledger_entries_of_account on ledger_entries (account_id, id);
