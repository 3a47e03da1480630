// Finds accounts, people and keys by an exact e-mail address or a key's last four characters.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { findTestAccount } from '../identity/test-account-settings.ts';

const holdersMax = 10;

export interface Holder {
  readonly kind: 'account' | 'person' | 'key';
  /** For a test key, this is the account that owns the test. */
  readonly accountId: number;
  readonly account: string;
  readonly id: number;
  readonly name: string;
  readonly isRevoked: boolean;
}

const accountsOfEmail: SqlStatement = {
  name: 'find_accounts_of_email',
  text: `select a.id as account_id, a.id, a.username as name from accounts a
    where lower(a.email) = lower($1) and a.test_of is null and ($2::int is null or a.id = $2::int)
    order by a.id limit ${holdersMax}`,
};

const peopleOfEmail: SqlStatement = {
  name: 'find_people_of_email',
  text: `select p.account_id, p.id, p.username as name from people p
    where lower(p.email) = lower($1) and p.removed_at is null and ($2::int is null or p.account_id = $2::int)
    order by p.id limit ${holdersMax}`,
};

// Lists the newest first and includes revoked keys, because people ask support about those too.
const keysOfLastFour: SqlStatement = {
  name: 'find_keys_of_last_four',
  text: `select k.account_id, coalesce(k.key_id, k.id) as id, k.name, k.revoked_at is not null as is_revoked
    from api_keys k where k.last_four = $1 and ($2::int[] is null or k.account_id = any($2::int[]))
    order by k.id desc limit ${holdersMax}`,
};

const accountsOfTests: SqlStatement = {
  name: 'find_accounts_of_tests',
  text: 'select id, test_of from accounts where id = any($1::int[]) and test_of is not null',
};

function isEmailSearch(text: string): boolean {
  return text.includes('@');
}

/** The pages send only the last four characters of a pasted key. */
function isLastFour(text: string): boolean {
  return /^[0-9A-Za-z]{4}$/.test(text);
}

/** `accountId` limits the search to this account and its tests; null searches all accounts. */
export async function findHolders(
  database: Queryable,
  text: string,
  accountId: number | null,
): Promise<Holder[]> {
  const rows = isEmailSearch(text)
    ? await ofEmail(database, text, accountId)
    : isLastFour(text)
      ? await ofLastFour(database, text, accountId)
      : [];
  const names = await findAccountNames(
    database,
    rows.map((row) => row.accountId),
  );
  return rows.map((row) => ({ ...row, account: names.get(row.accountId) ?? '' }));
}

export async function findHolderAccounts(database: Queryable, text: string): Promise<number[]> {
  if (!isEmailSearch(text) && !isLastFour(text)) return [];
  const found = await findHolders(database, text, null);
  return [...new Set(found.map((holder) => holder.accountId))];
}

type Unnamed = Omit<Holder, 'account'>;

async function ofEmail(database: Queryable, text: string, accountId: number | null): Promise<Unnamed[]> {
  const [accounts, people] = await Promise.all([
    queryShards(database, accountsOfEmail, [text, accountId], 'every'),
    database.query(peopleOfEmail, [text, accountId]),
  ]);
  return [
    ...accounts.slice(0, holdersMax).map((row) => holderOf('account', row)),
    ...people.map((row) => holderOf('person', row)),
  ].slice(0, holdersMax);
}

async function ofLastFour(
  database: Queryable,
  lastFour: string,
  accountId: number | null,
): Promise<Unnamed[]> {
  const testAccount = accountId === null ? null : await findTestAccount(database, accountId);
  const ids =
    accountId === null ? null : numberArray(testAccount === null ? [accountId] : [accountId, testAccount.id]);
  const rows = await database.query(keysOfLastFour, [lastFour, ids]);
  const found = rows.map((row) => holderOf('key', row));
  const tests = found.map((key) => key.accountId).filter(isTestAccount);
  if (tests.length === 0) return found;
  const real = new Map(
    (await queryShards(database, accountsOfTests, [], { accounts: tests })).map((row) => [
      Number(row['id']),
      Number(row['test_of']),
    ]),
  );
  return found.map((key) => ({ ...key, accountId: real.get(key.accountId) ?? key.accountId }));
}

function holderOf(kind: Holder['kind'], row: Row): Unnamed {
  return {
    kind,
    accountId: Number(row['account_id']),
    id: Number(row['id']),
    name: String(row['name']),
    isRevoked: row['is_revoked'] === true,
  };
}
