-- The language that a person chose for what they see and are mailed. null: that of their browser, or the service's.
alter table people add column language text;
