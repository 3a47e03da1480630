// Makes the payloads of product calls just before the first attempt: the customer's plan at that time or, for a pending
// order, as it is after completion. fulfillment/product-caller.ts calls it for many calls at once.
// Invariant: the payload is stored under the account's lock before it is sent. Later plan changes wait for the same lock
// and write their own calls. Retries send the stored payload.

import {
  byGroup,
  type Database,
  DatabaseUnavailable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isJsonObject, type JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Package, PackageCatalog } from '../packages/package-catalog.ts';
import type { CustomerState } from './decisions/customer-state.ts';
import { afterOrder } from './decisions/execute-order.ts';
import { customerColumns, loadPackagesVersion, PackagesChanged, parseCustomerState } from './load-batch.ts';
import { formerReferencesOf, parseFormerReferences } from './records/customer-table.ts';
import { openWords } from './records/erasure-rows.ts';
import { type OrderRecord, orderColumns, orderStatus, parseOrder } from './records/order-table.ts';
import {
  type PreparedCalls,
  type ProductCallType,
  productCallTypes,
  type UnpreparedCall,
} from './records/product-call-rows.ts';

/** `now` is the test's clock for a test. */
export type ProductPayload = (
  about: {
    readonly customer: CustomerState;
    readonly formerReferences: readonly string[];
    readonly order: OrderRecord | null;
    readonly package: Package | null;
  },
  now: EpochSeconds,
) => JsonObject;

export interface PrepareProductCalls {
  readonly database: Database;
  readonly packages: { readonly current: () => PackageCatalog; readonly reload: () => Promise<unknown> };
  readonly payload: ProductPayload;
  /** Opens what named an erased customer, which only the call that reports the erasure contains. */
  readonly seal: Pick<Seal, 'open'>;
  readonly now: () => EpochSeconds;
}

const lockAccounts: SqlStatement = {
  name: 'lock_accounts_of_product_calls',
  text: 'select a.id from accounts a where a.id = any($1::int[]) order by a.id for no key update',
};

const readCalls: SqlStatement = {
  name: 'read_unprepared_product_calls',
  text: `select k.id as call, k.type, k.confirms, k.payload, k.status as call_status,
      extract(epoch from k.created_at)::bigint as called_at, a.test_clock,
      ${customerColumns}, ${formerReferencesOf('c')},
      case when k.type = 'customer.erased' then (select e.sealed_words from erasures e
        where e.account_id = c.account_id and e.customer_number = c.number) end as sealed_words,
      o.number is not null as has_order, ${orderColumns}
    from unnest($1::bigint[]) wanted (id)
    join product_calls k on k.id = wanted.id
    join accounts a on a.id = k.account_id
    join customers c on c.account_id = k.account_id and c.number = k.customer_number
    left join orders o on o.account_id = k.account_id and o.number = k.order_number
    left join order_handoffs h on h.account_id = o.account_id and h.order_number = o.number`,
};

const storePayloads: SqlStatement = {
  name: 'store_product_payloads',
  text: `update product_calls t set payload = row.payload::jsonb from unnest($1::bigint[], $2::text[]) row (id, payload)
    where t.id = row.id returning t.id, t.payload`,
};

const dropCalls: SqlStatement = {
  name: 'drop_superseded_product_calls',
  text: `update product_calls set status = 'superseded'
    where id = any($1::bigint[]) and status = 'waiting'`,
};

/** Other errors are returned per call. @throws DatabaseUnavailable */
export async function prepareProductCalls(
  dependencies: PrepareProductCalls,
  calls: readonly UnpreparedCall[],
): Promise<PreparedCalls> {
  const prepared = new Map<number, JsonObject | 'dropped' | Error>();
  for (const [, ofGroup] of byGroup(dependencies.database, calls, ({ accountId }) => accountId)) {
    for (const [id, each] of await prepareTogether(dependencies, ofGroup)) prepared.set(id, each);
  }
  return prepared;
}

async function prepareTogether(
  dependencies: PrepareProductCalls,
  calls: readonly UnpreparedCall[],
): Promise<PreparedCalls> {
  try {
    return await prepareInOneTransaction(dependencies, calls);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    if (error instanceof PackagesChanged) {
      await dependencies.packages.reload();
      return prepareTogether(dependencies, calls);
    }
    const [first] = calls;
    if (first === undefined) return new Map();
    if (calls.length === 1)
      return new Map([[first.id, error instanceof Error ? error : new Error(String(error))]]);
    // Try each call alone, so that a broken one does not hold up the others.
    const alone = new Map<number, JsonObject | 'dropped' | Error>();
    for (const call of calls) {
      for (const [id, each] of await prepareTogether(dependencies, [call])) alone.set(id, each);
    }
    return alone;
  }
}

