// Test mode: test accounts in a world of their own, each with a clock that stands still until moved. Only what differs from
// oracle.ts, written from the documents of test mode only. "Ax" points to AMBIGUITIES.md.
// Invariant: during a move everything happens at its own second, by time, customer number, then renewal, warning, end.

import type { AccountId, CreditOutcome, Oracle, World } from './oracle.ts';
import { createOracle } from './oracle.ts';
import { secondsPerDay } from './oracle-calendar.ts';
import { createEventRules } from './oracle-events.ts';
import type { Refusal } from './oracle-request.ts';
import { asFields, isRefusal, readKey, refuse } from './oracle-request.ts';
import { destinationOf, readMoveRequest } from './oracle-test-clock.ts';

export type Happened = { renewals: number; renewalsFailed: number; ended: number; warnings: number };

/** `text` as in oracle-events.ts, with the event's second. */
export type EmittedAt = { at: number; text: string };

export type MoveOutcome =
  | { status: 200; replayed: boolean; clockAt: number; happened: Happened; emitted: readonly EmittedAt[] }
  | Refusal;

export type TestRequest = { accountId: AccountId; body: unknown; headerKey?: string | undefined };

export type Alerts = { balanceBelowCents: bigint | null; plansEndingDays: number | null };

export type TestMode = ReturnType<typeof createTestMode>;

type TestAccount = {
  clockAt: number;
  alerts: Alerts;
  moveKeys: Map<string, { operation: string; outcome: Exclude<MoveOutcome, Refusal> }>;
};

/** The time reached: within a second, customers in order, then ranks. */
type Place = { at: number; customerNumber: number; rank: number };

type ClockEvent = Place &
  (
    | { kind: 'renewal' }
    | { kind: 'warning'; reference: string; days: number }
    | { kind: 'end'; reference: string }
  );

const firstBalanceCents = 100_000n;
const creditCentsMax = 100_000_000n;
const warningDays = [7, 1] as const;

