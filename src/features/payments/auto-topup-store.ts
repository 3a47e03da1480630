// Automatic top-ups: an account's settings, its saved card and the charge in flight. The only writer of auto_topups.
// Invariant: an account has at most one charge in flight, and a month never exceeds its maximum, because both are decided
// under the account's lock.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import {
  cents,
  describeTable,
  int,
  nullableInt,
  nullableText,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { type EpochSeconds, monthOf } from '../../shared/times.ts';
import { type TestOutcome, testOutcomes } from '../../shared/topup-words.ts';
import { appendEvents } from '../events/event-log.ts';
import { lockAccountInUse } from '../identity/account-in-use.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import type { SavedCard } from './payment-provider.ts';
import type { PaymentSettings } from './payment-settings.ts';
import { addTopup, findTopup } from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';
import { topupEvent } from './topup-view.ts';

const autoTopups = describeTable('auto_topups', {
  accountId: int('account_id'),
  belowCents: orNull(cents('below_cents')),
  amountCents: orNull(cents('amount_cents')),
  monthlyMaximumCents: orNull(cents('monthly_maximum_cents')),
  status: oneOf('status', ['on', 'paused', 'off']),
  /** Why it paused, or was switched off by itself. */
  reason: orNull(oneOf('reason', ['holder_needed', 'failed', 'disputed'])),
  customerId: nullableText('customer_id'),
  methodId: nullableText('method_id'),
  cardLabel: nullableText('card_label'),
  testOutcome: orNull(oneOf('test_outcome', testOutcomes)),
  /** In a row. */
  failures: int('failures'),
  /** The number of the top-up that is being charged. */
  inFlight: nullableInt('in_flight'),
  nextAt: time('next_at'),
  month: text('month'),
  monthCents: cents('month_cents'),
});

export type AutoTopup = RowOf<typeof autoTopups>;

const neverSet = {
  belowCents: null,
  amountCents: null,
  monthlyMaximumCents: null,
  status: 'off',
  reason: null,
  customerId: null,
  methodId: null,
  cardLabel: null,
  testOutcome: null,
  failures: 0,
  inFlight: null,
  nextAt: 0,
  month: '',
  monthCents: 0n,
} as const;

const find: SqlStatement = {
  name: 'find_auto_topup',
  text: `select ${autoTopups.list('t')} from auto_topups t where t.account_id = $1::int`,
};

const put = autoTopups.insert(
  'put_auto_topup',
  `on conflict (account_id) do update set ${autoTopups.names
    .filter((name) => name !== 'account_id')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`,
);

export async function findAutoTopup(database: Queryable, accountId: number): Promise<AutoTopup> {
  const [row] = await database.ofAccount(accountId).query(find, [accountId]);
  return row === undefined ? { accountId, ...neverSet } : autoTopups.parse(row);
}

/** Runs under the account's lock. Refusals: reset_in_progress, and those of `decide`. */
function change(
  database: Database,
  accountId: number,
  decide: (before: AutoTopup, transaction: Queryable) => AutoTopup | Refusal | Promise<AutoTopup | Refusal>,
): Promise<AutoTopup | Refusal> {
  return database.transaction(async (transaction) => {
    if (!(await lockAccountInUse(transaction, accountId))) return refusal('reset_in_progress');
    const after = await decide(await findAutoTopup(transaction, accountId), transaction);
    if (!isRefusal(after)) await writeRows(transaction.ofAccount(accountId), put, [after]);
    return after;
  });
}

/** A new card lets a paused automatic top-up go on. */
export async function storeCard(database: Database, accountId: number, card: SavedCard): Promise<void> {
  await change(database, accountId, (before) => ({
    ...before,
    customerId: card.customerId,
    methodId: card.methodId,
    cardLabel: card.label,
    ...(before.reason === 'holder_needed' && { status: 'on', reason: null, failures: 0 }),
  }));
}

