// The schemas that answers refer to by name, in the order of openapi.json.

import { alertsSchema } from '../features/alerts/alert-schemas.ts';
import { auditEntrySchema } from '../features/audit/audit-schemas.ts';
import { brandSchema } from '../features/brand/brand-schemas.ts';
import { businessSchemas } from '../features/business/business-schemas.ts';
import { customerSchema } from '../features/customers/customer-schemas.ts';
import { eventSchema, eventSchemas } from '../features/events/event-schemas.ts';
import { entitlementSchema } from '../features/fulfillment/entitlement-schemas.ts';
import { productNamedSchemas } from '../features/fulfillment/product-schemas.ts';
import { accountSchema } from '../features/identity/account-schemas.ts';
import { namedKeySchemas } from '../features/keys/key-schemas.ts';
import { ledgerEntrySchema } from '../features/ledger/ledger-schemas.ts';
import { statementSchema } from '../features/ledger/statement-schemas.ts';
import {
  customerToRenewSchema,
  orderToPlaceSchema,
  orderToRenewSchema,
  placedInBulkSchema,
  refusedInBulkSchema,
} from '../features/orders/bulk-schemas.ts';
import { listedOrderSchema, orderPreviewSchema, orderSchema } from '../features/orders/order-schemas.ts';
import { accountPriceListSchema } from '../features/packages/account-price-schemas.ts';
import { limitSchema } from '../features/packages/limit-schemas.ts';
import { adminPackageSchema, scheduledPricesSchema } from '../features/packages/package-admin-schemas.ts';
import { balanceSchema, packageSchema } from '../features/packages/package-schemas.ts';
import { autoTopupSchema } from '../features/payments/auto-topup-schemas.ts';
import { bankLineSchema } from '../features/payments/bank-line-schemas.ts';
import { paymentsSchema } from '../features/payments/payment-settings-schemas.ts';
import { receivableSchema } from '../features/payments/receivable-schemas.ts';
import { listedTopupSchema, paymentProblemSchema } from '../features/payments/topup-admin-schemas.ts';
import { topupSchema } from '../features/payments/topup-schemas.ts';
import { personSchema } from '../features/people/people-schemas.ts';
import { forecastSchema } from '../features/plans/forecast-schemas.ts';
import { planNamedSchemas } from '../features/plans/plan-schemas.ts';
import { retentionSchema } from '../features/retention/retention-schemas.ts';
import { testModeSchemas } from '../features/test-mode/test-mode-schemas.ts';
import { verifyReportSchema } from '../features/verification/verification-schemas.ts';
import { webhookSchemas } from '../features/webhooks/webhook-schemas.ts';
import { errorSchema } from '../shared/error-schema.ts';

export const namedSchemas = [
  balanceSchema,
  packageSchema,
  orderSchema,
  listedOrderSchema,
  orderPreviewSchema,
  orderToPlaceSchema,
  orderToRenewSchema,
  customerToRenewSchema,
  placedInBulkSchema,
  refusedInBulkSchema,
  customerSchema,
  statementSchema,
  forecastSchema,
  ...businessSchemas,
  topupSchema,
  autoTopupSchema,
  alertsSchema,
  entitlementSchema,
  eventSchema,
  ...eventSchemas,
  errorSchema,
  ...planNamedSchemas,
  ...testModeSchemas,
  ...webhookSchemas,
  accountSchema,
  ledgerEntrySchema,
  adminPackageSchema,
  scheduledPricesSchema,
  accountPriceListSchema,
  limitSchema,
  paymentsSchema,
  receivableSchema,
  bankLineSchema,
  listedTopupSchema,
  paymentProblemSchema,
  auditEntrySchema,
  verifyReportSchema,
  ...namedKeySchemas,
  personSchema,
  ...productNamedSchemas,
  brandSchema,
  retentionSchema,
];
