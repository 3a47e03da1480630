-- Who made login links and when they were used, for whoever is asked why a customer cannot log in. Links that an order
-- brought are noted when they are used, so that orders write nothing here. Kept for a limited time.
create table login_link_log (
  token_hash text primary key,
  account_id int not null,
  customer_number int not null,
  -- 0: the customer never ordered.
  order_number int not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  -- Both null: an order brought it.
  made_by_person int,
  made_by_key int,
  by_operator boolean not null default false,
  used_at timestamptz,
  replaced_at timestamptz
);
create index login_link_log_customer on login_link_log (account_id, customer_number, made_at desc);
create index login_link_log_expiry on login_link_log (expires_at);
