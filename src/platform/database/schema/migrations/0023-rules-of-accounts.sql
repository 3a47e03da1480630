-- What an account may be, held by triggers that look at the columns it speaks of. PostgreSQL reads and plans the CHECKs of a table
-- anew for every statement that writes to it; every order moves its account's balance, and a third of the time of that
-- went into three CHECKs of columns that it does not touch. A trigger of columns is looked at where one of them is set.

create function refuse_row() returns trigger language plpgsql as $$
begin
  raise exception 'new row of % violates %', tg_table_name, tg_name
    using errcode = 'check_violation', table = tg_table_name, constraint = tg_name;
end $$;

alter table accounts
  drop constraint accounts_id_check,
  drop constraint accounts_test,
  drop constraint accounts_test_state;

create trigger accounts_id_check before insert or update of id on accounts
  for each row when (new.id not between 1 and 9007198) execute function refuse_row();

create trigger accounts_test before insert or update of id, test_of, test_state, test_clock on accounts
  for each row when (
    (new.test_of is not null) <> (new.id > 5000000)
    or (new.test_state is not null) <> (new.id > 5000000)
    or (new.test_clock is not null) <> (new.id > 5000000)
  ) execute function refuse_row();

create trigger accounts_test_state before insert or update of test_state on accounts
  for each row when (new.test_state not in ('current', 'discarded', 'clean')) execute function refuse_row();
