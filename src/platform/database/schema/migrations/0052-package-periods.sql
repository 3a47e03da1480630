-- A package's description, and the periods that it is sold for. An order for another period is refused.
alter table packages
  add column description text check (char_length(description) between 1 and 500),
  add column periods text[] not null default '{monthly,quarterly,yearly}'
    check (cardinality(periods) between 1 and 3 and periods <@ '{monthly,quarterly,yearly}');
