// Removes the addresses of clients from old entries of the audit log: of sign-ins, wrong passwords, and requests for a new
// password. Everything else of an entry stays. The table refuses every other change, and this one without the setting.
// Invariant: `audit_addresses_removed_to` in service_state is the last entry that need not be read again. This is its only writer.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Database, SqlStatement } from '../database/database.ts';
import { numberArray, textArray } from '../database/sql-arrays.ts';
import { allowErasing } from './erase-from-audit.ts';

/** Actions whose entries hold the address of the client in `after.address`. */
const actions = [
  'sign_in.accept',
  'sign_in.refuse',
  'deed.refuse',
  'account.mail_password_link',
  'person.mail_password_link',
];

const rowsAtOnce = 1_000;

const listOld: SqlStatement = {
  name: 'list_audit_entries_with_addresses',
  text: `select number, at < to_timestamp($1::bigint) as is_old,
      action = any($2::text[]) and after ? 'address' as has_address
    from audit_log where number > (select audit_addresses_removed_to from service_state)
    order by number limit ${rowsAtOnce}`,
};

const remove: SqlStatement = {
  name: 'remove_addresses_from_audit',
  text: `update audit_log set after = after - 'address' where number = any($1::int[])`,
};

const note: SqlStatement = {
  name: 'note_removed_audit_addresses',
  text: 'update service_state set audit_addresses_removed_to = $1::int where audit_addresses_removed_to < $1::int',
};

/** Returns true if the signal stopped it. */
export async function removeAuditAddresses(
  database: Database,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const rows = await database.query(listOld, [before, textArray(actions)]);
    const end = rows.findIndex((row) => row['is_old'] !== true);
    const old = end === -1 ? rows : rows.slice(0, end);
    const last = old.at(-1);
    if (last === undefined) return false;
    const numbers = old.filter((row) => row['has_address'] === true).map((row) => Number(row['number']));
    await database.transaction(
      async (transaction) => {
        if (numbers.length > 0) {
          await transaction.query(allowErasing);
          await transaction.query(remove, [numberArray(numbers)]);
        }
        await transaction.query(note, [Number(last['number'])]);
      },
      { rank: 'reads' },
    );
    if (old.length < rowsAtOnce) return false;
  }
  return true;
}
