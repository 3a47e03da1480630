-- Calls of the product that are due are looked for apart: those of tests, however many, stand in no real one's way.
drop index product_calls_waiting;
create index product_calls_waiting on product_calls (next_attempt_at, id)
  where status = 'waiting' and account_id <= 5000000;
create index product_calls_waiting_of_tests on product_calls (next_attempt_at, id)
  where status = 'waiting' and account_id > 5000000;
