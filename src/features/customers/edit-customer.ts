// Edits a customer's name, external id and reference. The only writer of customers.external_ref, customer_edits and
// former_references, and of customers.name and customers.reference after creation (erasure/erase-customer.ts uses its statements).
// Invariant: a change and its idempotency key are one transaction under the account's lock.

import { hash } from 'node:crypto';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { appendEvents } from '../events/event-log.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import { callAboutCustomer, claimReference, isLostClaim } from '../order-engine/customer-claims.ts';
import { type Customer, isErased, shownCustomers } from '../order-engine/records/customer-table.ts';
import {
  addTestUsage,
  fullBudget,
  loadTestSpace,
  type TestBudget,
} from '../order-engine/records/test-usage.ts';
import { holdTerms } from './customer-search-terms.ts';

export interface CustomerEdit {
  readonly accountId: number;
  readonly number: number;
  readonly name: string | undefined;
  readonly externalRef: string | null | undefined;
  /** Normalized. */
  readonly reference: string | undefined;
  readonly idempotencyKey: string | null;
  readonly describe: (customer: Customer) => JsonObject;
}

export type EditOutcome =
  | { readonly type: 'edited'; readonly customer: Customer; readonly replayed: boolean }
  | {
      readonly type:
        | 'customer_not_found'
        | 'customer_erased'
        | 'idempotency_conflict'
        | 'reference_taken'
        | 'reset_in_progress'
        | 'test_full'
        | 'too_many_references';
    };

/** Former references of one customer. Each is taken from everyone else for good. */
export const formerReferencesMax = 10;

const findEdit: SqlStatement = {
  name: 'find_customer_edit',
  text: 'select fingerprint from customer_edits where account_id = $1::int and idempotency_key = $2::text',
};

const insertEdit: SqlStatement = {
  name: 'insert_customer_edit',
  text: `insert into customer_edits (account_id, idempotency_key, customer_number, fingerprint)
    values ($1::int, $2::text, $3::int, $4::text)`,
};

export const findCustomer: SqlStatement = {
  name: 'find_customer_to_edit',
  text: `select ${shownCustomers.list('c')} from customers c where c.account_id = $1::int and c.number = $2::int`,
};

export const updateDetails: SqlStatement = {
  name: 'update_customer_details',
  text: `update customers set name = $3::text, external_ref = $4::text, reference = $5::text
    where account_id = $1::int and number = $2::int`,
};

export const listFormer: SqlStatement = {
  name: 'list_former_references',
  text: `select reference from former_references where account_id = $1::int and customer_number = $2::int
    order by reference`,
};

export async function listFormerReferences(
  database: Queryable,
  { accountId, number }: Pick<Customer, 'accountId' | 'number'>,
): Promise<readonly string[]> {
  const rows = await database.ofAccount(accountId).query(listFormer, [accountId, number]);
  return rows.map((row) => String(row['reference']));
}

const listEveryFormer: SqlStatement = {
  name: 'list_every_former_reference',
  text: `select customer_number, reference from former_references
    where account_id = $1::int and reference > $2::text order by reference limit $3::int`,
};

/** Of all customers of the account, by reference. */
export async function listEveryFormerReference(
  database: Queryable,
  accountId: number,
  after: string,
  limit: number,
): Promise<readonly { readonly customer_id: number; readonly reference: string }[]> {
  const rows = await database.ofAccount(accountId).query(listEveryFormer, [accountId, after, limit]);
  return rows.map((row) => ({
    customer_id: publicId(accountId, Number(row['customer_number'])),
    reference: String(row['reference']),
  }));
}

const insertFormer: SqlStatement = {
  name: 'insert_former_reference',
  text: `insert into former_references (account_id, customer_number, reference)
    values ($1::int, $2::int, $3::text) on conflict do nothing`,
};

const deleteFormer: SqlStatement = {
  name: 'delete_former_reference',
  text: `delete from former_references
    where account_id = $1::int and customer_number = $2::int and reference = $3::text`,
};

export async function editCustomer(
  database: Database,
  edit: CustomerEdit,
  author: AuditAuthor,
  around: { readonly now: EpochSeconds; readonly testBudget: TestBudget },
): Promise<EditOutcome> {
  try {
    return await edited(database, edit, author, around);
  } catch (error) {
    if (isLostClaim(error)) return { type: 'reference_taken' };
    throw error;
  }
}

