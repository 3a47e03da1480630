// The fewest and the most days that an operator can set, for the API and the page.

const maximum = 3_650;

/** Consumers page through events, and a mail may be due for three days. */
export const retentionLimits = {
  request_log_days: { minimum: 1, maximum },
  event_days: { minimum: 14, maximum },
  mail_days: { minimum: 7, maximum },
  audit_address_days: { minimum: 1, maximum },
  closed_account_days: { minimum: 1, maximum },
} as const;

export type RetentionName = keyof typeof retentionLimits;
