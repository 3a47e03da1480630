-- Limits that the operator defines. The three of the first edition come with every database and can be deleted.
create table limit_definitions (
  key text primary key check (key ~ '^[a-z][a-z0-9_]{0,39}$'),
  kind text not null check (kind in ('count', 'switch', 'text')),
  name_en text not null,
  name_de text,
  unit_en text,
  unit_de text,
  position int not null,
  hidden boolean not null
);
insert into limit_definitions (key, kind, name_en, name_de, position, hidden) values
  ('accounts', 'count', 'Accounts', 'Konten', 1, false),
  ('posts_per_day', 'count', 'Posts per day', 'Beiträge pro Tag', 2, false),
  ('ai_images_per_month', 'count', 'AI images per month', 'KI-Bilder pro Monat', 3, false);

alter table packages add column limits jsonb not null default '{}';
update packages set limits = jsonb_build_object('accounts', limit_accounts, 'posts_per_day', limit_posts_per_day,
  'ai_images_per_month', limit_ai_images_per_month);

-- Only a process of the previous version still writes the three columns, while processes are replaced one by one.
alter table packages alter column limit_accounts drop not null,
  alter column limit_posts_per_day drop not null, alter column limit_ai_images_per_month drop not null;
create function take_limits_of_previous_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (new.limit_accounts, new.limit_posts_per_day, new.limit_ai_images_per_month)
      is distinct from (old.limit_accounts, old.limit_posts_per_day, old.limit_ai_images_per_month) then
    new.limits := new.limits || (select jsonb_object_agg(replace(key, 'limit_', ''), value)
      from jsonb_each(to_jsonb(new)) where key like 'limit\_%');
  end if;
  return new;
end $$;
create trigger packages_of_previous_version
  before insert or update of limit_accounts, limit_posts_per_day, limit_ai_images_per_month on packages
  for each row when (new.limit_accounts is not null) execute function take_limits_of_previous_version();
