-- What people credited and debited by hand within the last hour: beyond a sum they are asked for their password. A request
-- that is sent again has the key that it had.
create table moved_amounts (
  person_id int not null,
  request_key text collate "C" not null,
  at timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 0),
  primary key (person_id, request_key)
);
