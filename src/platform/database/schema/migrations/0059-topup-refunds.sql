-- Refunds that the operator makes here. The books move first, and the provider is asked after that.

-- in each account group
create table topup_refunds (
  account_id int not null,
  -- The cause of its reversal: "refund:…".
  cause text collate "C" not null,
  topup_number int not null,
  amount_cents bigint not null check (amount_cents > 0),
  reason text,
  -- new: the provider has not answered yet. by_hand: the operator sends the money, because it came by transfer.
  status text not null check (status in ('new', 'sent', 'failed', 'by_hand')),
  created_at timestamptz not null,
  primary key (account_id, cause)
);
create index topup_refunds_new on topup_refunds (created_at) where status = 'new';
create index topups_newest on topups (created_at, account_id, number);
