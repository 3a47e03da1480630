-- How far the job that repairs customers.last_order has looked: a process of the previous version completes orders and gives
-- trials without writing that column.
-- in each account group
create table last_order_marks (
  account_id int not null primary key,
  order_number int not null,
  change_number int not null
);
