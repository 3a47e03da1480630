-- Which stretches of an account's orders and ledger entries hold what: rows of a kind or of a package that are few among
-- millions are found without reading the others. Made off the order path, from rows that never change.
create table list_stretches (
  account_id int not null,
  list text collate "C" not null,
  facet text collate "C" not null,
  stretch int not null,
  row_count int not null,
  primary key (account_id, list, facet, stretch)
);

-- How many stretches have been looked at, from the first row on.
create table list_stretch_marks (
  account_id int not null,
  list text collate "C" not null,
  stretch_count int not null,
  primary key (account_id, list)
);

-- The account's own id of its customer. Orders neither read nor write it.
alter table customers add column external_ref text;

-- What customers are found by; the first letter of a term says what it is.
create table customer_terms (
  account_id int not null,
  term text collate "C" not null,
  customer_number int not null,
  primary key (account_id, term, customer_number)
);

-- The number of the last customer whose terms are there.
create table customer_term_marks (
  account_id int primary key,
  customer_number int not null
);

-- Idempotency keys of changes to a customer's names: a request that is sent again changes nothing again.
create table customer_edits (
  account_id int not null,
  idempotency_key text collate "C" not null,
  customer_number int not null,
  fingerprint text not null,
  primary key (account_id, idempotency_key)
);
