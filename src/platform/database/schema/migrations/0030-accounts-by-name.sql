-- The operator's list of accounts by name, whatever the database's own order of letters is. Orders move no name.
-- in each account group
create index accounts_by_name on accounts (username collate "C") where test_of is null;
