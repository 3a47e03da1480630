-- Days before the end of a plan for which the account's alerts ask for a notice: a copy for the engine, which sends it at once
-- if less is left of a plan.
-- in each account group
alter table accounts add column alert_days int;

-- once
-- Running plans that were already closer to their end when the alert was set still need their notice.
alter table alerts add column is_catching_up boolean not null default false;
update alerts set is_catching_up = true where plans_ending_days is not null;
