// What every process that opens a database must agree with: its currency, and its secret key, known by a text sealed under
// it. Made by the very first start, asked by open-database.ts and doctor.
// Always true: the text is sealed under SECRET_KEY_PREVIOUS until nothing else is.

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

/** null: no service was ever started on it. */
export async function findState(database: Queryable): Promise<ServiceState | null> {
  const [row] = await database.query(selectState);
  if (row === undefined) return null;
  return { currency: String(row['currency']), secretKeyCheck: String(row['secret_key_check']) };
}

/** Of several at the same moment, one decides. */
export async function beginState(
  database: Queryable,
  { seal, currency, now }: { seal: Seal; currency: string; now: EpochSeconds },
): Promise<ServiceState> {
  const secretKeyCheck = seal.seal(checkText, checkContext);
  await database.query(insertState, [currency, secretKeyCheck, now]);
  return (await findState(database)) ?? { currency, secretKeyCheck };
}

/** Under which of the known keys a database, or a backup of it, is. */
export function checkState(seal: Seal, secretKeyCheck: string): ReturnType<Seal['stateOf']> {
  return seal.stateOf(secretKeyCheck, checkContext);
}

const selectIncarnation: SqlStatement = {
  name: 'find_incarnation',
  text: 'select incarnation from service_state',
};

/** What tells this database from the one that a backup or a standby was taken of; null: it was never restored. */
export async function findIncarnation(database: Queryable): Promise<string | null> {
  const [row] = await database.query(selectIncarnation);
  return nullable(String, row?.['incarnation']);
}

/** The caller also skips the numbers that the lost database may have given out (begin-incarnation.ts). */
export async function writeIncarnation(transaction: Queryable, incarnation: string): Promise<void> {
  await transaction.query({ name: '', text: 'update service_state set incarnation = $1' }, [incarnation]);
}

/** From now on no start without the key that seals is right. */
export async function resealCheck(database: Queryable, seal: Seal): Promise<void> {
  const state = await findState(database);
  if (state === null || checkState(seal, state.secretKeyCheck) === 'current') return;
  await database.query(replaceCheck, [state.secretKeyCheck, seal.seal(checkText, checkContext)]);
}
