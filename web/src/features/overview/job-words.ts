// Names of jobs. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import { wordOf } from '../../text/words.ts';

export const jobKindWord = wordOf({
  renewals: t`Plans renewed by themselves`,
  product_calls: t`Calls of the product`,
  test_product_calls: t`Calls of the product for tests`,
  old_product_calls: t`Old calls of the product deleted`,
  alert_mails: t`Mails of alerts`,
  plan_ends: t`Notices of plans that end`,
  old_events: t`Old events deleted`,
  deliveries: t`Events sent to endpoints`,
  delivery_log: t`Old deliveries deleted`,
  ledger_days: t`Ledgers summed up by day`,
  list_indexes: t`Lists made ready for filters`,
  discarded_tests: t`Old test data deleted`,
  expired_logins: t`Expired login links deleted`,
  expired_sessions: t`Expired sign-ins deleted`,
  request_log: t`Request logs shortened`,
  mail: t`Mail sent`,
  vacuum: t`Database tidied up`,
  audit: t`Ledgers verified`,
});
