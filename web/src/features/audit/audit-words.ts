// Names of audit log fields and values. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import type { Words } from '../../text/words.ts';
import { groupWord, planStatusWord } from '../../text/words.ts';

const fields: Words = {
  account_id: t`Account ID`,
  accounts: t`Accounts`,
  address: t`IP address`,
  ai_images_per_month: t`AI images per month`,
  allowed_ips: t`IP allow-list`,
  api_enabled: t`API access`,
  audit_address_days: t`IP addresses in the audit log, in days`,
  auto_renew: t`Auto-renew`,
  balance: t`Balance`,
  balance_below: t`Alert below`,
  blocked: t`Blocked`,
  closed_account_days: t`Customers of closed accounts, in days`,
  colour: t`Color`,
  deed: t`Action`,
  de: t`German`,
  description: t`Description`,
  display_name: t`Name`,
  distributor: t`Distributor`,
  duration_days: t`Displayed days per month`,
  email: t`Email`,
  emails: t`Email addresses`,
  enabled: t`Enabled`,
  en: t`English`,
  ended: t`Sessions ended`,
  entry_id: t`Ledger entry`,
  event_days: t`Events, in days`,
  existing_plans: t`Running plans`,
  expires_at: t`Ends`,
  external_ref: t`External ID`,
  features: t`Features`,
  from: t`From`,
  group: t`Group`,
  hidden: t`Hidden`,
  hours_before: t`Hours before the end`,
  is_admin: t`Administrator`,
  key: t`Key`,
  kind: t`Kind`,
  language: t`Language`,
  last_four: t`Last four characters`,
  letterhead: t`Letterhead`,
  limits: t`Limits`,
  logo: t`Logo`,
  mail_days: t`Emails, in days`,
  max_charge: t`Highest price`,
  memo: t`Memo`,
  monthly: t`Monthly`,
  months: t`Months`,
  name: t`Name`,
  overlap_hours: t`Overlap in hours`,
  package_id: t`Package ID`,
  password: t`Password`,
  percent_off: t`Percent off`,
  periods: t`Sold for`,
  plans_ending_days: t`Days before plan end`,
  position: t`Position`,
  posts_per_day: t`Posts per day`,
  prices: t`Prices`,
  quarterly: t`Quarterly`,
  rate_limit_per_minute: t`Requests per minute`,
  reason: t`Reason`,
  refund: t`Refund`,
  request_log_days: t`Request log, in days`,
  reseller: t`Reseller`,
  retired: t`Retired`,
  role: t`Role`,
  scopes: t`Scopes`,
  status: t`Status`,
  support_address: t`Support email`,
  mode: t`Mode`,
  suspended: t`Suspended`,
  test_url: t`Test URL`,
  trial: t`Free trial`,
  types: t`Events`,
  unit: t`Unit`,
  until: t`Until`,
  url: t`URL`,
  username: t`Username`,
  within_the_hour: t`Count in the hour`,
  yearly: t`Yearly`,
};

/** Turns "prices.reseller.monthly" into "Prices: Reseller, Monthly". */
export function auditFieldWord(path: string): string {
  const [first = '', ...more] = path.split('.').map((name) => fields[name] ?? name.replaceAll('_', ' '));
  return more.length === 0 ? first : `${first}: ${more.join(', ')}`;
}

const values: Words = { true: t`Yes`, false: t`No`, changed: t`changed`, all: t`all` };
const modes: Words = { live: t`Live`, test: t`Test` };
const limitKinds: Words = { count: t`Number`, switch: t`Yes or no`, text: t`Text` };
const reasons: Words = {
  wrong_password: t`wrong password`,
  wrong_code: t`wrong code`,
  unknown_username: t`unknown username`,
  account_blocked: t`account blocked`,
  gone: t`the endpoint returned 410 Gone`,
  failing: t`deliveries failed for days`,
};

export function auditValueWord(path: string, value: string): string {
  switch (path) {
    case 'group':
      return groupWord(value);
    case 'status':
      return planStatusWord(value);
    case 'periods':
      return fields[value] ?? value;
    case 'reason':
      return reasons[value] ?? value.replaceAll('_', ' ');
    case 'mode':
      return modes[value] ?? value;
    case 'kind':
      return limitKinds[value] ?? value;
    // These fields hold text that users typed, so it is never translated, even if it equals one of our values.
    case 'name':
    case 'display_name':
    case 'memo':
    case 'username':
    case 'description':
      return value;
    default:
      return values[value] ?? value;
  }
}
