-- What the operator forgave, so that a write-off that is sent again is recognized.

-- in each account group
-- Reversals so far. They are numbered without gaps.
alter table accounts add column reversal_count int not null default 0 check (reversal_count >= 0);

-- What one write-off forgave of one reversal.
create table write_offs (
  account_id int not null,
  idempotency_key text collate "C" not null,
  reversal_number int not null,
  -- Of the request.
  fingerprint text not null,
  amount_cents bigint not null check (amount_cents > 0),
  -- What the account owes after it.
  receivable_after_cents bigint not null check (receivable_after_cents >= 0),
  memo text,
  created_at timestamptz not null,
  primary key (account_id, idempotency_key, reversal_number)
);
create index write_offs_of_reversal on write_offs (account_id, reversal_number);
