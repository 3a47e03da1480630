-- Support is given the last four characters of a key, and asks whose it is.
create index api_keys_last_four on api_keys (last_four, id);
