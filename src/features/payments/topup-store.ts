// Top-ups: what accounts ask to pay in. Only this file and transfer-topups.ts write topups. The order batch writes payments and reversals.
// Invariant: a status only moves forward, and never once a payment was credited. Every change is made under the account's
// lock, with its event.

import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { writeRows } from '../../platform/database/table.ts';
import { randomBase62 } from '../../platform/secrets/random-text.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { isTestAccount, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { TestOutcome, TopupMethod, TopupStatus, UnpaidStatus } from '../../shared/topup-words.ts';
import { appendEvents } from '../events/event-log.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import {
  addTestUsage,
  fullBudget,
  loadTestSpace,
  type TestBudget,
} from '../order-engine/records/test-usage.ts';
import type { PaymentSettings } from './payment-settings.ts';
import { type ListedTopup, listedTopups, parseListedTopup, type TopupRow, topupRows } from './topup-table.ts';
import { topupEvent } from './topup-view.ts';

const findOne: SqlStatement = {
  name: 'find_topup',
  text: `select t.* from ${listedTopups} where t.account_id = $1::int and t.number = $2::int`,
};

const findPage: SqlStatement = {
  name: 'list_topups',
  text: `select t.* from ${listedTopups} where t.account_id = $1::int and t.number < $2::int
      and ($3::text is null or t.status = $3::text) and ($4::text is null or t.method = $4::text)
      and t.created_at >= to_timestamp($5::bigint) and t.created_at < to_timestamp($6::bigint)
    order by t.number desc limit $7::int`,
};

const readCount: SqlStatement = {
  name: 'count_topups',
  text: 'select coalesce(max(number), 0) as total from topups where account_id = $1::int',
};

export async function findTopup(
  database: Queryable,
  accountId: number,
  number: number,
): Promise<ListedTopup | null> {
  const [row] = await database.ofAccount(accountId).query(findOne, [accountId, number]);
  return row === undefined ? null : parseListedTopup(row);
}

/** What a payment is compared with before it is credited. */
export interface CreditableTopup {
  readonly providerKey: string | null;
  readonly amountCents: bigint;
  /** null: not credited yet. */
  readonly paymentRef: string | null;
  readonly isBlocked: boolean;
  readonly isHalted: boolean;
}

const findCreditable: SqlStatement = {
  name: 'find_topup_to_credit',
  text: `select t.provider_key, t.amount_cents, p.payment_ref, a.blocked, a.halted_at is not null as halted
    from topups t join accounts a on a.id = t.account_id
    left join payments p on p.account_id = t.account_id and p.topup_number = t.number
    where t.account_id = $1::int and t.number = $2::int`,
};

export async function findCreditableTopup(
  database: Queryable,
  accountId: number,
  number: number,
): Promise<CreditableTopup | null> {
  const [row] = await database.ofAccount(accountId).query(findCreditable, [accountId, number]);
  if (row === undefined) return null;
  return {
    providerKey: nullable(String, row['provider_key']),
    amountCents: bigint(row['amount_cents']),
    paymentRef: nullable(String, row['payment_ref']),
    isBlocked: row['blocked'] === true,
    isHalted: row['halted'] === true,
  };
}

export interface TopupFilter {
  readonly status: TopupStatus | null;
  readonly method: TopupMethod | null;
  readonly since: EpochSeconds;
  readonly until: EpochSeconds;
}

/** Newest first, below the given number. */
export async function listTopups(
  database: Queryable,
  accountId: number,
  { status, method, since, until }: TopupFilter,
  { below, limit }: { readonly below: number; readonly limit: number },
): Promise<ListedTopup[]> {
  const values = [accountId, below, status, method, since, until, limit];
  return (await database.ofAccount(accountId).query(findPage, values)).map(parseListedTopup);
}

/** Numbers have no gaps, so this is also the highest one. */
export async function countTopups(database: Queryable, accountId: number): Promise<number> {
  const [row] = await database.ofAccount(accountId).query(readCount, [accountId]);
  return Number(row?.['total']);
}

