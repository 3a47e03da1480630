// Login links, their sessions, and one-time codes for the product. The only writer of login_codes and customer_sessions;
// order batches write new links (login-link-rows.ts).
// Invariant: links and codes stay unused while the customer is suspended.

import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { describeTable, type RowOf, text, writeRows } from '../../platform/database/table.ts';
import { hashToken, mintToken } from '../../platform/secrets/one-time-token.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type LinkToWrite,
  loginLinks,
  whoseAndWhen,
  writeLoginLinks,
} from '../order-engine/records/login-link-rows.ts';
import { type LinkMaker, logMadeLink, logUsedLink, oldLoggedLinks } from './login-link-log.ts';

const customerSessions = describeTable('customer_sessions', {
  tokenHash: text('token_hash'),
  ...whoseAndWhen,
});
const loginCodes = describeTable('login_codes', { tokenHash: text('code_hash'), ...whoseAndWhen });

const spentLinks = loginLinks.pick(
  'tokenHash',
  'accountId',
  'customerNumber',
  'orderNumber',
  'createdAt',
  'expiresAt',
);
const linkedCustomers = loginLinks.pick('accountId', 'customerNumber');
const linkedCustomer = linkedCustomers.names.join(', ');

export type LinkedCustomer = RowOf<typeof linkedCustomers>;

/** Earlier links that were not used stop working. */
export async function createLoginLink(
  database: Database,
  order: LinkToWrite['order'],
  validSeconds: number,
  now: EpochSeconds,
  maker: LinkMaker,
  audit: AuditEntry | null = null,
): Promise<string> {
  const { token, tokenHash } = mintToken();
  const { accountId, customerNumber, number: orderNumber } = order;
  const link = {
    tokenHash,
    accountId,
    customerNumber,
    orderNumber,
    createdAt: now,
    expiresAt: now + validSeconds,
  };
  await database.ofAccount(accountId).transaction(async (transaction) => {
    await writeLoginLinks(transaction, [{ tokenHash, validSeconds, order }], now);
    await logMadeLink(transaction, link, maker);
    if (audit !== null) await appendAudit(transaction, audit, now);
  });
  return token;
}

/** The time that applies to this login: the test's clock or the real time. */
const timeOf = (login: string) =>
  `coalesce((select a.test_clock from accounts a where a.id = ${login}.account_id), to_timestamp($2::bigint))`;

/** Credentials of a reset test stop working at once, before their rows are deleted. */
const isInUse = (login: string) => `exists (select 1 from accounts u
    where u.id = ${login}.account_id and u.test_state is distinct from 'discarded')`;

const findLink: SqlStatement = {
  name: 'find_login_link',
  text: `select ${linkedCustomer} from login_links l
    where token_hash = $1 and spent_at is null and replaced_at is null and expires_at > ${timeOf('l')}
      and ${isInUse('l')}`,
};

const isLetIn = (login: string) => `exists (select 1 from customers c
    where c.account_id = ${login}.account_id and c.number = ${login}.customer_number and c.status = 'active'
      and not c.suspended)
      and ${isInUse(login)}`;

const findAccountOfLink: SqlStatement = {
  name: 'find_account_of_login_link',
  text: 'select account_id from login_links where token_hash = $1',
};

const spendLink: SqlStatement = {
  name: 'spend_login_link',
  text: `update login_links l set spent_at = ${timeOf('l')}
    where token_hash = $1 and spent_at is null and replaced_at is null and expires_at > ${timeOf('l')}
      and ${isLetIn('l')}
    returning ${spentLinks.names.join(', ')}, spent_at as now`,
};

const insertOf = {
  session: customerSessions.insert('insert_customer_session'),
  product: loginCodes.insert('insert_login_code'),
};

const spendCode: SqlStatement = {
  name: 'spend_login_code',
  text: `update login_codes l set spent_at = ${timeOf('l')}
    where code_hash = $1 and spent_at is null and expires_at > ${timeOf('l')} and ${isLetIn('l')}
      and (account_id > ${realAccountIdMax}) = ($3::text = 'test')
    returning ${linkedCustomer}`,
};

const findSession: SqlStatement = {
  name: 'find_customer_session',
  text: `select ${linkedCustomer} from customer_sessions s
    where token_hash = $1 and expires_at > to_timestamp($2::bigint) and ${isInUse('s')}`,
};

const sessionsListedMax = 100;

const listSessions: SqlStatement = {
  name: 'list_customer_sessions',
  text: `select extract(epoch from created_at)::bigint as created_at, extract(epoch from expires_at)::bigint as expires_at
    from customer_sessions where expires_at > to_timestamp($3::bigint) and account_id = $1::int and customer_number = $2::int
    order by created_at desc limit ${sessionsListedMax}`,
};

const deleteSession: SqlStatement = {
  name: 'delete_customer_session',
  text: 'delete from customer_sessions where token_hash = $1 returning account_id',
};

const deleteAtOnceMax = 5_000;

