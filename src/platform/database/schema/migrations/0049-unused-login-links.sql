-- A new link replaces the customer's unused ones of the same order: few, however many were made.
create index login_link_log_unused on login_link_log (account_id, customer_number, order_number)
  where used_at is null and replaced_at is null;
