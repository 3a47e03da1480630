-- in each account group
-- What became of an account's paid plans, by package, in UTC days and months, and by the month of a customer's first order;
-- and up to which of its orders and plan changes that is summed up. A job makes them from rows that never change, off the
-- order path (docs/decisions/0076-business-figures.md). An order that was not renewed yet counts as lost on the day of its end.
create table plan_sums (
  account_id int not null,
  step text collate "C" not null,
  since date not null,
  package_id int not null,
  new_plans int not null,
  returned_plans int not null,
  lost_plans int not null,
  due_plans int not null,
  moved_in_plans int not null,
  moved_out_plans int not null,
  -- Of a year: the price of an order times 12, divided by its months.
  new_cents bigint not null,
  returned_cents bigint not null,
  lost_cents bigint not null,
  raised_cents bigint not null,
  lowered_cents bigint not null,
  moved_in_cents bigint not null,
  moved_out_cents bigint not null,
  -- The price of the orders that count as lost, for their whole period.
  due_cents bigint not null,
  primary key (account_id, step, since, package_id)
);

create table cohort_sums (
  account_id int not null,
  cohort date not null,
  month date not null,
  plans int not null,
  year_cents bigint not null,
  primary key (account_id, cohort, month)
);

create table plan_sum_marks (
  account_id int primary key,
  order_number int not null,
  change_number int not null
);

-- once
-- The same of all real accounts together, so that a page reads some hundred rows however many accounts there are.
create table plan_totals (
  step text collate "C" not null,
  since date not null,
  package_id int not null,
  new_plans int not null,
  returned_plans int not null,
  lost_plans int not null,
  due_plans int not null,
  moved_in_plans int not null,
  moved_out_plans int not null,
  new_cents bigint not null,
  returned_cents bigint not null,
  lost_cents bigint not null,
  raised_cents bigint not null,
  lowered_cents bigint not null,
  moved_in_cents bigint not null,
  moved_out_cents bigint not null,
  due_cents bigint not null,
  primary key (step, since, package_id)
);

create table cohort_totals (
  cohort date not null,
  month date not null,
  plans int not null,
  year_cents bigint not null,
  primary key (cohort, month)
);