export interface NewTopup {
  readonly accountId: number;
  readonly method: TopupMethod;
  readonly amountCents: bigint;
  readonly returnUrl: string | null;
  /** Of test mode, as sent; null for real top-ups. */
  readonly outcome: TestOutcome | null;
  readonly idempotencyKey: string | null;
  readonly currency: string;
  readonly settings: PaymentSettings;
  readonly testBudget: TestBudget;
  readonly now: EpochSeconds;
}

const minuteSeconds = 60;
const daySeconds = 86_400;
/** Stripe allows a day at most. An hour less, because its clock may differ from ours. */
const checkoutSeconds = daySeconds - 3_600;
/** A transfer may take days, and people need some more. Money that comes later is credited all the same. */
const transferSeconds = 30 * daySeconds;
/** Older ones have expired. */
const waitingSeconds = transferSeconds + daySeconds;
const openTopupsMax = 50;
/** The size of a top-up with the longest texts. */
const topupUsage = { rows: 1, bytes: 8_192 };

const insert = topupRows.insert('insert_topup');

const readPlace: SqlStatement = {
  name: 'find_topup_place',
  text: `select (select coalesce(max(number), 0) + 1 from topups where account_id = $1::int) as number,
      count(*) filter (where t.status in ('open', 'processing') and p.account_id is null) as waiting,
      coalesce(sum(t.amount_cents) filter (where (t.status in ('open', 'processing') or p.account_id is not null)
        and t.created_at > to_timestamp($2::bigint)), 0)::bigint as day_cents
    from topups t left join payments p on p.account_id = t.account_id and p.topup_number = t.number
    where t.account_id = $1::int and t.created_at > to_timestamp($3::bigint)`,
};

/**
 * Refusals: reset_in_progress, test_full, payment_method_off, validation_failed (outside the limits), too_many_topups,
 * daily_maximum_reached, idempotency_conflict.
 */
export function createTopup(
  database: Database,
  { idempotencyKey, outcome, ...wanted }: NewTopup,
): Promise<Done<ListedTopup> | Refusal> {
  const { accountId, method, amountCents, returnUrl, now } = wanted;
  return database.transaction(async (transaction) => {
    if (!(await lockAccountInUse(transaction, accountId))) return refusal('reset_in_progress');
    const what = ['top-up', method, formatAmount(amountCents), returnUrl, outcome];
    return runOnce(
      transaction,
      { accountId, idempotencyKey, what, now },
      async () => {
        const made = await addTopup(transaction, { ...wanted, ...waitOf(wanted, outcome) });
        return isRefusal(made) ? made : { id: made.number, result: made };
      },
      async (number) => (await findTopup(transaction, accountId, number)) ?? refusal('topup_not_found'),
    );
  });
}

type AddedTopup = Omit<NewTopup, 'outcome' | 'idempotencyKey'> & Pick<TopupRow, 'status' | 'checkAt'>;

function waitOf(
  { accountId, method, now }: Pick<NewTopup, 'accountId' | 'method' | 'now'>,
  outcome: TestOutcome | null,
): Pick<TopupRow, 'status' | 'checkAt'> {
  if (outcome === 'later') return { status: 'processing', checkAt: now + minuteSeconds };
  if (method === 'bank_transfer') return { status: 'open', checkAt: now + transferSeconds };
  return { status: 'open', checkAt: isAtProvider(accountId, method) ? now + 2 * minuteSeconds : null };
}

function isAtProvider(accountId: number, method: TopupMethod): boolean {
  return method === 'card' && !isTestAccount(accountId);
}

