-- The weekly mail about the business, for accounts that want it, and the Monday of the last one.
alter table alerts add column weekly_summary boolean not null default false, add column weekly_mailed_on date;