export async function storeCustomer(
  database: Database,
  accountId: number,
  customerId: string,
): Promise<void> {
  await change(database, accountId, (before) => ({ ...before, customerId: before.customerId ?? customerId }));
}

/** A card whose charge was disputed is not charged again until the account says so. */
export async function pauseAfterDispute(database: Database, accountId: number): Promise<void> {
  await change(database, accountId, (before) =>
    before.status === 'on' ? { ...before, status: 'paused', reason: 'disputed' } : before,
  );
}

export interface AutoTopupSettings {
  readonly belowCents: bigint;
  readonly amountCents: bigint;
  readonly monthlyMaximumCents: bigint;
  readonly testOutcome: TestOutcome | null;
}

/** Refusals: card_missing, reset_in_progress. */
export function setAutoTopup(
  database: Database,
  accountId: number,
  settings: AutoTopupSettings | null,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<AutoTopup | Refusal> {
  return change(database, accountId, async (before, transaction) => {
    if (settings !== null && before.methodId === null) return refusal('card_missing');
    const after: AutoTopup =
      settings === null
        ? { ...before, status: 'off', reason: null }
        : { ...before, ...settings, status: 'on', reason: null, failures: 0, nextAt: now };
    await appendAudit(
      transaction,
      {
        ...author,
        accountId,
        action: 'account.set_auto_topup',
        subject: `account ${accountId}`,
        before: auditView(before),
        after: auditView(after),
      },
      now,
    );
    return after;
  });
}

const forget: SqlStatement = {
  name: 'forget_auto_topup',
  text: 'delete from auto_topups where account_id = $1::int and in_flight is null',
};

/** Forgets the card of an account, in the transaction that closes it. */
export async function forgetAutoTopup(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.ofAccount(accountId).query(forget, [accountId]);
}

function auditView({ status, belowCents, amountCents, monthlyMaximumCents }: AutoTopup) {
  const amount = (value: bigint | null) => (value === null ? null : formatAmount(value));
  return {
    status,
    below: amount(belowCents),
    amount: amount(amountCents),
    monthly_maximum: amount(monthlyMaximumCents),
  };
}

const mayRun = `t.status = 'on' and t.in_flight is null and not a.blocked and a.halted_at is null
      and a.balance_cents < t.below_cents and t.next_at <= to_timestamp($1::bigint)`;

const listDue: SqlStatement = {
  name: 'list_due_auto_topups',
  text: `select t.account_id from auto_topups t join accounts a on a.id = t.account_id
    where (t.status = 'on' or t.in_flight is not null) and a.test_state is null and (${mayRun}
      or t.in_flight is not null and t.next_at <= to_timestamp($1::bigint))
    order by t.next_at limit $2::int`,
};

const listDueInTests: SqlStatement = {
  name: 'list_due_test_auto_topups',
  text: `select t.account_id from auto_topups t join accounts a on a.id = t.account_id
    where t.account_id > ${realAccountIdMax} and a.test_state = 'current' and (t.in_flight is not null
      or t.status = 'on' and not a.blocked and a.halted_at is null and a.balance_cents < t.below_cents
        and t.next_at <= coalesce(a.test_clock, to_timestamp($1::bigint)))
    order by t.account_id limit $2::int`,
};

const hold: SqlStatement = {
  name: '',
  text: `update auto_topups set next_at = greatest(next_at, now() + interval '1 day')
    where account_id <= ${realAccountIdMax} and in_flight is null`,
};

/** After a restore, charges no card for a day: a low balance may only mean that payments were lost. */
export async function holdAutoTopups(transaction: Queryable): Promise<void> {
  for (const group of transaction.accountGroups()) await group.query(hold);
}

/** Accounts whose balance is too low, and those with a charge in flight that is to be looked at. */
export async function listDueAutoTopups(
  database: Database,
  now: EpochSeconds,
  limit: number,
): Promise<number[]> {
  const found: number[] = [];
  for (const group of database.accountGroups())
    for (const statement of [listDue, listDueInTests])
      found.push(...(await group.query(statement, [now, limit])).map((row) => Number(row['account_id'])));
  return found;
}

const readAccount: SqlStatement = {
  name: 'read_account_to_top_up',
  text: `select a.balance_cents < t.below_cents and not a.blocked and a.halted_at is null as is_low,
      extract(epoch from a.test_clock)::bigint as test_clock
    from auto_topups t join accounts a on a.id = t.account_id where t.account_id = $1::int`,
};

const daySeconds = 86_400;
const hourSeconds = 3_600;
const minuteSeconds = 60;
const failuresMax = 3;

/** Starts a charge, if it is still due. @returns null if it is not */
export async function beginCharge(
  database: Database,
  accountId: number,
  parts: {
    readonly settings: PaymentSettings;
    readonly testBudget: TestBudget;
    readonly currency: string;
    readonly now: EpochSeconds;
  },
): Promise<{ readonly auto: AutoTopup; readonly topup: ListedTopup } | null> {
  let topup: ListedTopup | null = null;
  const auto = await change(database, accountId, async (before, transaction) => {
    const { status, amountCents, monthlyMaximumCents, inFlight } = before;
    const [row] = await transaction.ofAccount(accountId).query(readAccount, [accountId]);
    const isDue = status === 'on' && inFlight === null && row?.['is_low'] === true;
    if (!isDue || amountCents === null || monthlyMaximumCents === null) return before;
    const now = row['test_clock'] === null ? parts.now : Number(row['test_clock']);
    const month = monthOf(now);
    const spentCents = month === before.month ? before.monthCents : 0n;
    if (spentCents + amountCents > monthlyMaximumCents) return { ...before, nextAt: now + hourSeconds };
    const wanted = { accountId, method: 'card', amountCents, returnUrl: null, ...parts, now } as const;
    // The charge has its own checks (charge-automatically.ts).
    const added = await addTopup(transaction, { ...wanted, status: 'open', checkAt: null });
    if (isRefusal(added)) return { ...before, nextAt: now + hourSeconds };
    topup = added;
    return {
      ...before,
      inFlight: added.number,
      nextAt: now + minuteSeconds,
      month,
      monthCents: spentCents + amountCents,
    };
  });
  return topup === null || isRefusal(auto) ? null : { auto, topup };
}

export type ChargeEnd = 'paid' | 'declined' | 'holder_needed';

/** Ends the charge in flight: counts failures, and pauses or switches off. Does nothing for another charge. */
export async function endCharge(
  database: Database,
  { accountId, number, amountCents }: Pick<ListedTopup, 'accountId' | 'number' | 'amountCents'>,
  end: ChargeEnd,
  { currency, now }: { readonly currency: string; readonly now: EpochSeconds },
): Promise<void> {
  await change(database, accountId, async (before, transaction) => {
    if (before.inFlight !== number) return before;
    if (end === 'paid') return { ...before, inFlight: null, failures: 0, nextAt: now };
    const failures = before.failures + 1;
    const isOff = end === 'declined' && failures >= failuresMax;
    const after: AutoTopup = {
      ...before,
      inFlight: null,
      failures,
      monthCents: before.monthCents - amountCents,
      nextAt: now + (failures === 1 ? hourSeconds : daySeconds),
      ...(end === 'holder_needed' && { status: 'paused', reason: 'holder_needed' }),
      ...(isOff && { status: 'off', reason: 'failed' }),
    };
    const topup = await findTopup(transaction, accountId, number);
    if (topup !== null && after.status !== before.status) {
      const type = isOff ? 'auto_topup.disabled' : 'auto_topup.paused';
      await appendEvents(transaction, accountId, [topupEvent(type, topup, currency)], now);
    }
    return after;
  });
}

/** Looks at the charge in flight again in a minute. */
export async function postpone(database: Database, accountId: number, now: EpochSeconds): Promise<void> {
  await change(database, accountId, (before) => ({ ...before, nextAt: now + minuteSeconds }));
}
