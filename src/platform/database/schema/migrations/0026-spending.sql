-- in each account group
-- What an account spent by package and kind, in UTC days and months; and up to which of its ledger entries that is summed
-- up. Made off the order path, from rows that never change; what there is already is summed up by the job.
create table spending_sums (
  account_id int not null,
  step text collate "C" not null,
  since date not null,
  package_id int not null,
  kind text collate "C" not null,
  order_count int not null,
  charged_cents bigint not null,
  refunded_cents bigint not null,
  primary key (account_id, step, since, package_id, kind)
);

create table spending_marks (
  account_id int primary key,
  entry_number int not null
);

-- Which plan a refund without an order was of. No order writes such a row.
create index plan_changes_cancel_entry on plan_changes (account_id, entry_number)
  where kind = 'cancel' and entry_number is not null;
