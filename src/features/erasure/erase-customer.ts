// Erases a customer: the reference becomes erased-<id>, and the name, the external id, former references and reasons go.
// Orders, amounts and fingerprints stay. erasure-job.ts then takes the words out of events and logs.
// Invariant: once this is committed, no table names the customer except logs, events and calls, which the row in `erasures`
// still has to clean. That row exists from the same transaction on.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { holdTerms } from '../customers/customer-search-terms.ts';
import { findCustomer, listFormer, updateDetails } from '../customers/edit-customer.ts';
import { appendEvents } from '../events/event-log.ts';
import { supersedeCallsOfErased } from '../fulfillment/erase-from-calls.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import {
  callAboutCustomer,
  claimReference,
  isLostClaim,
  releaseReferences,
} from '../order-engine/customer-claims.ts';
import {
  type Customer,
  erasedReference,
  isErased,
  shownCustomers,
} from '../order-engine/records/customer-table.ts';
import { sealWords } from '../order-engine/records/erasure-rows.ts';

export interface Erasure {
  readonly accountId: number;
  readonly number: number;
  /** After a restore the plan may be running again. The customer is erased all the same. */
  readonly isRepeated: boolean;
  readonly describe: (customer: Customer) => JsonObject;
}

export type EraseOutcome =
  | { readonly type: 'erased'; readonly customer: Customer; readonly isNew: boolean }
  /** `renews_itself`: switch that off first. */
  | {
      readonly type:
        | 'customer_not_found'
        | 'order_pending'
        | 'plan_running'
        | 'reference_taken'
        | 'renews_itself'
        | 'reset_in_progress';
    };

const deleteFormer: SqlStatement = {
  name: 'delete_former_references',
  text: 'delete from former_references where account_id = $1::int and customer_number = $2::int',
};

const eraseReasons: SqlStatement = {
  name: 'erase_reasons_of_plan_changes',
  text: `update plan_changes set reason = null, reason_erased = true
    where account_id = $1::int and customer_number = $2::int and reason is not null`,
};

const eraseFailures: SqlStatement = {
  name: 'erase_reasons_of_handoffs',
  text: `update order_handoffs set reason = null
    where account_id = $1::int and customer_number = $2::int and reason is not null`,
};

// A row may be there: after a restore, that of an erasure which is repeated.
const putErasure: SqlStatement = {
  name: 'put_erasure',
  text: `insert into erasures (account_id, customer_number, customer_created_at, requested_at, sealed_words, next_pass_at)
    values ($1::int, $2::int, to_timestamp($3::bigint), to_timestamp($4::bigint), $5::text, to_timestamp($4::bigint))
    on conflict (account_id, customer_number) do update
      set sealed_words = excluded.sealed_words, passes = 0, next_pass_at = excluded.next_pass_at`,
};

export async function eraseCustomer(
  database: Database,
  erasure: Erasure,
  author: AuditAuthor,
  around: { readonly seal: Seal; readonly now: EpochSeconds; readonly realNow: EpochSeconds },
): Promise<EraseOutcome> {
  try {
    return await database
      .ofAccount(erasure.accountId)
      .transaction((transaction) => erase(transaction, erasure, author, around));
  } catch (error) {
    if (isLostClaim(error)) return { type: 'reference_taken' };
    throw error;
  }
}

async function erase(
  transaction: Queryable & Parameters<typeof holdTerms>[0],
  { accountId, number, isRepeated, describe }: Erasure,
  author: AuditAuthor,
  { seal, now, realNow }: { readonly seal: Seal; readonly now: EpochSeconds; readonly realNow: EpochSeconds },
): Promise<EraseOutcome> {
  if (!(await lockAccountInUse(transaction, accountId)))
    return { type: isTestAccount(accountId) ? 'reset_in_progress' : 'customer_not_found' };
  const changeTerms = await holdTerms(transaction, accountId);
  const place = [accountId, number];
  const [row] = await transaction.query(findCustomer, place);
  if (row === undefined) return { type: 'customer_not_found' };
  const before = shownCustomers.parse(row);
  if (isErased(before)) return { type: 'erased', customer: before, isNew: false };
  if (before.pendingOrder !== null) return { type: 'order_pending' };
  if (!isRepeated && !before.cancelled && before.expiresAt > now) return { type: 'plan_running' };
  if (before.renewMonths !== null) return { type: 'renews_itself' };
  const reference = erasedReference(accountId, number);
  if (!(await claimReference(transaction, before, reference))) return { type: 'reference_taken' };

  const former = (await transaction.query(listFormer, place)).map((each) => String(each['reference']));
  const references = [before.reference, ...former];
  await releaseReferences(transaction, before, references);
  await transaction.query(deleteFormer, place);
  const after: Customer = { ...before, reference, name: reference, externalRef: null };
  await transaction.query(updateDetails, [...place, after.name, after.externalRef, after.reference]);
  await changeTerms(number, before, after);
  await transaction.query(eraseReasons, place);
  await transaction.query(eraseFailures, place);
  const words = sealWords(seal, before, { references, name: before.name, externalRef: before.externalRef });
  await transaction.query(putErasure, [...place, before.createdAt, realNow, words]);
  await supersedeCallsOfErased(transaction, accountId, number);
  const event = { type: 'customer.erased', data: { customer: describe(after) } } as const;
  await appendEvents(transaction, accountId, [event], now);
  await callAboutCustomer(transaction, after, 'customer.erased', realNow);
  const subject = `customer ${publicId(accountId, number)}`;
  const entry = { ...author, accountId, action: 'customer.erase', subject, before: null, after: null };
  await appendAudit(transaction, entry, now);
  return { type: 'erased', customer: after, isNew: true };
}
