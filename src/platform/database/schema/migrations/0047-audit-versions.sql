-- The version of the packages that a change of packages or prices made: the present version may not lie below it. NULL: of
-- other entries, of entries from before, and of those that a process of the previous version writes during an upgrade.
alter table audit_log add column packages_version int;
