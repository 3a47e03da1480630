-- How much each test account holds. Written by the transactions that write for tests, and deleted with the account.
create table test_usage (
  account_id int not null primary key check (account_id > 5000000),
  row_count bigint not null,
  byte_count bigint not null
);
-- Tests of before: counters for their rows, and an average for the bytes of one.
insert into test_usage (account_id, row_count, byte_count)
  select id, row_count, row_count * 512 from (
    select id, order_count::bigint + customer_count + entry_count + plan_change_count + coalesce(event_count, 0) as row_count
    from accounts where id > 5000000) counted;
