-- Which session of an administrator may look at which account as its owner sees it, and until when
-- (docs/decisions/0052-view-as-reseller.md). A session that ends, or gets another token, looks at nothing any more.
create table account_views (
  token_hash text not null,
  account_id int not null,
  until timestamptz not null,
  primary key (token_hash, account_id)
);
create index account_views_until on account_views (until);
