-- in each account group
-- Open transfers are looked at once, when they expire. A paid one keeps its status, so its index only grew.
drop index topups_to_expire;
update topups set check_at = expires_at where method = 'bank_transfer' and status = 'open' and check_at is null;
create index topups_of_account_by_time on topups (account_id, created_at);
