-- A test that is reset goes on in a fresh row, and the row before it is deleted once it is empty: no id comes again.

-- The last id that was drawn for a test. Behind the highest possible one they begin anew, past those that are in use. A
-- row and no sequence: backups carry it along, and a role of the service's own needs no right on it but those on tables.
create table test_account_ids (
  is_only boolean not null primary key default true check (is_only),
  last_id int not null
);
insert into test_account_ids (last_id) select max(id) from accounts where id > 5000000 having max(id) is not null;

-- 'discarded', or 'clean' as the version before calls a row that it has emptied.
drop index accounts_test_discarded;
create index accounts_test_discarded on accounts (id) where test_state <> 'current';

-- Of accounts only tests are deleted, that were discarded and hold nothing any more.
create function refuse_deleting_accounts() returns trigger language plpgsql as $$
begin
  if old.test_state <> 'current'
    and not exists (select from customers where account_id = old.id)
    and not exists (select from orders where account_id = old.id)
    and not exists (select from ledger_entries where account_id = old.id)
    and not exists (select from plan_changes where account_id = old.id)
  then return old; end if;
  raise exception '% is kept: % refused', tg_table_name, lower(tg_op) using errcode = '55000';
end $$;
create trigger accounts_kept before delete on accounts for each row execute function refuse_deleting_accounts();
