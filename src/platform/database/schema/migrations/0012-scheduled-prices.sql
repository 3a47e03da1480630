-- Prices that begin at a second of their own: what a group pays for some months from then on. What is not named stays as it
-- is. A row whose second has come is kept for ever: orders were charged by it.
create table scheduled_prices (
  package_id int not null references packages,
  starts_at timestamptz not null,
  group_name text not null check (group_name in ('reseller', 'distributor')),
  months int not null check (months in (1, 3, 12)),
  price_cents bigint not null check (price_cents >= 0),
  primary key (package_id, starts_at, group_name, months)
);
create trigger scheduled_prices_never_change before update or truncate on scheduled_prices
  for each statement execute function refuse_rewriting_history();

-- When the price was set by a change of the package: it holds over what was scheduled up to then.
alter table package_prices add column changed_at timestamptz not null default '1970-01-01T00:00:00Z';
