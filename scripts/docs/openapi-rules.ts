// The rules of the linters that openapi.json does not follow, each with the places and the reason. lint-openapi.ts
// lets these findings pass and no others, and fails where an entry has nothing left to excuse. docs/openapi-rules.md
// is made from this list.

export interface RuleException {
  readonly tool: 'Spectral' | 'Redocly';
  readonly rule: string;
  /** Of the path in the document, its parts joined by "/". Every place unless given. */
  readonly where?: RegExp;
  /** `where` for people. */
  readonly place: string;
  readonly why: string;
}

export const ruleExceptions: readonly RuleException[] = [
  {
    tool: 'Spectral',
    rule: 'info-contact',
    place: 'the document',
    why: 'Every operator runs a service of their own and gives out this document: a contact in it would be the wrong one. Your contact is whoever gave you the key.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api8:2023-define-cors-origin',
    place: 'every answer',
    why: 'There is no CORS on purpose: keys are for servers, and a browser on another site must not be able to use one. A header that is never sent is not documented.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api1:2023-no-numeric-ids',
    where: /\/get\/parameters\/\d+\/schema$/,
    place: '`package_id` and `order_id` as filters',
    why: 'Ids are numbers, and an id of another account finds nothing, like one that does not exist.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-string-restricted',
    where:
      /\/(?:name|display_name|customer_name|external_ref|package|username|message|subject|problem|memo|password|customer|code|reason|answer)(?:\/schema)?$/,
    place:
      'names, memos, messages, passwords, `customer`, `code`, `external_ref`, `reason`, `answer` of a delivery',
    why: 'Free text, in every script there is. What is refused in it (control characters, broken Unicode, spaces in a customer) has the fields’ own error codes, which a pattern would replace with `validation_failed`.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-string-restricted',
    where: /\/(?:features|letterhead|allowed_ips)\/items$/,
    place: 'items of `features`, `letterhead` and `allowed_ips` in requests and answers',
    why: 'Features and the lines of a letterhead are free text. The addresses of an allow-list are parsed, with a reason for each refusal; a pattern could only say less.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-string-restricted',
    where: /\/(?:idempotency_key|parameters\/\d+(?:\/schema)?)$/,
    place: '`idempotency_key` in requests, the header, and the search text `q`',
    why: 'Keys have a rule and an error code of their own (`invalid_idempotency_key`), which the description states; `q` is any text.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-string-restricted',
    where: /\/anyOf\/0$/,
    place: '`actor` and `memo` of a ledger entry, `next_cursor`, values of `details`',
    why: 'Free text, and see the next rule.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-string-limit',
    where: /\/(?:actor|memo|next_cursor|additionalProperties)\/anyOf\/0$/,
    place: '`actor` and `memo` of a ledger entry, `next_cursor`, values of `details`',
    why: 'Where a value may be of two types, the serializer chooses by checking the value against each schema: a limit there would be work for every row, and could make an answer fail. What is written is limited (a memo has at most 500 characters).',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-integer-limit',
    where: /\/order_id\/anyOf\/0$/,
    place: '`order_id` of a ledger entry',
    why: 'As for strings that may be of two types.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-integer-limit',
    where: /\/GrantTrialBody\/properties\/package_id$/,
    place: '`package_id` of a trial',
    why: 'An integer of any size that is not a package is `invalid_package`; with a limit here it would become `validation_failed`.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-integer-limit',
    where: /\/months$/,
    place: '`months`',
    why: 'The values are listed. Limits beside the list say nothing more, and make orval write a check that fails at import.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-integer-format',
    place: 'ids, counters and `page`',
    why: 'They may be larger than `int32`, and are exact in every JSON parser: below 2^53. From `int64` generators for JavaScript make `bigint`, which JSON cannot write. What fits says `int32`.',
  },
  {
    tool: 'Spectral',
    rule: 'owasp:api4:2023-array-limit',
    where: /\/(?:List(?:All)?PackagesAnswer\/properties\/data|problems)$/,
    place: 'the lists of packages, and `problems` of a check of the books',
    why: 'They are as long as the operator’s own list of packages, and as the list of what is wrong with the books: nothing cuts them off, so no limit is promised.',
  },
];
