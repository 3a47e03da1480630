-- in each account group
-- The orders of real accounts by time, for the operator's list of all, up to the order in order_time_marks. A job makes them
-- behind the orders, from rows that never change.
create table order_times (
  created_at timestamptz not null,
  account_id int not null,
  number int not null,
  primary key (created_at, account_id, number)
);

create table order_time_marks (
  account_id int primary key,
  order_number int not null
);
