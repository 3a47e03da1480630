-- Of an order's call, when the customer's state is told by a call of its own after the order is settled, for an earlier call
-- that is not sent any more: 'refusal', if the product refuses the order, since nothing else says what the earlier one did;
-- 'any', whatever comes of it, since the product may have had the order before an administrator gave it something older.
-- in each account group
alter table product_calls add column tell_after text check (tell_after in ('refusal', 'any'));
