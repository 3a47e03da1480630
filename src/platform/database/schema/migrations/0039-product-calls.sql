-- Calls to the product that need attention, and calls that a later call has made pointless.
-- in each account group
alter table product_calls drop constraint product_calls_status_check;
alter table product_calls add constraint product_calls_status_check
  check (status in ('waiting', 'done', 'failed', 'attention', 'superseded'));
alter table product_calls add column last_attempt_at timestamptz;

-- All calls of a customer by status: whether an earlier one waits, and whether a later one was taken.
drop index product_calls_of_customer;
create index product_calls_of_customer on product_calls (account_id, customer_number, status, id);

-- Calls that the product did not take at their last attempt.
create index product_calls_failing on product_calls (first_attempt_at, id)
  where status = 'waiting' and attempts > 0 and account_id <= 5000000;

-- Calls that are over, for their deletion: open calls, however many, never stand in its way.
create index product_calls_over on product_calls (created_at) where status in ('done', 'failed', 'superseded');
