// Names of jobs. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import { wordOf } from '../../text/words.ts';

export const jobKindWord = wordOf({
  renewals: t`Auto-renewals`,
  product_calls: t`Product calls`,
  test_product_calls: t`Test product calls`,
  old_product_calls: t`Product call cleanup`,
  alert_mails: t`Alert emails`,
  plan_ends: t`Plan ending notices`,
  old_events: t`Event cleanup`,
  deliveries: t`Event deliveries`,
  delivery_log: t`Delivery cleanup`,
  ledger_days: t`Daily ledger totals`,
  list_indexes: t`Search index`,
  erasures: t`Erasures`,
  discarded_tests: t`Test data cleanup`,
  expired_logins: t`Login link cleanup`,
  expired_sessions: t`Session cleanup`,
  request_log: t`Request log cleanup`,
  retention: t`Retention`,
  auto_topups: t`Automatic top-ups`,
  payments: t`Payments`,
  mail: t`Email delivery`,
  vacuum: t`Database maintenance`,
  audit: t`Ledger verification`,
});
