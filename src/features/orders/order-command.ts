// From a body that was read to a command for the engine: the same for an order, and for its preview.

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

/** In whose name, and with which of its rights. */
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

/** `customerNumber`: the account's; `by`: the operator who asks for it. */
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

/** `orderNumber`: the account's; no order has the number 0. */
export function renewCommand(
  { id: accountId, accessVersion }: Orderer,
  { months, maxChargeCents }: RenewRequest,
  key: Keyed,
  orderNumber: number,
): RenewOrder {
  return { type: 'renew', accountId, accessVersion, ...key, orderNumber, months, maxChargeCents };
}

/** A customer of another account takes the same path as a missing one: none has the number 0. */
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

/** The key that was sent, or one minted for this request: so every order can be found and replayed. */
export function keyed(sentKey: string | null): Keyed {
  return sentKey === null
    ? { idempotencyKey: mintOrderKey(), keyIsMinted: true }
    : { idempotencyKey: sentKey, keyIsMinted: false };
}
