-- Rows that are few among very many, and are asked for by themselves. What an order writes is in neither.

create index customers_suspended on customers (account_id, number) where status = 'suspended';

-- A plan's history, past any number of changes that changed nothing.
create index plan_changes_shown on plan_changes (account_id, customer_number, number) where not is_empty;
