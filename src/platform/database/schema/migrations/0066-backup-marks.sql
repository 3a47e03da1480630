-- When the last backup of a running embedded database began.
alter table service_state add backed_up_at timestamptz;
