-- Whether the account's password was minted or set by somebody else: whoever signs in with it may do nothing but choose one.
alter table accounts add column must_change_password boolean not null default false;
