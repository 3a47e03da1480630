-- The addresses that alerts of an account go to, and which of them their holder confirmed by a link.
create table mail_addresses (
  account_id int not null,
  -- In small letters.
  address text not null,
  -- When the last link was mailed; null: none yet, or another one is due.
  asked_at timestamptz,
  confirmed_at timestamptz,
  primary key (account_id, address)
);
create index mail_addresses_to_ask on mail_addresses (account_id, address) where confirmed_at is null and asked_at is null;
create index mail_addresses_asked on mail_addresses (address, asked_at) where asked_at is not null;

-- Alerts that were set before go on: an alert that stops with an upgrade is worse, and each carries a link to end it.
insert into mail_addresses (account_id, address, confirmed_at)
  select distinct a.account_id, lower(e), now() from alerts a cross join unnest(a.emails) e;

-- How much an account was sent within an hour.
create index mails_sent_of_account on mails (account_id, sent_at);
