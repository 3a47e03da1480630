-- Customers may change their reference, and may be erased. What names a person may then leave history, and nothing else may.
create function refuse_all_but_erasing_reasons() returns trigger language plpgsql as $$
begin
  if new.reason is null and new.reason_erased
    and to_jsonb(new) - 'reason' - 'reason_erased' = to_jsonb(old) - 'reason' - 'reason_erased' then return new; end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = '55000';
end $$;

create function refuse_rewriting_unless_erasing() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('sellthrough.erasing', true) = 'on' then return null; end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = '55000';
end $$;

create function refuse_all_but_erasing_texts() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'subject' - 'before' - 'after' = to_jsonb(old) - 'subject' - 'before' - 'after'
    and (new.before is null) = (old.before is null) and (new.after is null) = (old.after is null) then return new; end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = '55000';
end $$;

-- in each account group
-- References that customers had before. Each still names its customer and keeps its row in customer_references.
create table former_references (
  account_id int not null,
  reference text collate "C" not null,
  customer_number int not null,
  primary key (account_id, reference)
);
create index former_references_customer on former_references (account_id, customer_number);

-- What was erased and when. The job "erasures" takes the words out of logs and events, and then forgets them.
create table erasures (
  account_id int not null,
  customer_number int not null,
  -- After a restore, another customer may have this number.
  customer_created_at timestamptz not null,
  requested_at timestamptz not null,
  -- The words to look for, sealed. NULL: no longer needed.
  sealed_words text,
  passes int not null default 0,
  -- NULL: done.
  next_pass_at timestamptz,
  primary key (account_id, customer_number)
);
create index erasures_due on erasures (next_pass_at) where next_pass_at is not null;

alter table plan_changes add column reason_erased boolean not null default false;
drop trigger plan_changes_append_only on plan_changes;
create trigger plan_changes_append_only before truncate on plan_changes
  for each statement execute function refuse_rewriting_history();
create trigger plan_changes_erased before update on plan_changes
  for each row execute function refuse_all_but_erasing_reasons();

-- once
drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_rewriting_unless_erasing();
create trigger audit_log_erased before update on audit_log
  for each row execute function refuse_all_but_erasing_texts();
