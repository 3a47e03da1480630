// Accounts, packages and audit entries as the administrator's API shows them.

import type { Account } from '../../accounts/account-table.ts';
import type { Package } from '../../catalog/package-catalog.ts';
import { priceAt } from '../../catalog/price-lines.ts';
import type { ScheduledPrices } from '../../catalog/scheduled-price-store.ts';
import { writtenPrices } from '../../catalog/written-prices.ts';
import type {
  AccountView,
  AdminPackageView,
  AuditEntryView,
  ScheduledPricesView,
} from '../../contract/admin-schemas.ts';
import { formatAmount } from '../../contract/amounts.ts';
import { type Group, periods } from '../../contract/periods.ts';
import { type EpochSeconds, formatTime } from '../../contract/times.ts';
import type { RecordedAuditEntry } from '../../journal/audit-log.ts';

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
