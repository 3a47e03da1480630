// Edits a customer's name and external id. The only writer of customers.external_ref and customer_edits, and of
// customers.name after creation.
// Invariant: a change and its idempotency key are one transaction under the account's lock.

import { hash } from 'node:crypto';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { appendEvents } from '../events/event-log.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import { type Customer, shownCustomers } from '../order-engine/records/customer-table.ts';
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
  readonly idempotencyKey: string | null;
  readonly describe: (customer: Customer) => JsonObject;
}

export type EditOutcome =
  | { readonly type: 'edited'; readonly customer: Customer; readonly replayed: boolean }
  | {
      readonly type: 'customer_not_found' | 'idempotency_conflict' | 'reset_in_progress' | 'test_full';
    };

const findEdit: SqlStatement = {
  name: 'find_customer_edit',
  text: 'select fingerprint from customer_edits where account_id = $1::int and idempotency_key = $2::text',
};

const insertEdit: SqlStatement = {
  name: 'insert_customer_edit',
  text: `insert into customer_edits (account_id, idempotency_key, customer_number, fingerprint)
    values ($1::int, $2::text, $3::int, $4::text)`,
};

const findCustomer: SqlStatement = {
  name: 'find_customer_to_edit',
  text: `select ${shownCustomers.list('c')} from customers c where c.account_id = $1::int and c.number = $2::int`,
};

const updateDetails: SqlStatement = {
  name: 'update_customer_details',
  text: `update customers set name = $3::text, external_ref = $4::text
    where account_id = $1::int and number = $2::int`,
};

export function editCustomer(
  database: Database,
  { accountId, number, name, externalRef, idempotencyKey, describe }: CustomerEdit,
  author: AuditAuthor,
  { now, testBudget }: { readonly now: EpochSeconds; readonly testBudget: TestBudget },
): Promise<EditOutcome> {
  const fingerprint = fingerprintOf(number, name, externalRef);
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
    if (isTestAccount(accountId)) {
      const space = await loadTestSpace(transaction, [accountId], testBudget);
      if (fullBudget(space, accountId, nothingMore) !== null) return { type: 'test_full' };
      await addTestUsage(transaction, [{ accountId, ...editUsage }]);
    }
    if (idempotencyKey !== null) {
      await transaction.query(insertEdit, [accountId, idempotencyKey, number, fingerprint]);
    }
    const after: Customer = {
      ...before,
      name: name ?? before.name,
      externalRef: externalRef === undefined ? before.externalRef : externalRef,
    };
    const [was, is] = [detailsOf(before), detailsOf(after)];
    if (was.name !== is.name || was.external_ref !== is.external_ref) {
      await transaction.query(updateDetails, [accountId, number, after.name, after.externalRef]);
      await changeTerms(number, before, after);
      const event = { type: 'customer.updated', data: { customer: describe(after) } } as const;
      await appendEvents(transaction, accountId, [event], now);
      const subject = `customer ${publicId(accountId, number)}`;
      await appendAudit(
        transaction,
        { ...author, accountId, action: 'customer.update', subject, before: was, after: is },
        now,
      );
    }
    return { type: 'edited', customer: after, replayed: false };
  });
}

const nothingMore = { rows: 0, bytes: 0 };
/** The size of an edit and its event with the longest names. */
const editUsage = { rows: 2, bytes: 2_048 };

function detailsOf({ name, externalRef }: Customer) {
  return { name, external_ref: externalRef };
}

function fingerprintOf(...parts: readonly unknown[]): string {
  return hash(
    'sha256',
    JSON.stringify(parts.map((part) => (part === undefined ? [] : part))),
    'base64url',
  ).slice(0, 22);
}
