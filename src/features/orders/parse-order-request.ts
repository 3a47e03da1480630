// Reads the bodies of POST /orders and POST /orders/{id}/renew field by field, in a documented order. Each failure has its
// own code. Pure. Unknown fields are ignored and never copied into other objects.

import { parseAmount } from '../../shared/amounts.ts';
import { parseCustomerReference } from '../../shared/customer-references.ts';
import { fieldRefusal, type Refusal, typeReason } from '../../shared/error-catalog.ts';
import { parseIdempotencyKey } from '../../shared/idempotency-keys.ts';
import { type JsonObject, own } from '../../shared/json.ts';
import { isMonths, type Months, monthsOfPeriod } from '../../shared/periods.ts';

export interface OrderRequest {
  readonly idempotencyKey: string | null;
  readonly packageId: number;
  readonly customerReference: string;
  readonly customerName: string | null;
  readonly months: Months;
  readonly maxChargeCents: bigint | null;
  readonly returnLogin: boolean;
}

export interface RenewRequest {
  readonly idempotencyKey: string | null;
  readonly months: Months | null;
  readonly maxChargeCents: bigint | null;
}

export type PackageChange = Pick<OrderRequest, 'idempotencyKey' | 'packageId' | 'months' | 'maxChargeCents'>;

export type RenewedCustomer = { readonly id: number } | { readonly reference: string };

const nameLengthMax = 120;
const databaseIdMax = 2_147_483_647;

/** `mustHaveKey` is true in a bulk, where no key is generated. */
export function parseOrderRequest(
  body: JsonObject,
  headerKey: string | undefined,
  mustHaveKey = false,
): OrderRequest | Refusal {
  const name = own(body, 'customer_name');
  if (name !== undefined && typeof name !== 'string') {
    return fieldRefusal('invalid_json', 'customer_name', typeReason(name, 'must be a string'));
  }
  const returnLogin = own(body, 'return_login');
  if (returnLogin !== undefined && typeof returnLogin !== 'boolean') {
    return fieldRefusal('invalid_json', 'return_login', typeReason(returnLogin, 'must be true or false'));
  }

  const idempotencyKey = parseIdempotencyKey(body, headerKey, mustHaveKey);
  if (isRefused(idempotencyKey)) return idempotencyKey;

  const packageId = parsePackageId(body);
  if (isRefused(packageId)) return packageId;

  const customerReference = parseCustomerReference(own(body, 'customer'));
  if (isRefused(customerReference)) return customerReference;
  const customerName = parseCustomerName(name);
  if (isRefused(customerName)) return customerName;

  const months = parseMonths(body);
  if (isRefused(months)) return months;
  const maxChargeCents = parseMaxCharge(body);
  if (isRefused(maxChargeCents)) return maxChargeCents;

  return {
    idempotencyKey,
    packageId,
    customerReference,
    customerName,
    months: months ?? 1,
    maxChargeCents,
    returnLogin: returnLogin ?? false,
  };
}

export function parsePackageChange(body: JsonObject, headerKey: string | undefined): PackageChange | Refusal {
  const idempotencyKey = parseIdempotencyKey(body, headerKey);
  if (isRefused(idempotencyKey)) return idempotencyKey;
  const packageId = parsePackageId(body);
  if (isRefused(packageId)) return packageId;
  const months = parseMonths(body);
  if (isRefused(months)) return months;
  const maxChargeCents = parseMaxCharge(body);
  if (isRefused(maxChargeCents)) return maxChargeCents;
  return { idempotencyKey, packageId, months: months ?? 1, maxChargeCents };
}

function parsePackageId(body: JsonObject): number | Refusal {
  const packageId = own(body, 'package_id');
  if (packageId === undefined) return fieldRefusal('invalid_package', 'package_id', 'missing');
  if (typeof packageId !== 'number' || !Number.isInteger(packageId)) {
    return fieldRefusal('invalid_package', 'package_id', 'must be an integer');
  }
  return knowablePackageId(packageId);
}

/** Maps ids that the database's integers cannot hold, such as 10^15, to 0, which is unknown too. */
export function knowablePackageId(id: number): number {
  return id > 0 && id <= databaseIdMax ? id : 0;
}

export function parseRenewRequest(
  body: JsonObject,
  headerKey: string | undefined,
  mustHaveKey = false,
): RenewRequest | Refusal {
  const idempotencyKey = parseIdempotencyKey(body, headerKey, mustHaveKey);
  if (isRefused(idempotencyKey)) return idempotencyKey;
  const months = parseMonths(body);
  if (isRefused(months)) return months;
  const maxChargeCents = parseMaxCharge(body);
  return isRefused(maxChargeCents) ? maxChargeCents : { idempotencyKey, months, maxChargeCents };
}

export function parseRenewedCustomer(value: unknown): RenewedCustomer | Refusal {
  if (typeof value === 'number' && Number.isInteger(value)) return { id: value };
  if (typeof value !== 'string') {
    return fieldRefusal('invalid_customer', 'renew_customer', 'must be a reference or an id');
  }
  const reference = parseCustomerReference(value, 'renew_customer');
  return isRefused(reference) ? reference : { reference };
}

export function parseCustomerName(value: string | undefined): string | null | Refusal {
  const invalid = (reason: string) => fieldRefusal('invalid_customer', 'customer_name', reason);
  if (value === undefined) return null;
  const name = value.trim();
  if (!name.isWellFormed()) return invalid('not valid Unicode');
  if (/\p{Cc}/u.test(name)) return invalid('must not contain control characters');
  if ([...name].length > nameLengthMax) return invalid(`at most ${nameLengthMax} characters`);
  return name === '' ? null : name;
}

export function parseMonths(body: JsonObject): Months | null | Refusal {
  const months = own(body, 'months');
  const period = own(body, 'period');
  if (months !== undefined && !isMonths(months))
    return fieldRefusal('invalid_months', 'months', typeReason(months, 'must be 1, 3 or 12'));
  if (period === undefined) return months ?? null;
  const monthsByName = monthsOfPeriod(period);
  if (monthsByName === null)
    return fieldRefusal(
      'invalid_months',
      'period',
      typeReason(period, 'must be monthly, quarterly or yearly'),
    );
  if (months !== undefined && months !== monthsByName) {
    return fieldRefusal('invalid_months', 'months', 'months and period disagree');
  }
  return monthsByName;
}

/** May be negative, as the minimum refund of a downgrade. Returns null if it was not sent. */
export function parseMaxCharge(body: JsonObject): bigint | null | Refusal {
  const sent = own(body, 'max_charge');
  if (sent === undefined) return null;
  const reason = typeReason(sent, 'must be an amount such as "12.50", a string');
  return parseAmount(sent) ?? fieldRefusal('invalid_max_charge', 'max_charge', reason);
}

function isRefused(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null;
}
