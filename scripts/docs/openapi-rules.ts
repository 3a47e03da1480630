// The linter rules that openapi.json breaks, with places and reasons. lint-openapi.ts fails on all other findings, and on
// entries without a finding. docs/openapi-rules.md is made from this list.

export interface RuleException {
  readonly rule: string;
  /** Matches the path in the document, joined by "/". If absent, the rule may be broken everywhere. */
  readonly where?: RegExp;
  readonly place: string;
  readonly why: string;
}

export const ruleExceptions: readonly RuleException[] = [
  {
    rule: 'rule/string-form',
    where:
      /\/(?:name|display_name|customer_name|external_ref|package|username|maker|message|subject|problem|memo|password|holder|customer|code|reason|answer|text)(?:\/schema)?$/,
    place:
      'names, memos, messages, passwords, `holder` of a bank account, `customer`, `code`, `external_ref`, `reason`, `answer` of a delivery, `text` of a bank line',
    why: 'Free text, in every script there is. What is refused in it (control characters, broken Unicode, spaces in a customer) has the fields’ own error codes, which a pattern would replace with `validation_failed`.',
  },
  {
    rule: 'rule/string-form',
    where:
      /\/(?:(?:features|letterhead|allowed_ips|remove_limits)\/items|limits\/additionalProperties\/anyOf\/2)$/,
    place: 'items of `features`, `letterhead`, `allowed_ips` and `remove_limits`, and texts in `limits`',
    why: 'Features and the lines of a letterhead are free text. The addresses of an allow-list are parsed, with a reason for each refusal; a pattern could only say less. Keys in `remove_limits` that no package has are ignored.',
  },
  {
    rule: 'rule/string-form',
    where: /\/(?:idempotency_key|parameters\/\d+(?:\/schema)?)$/,
    place: '`idempotency_key` in requests, the header, and the search text `q`',
    why: 'Keys have a rule and an error code of their own (`invalid_idempotency_key`), which the description states; `q` is any text.',
  },
  {
    rule: 'rule/string-form',
    where: /\/anyOf\/0$/,
    place: '`actor` and `memo` of a ledger entry, `next_cursor`, values of `details`',
    why: 'Free text, and see the next rule.',
  },
  {
    rule: 'rule/string-limit',
    where: /\/(?:actor|memo|next_cursor|additionalProperties)\/anyOf\/0$/,
    place: '`actor` and `memo` of a ledger entry, `next_cursor`, values of `details`',
    why: 'Where a value may be of two types, the serializer chooses by checking the value against each schema: a limit there would be work for every row, and could make an answer fail. What is written is limited (a memo has at most 500 characters).',
  },
  {
    rule: 'rule/integer-limit',
    where: /\/order_id\/anyOf\/0$/,
    place: '`order_id` of a ledger entry',
    why: 'As for strings that may be of two types.',
  },
  {
    rule: 'rule/integer-limit',
    where: /\/GrantTrialBody\/properties\/package_id$/,
    place: '`package_id` of a trial',
    why: 'An integer of any size that is not a package is `invalid_package`; with a limit here it would become `validation_failed`.',
  },
  {
    rule: 'rule/array-limit',
    where: /\/(?:List(?:All)?PackagesAnswer\/properties\/data|problems)$/,
    place: 'the lists of packages, and `problems` of a check of the books',
    why: 'They are as long as the operator’s own list of packages, and as the list of what is wrong with the books: nothing cuts them off, so no limit is promised.',
  },
  {
    rule: 'rule/array-limit',
    where: /\/ExportCustomer\w*Answer\/properties\/(?:orders|history|ledger|product_calls|audit_log)$/,
    place: 'lists in the export of a customer',
    why: 'An export is everything that there is. It is streamed, so it may have any length.',
  },
];
