// State that every process must agree with: the currency, and the secret key, which a sealed text checks. Created by the
// first start.
// Invariant: when SECRET_KEY is replaced, this text is resealed last.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import type { Seal } from './seal.ts';

export interface ServiceState {
  readonly currency: string;
  readonly secretKeyCheck: string;
}

const insertState: SqlStatement = {
  name: 'insert_service_state',
  text: `insert into service_state (currency, secret_key_check, created_at) values ($1, $2, to_timestamp($3::bigint))
    on conflict do nothing`,
};

const selectState: SqlStatement = {
  name: 'find_service_state',
  text: 'select currency, secret_key_check from service_state',
};

const replaceCheck: SqlStatement = {
  name: 'replace_secret_key_check',
  text: 'update service_state set secret_key_check = $2 where secret_key_check = $1',
};

const checkText = 'sellthrough';
const checkContext = 'secret key check';

export async function findState(database: Queryable): Promise<ServiceState | null> {
  const [row] = await database.query(selectState);
  if (row === undefined) return null;
  return { currency: String(row['currency']), secretKeyCheck: String(row['secret_key_check']) };
}

/** If several processes start at once, the state of the first one counts. */
export async function beginState(
  database: Queryable,
  { seal, currency, now }: { seal: Seal; currency: string; now: EpochSeconds },
): Promise<ServiceState> {
  const secretKeyCheck = seal.seal(checkText, checkContext);
  await database.query(insertState, [currency, secretKeyCheck, now]);
  return (await findState(database)) ?? { currency, secretKeyCheck };
}

export function checkState(seal: Seal, secretKeyCheck: string): ReturnType<Seal['stateOf']> {
  return seal.stateOf(secretKeyCheck, checkContext);
}

const selectIncarnation: SqlStatement = {
  name: 'find_incarnation',
  text: 'select incarnation from service_state',
};

/** Distinguishes a restored database from its source; null if the database was never restored. */
export async function findIncarnation(database: Queryable): Promise<string | null> {
  const [row] = await database.query(selectIncarnation);
  return nullable(String, row?.['incarnation']);
}

/** The caller must also skip ids that the lost database may have issued (begin-incarnation.ts). */
export async function writeIncarnation(transaction: Queryable, incarnation: string): Promise<void> {
  await transaction.query({ name: '', text: 'update service_state set incarnation = $1' }, [incarnation]);
}

/** After this, only services with the current key can start. */
export async function resealCheck(database: Queryable, seal: Seal): Promise<void> {
  const state = await findState(database);
  if (state === null || checkState(seal, state.secretKeyCheck) === 'current') return;
  await database.query(replaceCheck, [state.secretKeyCheck, seal.seal(checkText, checkContext)]);
}