function edited(
  database: Database,
  { accountId, number, name, externalRef, reference, idempotencyKey, describe }: CustomerEdit,
  author: AuditAuthor,
  { now, testBudget }: { readonly now: EpochSeconds; readonly testBudget: TestBudget },
): Promise<EditOutcome> {
  const parts = [number, name, externalRef, ...(reference === undefined ? [] : [reference])];
  const fingerprint = fingerprintOf(...parts);
  return database.ofAccount(accountId).transaction(async (transaction): Promise<EditOutcome> => {
    // Lock the account first, in the same order as orders do.
    if (!(await lockAccountInUse(transaction, accountId))) return { type: 'reset_in_progress' };
    const changeTerms = await holdTerms(transaction, accountId);
    const [row] = await transaction.query(findCustomer, [accountId, number]);
    if (row === undefined) return { type: 'customer_not_found' };
    const before = shownCustomers.parse(row);
    if (idempotencyKey !== null) {
      const [earlier] = await transaction.query(findEdit, [accountId, idempotencyKey]);
      if (earlier !== undefined) {
        const isSame = earlier['fingerprint'] === fingerprint;
        return isSame
          ? { type: 'edited', customer: before, replayed: true }
          : { type: 'idempotency_conflict' };
      }
    }
    if (isErased(before)) return { type: 'customer_erased' };
    if (isTestAccount(accountId)) {
      const space = await loadTestSpace(transaction, [accountId], testBudget);
      if (fullBudget(space, accountId, nothingMore) !== null) return { type: 'test_full' };
      await addTestUsage(transaction, [{ accountId, ...editUsage }]);
    }
    if (reference !== undefined && reference !== before.reference) {
      const problem = await moveReference(transaction, before, reference);
      if (problem !== null) return { type: problem };
    }
    if (idempotencyKey !== null) {
      await transaction.query(insertEdit, [accountId, idempotencyKey, number, fingerprint]);
    }
    const isNamedSo = before.name === before.reference;
    const after: Customer = {
      ...before,
      reference: reference ?? before.reference,
      name: name ?? (isNamedSo && reference !== undefined ? reference : before.name),
      externalRef: externalRef === undefined ? before.externalRef : externalRef,
    };
    const isRenamed = after.reference !== before.reference;
    const [was, is] = [detailsOf(before, isRenamed), detailsOf(after, isRenamed)];
    if (isRenamed || was.name !== is.name || was.external_ref !== is.external_ref) {
      const details = [after.name, after.externalRef, after.reference];
      await transaction.query(updateDetails, [accountId, number, ...details]);
      await changeTerms(number, before, after);
      const event = { type: 'customer.updated', data: { customer: describe(after) } } as const;
      await appendEvents(transaction, accountId, [event], now);
      const subject = `customer ${publicId(accountId, number)}`;
      await appendAudit(
        transaction,
        { ...author, accountId, action: 'customer.update', subject, before: was, after: is },
        now,
      );
      if (isRenamed) await callAboutCustomer(transaction, after, 'customer.updated', now);
    }
    return { type: 'edited', customer: after, replayed: false };
  });
}

/** The present reference becomes a former one. Returns why not, or null. If not, nothing was written. */
async function moveReference(
  transaction: Queryable,
  { accountId, number, reference: was }: Customer,
  reference: string,
): Promise<'reference_taken' | 'too_many_references' | null> {
  const place = [accountId, number];
  const former = (await transaction.query(listFormer, place)).map((row) => row['reference']);
  if (former.includes(reference)) await transaction.query(deleteFormer, [...place, reference]);
  else if (former.length >= formerReferencesMax) return 'too_many_references';
  else if (!(await claimReference(transaction, { accountId, number }, reference))) return 'reference_taken';
  await transaction.query(insertFormer, [...place, was]);
  return null;
}

const nothingMore = { rows: 0, bytes: 0 };
/** The size of an edit and its event with the longest names. */
const editUsage = { rows: 2, bytes: 2_048 };

function detailsOf({ reference, name, externalRef }: Customer, isRenamed: boolean) {
  return { ...(isRenamed && { reference }), name, external_ref: externalRef };
}

function fingerprintOf(...parts: readonly unknown[]): string {
  return hash(
    'sha256',
    JSON.stringify(parts.map((part) => (part === undefined ? [] : part))),
    'base64url',
  ).slice(0, 22);
}
