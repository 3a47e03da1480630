-- Halts numbered in the order in which they were made: an audit lifts none that is newer than its own start.
alter table service_state add column halt_count int not null default 0;
alter table accounts add column halt_number int;
