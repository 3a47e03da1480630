-- An order has one login link that lives, and a new one takes its row: however often a link is asked for, the batch that
-- writes it looks at one. Spent links stay until they have expired.

delete from login_links where token_hash in (
  select token_hash from (
    select token_hash, replaced_at, spent_at,
      row_number() over (partition by account_id, order_number, customer_number, spent_at is null and replaced_at is null
        order by created_at desc, token_hash) as place
    from login_links) l
  where replaced_at is not null or (spent_at is null and place > 1));

create unique index login_links_live on login_links (account_id, order_number, customer_number)
  where spent_at is null and replaced_at is null;
drop index login_links_order;

-- A process of the version before writes it while both run.
comment on column login_links.replaced_at is 'no longer written';
