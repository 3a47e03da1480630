import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { type Account, accounts } from './account-table.ts';
import { type Credentials, credentials, type Person, people } from './people-table.ts';

const findByUsername: SqlStatement = {
  name: 'find_credentials',
  text: `select ${credentials.list('p', 'p_')}, ${accounts.list('a')}
    from people p join accounts a on a.id = p.account_id where p.username = $1 and p.removed_at is null`,
};

const findAccountOfName: SqlStatement = {
  name: 'find_account_of_name',
  text: 'select account_id from people where username = $1 and removed_at is null',
};

const findPasswordHash: SqlStatement = {
  name: 'find_password_hash',
  text: 'select password_hash from people where id = $1::int and removed_at is null',
};

const listOfAccount: SqlStatement = {
  name: 'list_people',
  text: `select ${credentials.list('p')} from people p
    where p.account_id = $1::int and p.removed_at is null order by p.id`,
};

const findUsernames: SqlStatement = {
  name: 'find_people_usernames',
  text: 'select id, username from people where id = any($1::int[])',
};

const findIdOfName: SqlStatement = {
  name: 'find_person_of_name',
  text: `select id from people where username = $1 and (removed_at is null or id = account_id)
    order by removed_at nulls first limit 1`,
};

export async function findPeopleNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(findUsernames, [numberArray([...new Set(ids)])]);
  return new Map(rows.map((row) => [Number(row['id']), String(row['username'])]));
}

/** Also finds an own login that was removed. null: the name is unknown. */
export async function findPersonId(database: Queryable, username: string): Promise<number | null> {
  const [row] = await database.query(findIdOfName, [username]);
  return nullable(Number, row?.['id']);
}

export async function findCredentials(
  database: Queryable,
  username: string,
): Promise<{
  account: Account;
  person: Person;
  passwordHash: string | null;
  passwordVersion: number;
} | null> {
  const [row] = await queryShards(database, findByUsername, [username], {
    holding: findAccountOfName,
    by: [username],
  });
  if (row === undefined) return null;
  const { passwordHash, passwordVersion } = credentials.parse(row, 'p_');
  return { account: accounts.parse(row), person: people.parse(row, 'p_'), passwordHash, passwordVersion };
}

/** Returns null if the person is unknown, removed or without a password. */
export async function getPasswordHash(database: Queryable, personId: number): Promise<string | null> {
  const [row] = await database.query(findPasswordHash, [personId]);
  return nullable(String, row?.['password_hash']);
}

/** Everyone who was not removed: the own login first, then in order of invitation. */
export async function listPeople(database: Queryable, accountId: number): Promise<Credentials[]> {
  const rows = await database.query(listOfAccount, [accountId]);
  return rows.map((row) => credentials.parse(row));
}
