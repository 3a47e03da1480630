-- in each account group
-- The list of customers whose plan is not active finds the few that their account suspended.
create index customers_held on customers (account_id, number) where suspended;
