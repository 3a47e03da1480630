-- Whose it was what an entry of the audit log is about, as far as the entry says so: an account itself, its customers, orders, keys,
-- sign-ins and people. A trial names its customer by the reference, which may look like an id, and the account beside it.
create function account_of_audit(action text, subject text, before jsonb, after jsonb) returns int
language sql immutable parallel safe as $$
  select coalesce(
    substring(coalesce(after, before) ->> 'account_id' from '^\d{1,7}$')::int,
    substring(subject from 'account (\d{1,7})$')::int,
    case when action <> 'customer.grant_trial'
      then substring(subject from '^(?:customer|order) (\d{1,7})\d{9}$')::int end)
$$;

-- What the log is searched by. It is written to by those who manage accounts, and not by orders.
create index audit_log_subject on audit_log (subject, number);
create index audit_log_account on audit_log (account_of_audit(action, subject, before, after), number);
create index audit_log_actor on audit_log (actor_id, number);
create index audit_log_key on audit_log (actor_key_id, number) where actor_key_id is not null;
create index audit_log_person on audit_log (actor_person_id, number) where actor_person_id is not null;
create index audit_log_at on audit_log (at, number);
