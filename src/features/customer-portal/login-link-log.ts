// Records who created each login link and when it was used. The only writer of login_link_log.
// Invariant: placing an order writes nothing here; the link of an order is recorded when it is used. Tests are not
// recorded.

import type { ActingParty } from '../../platform/audit-log/actor.ts';
import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import type { OldRows } from '../../platform/database/delete-in-pieces.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findApiKeyNames } from '../identity/api-key-rows.ts';
import { findPeopleNames } from '../identity/find-people.ts';

export interface LinkMaker {
  readonly by: ActingParty | null;
  readonly isOperator: boolean;
}

/** `orderNumber` is 0 if the customer never ordered. */
export interface LoggedLink {
  readonly tokenHash: string;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly orderNumber: number;
  readonly createdAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
}

export interface ShownLink {
  readonly madeAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
  readonly usedAt: EpochSeconds | null;
  readonly state: 'open' | 'used' | 'replaced' | 'expired';
  readonly madeBy: 'account' | 'operator' | 'order';
  readonly makerName: string;
}

const linksShownMax = 20;
const deleteAtOnceMax = 5_000;

const replaceEarlier: SqlStatement = {
  name: 'replace_logged_links',
  text: `update login_link_log set replaced_at = to_timestamp($4::bigint)
    where account_id = $1::int and customer_number = $2::int and order_number = $3::int
      and used_at is null and replaced_at is null`,
};

const logLink: SqlStatement = {
  name: 'log_login_link',
  text: `insert into login_link_log (token_hash, account_id, customer_number, order_number, made_at, expires_at,
      made_by_person, made_by_key, by_operator, used_at)
    values ($1, $2::int, $3::int, $4::int, to_timestamp($5::bigint), to_timestamp($6::bigint),
      $7::int, $8::int, $9::boolean, to_timestamp($10::bigint))
    on conflict (token_hash) do update set used_at = excluded.used_at`,
};

const listLogged: SqlStatement = {
  name: 'list_logged_links',
  text: `select token_hash, extract(epoch from made_at)::bigint as made_at,
      extract(epoch from expires_at)::bigint as expires_at, extract(epoch from used_at)::bigint as used_at,
      replaced_at is not null as is_replaced, made_by_person, made_by_key, by_operator
    from login_link_log where account_id = $1::int and customer_number = $2::int
    order by made_at desc limit $3::int`,
};

// Unused links of orders are not in the log, so read them from their own table.
const listLive: SqlStatement = {
  name: 'list_live_links',
  text: `select l.token_hash, extract(epoch from l.created_at)::bigint as made_at,
      extract(epoch from l.expires_at)::bigint as expires_at
    from unnest($3::int[]) wanted (number) join login_links l on l.account_id = $1::int
      and l.order_number = wanted.number and l.customer_number = $2::int
      and l.spent_at is null and l.replaced_at is null
    order by l.created_at desc limit $4::int`,
};

export async function logMadeLink(
  transaction: Queryable,
  link: LoggedLink,
  { by, isOperator }: LinkMaker,
): Promise<void> {
  const { accountId, customerNumber, orderNumber, createdAt } = link;
  if (isTestAccount(accountId)) return;
  await transaction.query(replaceEarlier, [accountId, customerNumber, orderNumber, createdAt]);
  const person = by?.type === 'person' ? by.id : null;
  const key = by?.type === 'key' ? by.id : null;
  await transaction.query(logLink, [...valuesOf(link), person, key, isOperator, null]);
}

export async function logUsedLink(
  transaction: Queryable,
  link: LoggedLink,
  usedAt: EpochSeconds,
): Promise<void> {
  if (isTestAccount(link.accountId)) return;
  await transaction.query(logLink, [...valuesOf(link), null, null, false, usedAt]);
}

function valuesOf({ tokenHash, accountId, customerNumber, orderNumber, createdAt, expiresAt }: LoggedLink) {
  return [tokenHash, accountId, customerNumber, orderNumber, createdAt, expiresAt];
}

/** Newest first. `orderNumbers` are the latest orders, whose unused links are included. */
export async function listLoginLinks(
  database: Queryable,
  { accountId, number }: { readonly accountId: number; readonly number: number },
  orderNumbers: readonly number[],
  now: EpochSeconds,
  limit = linksShownMax,
): Promise<ShownLink[]> {
  const [logged, live] = await Promise.all([
    database.query(listLogged, [accountId, number, limit]),
    database
      .ofAccount(accountId)
      .query(listLive, [accountId, number, numberArray([0, ...orderNumbers]), limit]),
  ]);
  const liveHashes = new Set(live.map((row) => String(row['token_hash'])));
  const loggedHashes = new Set(logged.map((row) => String(row['token_hash'])));
  const idsOf = (column: string) => logged.flatMap((row) => nullable(Number, row[column]) ?? []);
  const [people, keys] = await Promise.all([
    findPeopleNames(database, idsOf('made_by_person')),
    findApiKeyNames(database, idsOf('made_by_key')),
  ]);
  const links = [
    ...logged.map((row): ShownLink => {
      const person = nullable(Number, row['made_by_person']);
      const key = nullable(Number, row['made_by_key']);
      const isOfOrder = person === null && key === null;
      const name = person === null ? keys.get(key ?? 0) : people.get(person);
      return {
        ...timesOf(row),
        state: stateOf(row, liveHashes, now),
        madeBy: isOfOrder ? 'order' : row['by_operator'] === true ? 'operator' : 'account',
        makerName: name ?? '',
      };
    }),
    ...live
      .filter((row) => !loggedHashes.has(String(row['token_hash'])))
      .map(
        (row): ShownLink => ({
          ...timesOf(row),
          state: stateOf(row, liveHashes, now),
          madeBy: 'order',
          makerName: '',
        }),
      ),
  ];
  return links.sort((one, other) => other.madeAt - one.madeAt).slice(0, limit);
}

function timesOf(row: Row) {
  return {
    madeAt: Number(row['made_at']),
    expiresAt: Number(row['expires_at']),
    usedAt: nullable(Number, row['used_at']),
  };
}

function stateOf(row: Row, live: ReadonlySet<string>, now: EpochSeconds): ShownLink['state'] {
  if (nullable(Number, row['used_at']) !== null) return 'used';
  if (Number(row['expires_at']) <= now) return 'expired';
  return row['is_replaced'] === true || !live.has(String(row['token_hash'])) ? 'replaced' : 'open';
}

export const oldLoggedLinks: OldRows = {
  deletion: {
    name: 'delete_old_logged_links',
    text: `with gone as (delete from login_link_log where ctid = any(array(
        select ctid from login_link_log where expires_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax}))
      returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};
