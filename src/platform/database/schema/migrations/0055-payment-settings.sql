-- How accounts pay in: one row, or none as long as nothing was set.
create table payment_settings (
  id int primary key check (id = 1),
  card_enabled boolean not null,
  -- The provider's secrets, sealed. NULL: cards were never set up, or were removed.
  card_key_sealed text,
  card_webhook_sealed text,
  -- Still accepted until then, because the provider signs with both while a secret is rolled.
  card_webhook_previous_sealed text,
  card_webhook_previous_until timestamptz,
  bank_enabled boolean not null,
  bank_holder text,
  bank_iban text,
  bank_bic text,
  minimum_cents bigint not null check (minimum_cents > 0),
  maximum_cents bigint not null check (maximum_cents >= minimum_cents),
  daily_maximum_cents bigint check (daily_maximum_cents >= maximum_cents),
  changed_at timestamptz not null,
  constraint payment_settings_card check ((card_key_sealed is null) = (card_webhook_sealed is null)
    and (card_key_sealed is not null or not card_enabled)),
  constraint payment_settings_card_previous check (
    (card_webhook_previous_sealed is null) = (card_webhook_previous_until is null)),
  constraint payment_settings_bank check ((bank_holder is null) = (bank_iban is null)
    and (bank_iban is not null or (bank_bic is null and not bank_enabled)))
);
