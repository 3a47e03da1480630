-- Whose service it is, for whoever sees its pages, mails and documents: one row, or none as long as nothing was set.

create table brand (
  id int primary key check (id = 1),
  -- Moves with every change.
  version int not null,
  -- null: as the configuration says.
  name text,
  -- "#1d4ed8"; null: the product's own.
  colour text,
  -- Line by line; empty: as the configuration says.
  letterhead text not null,
  support_address text,
  -- Of those who have not said which one they read.
  language text not null,
  logo_type text,
  -- In base64: backups are lines of text.
  logo_data text,
  logo_width int,
  logo_height int,
  changed_at timestamptz not null,
  constraint brand_logo check ((logo_data is null) = (logo_type is null) and (logo_data is null) = (logo_width is null)
    and (logo_data is null) = (logo_height is null))
);
