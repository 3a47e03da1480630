-- Several keys for an account. A row of api_keys stays what it was, one secret: a key that was given a new one has a
-- row for each, and each says of the key what holds. The defaults are those of the key that came with the account, which a
-- process of the version before goes on replacing as it did.
alter table api_keys
  -- The key that it is a secret of: the id of its first one. null: it is the first one.
  add column key_id int,
  add column name text not null default 'First key',
  -- It came with the account: version 1 shows and resets it.
  add column is_first boolean not null default true,
  -- null: whatever its account may do.
  add column scopes text[],
  -- Beside those of the account. Empty: all.
  add column allowed_ips text[] not null default '{}',
  -- Of this key alone. null: only the account's own.
  add column rate_limit_per_minute requests_per_minute,
  -- The key ends.
  add column expires_at timestamptz,
  -- A newer secret of the key has taken its place, and it works until then. null: it is the newest.
  add column ends_at timestamptz,
  -- Who made the key: an account, and its key or its person. null: nobody knows.
  add column created_by int,
  add column created_by_key int,
  add column created_by_person int,
  -- Only what an account may look at again is kept.
  alter column sealed_key drop not null;

-- The earlier secrets of a first key belong to the same key as the one that took their place.
update api_keys k set key_id = first.id
  from (select account_id, min(id) as id from api_keys group by account_id having count(*) > 1) first
  where k.account_id = first.account_id and k.id <> first.id;

drop index api_keys_current;
create unique index api_keys_first on api_keys (account_id) where is_first and revoked_at is null and ends_at is null;
create index api_keys_of_account on api_keys (account_id, id) where revoked_at is null;
create index api_keys_later_secrets on api_keys (key_id) where key_id is not null;
create unique index api_keys_newest on api_keys ((coalesce(key_id, id))) where revoked_at is null and ends_at is null;

-- Idempotency keys of changes that are neither orders nor money nor plans: what was changed, and by what request.
create table keyed_changes (
  account_id int not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  -- Of what was made or changed.
  subject_id int not null,
  created_at timestamptz not null,
  primary key (account_id, idempotency_key)
);
