// Schemas that answers refer to by name, in the order of the document.

import { namedAdminSchemas } from './admin-schemas.ts';
import { alertsSchema } from './alert-schemas.ts';
import { brandSchema } from './brand-schemas.ts';
import {
  customerToRenewSchema,
  orderToPlaceSchema,
  orderToRenewSchema,
  placedInBulkSchema,
  refusedInBulkSchema,
} from './bulk-schemas.ts';
import { balanceSchema, packageSchema } from './catalog-schemas.ts';
import { customerSchema } from './customer-schemas.ts';
import { entitlementSchema } from './entitlement-schemas.ts';
import { errorSchema } from './error-schema.ts';
import { eventSchema, eventSchemas } from './event-schemas.ts';
import { forecastSchema } from './forecast-schemas.ts';
import { namedKeySchemas } from './key-schemas.ts';
import { orderPreviewSchema, orderSchema } from './order-schemas.ts';
import { personSchema } from './people-schemas.ts';
import { planNamedSchemas } from './plan-schemas.ts';
import { productNamedSchemas } from './product-schemas.ts';
import { statementSchema } from './statement-schemas.ts';
import { testModeSchemas } from './test-mode-schemas.ts';
import { webhookSchemas } from './webhook-schemas.ts';

export const namedSchemas = [
  balanceSchema,
  packageSchema,
  orderSchema,
  orderPreviewSchema,
  orderToPlaceSchema,
  orderToRenewSchema,
  customerToRenewSchema,
  placedInBulkSchema,
  refusedInBulkSchema,
  customerSchema,
  statementSchema,
  forecastSchema,
  alertsSchema,
  entitlementSchema,
  eventSchema,
  ...eventSchemas,
  errorSchema,
  ...planNamedSchemas,
  ...testModeSchemas,
  ...webhookSchemas,
  ...namedAdminSchemas,
  ...namedKeySchemas,
  personSchema,
  ...productNamedSchemas,
  brandSchema,
];
