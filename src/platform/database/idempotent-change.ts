// Idempotency keys of changes that do not concern orders, money or plans, such as new API keys. A repeated request changes
// nothing, however late it comes. Runs in the change's transaction, which holds the account's lock.
// Invariant: a refused request leaves its idempotency key unused.

import { hash } from 'node:crypto';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from './database.ts';

export interface IdempotentChange {
  readonly accountId: number;
  readonly idempotencyKey: string | null;
  readonly what: readonly unknown[];
  readonly now: EpochSeconds;
}

export interface Done<Result> {
  readonly result: Result;
  readonly replayed: boolean;
}

export interface Changed<Result> {
  readonly id: number;
  readonly result: Result;
}

export type Once = <Result>(
  transaction: Queryable,
  change: IdempotentChange,
  work: () => Promise<Changed<Result> | Refusal>,
  again: (id: number) => Promise<Result | Refusal>,
) => Promise<Done<Result> | Refusal>;

/** @param table has account_id, idempotency_key, fingerprint, created_at and the id column named by `subject` */
export function createRunOnce(table: string, subject: string): Once {
  const find: SqlStatement = {
    name: `find_in_${table}`,
    text: `select fingerprint, ${subject} as subject from ${table}
      where account_id = $1::int and idempotency_key = $2::text`,
  };
  const insert: SqlStatement = {
    name: `insert_into_${table}`,
    text: `insert into ${table} (account_id, idempotency_key, fingerprint, ${subject}, created_at)
      values ($1::int, $2::text, $3::text, $4::int, to_timestamp($5::bigint))`,
  };

  return async (transaction, { accountId, idempotencyKey, what, now }, work, again) => {
    const fingerprint = hash('sha256', JSON.stringify(what), 'base64url').slice(0, 22);
    if (idempotencyKey !== null) {
      const [earlier] = await transaction.query(find, [accountId, idempotencyKey]);
      if (earlier !== undefined) {
        if (earlier['fingerprint'] !== fingerprint) return refusal('idempotency_conflict');
        const result = await again(Number(earlier['subject']));
        return isRefusal(result) ? result : { result, replayed: true };
      }
    }
    const changed = await work();
    if (isRefusal(changed)) return changed;
    if (idempotencyKey !== null) {
      await transaction.query(insert, [accountId, idempotencyKey, fingerprint, changed.id, now]);
    }
    return { result: changed.result, replayed: false };
  };
}

export const runOnce = createRunOnce('keyed_changes', 'subject_id');
