-- Who invited, as the page behind the link says it; null: the operator of the service. And on which clock a person reads
-- times; null: their browser's zone.
alter table password_links add column invited_by text;
alter table people add column clock text constraint people_clock_check check (clock = 'utc');
