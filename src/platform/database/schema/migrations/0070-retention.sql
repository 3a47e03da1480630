-- How many days the service keeps what it deletes by itself. NULL: for good. The operator may change them.
alter table service_state
  add column request_log_days int not null default 7 check (request_log_days between 1 and 3650),
  add column event_days int not null default 90 check (event_days between 14 and 3650),
  add column mail_days int not null default 30 check (mail_days between 7 and 3650),
  add column audit_address_days int check (audit_address_days between 1 and 3650),
  add column closed_account_days int check (closed_account_days between 1 and 3650),
  -- Entries of the audit log up to this number have lost their client addresses.
  add column audit_addresses_removed_to int not null default 0;
