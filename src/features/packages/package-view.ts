// Accounts, packages and audit entries as the administrator's API shows them.

import { formatAmount } from '../../shared/amounts.ts';
import { type Group, periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { AuditEntryView } from '../audit/audit-schemas.ts';
import type { RecordedAuditEntry } from '../audit/read-audit-log.ts';
import type { AccountView } from '../identity/account-schemas.ts';
import type { Account } from '../identity/account-table.ts';
import type { AdminPackageView, ScheduledPricesView } from './package-admin-schemas.ts';
import type { Package } from './package-catalog.ts';
import { priceAt } from './price-lines.ts';
import type { ScheduledPrices } from './scheduled-price-store.ts';
import { writtenPrices } from './written-prices.ts';

export function accountView(account: Account, currency: string, isTotpEnabled: boolean): AccountView {
  return {
    id: account.id,
    username: account.username,
    display_name: account.displayName,
    ...(account.email === null ? {} : { email: account.email }),
    group: account.group,
    is_admin: account.isAdmin,
    balance: formatAmount(account.balanceCents),
    currency,
    blocked: account.blocked,
    api_enabled: account.apiEnabled,
    rate_limit_per_minute: account.rateLimitPerMinute,
    allowed_ips: [...account.allowedIps],
    totp_enabled: isTotpEnabled,
    order_count: account.orderCount,
    customer_count: account.customerCount,
    created_at: formatTime(account.createdAt),
  };
}

/** With the prices of this second. */
export function adminPackageView(one: Package, currency: string, now: EpochSeconds): AdminPackageView {
  const pricesOf = (group: Group) => {
    const [monthly, quarterly, yearly] = periods.map(({ months }) =>
      formatAmount(priceAt(one, group, months, now)),
    );
    return { monthly: monthly ?? '', quarterly: quarterly ?? '', yearly: yearly ?? '' };
  };
  return {
    id: one.id,
    name: one.name,
    features: [...one.features],
    limits: {
      accounts: one.limits.accounts,
      posts_per_day: one.limits.postsPerDay,
      ai_images_per_month: one.limits.aiImagesPerMonth,
    },
    duration_days: one.durationDays,
    trial: one.isTrial,
    retired: one.retired,
    currency,
    prices: { reseller: pricesOf('reseller'), distributor: pricesOf('distributor') },
    created_at: formatTime(one.createdAt),
  };
}

export function scheduledPricesView(
  { from, prices }: ScheduledPrices,
  now: EpochSeconds,
): ScheduledPricesView {
  return { from: formatTime(from), prices: writtenPrices(prices), begun: from <= now };
}

export function auditView(entry: RecordedAuditEntry): AuditEntryView {
  return {
    number: entry.number,
    at: formatTime(entry.at),
    actor: { id: entry.actorId, username: entry.actor },
    action: entry.action,
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
    by: entry.by == null ? null : { type: entry.by.type, id: entry.by.id, name: entry.byName },
  };
}
