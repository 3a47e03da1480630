-- What a demo may be looked at without a password, and the setup steps that the operator skipped. year_until: the end of
-- the demo's year, null on every service that did not begin as a demo; year_filled: all of its orders are there.
alter table service_state
  add demo_year_until timestamptz,
  add demo_year_filled boolean not null default false,
  add demo_operator_id int,
  add demo_reseller_id int,
  add setup_skipped text[] not null default '{}';