/** Needs the account's lock. Refusals: as for createTopup. */
export async function addTopup(
  transaction: Queryable,
  { accountId, method, amountCents, returnUrl, status, checkAt, now, ...rest }: AddedTopup,
): Promise<ListedTopup | Refusal> {
  const isTest = isTestAccount(accountId);
  const ofAccount = transaction.ofAccount(accountId);
  const [row = {}] = await ofAccount.query(readPlace, [accountId, now - daySeconds, now - waitingSeconds]);
  const number = Number(row['number']);
  const place = { waiting: Number(row['waiting']), dayCents: bigint(row['day_cents']) };
  const refused = refusedBy({ ...rest, method, amountCents, isTest }, place);
  if (refused !== null) return refused;
  if (isTest) {
    const space = await loadTestSpace(transaction, [accountId], rest.testBudget);
    const full = fullBudget(space, accountId, topupUsage);
    if (full !== null) return refusal('test_full', { budget: full });
    await addTestUsage(transaction, [{ accountId, ...topupUsage }]);
  }
  await writeRows(ofAccount, insert, [
    {
      accountId,
      number,
      method,
      amountCents,
      status,
      createdAt: now,
      expiresAt: now + (method === 'card' ? checkoutSeconds : transferSeconds),
      providerKey: isAtProvider(accountId, method) ? randomBase62(22) : null,
      sessionId: null,
      payUrl: null,
      returnUrl,
      checkAt,
      checks: 0,
    },
  ]);
  return (await findTopup(transaction, accountId, number)) ?? refusal('topup_not_found');
}

type Asked = Pick<NewTopup, 'method' | 'amountCents' | 'currency' | 'settings'> & {
  readonly isTest: boolean;
};

function refusedBy(
  { method, amountCents, currency, settings, isTest }: Asked,
  { waiting, dayCents }: { readonly waiting: number; readonly dayCents: bigint },
): Refusal | null {
  const isOn = isTest || (method === 'card' ? settings.cardEnabled : settings.bankEnabled);
  if (!isOn) return refusal('payment_method_off', { method });
  const { minimumCents, maximumCents, dailyMaximumCents } = settings;
  if (amountCents < minimumCents || amountCents > maximumCents) {
    const reason = `must be between ${formatAmount(minimumCents)} and ${formatAmount(maximumCents)}`;
    return fieldRefusal('validation_failed', 'amount', reason);
  }
  if (waiting >= openTopupsMax) return refusal('too_many_topups', { limit: openTopupsMax });
  if (dailyMaximumCents === null || dayCents + amountCents <= dailyMaximumCents) return null;
  return refusal('daily_maximum_reached', {
    daily_maximum: formatAmount(dailyMaximumCents),
    used: formatAmount(dayCents),
    currency,
  });
}

const writeSession: SqlStatement = {
  name: 'set_topup_session',
  text: `update topups set session_id = $3::text, pay_url = $4::text
    where account_id = $1::int and number = $2::int and (session_id is null or session_id like 'pi\\_%')`,
};

/** What the provider knows it by: the hosted page where it is paid, or a charge of a saved card. A page that is open stays. */
export async function storeSession(
  database: Database,
  { accountId, number }: Pick<ListedTopup, 'accountId' | 'number'>,
  session: { readonly id: string; readonly url: string | null },
): Promise<void> {
  await database
    .ofAccount(accountId)
    .query(writeSession, [accountId, number, session.id, session.url], 'changes');
}

const lowerStatuses: Readonly<Record<UnpaidStatus, readonly UnpaidStatus[]>> = {
  open: [],
  processing: ['open'],
  // A person may cancel a top-up while the provider still has it.
  cancelled: ['open'],
  failed: ['open', 'processing'],
  expired: ['open'],
};

const writeStatus: SqlStatement = {
  name: 'set_topup_status',
  text: `update topups t set status = $3::text
    where t.account_id = $1::int and t.number = $2::int and t.status = any(string_to_array($4::text, ' '))
      and not exists (select from payments p where p.account_id = t.account_id and p.topup_number = t.number)
      and ($3::text <> 'cancelled' or not exists (
        select from auto_topups a where a.account_id = t.account_id and a.in_flight = t.number))
    returning t.number`,
};

export interface StatusMove {
  readonly accountId: number;
  readonly number: number;
  readonly to: Exclude<UnpaidStatus, 'open'>;
  readonly currency: string;
  readonly now: EpochSeconds;
}

/** Does nothing if the top-up is further already. @returns whether it moved */
export function moveStatus(database: Database, move: StatusMove): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await lockAccountInUse(transaction, move.accountId))) return false;
    return moveLocked(transaction, move);
  });
}