function prepareInOneTransaction(
  { database, packages, payload, seal, now }: PrepareProductCalls,
  calls: readonly UnpreparedCall[],
): Promise<PreparedCalls> {
  const [{ accountId } = { accountId: 0 }] = calls;
  const accountIds = [...new Set(calls.map((call) => call.accountId))].sort((a, b) => a - b);
  return database.ofAccount(accountId).transaction(
    async (transaction) => {
      // These queries are sent together. The server runs them in order, so the rows are read under the locks.
      const [, versions, rows] = await Promise.all([
        transaction.query(lockAccounts, [numberArray(accountIds)]),
        transaction.query(loadPackagesVersion),
        transaction.query(readCalls, [numberArray(calls.map(({ id }) => id))]),
      ]);
      const catalog = packages.current();
      if (Number(versions[0]?.['packages_version']) !== catalog.version) throw new PackagesChanged();
      const prepared = new Map<number, JsonObject | 'dropped' | Error>(
        calls.map(({ id }) => [id, 'dropped']),
      );
      const built: { readonly id: number; readonly text: string }[] = [];
      const dropped: number[] = [];
      for (const row of rows) {
        const { id, isWaiting, stored, ...read } = parseUnprepared(row, seal);
        if (!isWaiting) continue;
        if (stored !== null) prepared.set(id, stored);
        else {
          const fresh = payloadNow(read, catalog, payload, now());
          if (fresh === null) dropped.push(id);
          // Not stored, because it has the words that were erased. Nothing changes about the customer any more.
          else if (read.type === 'customer.erased') prepared.set(id, fresh);
          else built.push({ id, text: JSON.stringify(fresh) });
        }
      }
      const writes: Promise<readonly Row[]>[] = [];
      if (built.length > 0) {
        const values = [numberArray(built.map(({ id }) => id)), textArray(built.map(({ text }) => text))];
        writes.push(transaction.query(storePayloads, values));
      }
      if (dropped.length > 0) writes.push(transaction.query(dropCalls, [numberArray(dropped)]));
      const [written] = await Promise.all([Promise.all(writes), transaction.commit()]);
      // Take the payload as it was stored, so that retries send the same bytes.
      for (const row of written.flat()) {
        const said = row['payload'];
        if (isJsonObject(said)) prepared.set(Number(row['id']), said);
      }
      return prepared;
    },
    { rank: 'lookups' },
  );
}

interface Unprepared {
  readonly type: ProductCallType;
  readonly confirms: boolean;
  readonly calledAt: EpochSeconds;
  readonly testClock: EpochSeconds | null;
  readonly customer: CustomerState;
  readonly formerReferences: readonly string[];
  readonly order: OrderRecord | null;
}

/** Returns null if nothing is to be sent, because the plan continues or the order was settled. */
function payloadNow(
  { type, confirms, calledAt, testClock, customer, formerReferences, order }: Unprepared,
  { byId }: PackageCatalog,
  payload: ProductPayload,
  now: EpochSeconds,
): JsonObject | null {
  // A clock that was set back does not undo an end.
  const at = testClock ?? Math.max(now, calledAt);
  if (type === 'plan.expire' && customer.plan.expiresAt > at) return null;
  const isAsked = confirms && order !== null;
  if (isAsked && orderStatus(order) !== 'pending') return null;
  const after = isAsked ? { ...customer, ...afterOrder(customer, order) } : customer;
  const ofPlan = byId.get(after.plan.packageId) ?? null;
  return payload({ customer: after, formerReferences, order, package: ofPlan }, at);
}

function parseUnprepared(
  row: Row,
  seal: Pick<Seal, 'open'>,
): Unprepared & {
  readonly id: number;
  readonly isWaiting: boolean;
  readonly stored: JsonObject | null;
} {
  const stored = row['payload'] ?? null;
  const customer = parseCustomerState(row);
  const sealed = nullable(String, row['sealed_words']);
  return {
    id: Number(row['call']),
    isWaiting: row['call_status'] === 'waiting',
    stored: isJsonObject(stored) ? stored : null,
    type: oneOf(productCallTypes, row['type']),
    confirms: row['confirms'] === true,
    calledAt: Number(row['called_at']),
    testClock: nullable(Number, row['test_clock']),
    customer,
    formerReferences:
      sealed === null ? parseFormerReferences(row) : openWords(seal, customer, sealed).references,
    order: row['has_order'] === true ? parseOrder(row) : null,
  };
}