/** The accounts of `world` are live. Test accounts only take their rights and prices from it. */
export function createTestMode(world: World) {
  // A test order never reaches the product in any mode.
  const oracle: Oracle = createOracle({
    ...world,
    accounts: world.accounts.map((account) => ({ ...account, balanceCents: 0n })),
    productMode: 'none',
  });
  const testAccounts = new Map<AccountId, TestAccount>();
  const events = createEventRules(oracle, (accountId) => {
    const { balanceBelowCents, plansEndingDays } = getTestAccount(accountId).alerts;
    return { belowCents: balanceBelowCents, endingDays: plansEndingDays };
  });

  function useTestAccount(accountId: AccountId, realNow: number): void {
    if (!testAccounts.has(accountId)) begin(accountId, realNow);
  }

  function begin(accountId: AccountId, realNow: number): void {
    const alerts = { balanceBelowCents: null, plansEndingDays: null };
    testAccounts.set(accountId, { clockAt: realNow, alerts, moveKeys: new Map() });
    const memo = 'Test credit';
    oracle.credit({ accountId, amountCents: firstBalanceCents, memo, actorId: 'service' }, realNow);
  }

  function moveClock({ accountId, body, headerKey }: TestRequest): MoveOutcome {
    const testAccount = getTestAccount(accountId);
    const closed = oracle.closedAccount(accountId);
    if (closed !== null) return closed;
    const request = readMoveRequest(body, headerKey);
    if (isRefusal(request)) return request;

    const operation = JSON.stringify([request.field, request.text]);
    const bound = request.key === null ? undefined : testAccount.moveKeys.get(request.key);
    if (bound !== undefined) {
      if (bound.operation !== operation) return refuse('idempotency_conflict');
      return { ...bound.outcome, replayed: true, emitted: [] };
    }
    const destination = destinationOf(request, testAccount.clockAt);
    if (typeof destination !== 'number') return destination;

    const outcome = { status: 200, replayed: false, ...live(accountId, testAccount, destination) } as const;
    if (request.key !== null) testAccount.moveKeys.set(request.key, { operation, outcome });
    return outcome;
  }

  /** Lets everything happen that is due until then, inclusive. */
  function live(accountId: AccountId, testAccount: TestAccount, destination: number) {
    const happened: Happened = { renewals: 0, renewalsFailed: 0, ended: 0, warnings: 0 };
    const emitted: EmittedAt[] = [];
    // If the clock does not move, nothing happens, even if something is due (A111).
    if (destination > testAccount.clockAt) {
      let reached: Place = { at: testAccount.clockAt, customerNumber: Number.POSITIVE_INFINITY, rank: 0 };
      for (;;) {
        const next = nextEvent(accountId, testAccount, reached);
        if (next === null || next.at > destination) break;
        for (const text of execute(accountId, next, happened)) emitted.push({ at: next.at, text });
        // Overdue events happen at the time reached, and do not move the clock back.
        if (comparePlaces(next, reached) > 0) reached = next;
      }
    }
    testAccount.clockAt = destination;
    return { clockAt: destination, happened, emitted };
  }

  function nextEvent(accountId: AccountId, { alerts }: TestAccount, reached: Place): ClockEvent | null {
    // What was due before the reached second is attempted in that second (A111).
    const renewals = oracle.dueRenewals(accountId).map(
      ({ customerNumber, dueAt }): ClockEvent => ({
        kind: 'renewal',
        at: Math.max(dueAt, reached.at),
        customerNumber,
        rank: 0,
      }),
    );
    const days = new Set([
      ...warningDays,
      ...(alerts.plansEndingDays === null ? [] : [alerts.plansEndingDays]),
    ]);
    const notices = oracle
      .planEnds(accountId)
      .flatMap(({ customerNumber, reference, endsAt }): ClockEvent[] => [
        ...[...days].map((left) => ({
          kind: 'warning' as const,
          at: endsAt - left * secondsPerDay,
          customerNumber,
          rank: 1,
          reference,
          days: left,
        })),
        { kind: 'end', at: endsAt, customerNumber, rank: 2, reference },
      ]);
    // A warning that was already due when the plan's end was set gives no event (A115).
    const coming = [...renewals, ...notices.filter((notice) => comparePlaces(notice, reached) > 0)];
    return coming.sort(comparePlaces)[0] ?? null;
  }

  function execute(accountId: AccountId, event: ClockEvent, happened: Happened): string[] {
    if (event.kind === 'warning') {
      happened.warnings += 1;
      return [`plan.ending ${event.reference} ${event.days}`];
    }
    if (event.kind === 'end') {
      happened.ended += 1;
      return [`plan.expired ${event.reference}`];
    }
    const balances = new Map([[accountId, oracle.balance(accountId).balanceCents]]);
    const attempt = oracle.renewOne(accountId, event.customerNumber, event.at);
    if ('code' in attempt.outcome) happened.renewalsFailed += 1;
    else happened.renewals += 1;
    return events.renewed([attempt], balances).map(({ text }) => text);
  }

  function credit({ accountId, body, headerKey }: TestRequest): CreditOutcome {
    const closed = oracle.closedAccount(accountId);
    if (closed !== null) return closed;
    const fields = asFields(body);
    if (fields === null) return refuse('invalid_json');
    const key = readKey(fields, headerKey);
    if (isRefusal(key)) return key;
    const amountCents = readAmount(fields.get('amount'));
    if (amountCents === null || amountCents <= 0n || amountCents > creditCentsMax)
      return refuse('validation_failed', { field: 'amount' });
    const memo = fields.get('memo');
    const input = { accountId, amountCents, actorId: accountId, key: key.value ?? undefined };
    return oracle.credit({ ...input, ...(typeof memo === 'string' && { memo }) }, clockOf(accountId));
  }

  /** Leaves a new test account with the same API keys. */
  function reset({ accountId }: Pick<TestRequest, 'accountId'>, realNow: number): { status: 200 } | Refusal {
    const closed = oracle.closedAccount(accountId);
    if (closed !== null) return closed;
    oracle.emptyAccount(accountId);
    begin(accountId, realNow);
    return { status: 200 };
  }

  function setAlerts(accountId: AccountId, alerts: Alerts): void {
    getTestAccount(accountId).alerts = alerts;
  }

  function clockOf(accountId: AccountId): number {
    return getTestAccount(accountId).clockAt;
  }

  function getTestAccount(accountId: AccountId): TestAccount {
    const testAccount = testAccounts.get(accountId);
    if (testAccount === undefined) throw new Error(`account ${accountId} has no test account yet`);
    return testAccount;
  }

  return { oracle, events, useTestAccount, clockOf, moveClock, credit, reset, setAlerts };
}

function comparePlaces(one: Place, other: Place): number {
  return one.at - other.at || one.customerNumber - other.customerNumber || one.rank - other.rank;
}

/** "12", "12.5" or "12.50", as for the administrator's credits. */
function readAmount(sent: unknown): bigint | null {
  const parts = typeof sent === 'string' ? /^([0-9]{1,12})(\.[0-9]{1,2})?$/.exec(sent) : null;
  if (parts === null) return null;
  const [, whole = '0', fraction = '.'] = parts;
  return BigInt(whole) * 100n + BigInt(fraction.slice(1).padEnd(2, '0'));
}
