// Erases customers again who were erased after the backup that was restored. `sellthrough restore --erasures` writes rows
// without words into `erasures`; a start works through them before it answers requests, and the job retries what failed.
// Danger: after a restore, numbers are used again. Only a customer who was created in the same second is the same one.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { customerView } from '../customers/customer-view.ts';
import { findCustomer } from '../customers/edit-customer.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { type Customer, isErased, shownCustomers } from '../order-engine/records/customer-table.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { eraseOnceIdle } from './erase-once-idle.ts';

export interface ListedErasure {
  readonly accountId: number;
  readonly number: number;
  readonly createdAt: EpochSeconds;
}

const listRepeated: SqlStatement = {
  name: 'list_erasures_to_repeat',
  text: `select account_id, customer_number, extract(epoch from customer_created_at)::bigint as created_at from erasures
    where sealed_words is null and next_pass_at is not null order by account_id, customer_number limit 1000`,
};

const drop: SqlStatement = {
  name: 'drop_erasure',
  text: `delete from erasures where account_id = $1::int and customer_number = $2::int and sealed_words is null`,
};

const insert: SqlStatement = {
  name: 'insert_erasure_to_repeat',
  text: `insert into erasures (account_id, customer_number, customer_created_at, requested_at, next_pass_at)
    select $1::int, $2::int, to_timestamp($3::bigint), to_timestamp($4::bigint), to_timestamp($4::bigint)
    where exists (select 1 from customers c where c.account_id = $1::int and c.number = $2::int
      and c.created_at = to_timestamp($3::bigint))
    on conflict do nothing returning 1`,
};

/** Returns how many of these customers exist and were not erased before the backup. */
export async function listErasuresAgain(
  database: Database,
  listed: readonly ListedErasure[],
  now: EpochSeconds,
): Promise<number> {
  let count = 0;
  for (const { accountId, number, createdAt } of listed)
    count += (await database.ofAccount(accountId).query(insert, [accountId, number, createdAt, now])).length;
  return count;
}

export async function repeatErasures({
  database,
  engine,
  seal,
  packages,
  now,
}: {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly seal: Seal;
  readonly packages: PackageCatalogHolder;
  readonly now: () => EpochSeconds;
}): Promise<void> {
  for (const group of database.accountGroups()) {
    await eachInTurn(await group.query(listRepeated), async (row) => {
      const [accountId, number] = [Number(row['account_id']), Number(row['customer_number'])];
      const [found] = await group.query(findCustomer, [accountId, number]);
      const customer = found === undefined ? null : shownCustomers.parse(found);
      if (customer === null || customer.createdAt !== Number(row['created_at']) || isErased(customer)) {
        await group.query(drop, [accountId, number]);
        return;
      }
      const describe = (one: Customer) => customerView(one, packages.current(), now());
      const outcome = await eraseOnceIdle(
        { database, engine, seal },
        { accountId, number, isRepeated: true, describe },
        { actorId: accountId, by: null, byParty: 'account' },
        { now: now(), realNow: now() },
      );
      if (outcome.type !== 'erased')
        throw new Error(`Customer ${publicId(accountId, number)} is not erased again yet: ${outcome.type}.`);
    });
  }
}
