// Login links, the sessions they start and the one-time codes for the operator's product. Only hashes
// are stored: whoever reads the database can log in as nobody. The only writer of login_links,
// login_codes and customer_sessions. New links are written by the batch of their order.

import { createHash, randomBytes } from 'node:crypto';
import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { deleteInPieces, type OldRows } from '../database/delete-in-pieces.ts';
import { numberArray, textArray } from '../database/sql-arrays.ts';

/** A customer, as login links know it. */
export interface LinkedCustomer {
  readonly accountId: number;
  readonly customerNumber: number;
}

interface LinkToWrite {
  readonly tokenHash: string;
  readonly validSeconds: number;
  /** `number`: 0 for a customer who was given a trial and never ordered. */
  readonly order: { readonly accountId: number; readonly number: number; readonly customerNumber: number };
}

/** 256 random bits for a link, a session or a code, and the hash under which they are kept. */
export function mintToken(): { token: string; tokenHash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** 43 characters of base64url: anything else was never handed out. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

const replaceLinks: Statement = {
  name: 'replace_login_links',
  text: `update login_links l set replaced_at = to_timestamp($4::bigint)
    from unnest($1::int[], $2::int[], $3::text[], $5::int[])
      fresh (account_id, order_number, token_hash, customer_number)
    where l.account_id = fresh.account_id and l.order_number = fresh.order_number
      and l.customer_number = fresh.customer_number
      and l.token_hash <> fresh.token_hash and l.spent_at is null and l.replaced_at is null`,
};

// "do nothing": after a lost COMMIT the batch runs again and finds its own link.
const insertLinks: Statement = {
  name: 'insert_login_links',
  text: `insert into login_links (token_hash, account_id, customer_number, order_number, created_at, expires_at)
    select token_hash, account_id, customer_number, order_number, to_timestamp($6::bigint), to_timestamp(expires_at)
    from unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::bigint[])
      row (token_hash, account_id, customer_number, order_number, expires_at)
    on conflict (token_hash) do nothing`,
};

/** Sends the statements that write the links and kill each order's earlier unused ones. */
export function writeLoginLinks(
  transaction: Queryable,
  links: readonly LinkToWrite[],
  now: EpochSeconds,
): Promise<unknown>[] {
  const hashes = textArray(links.map(({ tokenHash }) => tokenHash));
  const accountIds = numberArray(links.map(({ order }) => order.accountId));
  const orderNumbers = numberArray(links.map(({ order }) => order.number));
  const customerNumbers = numberArray(links.map(({ order }) => order.customerNumber));
  return [
    transaction.query(replaceLinks, [accountIds, orderNumbers, hashes, now, customerNumbers]),
    transaction.query(insertLinks, [
      hashes,
      accountIds,
      customerNumbers,
      orderNumbers,
      numberArray(links.map(({ validSeconds }) => now + validSeconds)),
      now,
    ]),
  ];
}

/** A link for the customer of an order that stands, or of none yet; earlier unused links of it die. Returns its token. */
export async function createLoginLink(
  database: Database,
  order: LinkToWrite['order'],
  validSeconds: number,
  now: EpochSeconds,
): Promise<string> {
  const { token, tokenHash } = mintToken();
  await database.transaction((transaction) =>
    Promise.all(writeLoginLinks(transaction, [{ tokenHash, validSeconds, order }], now)),
  );
  return token;
}

const findLink: Statement = {
  name: 'find_login_link',
  text: `select account_id, customer_number from login_links
    where token_hash = $1 and spent_at is null and replaced_at is null and expires_at > to_timestamp($2::bigint)`,
};

const spendLink: Statement = {
  name: 'spend_login_link',
  text: `update login_links set spent_at = to_timestamp($2::bigint)
    where token_hash = $1 and spent_at is null and replaced_at is null and expires_at > to_timestamp($2::bigint)
    returning account_id, customer_number`,
};

const insertSession: Statement = {
  name: 'insert_customer_session',
  text: `insert into customer_sessions (token_hash, account_id, customer_number, created_at, expires_at)
    values ($1, $2::int, $3::int, to_timestamp($4::bigint), to_timestamp($5::bigint))`,
};

const insertCode: Statement = {
  name: 'insert_login_code',
  text: `insert into login_codes (code_hash, account_id, customer_number, created_at, expires_at)
    values ($1, $2::int, $3::int, to_timestamp($4::bigint), to_timestamp($5::bigint))`,
};

const spendCode: Statement = {
  name: 'spend_login_code',
  text: `update login_codes set spent_at = to_timestamp($2::bigint)
    where code_hash = $1 and spent_at is null and expires_at > to_timestamp($2::bigint)
    returning account_id, customer_number`,
};

const findSession: Statement = {
  name: 'find_customer_session',
  text: `select account_id, customer_number from customer_sessions
    where token_hash = $1 and expires_at > to_timestamp($2::bigint)`,
};

const deleteSession: Statement = {
  name: 'delete_customer_session',
  text: 'delete from customer_sessions where token_hash = $1',
};

/** Few enough for one statement's time limit, whatever has piled up. */
const deleteAtOnceMax = 5_000;

const expiredRows: readonly OldRows[] = ['customer_sessions', 'login_codes', 'login_links'].map((table) => ({
  deletion: {
    name: `delete_expired_${table}`,
    text: `with gone as (delete from ${table} where ctid = any(array(
      select ctid from ${table} where expires_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
}));

/** Whether the link can still be spent. Changes nothing: mail scanners open links. */
export async function isLinkOpen(database: Queryable, token: string, now: EpochSeconds): Promise<boolean> {
  const rows = await database.query(findLink, [hashToken(token), now]);
  return rows.length === 1;
}

/**
 * Spends the link and starts a session of the customer, or, with `for: 'product'`, makes a one-time code.
 * Of any number of requests at the same moment one succeeds; the others get null.
 */
export function spendLoginLink(
  database: Database,
  token: string,
  { use, validSeconds, now }: { use: 'session' | 'product'; validSeconds: number; now: EpochSeconds },
): Promise<{ token: string } | null> {
  return database.transaction(async (transaction) => {
    const customer = parseCustomer(await transaction.query(spendLink, [hashToken(token), now]));
    if (customer === null) return null;
    const minted = mintToken();
    await transaction.query(use === 'session' ? insertSession : insertCode, [
      minted.tokenHash,
      customer.accountId,
      customer.customerNumber,
      now,
      now + validSeconds,
    ]);
    return { token: minted.token };
  });
}

/** The customer behind a one-time code, once. */
export async function exchangeCode(
  database: Queryable,
  code: string,
  now: EpochSeconds,
): Promise<LinkedCustomer | null> {
  return parseCustomer(await database.query(spendCode, [hashToken(code), now]));
}

export async function findSessionCustomer(
  database: Queryable,
  token: string,
  now: EpochSeconds,
): Promise<LinkedCustomer | null> {
  return parseCustomer(await database.query(findSession, [hashToken(token), now]));
}

export async function endSession(database: Queryable, token: string): Promise<void> {
  await database.query(deleteSession, [hashToken(token)]);
}

/** Forgets what expired before `before`; returns of how many tables something may be left. */
export async function deleteExpiredLogins(
  database: Queryable,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<number> {
  let unfinished = 0;
  for (const rows of expiredRows) {
    if (await deleteInPieces(database, rows, [before], signal)) unfinished += 1;
  }
  return unfinished;
}

function parseCustomer(rows: readonly Readonly<Record<string, unknown>>[]): LinkedCustomer | null {
  const row = rows[0];
  if (row === undefined) return null;
  return { accountId: Number(row['account_id']), customerNumber: Number(row['customer_number']) };
}
