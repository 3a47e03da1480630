-- The newest event about a payment that was mailed.
alter table alerts add column payments_mailed_number int not null default 0;
