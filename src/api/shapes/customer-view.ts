// A customer as the API shows it (specification "Customer").

import type { PackageCatalog } from '../../catalog/package-catalog.ts';
import { publicId } from '../../contract/identifiers.ts';
import type { CustomerView } from '../../contract/schemas.ts';
import { daysLeft, type EpochSeconds, formatTime } from '../../contract/times.ts';
import type { Customer } from '../../plans/customer-table.ts';

export function customerView(customer: Customer, { byId }: PackageCatalog, now: EpochSeconds): CustomerView {
  const { accountId, number, reference } = customer;
  return {
    id: publicId(accountId, number),
    name: customer.name,
    reference,
    email: reference.includes('@') ? reference : '',
    status: customer.status,
    plan: {
      package: byId.get(customer.packageId)?.name ?? '',
      active: customer.expiresAt > now,
      starts_at: formatTime(customer.anchorAt),
      expires_at: formatTime(customer.expiresAt),
      days_left: daysLeft(customer.expiresAt, now),
    },
    created_at: formatTime(customer.createdAt),
  };
}
