// Moves and releases claims of references, and writes the product's calls about a customer, for changes outside the engine:
// a customer who is renamed or erased. The caller holds the account's lock and the customer's row is written by it.
// Invariant: every reference that names a customer, also a former one, has one row in customer_references.

import { randomBytes } from 'node:crypto';
import { type Queryable, type SqlStatement, StatementFailed } from '../../platform/database/database.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import { productModes } from '../../shared/product-states.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { loadHoldersToClaim, loadPackagesVersion, loadTestHolders } from './load-batch.ts';
import type { CustomerRow } from './records/customer-table.ts';
import { callIdIn, insertProductCalls, type ProductCallType } from './records/product-call-rows.ts';
import { freeTestReferences, insertReferences, insertTestReferences } from './write-batch.ts';

type Place = Pick<CustomerRow, 'accountId' | 'number'>;

/** Returns false if the reference is taken. @throws StatementFailed: see `isLostClaim` */
export async function claimReference(
  transaction: Queryable,
  { accountId, number }: Place,
  reference: string,
): Promise<boolean> {
  const isTest = isTestAccount(accountId);
  const wanted = textArray([reference]);
  const holders = await transaction.query(isTest ? loadTestHolders : loadHoldersToClaim, [wanted]);
  if (holders.length > 0) return false;
  if (isTest) await transaction.query(freeTestReferences, [wanted]);
  const { statement, values } = isTest ? insertTestReferences : insertReferences;
  await transaction.query(statement, values([{ reference, accountId, number }]));
  return true;
}

/** Another account claimed the reference first. Citus may report an internal error, so only the constraint is checked. */
export function isLostClaim(error: unknown): boolean {
  const constraint = error instanceof StatementFailed ? error.constraint : undefined;
  return ['customer_references_pkey', 'test_customer_references_pkey'].includes(constraint ?? '');
}

const releaseOf = (name: string, references: string): SqlStatement => ({
  name,
  text: `delete from ${references} where reference = any($1::text[]) and account_id = $2::int and customer_number = $3::int`,
});
const release = releaseOf('release_customer_references', 'customer_references');
const releaseOfTest = releaseOf('release_test_customer_references', 'test_customer_references');

/** Anyone may use these references again. */
export async function releaseReferences(
  transaction: Queryable,
  { accountId, number }: Place,
  references: readonly string[],
): Promise<void> {
  const statement = isTestAccount(accountId) ? releaseOfTest : release;
  await transaction.query(statement, [textArray(references), accountId, number]);
}

/** Writes no call where there is no product. */
export async function callAboutCustomer(
  transaction: Queryable,
  { accountId, number: customerNumber }: Place,
  type: Extract<ProductCallType, 'customer.updated' | 'customer.erased'>,
  now: EpochSeconds,
): Promise<void> {
  const [service = {}] = await transaction.query(loadPackagesVersion);
  const hasProduct = !isTestAccount(accountId) || service['has_test_product'] === true;
  if (!hasProduct || oneOf(productModes, service['product_mode']) === 'none') return;
  const id = `call_customer_${publicId(accountId, customerNumber)}_${randomBytes(6).toString('hex')}`;
  const call = {
    ...{ callId: callIdIn(nullable(String, service['incarnation']), id), accountId, customerNumber, type },
    ...{ orderNumber: null, confirms: false, createdAt: now, nextAttemptAt: now },
  };
  const { statement, values } = insertProductCalls;
  await transaction.ofAccount(accountId).query(statement, values([call]));
}
