// Makes the engine's command from a parsed body, for orders and previews.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { Account } from '../identity/account-table.ts';
import type {
  ChangePackage,
  Keyed,
  NewLoginLink,
  PlaceOrder,
  RenewCustomer,
  RenewOrder,
} from '../order-engine/decisions/order-commands.ts';
import { mintOrderKey } from '../order-engine/mint-order-key.ts';
import type { OrderRequest, PackageChange, RenewedCustomer, RenewRequest } from './parse-order-request.ts';

type Orderer = Pick<Account, 'id' | 'accessVersion'>;

export function placeCommand(
  { id: accountId, accessVersion }: Orderer,
  { packageId, customerReference, customerName, months, maxChargeCents }: OrderRequest,
  key: Keyed,
  loginLink: NewLoginLink | null,
): PlaceOrder {
  return {
    type: 'place',
    accountId,
    accessVersion,
    ...key,
    packageId,
    customerReference,
    customerName,
    months,
    maxChargeCents,
    loginLink,
  };
}

/** `customerNumber` counts within the account. `by` is the operator who requests the change. */
export function changePackageCommand(
  { id: accountId, accessVersion }: Orderer,
  { packageId, months, maxChargeCents }: Omit<PackageChange, 'idempotencyKey'>,
  key: Keyed,
  customerNumber: number,
  by: AuditAuthor,
): ChangePackage {
  return {
    type: 'change_package',
    accountId,
    accessVersion,
    ...key,
    ...by,
    customerNumber,
    packageId,
    months,
    maxChargeCents,
  };
}

/** `orderNumber` counts within the account. It is 0, which no order has, for another account's order. */
export function renewCommand(
  { id: accountId, accessVersion }: Orderer,
  { months, maxChargeCents }: RenewRequest,
  key: Keyed,
  orderNumber: number,
): RenewOrder {
  return { type: 'renew', accountId, accessVersion, ...key, orderNumber, months, maxChargeCents };
}

/** Another account's customer gets the number 0, which no customer has, so it is treated like a missing one. */
export function renewCustomerCommand(
  { id: accountId, accessVersion }: Orderer,
  { months, maxChargeCents }: RenewRequest,
  key: Keyed,
  customer: RenewedCustomer,
): RenewCustomer {
  const named =
    'reference' in customer
      ? { customerReference: customer.reference }
      : { customerNumber: parseOwnNumber(String(customer.id), accountId) ?? 0 };
  return { type: 'renew_customer', accountId, accessVersion, ...key, ...named, months, maxChargeCents };
}

/** The key that was sent, or a generated one, so that every order can be found and replayed. */
export function keyed(sentKey: string | null): Keyed {
  return sentKey === null
    ? { idempotencyKey: mintOrderKey(), keyIsMinted: true }
    : { idempotencyKey: sentKey, keyIsMinted: false };
}
