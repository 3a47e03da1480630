// Hash chains: each order and plan change has a hash of its row and of the account's previous hash. Verification recomputes
// them in SQL (verification/account-books.ts). Called by write-batch.ts.
// Invariant: rows without a hash are skipped. During an upgrade, older processes write such rows and do not touch the
// account's hashes.

import { hash } from 'node:crypto';
import type { AccountHashes } from '../identity/account-table.ts';
import { storedRule } from '../packages/price-rules.ts';
import type { OrderRecord } from './records/order-table.ts';
import type { PlanChange } from './records/plan-change.ts';

export interface HashedRows {
  readonly orders: readonly (OrderRecord & { readonly rowHash: string })[];
  readonly planChanges: readonly (PlanChange & { readonly rowHash: string })[];
  readonly accounts: ReadonlyMap<number, AccountHashes>;
}

/** `loaded` are the hashes of the locked accounts. Both lists are in order of their numbers. */
export function hashRows(
  loaded: readonly AccountHashes[],
  {
    orders,
    planChanges,
  }: { readonly orders: readonly OrderRecord[]; readonly planChanges: readonly PlanChange[] },
): HashedRows {
  const accounts = new Map(loaded.map((hashes) => [hashes.id, hashes]));
  const hashesOf = (id: number): AccountHashes => {
    const hashes = accounts.get(id);
    if (hashes === undefined) throw new Error(`The hashes of account ${id} were not loaded.`);
    return hashes;
  };
  return {
    orders: orders.map((order) => {
      const hashes = hashesOf(order.accountId);
      const rowHash = hashOf(hashes.orderHash, orderFields(order));
      accounts.set(order.accountId, { ...hashes, orderHash: rowHash });
      return { ...order, rowHash };
    }),
    planChanges: planChanges.map((change) => {
      const hashes = hashesOf(change.accountId);
      const rowHash = hashOf(hashes.changeHash, changeFields(change));
      accounts.set(change.accountId, { ...hashes, changeHash: rowHash });
      return { ...change, rowHash };
    }),
    accounts,
  };
}

type Field = string | number | bigint | boolean | null;

function hashOf(previous: string | null, fields: readonly Field[]): string {
  return hash('sha256', [previous, ...fields].join('\n'), 'base64url').slice(0, 22);
}

function orderFields(order: OrderRecord): Field[] {
  const rule = storedRule(order.priceRule);
  return [
    order.accountId,
    order.number,
    order.customerNumber,
    order.packageId,
    order.months,
    order.kind,
    order.priceCents,
    order.refundCents,
    order.balanceAfterCents,
    order.createdAt,
    order.expiresAt,
    order.fingerprint,
    order.idempotencyKey,
    // Orders at the group's price keep the hash of earlier versions, which knew no price rules.
    ...(rule === null ? [] : [rule]),
  ];
}

function changeFields(change: PlanChange): Field[] {
  return [
    change.accountId,
    change.number,
    change.customerNumber,
    change.kind,
    change.createdAt,
    change.afterOrder,
    change.actorId,
    change.byParty,
    change.packageId,
    change.expiresAt,
    change.planStatus,
    change.isSuspended,
    change.orderNumber,
    change.refundCents,
    change.entryNumber,
    change.isEmpty,
    change.balanceAfterCents,
    change.fingerprint,
    change.code,
    change.renewMonths,
    change.renewMaxCents,
    change.renewHoursBefore,
    change.idempotencyKey,
    change.reason,
  ];
}
