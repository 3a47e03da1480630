-- Test mode: every account has a twin for tests, a row of its own whose id lies beyond those of real accounts. So whatever
-- looks over all accounts, or over the rows of all, tells the two apart by the id alone.
alter table accounts
  -- Whose tests: the real account.
  add column test_of int,
  -- 'current': the one that test keys reach; 'discarded': what it holds is being deleted; 'clean': it holds nothing.
  add column test_state text,
  -- What time it is there. It stands still until somebody moves it.
  add column test_clock timestamptz,
  add constraint accounts_test check (
    (test_of is not null) = (id > 5000000)
    and (test_state is not null) = (id > 5000000)
    and (test_clock is not null) = (id > 5000000)),
  add constraint accounts_test_state check (test_state in ('current', 'discarded', 'clean'));
alter table accounts alter column id set maxvalue 5000000;
create unique index accounts_test_current on accounts (test_of) where test_state = 'current';
create index accounts_test_of on accounts (test_of, id) where test_of is not null;
create index accounts_test_discarded on accounts (id) where test_state = 'discarded';

-- Whose customer a reference is among tests. One may stand here and among the real ones.
create table test_customer_references (
  reference text collate "C" not null primary key,
  account_id int not null,
  customer_number int not null
);

-- Moves of clocks, by their idempotency key: where to, and what happened on the way so far.
create table test_moves (
  account_id int not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  target timestamptz not null,
  renewals int not null,
  renewals_failed int not null,
  ended int not null,
  warnings int not null,
  is_done boolean not null,
  -- By the real clock: another move is refused until then.
  held_until timestamptz,
  primary key (account_id, idempotency_key)
);

create index test_moves_held on test_moves (account_id) where held_until is not null;

-- Resets by their idempotency keys: the account is the real one.
create table test_resets (
  account_id int not null,
  idempotency_key text collate "C" not null,
  at timestamptz not null,
  primary key (account_id, idempotency_key)
);

-- Where the product is called for tests, with a secret of its own; without it, orders of tests reach no product.
alter table service_state
  add column product_test_url text,
  add column product_test_secret_sealed text;

-- The events of all tests are written: the product follows those of test customers.
alter table service_state add column listens_to_tests boolean not null default false;

-- Plans of tests renew themselves when their clock is moved, and at no other time.
drop index customers_renewals;
create index customers_renewals on customers (renew_at, account_id, number)
  where renew_at is not null and not ends_at_period_end and account_id <= 5000000;
create index customers_test_renewals on customers (account_id, renew_at, number)
  where renew_at is not null and not ends_at_period_end and account_id > 5000000;
create index customers_test_ends on customers (account_id, expires_at, number) where account_id > 5000000;

-- What tests hold is found by their account when they are reset.
create index login_links_of_tests on login_links (account_id) where account_id > 5000000;
create index login_codes_of_tests on login_codes (account_id) where account_id > 5000000;
create index customer_sessions_of_tests on customer_sessions (account_id) where account_id > 5000000;
create index product_calls_of_tests on product_calls (account_id) where account_id > 5000000;
create index test_customer_references_of on test_customer_references (account_id);
create index event_stream_of_all on event_stream (position) where account_id <= 5000000;

-- The history of a test that was reset is deleted, and no other.
create function refuse_deleting_history() returns trigger language plpgsql as $$
begin
  if exists (select from accounts where id = old.account_id and test_state = 'discarded') then return old; end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = '55000';
end $$;
drop trigger orders_append_only on orders;
drop trigger ledger_entries_append_only on ledger_entries;
drop trigger plan_changes_append_only on plan_changes;
create trigger orders_append_only before update or truncate on orders
  for each statement execute function refuse_rewriting_history();
create trigger ledger_entries_append_only before update or truncate on ledger_entries
  for each statement execute function refuse_rewriting_history();
create trigger plan_changes_append_only before update or truncate on plan_changes
  for each statement execute function refuse_rewriting_history();
create trigger orders_kept before delete on orders for each row execute function refuse_deleting_history();
create trigger ledger_entries_kept before delete on ledger_entries
  for each row execute function refuse_deleting_history();
create trigger plan_changes_kept before delete on plan_changes
  for each row execute function refuse_deleting_history();
