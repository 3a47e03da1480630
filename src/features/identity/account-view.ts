import { formatAmount } from '../../shared/amounts.ts';
import { formatTime } from '../../shared/times.ts';
import type { AccountView } from './account-schemas.ts';
import type { Account } from './account-table.ts';

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
    ...(account.closedAt === null ? {} : { closed_at: formatTime(account.closedAt) }),
    api_enabled: account.apiEnabled,
    rate_limit_per_minute: account.rateLimitPerMinute,
    allowed_ips: [...account.allowedIps],
    totp_enabled: isTotpEnabled,
    order_count: account.orderCount,
    customer_count: account.customerCount,
    created_at: formatTime(account.createdAt),
  };
}
