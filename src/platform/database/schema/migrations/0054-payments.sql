-- Money that an account pays in, and what goes back. A top-up is what the account asked for; only the order batch writes
-- what came of it. A process of the previous version cannot read the new kinds of ledger entries.
alter domain entry_kind drop constraint entry_kind_check;
-- All rows passed the narrower check, so do not read them again.
alter domain entry_kind add constraint entry_kind_check check (value in (
  'charge', 'refund', 'credit', 'debit', 'reversal', 'settlement', 'reinstatement')) not valid;

-- in each account group
-- What could not be taken from the balance. The sum of reversals.open_cents.
alter table accounts add column receivable_cents bigint not null default 0 check (receivable_cents >= 0);

create table topups (
  account_id int not null,
  number int not null check (number > 0),
  method text not null check (method in ('card', 'bank_transfer')),
  amount_cents bigint not null check (amount_cents > 0),
  -- Until its payment is credited. Then `payments` and `reversals` say what became of it.
  status text not null check (status in ('open', 'processing', 'failed', 'expired', 'cancelled')),
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (account_id, number)
);

-- The credited payment of a top-up.
create table payments (
  account_id int not null,
  topup_number int not null,
  -- The provider and its name of the payment: "stripe:pi_…". It is credited once.
  payment_ref text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  entry_number int not null,
  created_at timestamptz not null,
  primary key (account_id, topup_number)
);
create unique index payments_ref on payments (account_id, payment_ref);

-- A payment, or a part of one, that went back: a refund, a dispute or a returned transfer.
create table reversals (
  account_id int not null,
  number int not null check (number > 0),
  topup_number int not null,
  -- The provider and its name of the refund or dispute, or our own. It takes money once.
  cause text collate "C" not null,
  kind text not null check (kind in ('refund', 'dispute', 'return')),
  amount_cents bigint not null check (amount_cents > 0),
  -- Taken from the balance at once, later from credits, and forgiven by the operator.
  taken_cents bigint not null check (taken_cents >= 0),
  settled_cents bigint not null check (settled_cents >= 0),
  written_off_cents bigint not null check (written_off_cents >= 0),
  -- What is still owed.
  open_cents bigint not null check (open_cents >= 0),
  created_at timestamptz not null,
  -- The money came back: the dispute was won, or the refund failed.
  reinstated_at timestamptz,
  primary key (account_id, number),
  constraint reversals_open check (open_cents = case when reinstated_at is null
    then amount_cents - taken_cents - settled_cents - written_off_cents else 0 end)
);
create unique index reversals_cause on reversals (account_id, cause);
create index reversals_of_topup on reversals (account_id, topup_number);
create index reversals_still_open on reversals (account_id, number) where open_cents > 0;

-- The payment or reversal that a ledger entry belongs to.
create table payment_entries (
  account_id int not null,
  entry_number int not null,
  topup_number int not null,
  reversal_number int,
  primary key (account_id, entry_number)
);
create index payment_entries_of_topup on payment_entries (account_id, topup_number);
