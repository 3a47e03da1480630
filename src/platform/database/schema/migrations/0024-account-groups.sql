-- Account groups (docs/decisions/0047-account-groups.md): where a database has several, each is a schema with all tables that are
-- an account's, and this table says which. Without a row all accounts are one group, in the schema of everything else.
create table account_groups (
  number int primary key check (number >= 0),
  schema_name text not null unique
);

-- What a statement that knows one group alone has to know of the accounts of all: their names, and which tests are in use (what a
-- test claimed that was reset is free).
create view account_names as select id, username from accounts;
create view tests_in_use as select id from accounts where test_state = 'current';