// Links and codes of tests follow another clock and are deleted with the test.
const ofReal = `account_id <= ${realAccountIdMax}`;
const expired = (table: string, whose: string): OldRows => ({
  deletion: {
    name: `delete_expired_${table}`,
    text: `with gone as (delete from ${table} where ctid = any(array(
      select ctid from ${table} where expires_at < to_timestamp($1::bigint) and ${whose} limit ${deleteAtOnceMax}))
      -- A new link may have taken the row meanwhile.
      and expires_at < to_timestamp($1::bigint) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
});
const expiredLinks = expired('login_links', ofReal);
const expiredRows = [expired('customer_sessions', 'true'), expired('login_codes', ofReal)];

/** Changes nothing, because mail scanners open links. Also finds links of suspended customers. */
export async function findOpenLink(
  database: Queryable,
  token: string,
  now: EpochSeconds,
): Promise<LinkedCustomer | null> {
  return parseCustomer(await queryShards(database, findLink, [hashToken(token), now], 'any'));
}

/** Also of a link that was used or replaced, as long as it is kept. */
export function findLinkAccount(database: Queryable, token: string): Promise<number | null> {
  return findHashAccount(database, hashToken(token));
}

async function findHashAccount(database: Queryable, tokenHash: string): Promise<number | null> {
  const [row] = await queryShards(database, findAccountOfLink, [tokenHash], 'any');
  return row === undefined ? null : Number(row['account_id']);
}

/** Finds the link's shard if there are several. null: the link is unknown. */
async function groupOfLink(transaction: Queryable, tokenHash: string): Promise<Queryable | null> {
  if (transaction.accountGroups().length === 1) return transaction;
  const accountId = await findHashAccount(transaction, tokenHash);
  return accountId === null ? null : transaction.ofAccount(accountId);
}

/** Starts a session, or creates a one-time code. Only one of several simultaneous requests succeeds; the others get null. */
export function spendLoginLink(
  database: Database,
  token: string,
  {
    use,
    validSeconds,
    earlier,
    now,
  }: { use: 'session' | 'product'; validSeconds: number; earlier: string | null; now: EpochSeconds },
): Promise<{ token: string } | null> {
  return database.transaction(async (transaction) => {
    const group = await groupOfLink(transaction, hashToken(token));
    if (group === null) return null;
    const [spent] = await group.query(spendLink, [hashToken(token), now]);
    if (spent === undefined) return null;
    const { accountId, customerNumber, ...link } = spentLinks.parse(spent);
    const customer = { accountId, customerNumber };
    const usedAt = Number(spent['now']);
    await logUsedLink(transaction, { ...customer, ...link }, usedAt);
    // Sessions follow the real time, codes the link's clock.
    const at = use === 'product' ? usedAt : now;
    const minted = mintToken();
    const started = {
      ...customer,
      tokenHash: minted.tokenHash,
      createdAt: at,
      expiresAt: at + validSeconds,
    };
    await writeRows(transaction, insertOf[use], [started]);
    if (earlier !== null) await endSession(transaction, earlier);
    return { token: minted.token };
  });
}

/** Works once. null also if the customer is suspended. Test codes require a test key, live codes a live one. */
export async function exchangeCode(
  database: Queryable,
  code: string,
  mode: 'live' | 'test',
  now: EpochSeconds,
): Promise<LinkedCustomer | null> {
  return parseCustomer(await database.query(spendCode, [hashToken(code), now, mode]));
}

export async function findSessionCustomer(
  database: Queryable,
  token: string,
  now: EpochSeconds,
): Promise<LinkedCustomer | null> {
  return parseCustomer(await database.query(findSession, [hashToken(token), now]));
}

/** The latest 100 that have not ended. There is no index by customer, so this is for exports. */
export async function listCustomerSessions(
  database: Queryable,
  { accountId, number }: { readonly accountId: number; readonly number: number },
  now: EpochSeconds,
): Promise<readonly { readonly createdAt: EpochSeconds; readonly expiresAt: EpochSeconds }[]> {
  const rows = await database.query(listSessions, [accountId, number, now]);
  return rows.map((row) => ({ createdAt: Number(row['created_at']), expiresAt: Number(row['expires_at']) }));
}

/** @returns the account of the session's customer, or null if there was no session */
export async function endSession(database: Queryable, token: string): Promise<number | null> {
  const [row] = await database.query(deleteSession, [hashToken(token)]);
  return row === undefined ? null : Number(row['account_id']);
}

export async function deleteExpiredLogins(
  database: Queryable,
  before: EpochSeconds,
  logBefore: EpochSeconds,
  signal: AbortSignal,
): Promise<number> {
  let unfinished = (await deleteInPieces(database, oldLoggedLinks, [logBefore], signal)) ? 1 : 0;
  for (const rows of expiredRows) {
    if (await deleteInPieces(database, rows, [before], signal)) unfinished += 1;
  }
  for (const group of database.accountGroups()) {
    if (await deleteInPieces(group, expiredLinks, [before], signal)) unfinished += 1;
  }
  return unfinished;
}

function parseCustomer([row]: readonly Row[]): LinkedCustomer | null {
  return row === undefined ? null : linkedCustomers.parse(row);
}
