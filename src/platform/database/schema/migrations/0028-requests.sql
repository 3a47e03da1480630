-- Which key a request came with, what was sent and answered (docs/decisions/0050-bodies-of-requests.md), and whose refusals
-- those are that are counted by day.
-- in each account group
-- Off until the account switches it on.
alter table accounts add column keeps_request_bodies boolean not null default false;

-- null: of before, or with no key that is known.
alter table api_requests add column key_id int;

-- Of requests of api_requests, redacted and cut. Deleted with them, and when the account keeps them no more.
create table api_request_bodies (
  account_id int not null,
  number bigint not null,
  query text,
  idempotency_key text,
  sent_type text,
  user_agent text,
  sent text,
  sent_is_cut boolean not null,
  answered_type text,
  answered text,
  answered_is_cut boolean not null,
  primary key (account_id, number)
);

-- once
-- refusal_days once more, of accounts that are known.
create table refusal_account_days (
  code text not null,
  day date not null,
  account_id int not null,
  refusal_count bigint not null,
  primary key (code, day, account_id)
);
