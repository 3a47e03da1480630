import { formatAmount } from '../../shared/amounts.ts';
import { publicId } from '../../shared/identifiers.ts';
import { periodOfMonths } from '../../shared/periods.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../../shared/times.ts';
import { type Customer, lifeOf } from '../order-engine/records/customer-table.ts';
import { type AutoRenew, isSuspended, mayUsePlan, planStatus } from '../order-engine/records/plan-life.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { PanelCustomerView } from './customer-panel-schemas.ts';
import type { CustomerView } from './customer-schemas.ts';

export function customerView(customer: Customer, { byId }: PackageCatalog, now: EpochSeconds): CustomerView {
  const { accountId, number, reference } = customer;
  const isRunning = !customer.cancelled && customer.expiresAt > now;
  return {
    id: publicId(accountId, number),
    name: customer.name,
    reference,
    email: reference.includes('@') ? reference : '',
    status: customer.status,
    plan: {
      package: byId.get(customer.packageId)?.name ?? '',
      package_id: customer.packageId,
      last_order_id: customer.lastOrder === null ? null : publicId(accountId, customer.lastOrder),
      status: planStatus(customer.expiresAt, isSuspended(customer), customer.cancelled, now),
      active: mayUsePlan(customer, now),
      starts_at: formatTime(customer.anchorAt),
      expires_at: formatTime(customer.expiresAt),
      days_left: isRunning ? daysLeft(customer.expiresAt, now) : 0,
      ends_at_period_end: customer.endsAtPeriodEnd,
      auto_renew: autoRenewView(customer),
    },
    ...(customer.externalRef === null ? {} : { external_ref: customer.externalRef }),
    created_at: formatTime(customer.createdAt),
  };
}

/** null also while the plan is set to end with its period, because that suspends the setting. */
function autoRenewView(customer: Customer): CustomerView['plan']['auto_renew'] {
  const { autoRenew, endsAtPeriodEnd, renewAt, renewFailure } = lifeOf(customer);
  if (autoRenew === null || endsAtPeriodEnd) return null;
  return {
    ...autoRenewSettingsView(autoRenew),
    next_at: renewAt === null ? null : formatTime(renewAt),
    failure: renewFailure,
  };
}

export function autoRenewSettingsView({ months, maxChargeCents, hoursBefore }: AutoRenew) {
  return {
    months,
    period: periodOfMonths(months),
    max_charge: maxChargeCents === null ? null : formatAmount(maxChargeCents),
    hours_before: hoursBefore,
  };
}

export function panelCustomerView(
  customer: Customer,
  catalog: PackageCatalog,
  now: EpochSeconds,
): PanelCustomerView {
  return {
    ...customerView(customer, catalog, now),
    days_left: daysLeft(customer.expiresAt, now),
    seconds_left: customer.cancelled ? 0 : Math.max(0, customer.expiresAt - now),
    order_pending: customer.pendingOrder !== null,
  };
}
