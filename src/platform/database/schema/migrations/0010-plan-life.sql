-- The life of a plan: the reseller's suspension, cancelling, and plans that renew themselves. All of it is NULL or false
-- for customers who have none of it; a plain order writes none of it.

alter table customers
  -- The reseller's hold; the operator's is the status.
  add column suspended boolean not null default false,
  add column cancelled boolean not null default false,
  add column ends_at_period_end boolean not null default false,
  add column renew_months order_months,
  add column renew_max_cents bigint,
  add column renew_hours_before int,
  -- When the plan is renewed, or tried again.
  add column renew_at timestamptz,
  add column renew_failure text;

-- What is due, in order of ends. Nobody has it yet.
create index customers_renewals on customers (renew_at, account_id, number)
  where renew_at is not null and not ends_at_period_end;

alter domain plan_change_kind drop constraint plan_change_kind_check;
alter domain plan_change_kind add constraint plan_change_kind_check check (value in (
  'trial', 'suspend', 'resume', 'cancel', 'cancel_at_period_end', 'auto_renew', 'auto_renew_off', 'renewal_failed'));

create domain plan_change_party as text check (value in ('operator', 'account', 'service'));

alter table plan_changes
  -- Who made it. Until now: administrators.
  add column by_party plan_change_party not null default 'operator',
  -- The plan right after it; NULL in rows of the first edition. package_id and expires_at are then those of the plan.
  add column plan_status text,
  add column is_suspended boolean,
  -- Nothing changed, and the row holds what its key stands for.
  add column is_empty boolean not null default false,
  -- Of a cancelled plan: what was given back, by which ledger entry (none for nothing). With a key: what the first answer said.
  add column refund_cents cents_not_negative,
  add column entry_number int,
  add column balance_after_cents cents_not_negative,
  add column idempotency_key text collate "C",
  add column fingerprint text,
  -- Of a suspension.
  add column reason text,
  -- Of a renewal that was refused.
  add column code text,
  -- Of auto-renewal: how it was set.
  add column renew_months order_months,
  add column renew_max_cents bigint,
  add column renew_hours_before int;
create unique index plan_changes_idempotency_key on plan_changes (account_id, idempotency_key)
  where idempotency_key is not null;
