-- The completed order that made the customer's plan what it is: what a renewal of the customer goes by. NULL: a free trial,
-- or no order was completed yet. Written with the plan; here for the plans that are there already.
-- in each account group
alter table customers add column last_order int;

update customers c set last_order = o.number
from (
    select o.account_id, o.customer_number, max(o.number) as number
    from orders o
    where not exists (
      select from order_handoffs h
      where h.account_id = o.account_id and h.order_number = o.number and h.status <> 'completed')
    group by o.account_id, o.customer_number
  ) last
  join orders o on o.account_id = last.account_id and o.number = last.number
where c.account_id = last.account_id and c.number = last.customer_number and c.package_id = o.package_id;
