-- in each account group
-- Accounts that top up by themselves when their balance falls below a threshold.
create table auto_topups (
  account_id int primary key,
  -- NULL: a card was saved, but nothing was set yet.
  below_cents bigint check (below_cents > 0),
  amount_cents bigint check (amount_cents > 0),
  monthly_maximum_cents bigint check (monthly_maximum_cents > 0),
  status text not null check (status in ('on', 'paused', 'off')),
  -- Why it paused, or was switched off by itself.
  reason text check (reason in ('holder_needed', 'failed', 'disputed')),
  -- The card at the provider. In test mode there is none.
  customer_id text,
  method_id text,
  card_label text,
  -- In test mode, what becomes of the charges.
  test_outcome text,
  failures int not null,
  -- The top-up that is being charged. At most one, however many processes look.
  in_flight int,
  next_at timestamptz not null,
  -- What was charged in this month (UTC), "2026-11".
  month text not null,
  month_cents bigint not null,
  constraint auto_topups_set check (status = 'off' or (below_cents is not null and amount_cents is not null
    and monthly_maximum_cents is not null and method_id is not null))
);
create index auto_topups_on on auto_topups (account_id) where status = 'on' or in_flight is not null;
