// Calls the operator's product, in one process under its job's lease, and settles orders through the engine or reschedules
// the call. Tests have their own job, address and slots, so that a hanging test product delays no real call.
// Invariant: there is one call per customer at a time, in order. The engine settles an order once, however often the product
// is asked. A process without the lease writes nothing.

import type { KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  byGroup,
  type Database,
  DatabaseUnavailable,
  type Rank,
  type Row,
  ranked,
  type SqlStatement,
  StatementFailed,
} from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { nullableNumberArray, numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import { holdLease } from '../../platform/jobs/job-leases.ts';
import type { JobContext, JobResult } from '../../platform/jobs/job-runner.ts';
import type { Outbound, OutboundResult } from '../../platform/outbound/outbound.ts';
import {
  delaySecondsMax,
  nextAttemptAt,
  scheduleSeconds,
  scheduleSlackSeconds,
} from '../../platform/outbound/retry-schedule.ts';
import { signedHeaders, signingKeyOf } from '../../platform/outbound/webhook-signature.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { isJsonObject, type JsonObject, own } from '../../shared/json.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import {
  giveUpProductCalls,
  type PreparedCalls,
  type ProductCallStatus,
  type ProductCallType,
  productCallTypes,
  type UnpreparedCall,
} from '../order-engine/records/product-call-rows.ts';
import { appendAttempt, type CallAttempt, shownAnswer } from './call-attempts.ts';
import { hastenFailingCalls, supersedeCalls } from './open-product-calls.ts';
import type { CallOutcome } from './product-call-metrics.ts';
import { createProductOutage } from './product-outage.ts';
import { findProduct, openProductSecret, type ProductSettings } from './product-settings.ts';

export type CallMode = 'live' | 'test';

export const productCallsKinds = {
  live: 'product_calls',
  test: 'test_product_calls',
} as const satisfies Record<CallMode, string>;

export interface ProductCallLimits {
  readonly callsMax: number;
  readonly callsMaxUnanswered: number;
  readonly pollMilliseconds: number;
  /** How long answers are collected before they are written together. */
  readonly writeMilliseconds: number;
  readonly stopMilliseconds: number;
}

export interface Settlement {
  readonly accountId: number;
  readonly orderNumber: number;
  readonly outcome: 'completed' | 'failed';
  readonly reason: string | null;
  readonly isUnanswered?: boolean;
}

export interface ProductCallerDependencies {
  readonly mode: CallMode;
  readonly database: Database;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly seal: Seal;
  /** Makes missing payloads. @throws DatabaseUnavailable */
  readonly prepare: (calls: readonly UnpreparedCall[]) => Promise<PreparedCalls>;
  /** Returns false if the order cannot be settled now: ask the product again. @throws Overloaded, DatabaseUnavailable */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
  readonly now: () => EpochSeconds;
  readonly limits: ProductCallLimits;
  readonly onCall: (outcome: CallOutcome) => void;
  readonly onProblem: (error: unknown) => void;
  readonly random?: () => number;
}

export interface ProductCaller {
  /** Runs until the signal aborts or there is no product (for tests: no test address). @throws DatabaseUnavailable */
  run(context: JobContext): Promise<JobResult>;
  notify(): void;
}

interface Call {
  readonly id: number;
  readonly callId: string;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly orderNumber: number | null;
  readonly confirms: boolean;
  readonly type: ProductCallType;
  /** null if no attempt was made yet. */
  readonly payload: JsonObject | null;
  readonly createdAt: EpochSeconds;
  readonly attempts: number;
  readonly firstAttemptAt: EpochSeconds | null;
}

interface Target {
  readonly url: string;
  readonly key: KeyObject;
}

interface Written {
  readonly id: number;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly status: ProductCallStatus;
  readonly nextAt: EpochSeconds;
  readonly attempt: CallAttempt;
}

type Attempted = Omit<Written, 'status' | 'nextAt'>;

const hour = 3_600;
const confirmDelaysSeconds = [5, 30, 120, 600, 1_800, hour] as const;
/** If there is no answer for this long, a person must decide. */
const confirmSeconds = 72 * hour;
const deadlockCode = '40P01';
const writesMax = 3;
/** The pause before settling again when this service was overloaded. */
const overloadedSeconds = 5;
const reasonLengthMax = 200;

// Selects only each customer's oldest waiting call.
const waiting = (
  whose: string,
  when: string,
) => `(select c.id, c.call_id, c.account_id, c.customer_number, c.order_number, c.confirms, c.type,
      c.payload, c.created_at, c.attempts, c.first_attempt_at, c.next_attempt_at
    from product_calls c
    where c.status = 'waiting' and ${whose} and ${when} and not c.id = any($2::bigint[])
      and not exists (select 1 from product_calls e where e.status = 'waiting' and e.account_id = c.account_id
        and e.customer_number = c.customer_number and e.id < c.id)
    order by c.next_attempt_at, c.id limit $3::int)`;

// A due time beyond any possible delay was set by a wrong clock, so such a call counts as due.
const due = (
  whose: string,
) => `select * from (${waiting(whose, 'c.next_attempt_at <= to_timestamp($1::bigint)')}
    union all ${waiting(whose, `c.next_attempt_at > to_timestamp($1::bigint + ${2 * delaySecondsMax})`)}) due
    order by next_attempt_at, id limit $3::int`;

const readDue = {
  live: {
    statement: { name: 'read_due_product_calls', text: due(`c.account_id <= ${realAccountIdMax}`) },
    rank: 'lookups',
  },
  // Skips tests that were reset. This is a subquery instead of a join, to keep the order of the index.
  test: {
    statement: {
      name: 'read_due_product_calls_of_tests',
      text: due(`c.account_id > ${realAccountIdMax}
      and (select a.test_state from accounts a where a.id = c.account_id) = 'current'`),
    },
    rank: 'reads',
  },
} as const satisfies Record<CallMode, { readonly statement: SqlStatement; readonly rank: Rank }>;

// Adds the answer even to calls that the settling batch has already closed.
const writeAnswers: SqlStatement = {
  name: 'write_product_answers',
  text: `update product_calls t set status = row.status, attempts = t.attempts + 1,
      first_attempt_at = coalesce(t.first_attempt_at, to_timestamp(row.at)), last_attempt_at = to_timestamp(row.at),
      next_attempt_at = to_timestamp(row.next_at), last_status = row.last_status, last_error = row.last_error,
      attempt_log = ${appendAttempt('t.attempt_log', 'row.attempt')}
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::int[], $6::text[], $7::text[])
      row (id, at, status, next_at, last_status, last_error, attempt)
    where t.id = row.id and (t.status = 'waiting' or (t.confirms and t.status = 'done' and row.status = 'done'))`,
};

export function createProductCaller(dependencies: ProductCallerDependencies): ProductCaller {
  let wake: (() => void) | null = null;
  return {
    async run(context) {
      await callUntilStopped(dependencies, context, (waker) => {
        wake = waker;
      });
      wake = null;
      return { backlog: 0 };
    },
    notify: () => wake?.(),
  };
}

async function callUntilStopped(
  {
    mode,
    database,
    outbound,
    seal,
    prepare,
    settle,
    now,
    limits,
    onCall,
    onProblem,
    random = Math.random,
  }: ProductCallerDependencies,
  { signal, leaseNumber }: JobContext,
  onWaker: (wake: () => void) => void,
): Promise<void> {
  const underWay = new Map<number, { readonly customer: string; readonly ends: Promise<void> }>();
  const unwritten: Written[] = [];
  const ended: number[] = [];
  let isAnswering = true;
  const outage = createProductOutage();
  let isOver = false;
  let hasLease = true;
  let news = Promise.withResolvers<void>();
  onWaker(() => news.resolve());

  async function write(): Promise<void> {
    const rows = unwritten.splice(0);
    for (let attempt = 1; rows.length > 0 && hasLease; attempt += 1) {
      try {
        return await writeTogether(rows);
      } catch (error) {
        // Batches that settle orders lock the same rows in another order, so try again after a deadlock.
        const isDeadlock = error instanceof StatementFailed && error.code === deadlockCode;
        if (!isDeadlock || attempt === writesMax) throw error;
      }
    }
  }

  async function writeTogether(rows: readonly Written[]): Promise<void> {
    await database.transaction(
      async (transaction) => {
        hasLease = await holdLease(transaction, productCallsKinds[mode], leaseNumber);
        if (!hasLease) return;
        for (const [accountId, ofAccount] of byGroup(transaction, rows, (row) => row.accountId)) {
          await transaction
            .ofAccount(accountId)
            .query(writeAnswers, [
              numberArray(ofAccount.map(({ id }) => id)),
              numberArray(ofAccount.map(({ attempt }) => attempt.at)),
              textArray(ofAccount.map(({ status }) => status)),
              numberArray(ofAccount.map(({ nextAt }) => nextAt)),
              nullableNumberArray(ofAccount.map(({ attempt }) => attempt.status)),
              textArray(ofAccount.map(({ attempt }) => attempt.error)),
              textArray(ofAccount.map(({ attempt }) => JSON.stringify(attempt))),
            ]);
        }
        const over = rows.filter(({ status }) => status !== 'waiting');
        await supersedeCalls(transaction, over);
      },
      { rank: 'lookups' },
    );
  }

  /** For a test without a product or answer. Fails its order, because no administrator decides about tests. */
  async function giveUpTest(call: Call): Promise<void> {
    const { id, accountId, customerNumber, orderNumber, confirms } = call;
    const at = now();
    const nothing = { id, accountId, customerNumber, attempt: unsent(at, 'no_product') };
    if (!confirms || orderNumber === null) unwritten.push({ ...nothing, status: 'failed', nextAt: at });
    // For example because the account is halted. Try later.
    else if (!(await settle({ accountId, orderNumber, outcome: 'failed', reason: null, isUnanswered: true })))
      unwritten.push({ ...nothing, status: 'waiting', nextAt: at + confirmDelay(call) });
  }

  async function send(call: Call, payload: JsonObject, { url, key }: Target): Promise<void> {
    const at = now();
    const { callId: id, type } = call;
    const body = JSON.stringify({ id, type, created_at: formatTime(call.createdAt), data: payload });
    const result = await outbound.send({
      url,
      body,
      headers: signedHeaders({ id, body, keys: [key] }, at),
      isTest: mode === 'test',
    });
    isAnswering = result.type === 'answered';
    const { accountId, customerNumber } = call;
    const answer = { id: call.id, accountId, customerNumber, attempt: attemptOf(result, at) };
    const meaning = meaningOf(result, call.confirms);
    if (meaning === 'again') {
      // A single call that keeps failing is not an outage of the product.
      if (call.attempts === 0 || result.type === 'failed') outage.failed(at);
      return again(call, answer);
    }
    if (outage.answered(at)) isOver = true;
    if (call.orderNumber !== null && call.confirms) {
      const { orderNumber } = call;
      const outcome = meaning === 'taken' ? 'completed' : 'failed';
      const reason = meaning === 'taken' ? null : reasonOf(result);
      // The batch that settles the order also closes the call.
      const isSettled = await settled({ accountId, orderNumber, outcome, reason });
      // The product answered and only this service was overloaded, so ask again soon.
      if (isSettled === 'later') {
        unwritten.push({ ...answer, status: 'waiting', nextAt: at + overloadedSeconds });
        return;
      }
      if (!isSettled) return again(call, answer);
    }
    unwritten.push({ ...answer, status: 'done', nextAt: at });
    onCall(meaning);
  }

  /** Postpones an unreadable row like a failed attempt, so that it does not block other calls. */
  function readCall(row: Row): Call[] {
    try {
      return [parseCall(row)];
    } catch (error) {
      onProblem(error);
      const at = now();
      const unread = {
        id: Number(row['id']),
        accountId: Number(row['account_id']),
        customerNumber: Number(row['customer_number']),
        attempt: unsent(at, 'unreadable'),
      };
      unwritten.push({ ...unread, status: 'waiting', nextAt: at + hour });
      return [];
    }
  }

  /** Treats a permanent error as a failed attempt. Otherwise the product would be asked again every second. */
  async function settled(settlement: Settlement): Promise<boolean | 'later'> {
    try {
      return await settle(settlement);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      if (error instanceof Overloaded) return 'later';
      onProblem(error);
      return false;
    }
  }

  async function again(call: Call, answer: Attempted): Promise<void> {
    const next = afterFailure(call, answer.attempt.at, random());
    if (next.status === 'attention' && mode === 'test') {
      if (call.confirms) return giveUpTest(call);
      unwritten.push({ ...answer, ...next, status: 'failed' });
    } else unwritten.push({ ...answer, ...next });
    onCall(next.status === 'waiting' ? 'retried' : 'given_up');
  }

  async function begin(call: Call, target: Target | null, preparing: Promise<PreparedCalls>): Promise<void> {
    try {
      if (target === null) await giveUpTest(call);
      else {
        const payload = call.payload ?? (await preparing).get(call.id) ?? 'dropped';
        if (payload instanceof Error) {
          onProblem(payload);
          const { id, accountId, customerNumber } = call;
          await again(call, { id, accountId, customerNumber, attempt: unsent(now(), 'not_prepared') });
        } else if (payload !== 'dropped') await send(call, payload, target);
      }
    } catch (error) {
      // Whether the order was settled is unknown. The product is asked again and recognizes the call by its id.
      if (!(error instanceof Overloaded) && !(error instanceof DatabaseUnavailable)) onProblem(error);
      await pause(limits.pollMilliseconds, undefined, { ref: false });
    }
    ended.push(call.id);
    news.resolve();
  }

  while (!signal.aborted && hasLease) {
    const product = await findProduct(database);
    if (product.mode === 'none' || product.url === null || product.secretSealed === null) {
      if (mode === 'live') await giveUpProductCalls(database);
      break;
    }
    const target = targetOf(product, mode, seal);
    const free = (isAnswering ? limits.callsMax : limits.callsMaxUnanswered) - underWay.size;
    news = Promise.withResolvers<void>();
    if (free > 0) {
      const { statement, rank } = readDue[mode];
      const busy = numberArray([...underWay.keys()]);
      const rows = await queryShards(ranked(database, rank), statement, [now(), busy, free], {
        first: { columns: ['next_attempt_at', 'id'], limit: free },
      });
      const busyCustomers = new Set([...underWay.values()].map(({ customer }) => customer));
      // An administrator may settle an order while its call runs. The customer's later calls wait until it ends.
      const calls = rows.flatMap(readCall).filter((call) => !busyCustomers.has(customerKey(call)));
      const unprepared = calls.filter(({ payload }) => payload === null);
      const preparing = target === null || unprepared.length === 0 ? nothingToPrepare : prepare(unprepared);
      for (const call of calls) {
        underWay.set(call.id, { customer: customerKey(call), ends: begin(call, target, preparing) });
      }
    }
    // This happens only in test mode. Calls without an address have been given up, so the run can end.
    if (target === null && underWay.size === 0) break;
    const patience = pause(limits.pollMilliseconds, undefined, { ref: false, signal }).catch(() => undefined);
    await Promise.race([news.promise, patience]);
    // So that calls which end shortly after are written together.
    await pause(limits.writeMilliseconds, undefined, { ref: false });
    // A call looks due until its outcome is written, so forget it only afterwards.
    const over = ended.splice(0);
    await write();
    for (const id of over) underWay.delete(id);
    if (isOver && hasLease) {
      isOver = false;
      await hastenFailingCalls(database, mode, now());
    }
  }
  const stopping = pause(limits.stopMilliseconds, undefined, { ref: false });
  await Promise.race([Promise.all([...underWay.values()].map(({ ends }) => ends)), stopping]);
  await write();
}

const nothingToPrepare: Promise<PreparedCalls> = Promise.resolve(new Map());

const customerKey = ({ accountId, customerNumber }: Call) => `${accountId} ${customerNumber}`;

function targetOf(product: ProductSettings, mode: CallMode, seal: Seal): Target | null {
  const { url, secretSealed, testUrl, testSecretSealed } = product;
  const [at, sealed] = mode === 'live' ? [url, secretSealed] : [testUrl, testSecretSealed];
  if (at === null || sealed === null) return null;
  return { url: at, key: signingKeyOf(openProductSecret(seal, sealed)) };
}

function unsent(at: EpochSeconds, error: string): CallAttempt {
  return { at, status: null, error, milliseconds: null, answer: null };
}

function attemptOf(result: OutboundResult, at: EpochSeconds): CallAttempt {
  const milliseconds = Math.round(result.milliseconds);
  if (result.type === 'failed') return { at, status: null, error: result.reason, milliseconds, answer: null };
  return { at, status: result.status, error: null, milliseconds, answer: shownAnswer(result.answer) };
}

function meaningOf(result: OutboundResult, confirms: boolean): 'taken' | 'refused' | 'again' {
  if (result.type === 'failed') return 'again';
  if (result.status >= 200 && result.status < 300) return 'taken';
  return confirms && result.status === 422 ? 'refused' : 'again';
}

/** Reads `{"reason": "…"}`. Returns null if there is no usable reason. */
function reasonOf(result: OutboundResult): string | null {
  if (result.type === 'failed') return null;
  try {
    const body: unknown = JSON.parse(result.answer);
    const reason = isJsonObject(body) ? own(body, 'reason') : null;
    if (typeof reason !== 'string' || !reason.isWellFormed()) return null;
    return (
      reason
        .replaceAll(/\p{Cc}+/gu, ' ')
        .trim()
        .slice(0, reasonLengthMax) || null
    );
  } catch {
    return null;
  }
}

function afterFailure(call: Call, at: EpochSeconds, random: number): Pick<Written, 'status' | 'nextAt'> {
  const { firstAttemptAt } = call;
  if (!call.confirms) {
    const nextAt = nextAttemptAt(call.attempts + 1, at, random);
    if (nextAt !== null) return { status: 'waiting', nextAt };
    // If the end of an outage brought attempts forward, keep trying until the full schedule is over.
    return firstAttemptAt !== null && at - firstAttemptAt >= scheduleSeconds - scheduleSlackSeconds
      ? { status: 'attention', nextAt: at }
      : { status: 'waiting', nextAt: at + delaySecondsMax };
  }
  if (firstAttemptAt !== null && at - firstAttemptAt >= confirmSeconds)
    return { status: 'attention', nextAt: at };
  return { status: 'waiting', nextAt: at + confirmDelay(call) };
}

const confirmDelay = ({ attempts }: Call) => confirmDelaysSeconds[attempts] ?? hour;

function parseCall(row: Row): Call {
  const type = productCallTypes.find((one) => one === row['type']);
  const payload = row['payload'] ?? null;
  if (type === undefined || (payload !== null && !isJsonObject(payload)))
    throw new Error(`Call ${String(row['id'])} cannot be read.`);
  return {
    id: Number(row['id']),
    callId: String(row['call_id']),
    accountId: Number(row['account_id']),
    customerNumber: Number(row['customer_number']),
    orderNumber: nullable(Number, row['order_number']),
    confirms: row['confirms'] === true,
    type,
    payload,
    createdAt: Number(row['created_at']),
    attempts: Number(row['attempts']),
    firstAttemptAt: nullable(Number, row['first_attempt_at']),
  };
}

const deleteOld: SqlStatement = {
  name: 'delete_old_product_calls',
  text: `delete from product_calls where id = any(array(select id from product_calls
      where status in ('done', 'failed', 'superseded') and created_at < to_timestamp($1::bigint)
      order by created_at limit 200)) returning id`,
};

export async function deleteOldProductCalls(
  database: Database,
  before: EpochSeconds,
  signal: AbortSignal,
): Promise<boolean> {
  for (const group of database.accountGroups()) {
    for (;;) {
      if (signal.aborted) return true;
      if ((await group.query(deleteOld, [before])).length === 0) break;
    }
  }
  return false;
}
