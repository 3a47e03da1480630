-- A role for the service that owns nothing: it reads and writes rows, and cannot switch off what keeps the ledger
-- append-only. Run by the role that owns the database and its tables, in that database, as often as one likes:
--
--   in Docker      by itself, when the volume is new (compose.yaml)
--   afterwards     docker compose exec database psql --username sellthrough --file /docker-entrypoint-initdb.d/roles.sql
--
-- The password is read by the server from the file of the secret, so that no statement holds it in a log.

do $$
declare
  password text := btrim(pg_read_file('/run/secrets/service-password'), E' \r\n');
  rows text := 'select, insert, update, delete';
begin
  if not exists (select from pg_roles where rolname = 'sellthrough_service') then
    create role sellthrough_service login;
  end if;
  execute format('alter role sellthrough_service nosuperuser nocreatedb nocreaterole password %L', password);
  -- ANALYZE of a young database is the owner's until PostgreSQL 17; before, autovacuum does it within minutes.
  if current_setting('server_version_num')::int >= 170000 then
    rows := rows || ', maintain';
  end if;
  -- What is there, and what the migrations of this role will make.
  execute format('grant %s on all tables in schema public to sellthrough_service', rows);
  execute format('alter default privileges in schema public grant %s on tables to sellthrough_service', rows);
  -- For backups, which hold what each sequence has drawn.
  grant select on all sequences in schema public to sellthrough_service;
  alter default privileges in schema public grant select on sequences to sellthrough_service;
end $$;
