-- Which incarnation of the database this is: random, a new one at each restore (docs/decisions/0058-after-a-restore.md).
-- null: it was never restored, and ids and cursors look as they always did.
alter table service_state add column incarnation text;

-- in each account group
-- Numbers of events that were skipped at a restore, because the lost database may have given them out. first_number
-- follows the last event of the backup, last_number + 1 is where the numbering went on.
create table event_gaps (
  account_id int not null,
  first_number int not null,
  last_number int not null,
  primary key (account_id, last_number)
);