async function moveLocked(
  transaction: Queryable,
  { accountId, number, to, currency, now }: StatusMove,
): Promise<boolean> {
  const values = [accountId, number, to, lowerStatuses[to].join(' ')];
  const moved = await transaction.ofAccount(accountId).query(writeStatus, values);
  if (moved.length === 0) return false;
  const topup = to === 'failed' || to === 'expired' ? await findTopup(transaction, accountId, number) : null;
  if (topup !== null)
    await appendEvents(
      transaction,
      accountId,
      [topupEvent(`topup.${to as 'failed' | 'expired'}`, topup, currency)],
      now,
    );
  return true;
}

/** Refusals: topup_not_found, topup_not_open, reset_in_progress. A second cancel changes nothing. */
export function cancelTopup(
  database: Database,
  { accountId, number, currency, now }: Omit<StatusMove, 'to'>,
): Promise<ListedTopup | Refusal> {
  return database.transaction(async (transaction) => {
    if (!(await lockAccountInUse(transaction, accountId))) return refusal('reset_in_progress');
    await moveLocked(transaction, { accountId, number, to: 'cancelled', currency, now });
    const topup = await findTopup(transaction, accountId, number);
    if (topup === null) return refusal('topup_not_found');
    if (topup.status === 'cancelled') return topup;
    // A top-up that is being charged is still open here.
    return refusal('topup_not_open', { status: topup.status === 'open' ? 'processing' : topup.status });
  });
}

const findDue: SqlStatement = {
  name: 'list_topups_to_check',
  text: `select t.account_id, t.number from topups t
    where t.check_at <= to_timestamp($1::bigint) and t.account_id <= ${realAccountIdMax} order by t.check_at limit $2::int`,
};

/** By the test's own clock. */
const findDueInTests: SqlStatement = {
  name: 'list_test_topups_to_check',
  text: `select t.account_id, t.number from topups t join accounts a on a.id = t.account_id
    where t.check_at is not null and t.account_id > ${realAccountIdMax}
      and t.check_at <= coalesce(a.test_clock, to_timestamp($1::bigint)) and a.test_state = 'current' limit $2::int`,
};

const writeCheck: SqlStatement = {
  name: 'set_topup_check',
  text: `update topups set check_at = to_timestamp($3::bigint), checks = checks + 1
    where account_id = $1::int and number = $2::int`,
};

interface NumberedTopup {
  readonly accountId: number;
  readonly number: number;
}

/** Top-ups to ask the provider about, transfers that expire, and in test mode top-ups whose payment comes now. */
export function listDueChecks(
  database: Database,
  mode: 'live' | 'test',
  now: EpochSeconds,
  limit: number,
): Promise<NumberedTopup[]> {
  return inAllGroups(database, mode === 'live' ? findDue : findDueInTests, [now, limit]);
}

async function inAllGroups(
  database: Database,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<NumberedTopup[]> {
  const found: NumberedTopup[] = [];
  for (const group of database.accountGroups()) {
    const rows = await group.query(statement, values);
    found.push(
      ...rows.map((row) => ({ accountId: Number(row['account_id']), number: Number(row['number']) })),
    );
  }
  return found;
}

/** null: never again. */
export async function setNextCheck(
  database: Database,
  { accountId, number }: NumberedTopup,
  checkAt: EpochSeconds | null,
): Promise<void> {
  await database.ofAccount(accountId).query(writeCheck, [accountId, number, checkAt]);
}

const checkDays = 30;
const checksAfter = [
  ...[2, 15, 60].map((minutes) => minutes * minuteSeconds),
  ...Array.from({ length: checkDays }, (_, day) => (day + 1) * daySeconds),
];

/** After 2, 15 and 60 minutes, then daily for 30 days; null after that. Times that have passed are left out. */
export function nextCheckAt(
  { createdAt }: Pick<TopupRow, 'createdAt'>,
  now: EpochSeconds,
): EpochSeconds | null {
  const next = checksAfter.find((seconds) => createdAt + seconds > now);
  return next === undefined ? null : createdAt + next;
}
