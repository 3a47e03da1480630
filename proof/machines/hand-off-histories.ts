// Runs random customer histories around the hand-off to the product, which is away, refuses, or loses answers, while
// administrators settle orders and calls. Many customers share a service, so that calls are batched.
// Invariant: the last call that the product accepted equals the entitlement, and both equal the oracle's.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { closeCallByHand } from '../../src/features/fulfillment/open-product-calls.ts';
import type { OrderCommand, OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import { mintOrderKey } from '../../src/features/order-engine/mint-order-key.ts';
import { renewDuePlans } from '../../src/features/plans/automatic-renewals.ts';
import { notePlanEnds } from '../../src/features/plans/plan-ends.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { isRefusal } from '../../src/shared/error-catalog.ts';
import { isTestAccount, publicId } from '../../src/shared/identifiers.ts';
import { formatTime } from '../../src/shared/times.ts';
import { sqlOf } from '../../test/harness/group-sql.ts';
import type { ProductAnswer, ProductReceiver, ReceivedCall } from '../../test/harness/product-receiver.ts';
import { expectStatus } from '../../test/harness/refusals.ts';
import { beginProductCalls } from '../../test/harness/run-product-calls.ts';
import { createRandom, type Random } from '../oracle/history-genes.ts';
import type { ToldPlan, World } from '../oracle/oracle.ts';
import { followHandOff } from './hand-off-oracle.ts';

export interface HandOffRun {
  readonly histories: number;
  readonly problems: readonly string[];
  readonly counted: ReadonlyMap<string, number>;
}

export interface HandOffOptions {
  readonly service: TestService;
  readonly product: ProductReceiver;
  readonly accounts: readonly TestAccount[];
  /** The operator's key for the product's view of tests. Needed if `accounts` include test accounts. */
  readonly testReader?: Pick<TestAccount, 'get'>;
  readonly seed: number;
  readonly round: number;
  readonly customers: number;
}

export const quickCalls = { ...defaultLimits.productCalls, pollMilliseconds: 20, writeMilliseconds: 2 };

const hour = 3_600;
const day = 24 * hour;
const steps = 12;
const looksUntilBegun = 20;
const stridesMax = 14;
/** Most calls fail at most this often. A call that never succeeds runs out of attempts, and an administrator decides. */
const failuresMax = 6;
const stubbornShare = 0.04;
/** Share of customers with many such calls. For their orders, the product decides but its answers are lost. */
const unluckyShare = 0.2;
const unluckyCallsShare = 0.5;

const callsPath = '/api/admin/v1/product-calls';

interface SentPlan {
  readonly status: string;
  readonly package: { readonly id: number };
  readonly starts_at: string;
  readonly expires_at: string;
}

const actions = [
  [6, 'order basic'],
  [3, 'order plus'],
  [3, 'renew'],
  [4, 'suspend'],
  [5, 'resume'],
  [2, 'hold'],
  [3, 'lift'],
  [2, 'cancel now'],
  [1, 'cancel at the end'],
  [3, 'renew itself'],
  [1, 'renew itself no more'],
  [2, 'trial'],
  [4, 'accept'],
  [2, 'fail'],
  [5, 'close a call'],
  [3, 'send a call again'],
  [8, 'nothing'],
] as const;
type Action = (typeof actions)[number][1];

const waits = [0, 0, 5, 60, hour, 6 * hour, day, 5 * day, 13 * day, 27 * day, 28 * day] as const;

interface Actor {
  readonly account: TestAccount;
  readonly reference: string;
  number: number | null;
  lastOrder: number | null;
  readonly log: string[];
}

interface Given {
  readonly how: string;
  plan: SentPlan;
}

interface OpenCall {
  readonly callId: string;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly confirmed: number | null;
}

/** What the product decided for each call id, and what it has for each customer. */
function createProductBooks(random: Random, confirms: boolean, count: (what: string) => void) {
  const decisions = new Map<string, 'taken' | 'refused'>();
  const bodies = new Map<string, string>();
  const failures = new Map<string, number>();
  const stubborn = new Map<string, 'never' | 'once' | 'no'>();
  const unlucky = new Map<string, boolean>();
  const taken = new Map<string, Given>();
  const problems: string[] = [];
  let isCalm = false;
  let isAway = false;
  const below = (share: number) => random() < share;

  function receive(call: ReceivedCall): ProductAnswer {
    const { id, data } = call;
    const { reference } = data.customer;
    const body = JSON.stringify(call);
    const first = bodies.get(id) ?? body;
    bodies.set(id, first);
    if (first !== body) problems.push(`${id} was ${first} at first, and then ${body}.`);
    // A test account's call that ran out of attempts would be given up without a decision.
    const mayRunOut = !isTestAccount(data.account.id);
    if (!stubborn.has(id)) stubborn.set(id, mayRunOut ? stubbornness(call) : 'no');
    const how = stubborn.get(id);
    if (how === 'never' || (how === 'once' && decisions.has(id))) {
      count('the product refuses to answer');
      return { status: 500 };
    }
    const failed = failures.get(id) ?? 0;
    const mayFail = !isCalm && failed < failuresMax && how !== 'once';
    if (mayFail && (isAway || below(0.25))) {
      failures.set(id, failed + 1);
      count('the product is away');
      return { status: 503 };
    }
    if (!decisions.has(id)) {
      const refuses = confirms && id.startsWith('call_order_') && !isCalm && below(0.3);
      decisions.set(id, refuses ? 'refused' : 'taken');
      if (!refuses) taken.set(reference, { how: call.type, plan: call.data as unknown as SentPlan });
      if (!mayRunOut) count('the product takes or refuses a call of a test');
      count(refuses ? 'the product refuses' : `the product takes ${call.type} ${data.status}`);
    }
    if (how === 'once') {
      count('the product decides and its answer is lost');
      return { status: 500 };
    }
    if (mayFail && below(0.15)) {
      failures.set(id, failed + 1);
      count('the answer is lost');
      return 'cut';
    }
    return decisions.get(id) === 'taken' ? { status: 204 } : { status: 422, body: '{"reason":"No"}' };
  }

  function stubbornness({ id, data }: ReceivedCall): 'never' | 'once' | 'no' {
    const { reference } = data.customer;
    const isUnlucky = unlucky.get(reference) ?? below(unluckyShare);
    unlucky.set(reference, isUnlucky);
    if (!isUnlucky) return below(stubbornShare) ? 'never' : 'no';
    if (isCalm || !below(unluckyCallsShare)) return 'no';
    return id.startsWith('call_order_') ? 'once' : 'never';
  }

  return {
    receive,
    problems,
    taken,
    decision: (id: string) => decisions.get(id) ?? null,
    setAway(away: boolean): void {
      isAway = away;
    },
    calmDown(): void {
      isCalm = true;
      isAway = false;
    },
    /** An administrator makes the product take this call or, without an id, every call. */
    relent(id?: string): void {
      for (const one of id === undefined ? stubborn.keys() : [id]) stubborn.set(one, 'no');
    },
  };
}

export async function runHandOffRound({
  service,
  product,
  accounts,
  testReader,
  seed,
  round,
  customers,
}: HandOffOptions): Promise<HandOffRun> {
  const random = createRandom(seed, round);
  const counted = new Map<string, number>();
  const count = (what: string) => counted.set(what, (counted.get(what) ?? 0) + 1);
  const below = (limit: number) => Math.floor(random() * limit);
  const confirms = below(4) > 0;
  const books = createProductBooks(random, confirms, count);
  product.answer(books.receive);
  const { url, secret } = product;
  const ofTests = testReader === undefined ? {} : { test_url: url, test_secret: secret };
  const setting = { mode: confirms ? 'confirm' : 'notify', url, secret, ...ofTests };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', setting), 200);
  const also = testReader === undefined ? undefined : 'test';
  await beginProductCalls(service, also);
  const { engine } = service.service;
  const { oracle, end: endOracle } = followHandOff({
    ...{ engine, confirms, packages: soldPackages(service) },
    now: (accountId) => nowOf(accountId),
  });
  const actorId = service.admin.id;
  const actors: Actor[] = Array.from({ length: customers }, (_nothing, index) => {
    const account = accounts[index % accounts.length] ?? assert.fail('no accounts');
    const reference = `history-${seed}-${round}-${index}`;
    return { account, reference, number: null, lastOrder: null, log: [] };
  });

  async function submit(actor: Actor, what: string, command: OrderCommand): Promise<OrderOutcome> {
    const outcome = await engine.submit(command);
    const came = outcome.type === 'refused' ? outcome.refusal.code : outcome.type;
    actor.log.push(`${nowOf(actor.account.id)} ${what}: ${came}`);
    count(`${what}: ${came}`);
    if (outcome.type === 'ordered') {
      actor.number = outcome.order.customerNumber;
      actor.lastOrder = outcome.order.number;
    }
    if (outcome.type === 'granted') actor.number = outcome.customerNumber;
    return outcome;
  }

  async function act(actor: Actor, what: Action): Promise<void> {
    const { account, reference, number: customerNumber, lastOrder: orderNumber } = actor;
    const { id: accountId } = account;
    const accessVersion = accessVersions.get(accountId) ?? 1;
    const keyed = { accountId, accessVersion, idempotencyKey: mintOrderKey(), keyIsMinted: true };
    const guarded = { ...keyed, maxChargeCents: null, loginLink: null };
    const { basic, plus, trial } = service.packages;
    const named = { customerReference: reference, customerName: null };
    if (what === 'order basic' || what === 'order plus') {
      const packageId = what === 'order basic' ? basic : plus;
      const months = below(6) === 0 ? 3 : 1;
      await submit(actor, what, { type: 'place', ...guarded, ...named, packageId, months });
    }
    if (what === 'trial' && !isTestAccount(accountId))
      await submit(actor, what, {
        type: 'grant_trial',
        ...keyed,
        actorId,
        packageId: trial,
        again: below(2) === 0,
        ...named,
      });
    if (customerNumber === null) return;
    const change = { ...keyed, actorId, customerNumber };
    if (what === 'renew' && orderNumber !== null)
      await submit(actor, what, { type: 'renew', ...guarded, orderNumber, months: null });
    if (what === 'suspend') await submit(actor, what, { type: 'suspend', ...change, reason: null });
    if (what === 'resume') await submit(actor, what, { type: 'resume', ...change });
    if (what === 'hold' || what === 'lift') {
      const status = what === 'hold' ? 'suspended' : 'active';
      await submit(actor, what, { type: 'set_status', accountId, actorId, customerNumber, status });
    }
    if (what === 'cancel now') await submit(actor, what, { type: 'cancel', ...change, at: 'now' });
    if (what === 'cancel at the end')
      await submit(actor, what, { type: 'cancel', ...change, at: 'period_end' });
    if (what === 'renew itself') {
      const autoRenew = { months: 1, maxChargeCents: null, hoursBefore: below(2) === 0 ? 6 : 24 } as const;
      await submit(actor, what, { type: 'set_auto_renew', ...change, autoRenew });
    }
    if (what === 'renew itself no more')
      await submit(actor, what, { type: 'set_auto_renew', ...change, autoRenew: null });
    if ((what === 'accept' || what === 'fail') && !isTestAccount(accountId)) {
      const [row] = await sqlOf(
        service,
        account,
        `select pending_order from customers where account_id = ${accountId} and number = ${customerNumber}`,
      );
      const pending = row?.['pending_order'] ?? null;
      if (pending !== null) await settleByHand(actor, Number(pending), what);
    }
    if ((what === 'close a call' || what === 'send a call again') && !isTestAccount(accountId)) {
      const mine = (call: OpenCall) => call.accountId === accountId && call.customerNumber === customerNumber;
      const open = (await openCalls(service, ['waiting', 'attention'])).filter(mine);
      const isAsked = ({ confirmed }: OpenCall) => what === 'send a call again' || confirmed === null;
      const closable = open.filter(isAsked);
      const call = closable[below(2) === 0 ? 0 : below(closable.length)];
      if (call === undefined) return;
      if (what === 'close a call') await closeByHand(actor, call);
      else await sendAgain(actor, call.callId);
    }
  }

  /** Gives the product a call's plan or, if it was never sent, the current plan. The plan is looked up after it is recorded. */
  async function giveByHand({ account, reference }: Actor, callId: string, isOrder: boolean): Promise<void> {
    const nothing = { status: 'nothing', package: { id: 0 }, starts_at: '', expires_at: '' };
    const given: Given = { how: `${callId} by hand`, plan: nothing };
    books.taken.set(reference, given);
    const text = `select payload from product_calls where call_id = '${callId}'`;
    const [row] = await sqlOf(service, account, text);
    const sent = row?.['payload'] ?? null;
    count(`the product is given by hand what a call says that was ${sent === null ? 'never sent' : 'sent'}`);
    if (sent !== null) {
      given.plan = sent as unknown as SentPlan;
      return;
    }
    const plan = expectStatus(await service.admin.get(`/api/product/v1/entitlements/${reference}`), 200);
    given.plan = isOrder ? { ...plan, status: 'active' } : plan;
  }

  async function closeByHand(actor: Actor, call: OpenCall): Promise<void> {
    const { clock, database } = service;
    const { callId } = call;
    const closed = await closeCallByHand(database, callId, {
      ...{ actorId, idempotencyKey: null, now: clock.seconds },
    });
    if (isRefusal(closed)) assert.fail(JSON.stringify(closed));
    actor.log.push(`${clock.seconds} ${callId} closed by hand: ${closed.result.status}`);
    count(`a call is closed by hand: ${closed.result.status}`);
    if (closed.result.status !== 'failed') await giveByHand(actor, callId, false);
  }

  async function sendAgain(actor: Actor | null, callId: string | null): Promise<void> {
    books.relent(callId ?? undefined);
    const path = callId === null ? `${callsPath}/send` : `${callsPath}/${callId}/send`;
    const { call } = expectStatus(await service.admin.post(path, {}), 200);
    const what = callId === null ? 'all calls are sent again' : `a call is sent again: ${call.status}`;
    actor?.log.push(`${service.clock.seconds} ${callId ?? ''} ${what}`);
    count(what);
  }

  async function settleByHand(actor: Actor, orderNumber: number, wanted: 'accept' | 'fail'): Promise<void> {
    const { id: accountId } = actor.account;
    const callId = `call_order_${publicId(accountId, orderNumber)}`;
    const isAccepted = wanted === 'accept' && books.decision(callId) !== 'refused';
    const outcome = isAccepted ? 'completed' : 'failed';
    const by = { actorId };
    const settled = await submit(actor, `${outcome} by hand`, {
      ...{ type: 'settle_order', accountId, orderNumber, outcome, reason: 'by hand', by },
    });
    const isMine = settled.type === 'settled' && !settled.replayed && isAccepted;
    if (isMine && books.decision(callId) !== 'taken') await giveByHand(actor, callId, true);
  }

  async function attend({ misses }: { readonly misses: boolean }): Promise<void> {
    for (const { callId, accountId, customerNumber, confirmed } of await openCalls(service, ['attention'])) {
      const actor = actors.find((one) => one.account.id === accountId && one.number === customerNumber);
      // Without an actor, the customer is from an earlier round, and its plan still renews.
      if (actor === undefined) {
        await sendAgain(null, callId);
        continue;
      }
      const how = below(misses ? 8 : 5);
      if (how >= 5) continue;
      if (how < 3) await sendAgain(actor, callId);
      else if (confirmed === null) await closeByHand(actor, { callId, accountId, customerNumber, confirmed });
      else await settleByHand(actor, confirmed, how === 3 ? 'accept' : 'fail');
    }
  }

  /** Customers order while earlier calls are undecided. Those calls are sent again after the orders. */
  async function sendOldAgain(): Promise<void> {
    const sent: (() => Promise<void>)[] = [];
    for (const { callId, accountId, customerNumber, confirmed } of await openCalls(service, ['attention'])) {
      const actor = actors.find((one) => one.account.id === accountId && one.number === customerNumber);
      if (actor === undefined || confirmed !== null || below(2) === 0) continue;
      await act(actor, 'order basic');
      sent.push(() => sendAgain(actor, callId));
    }
    if (sent.length === 0) return;
    await quiet(service, also);
    if (below(4) === 0) await sendAgain(null, null);
    else for (const again of sent) await again();
  }

  const accessVersions = new Map<number, number>();
  // Test clocks stand still: their plans neither end nor renew here.
  const testClocks = new Map<number, number>();
  for (const account of accounts) {
    const { accessVersion, testClock } = await clockAndVersionOf(service, account);
    accessVersions.set(account.id, accessVersion);
    if (testClock !== null) testClocks.set(account.id, testClock);
  }
  const nowOf = (accountId: number) => testClocks.get(accountId) ?? service.clock.seconds;
  const signal = new AbortController().signal;
  const jobs = {
    ...{ database: service.database, engine, now: () => service.clock.seconds, monotonicNow: () => 0 },
    limits: { plansAtOnce: 64, restMillisecondsMax: 0 },
  };
  async function runJobs(): Promise<void> {
    await renewDuePlans(jobs, signal);
    await notePlanEnds({ ...jobs, note: (end) => engine.submit({ type: 'note_plan_end', ...end }) }, signal);
  }

  /** Moves the clock, sometimes in strides with attempts in between, so that a call can run out of attempts. */
  async function pass(seconds: number): Promise<void> {
    const strides = seconds > day && below(2) === 0 ? stridesMax : 1;
    for (let stride = 1; stride <= strides; stride += 1) {
      service.clock.seconds += Math.floor(seconds / strides);
      if (stride < strides) await quiet(service, also);
    }
  }

  // From here on, the ends of plans are recorded.
  await runJobs();
  for (let step = 0; step < steps; step += 1) {
    books.setAway(below(3) === 0);
    const chosen = actors.map((actor) => ({
      actor,
      all: Array.from({ length: below(3) }, () => pick(random)),
    }));
    await Promise.all(
      chosen.map(async ({ actor, all }) => {
        for (const what of all) await act(actor, what);
      }),
    );
    // Sometimes attempts are still in progress at the next step.
    if (below(4) > 0) await quiet(service, also);
    await pass(waits[below(waits.length)] ?? 0);
    if (below(5) > 0) await runJobs();
    if (below(4) > 0) await quiet(service, also);
    if (below(2) === 0) await sendOldAgain();
    const looked = below(16);
    if (looked === 0) await sendAgain(null, null);
    if (looked === 1) await attend({ misses: true });
  }
  books.calmDown();
  const due = () =>
    actors.flatMap(({ account, reference }) => oracle.dueRenewals(reference, nowOf(account.id)));
  // If an order fails at the very end, an overdue renewal is left for the next run of the jobs.
  let runsForDue = 10;
  for (let isLeft = true; isLeft; ) {
    service.clock.seconds += 6 * hour;
    await runJobs();
    await quiet(service, also);
    await attend({ misses: false });
    await quiet(service, also);
    isLeft = (await waitingCalls(service)) > 0 || (await openCalls(service, ['attention'])).length > 0;
    if (!isLeft && due().length > 0 && runsForDue > 0) {
      isLeft = true;
      runsForDue -= 1;
    }
  }
  const problems = [...books.problems, ...product.forged, ...oracle.problems, ...due()];
  for (const actor of actors) {
    const now = nowOf(actor.account.id);
    const expected = oracle.toldLast(actor.reference, now);
    const reader = isTestAccount(actor.account.id) ? (testReader ?? assert.fail()) : service.admin;
    const problem = await lastCallProblem(reader, actor, books.taken.get(actor.reference), expected);
    if (problem !== null)
      problems.push(`${problem}\n  ${actor.log.join('\n  ')}\n${await callsOf(service, actor)}`);
  }
  endOracle();
  return { histories: actors.length, problems, counted };
}

function pick(random: Random): Action {
  const total = actions.reduce((sum, [weight]) => sum + weight, 0);
  let left = Math.floor(random() * total);
  for (const [weight, action] of actions) {
    left -= weight;
    if (left < 0) return action;
  }
  return 'nothing';
}

async function clockAndVersionOf(service: TestService, account: TestAccount) {
  const text = `select access_version, extract(epoch from test_clock)::bigint as clock
    from accounts where id = ${account.id}`;
  const [row] = await sqlOf(service, account, text);
  const clock = row?.['clock'] ?? null;
  return {
    accessVersion: Number(row?.['access_version']),
    testClock: clock === null ? null : Number(clock),
  };
}

function soldPackages({ packages }: TestService): World['packages'] {
  const prices = (monthly: bigint, quarterly: bigint, yearly: bigint) => {
    const all = { 1: monthly, 3: quarterly, 12: yearly };
    return { reseller: all, distributor: all };
  };
  const sold = { trial: false, retired: false, durationDays: 0 };
  return [
    { ...sold, id: packages.basic, name: 'Basic', prices: prices(1_000n, 2_700n, 9_600n) },
    { ...sold, id: packages.plus, name: 'Plus', prices: prices(2_500n, 7_000n, 25_000n) },
    { ...sold, id: packages.trial, name: 'Trial', trial: true, durationDays: 14, prices: prices(0n, 0n, 0n) },
  ];
}

async function lastCallProblem(
  reader: Pick<TestAccount, 'get'>,
  { reference, number }: Actor,
  last: Given | undefined,
  expected: ToldPlan | null,
): Promise<string | null> {
  if (number === null) return null;
  const found = await reader.get(`/api/product/v1/entitlements/${reference}`);
  const { active, status, starts_at, expires_at, package: of } = expectStatus(found, 200);
  const is = `${status} ${of.id} from ${starts_at} until ${expires_at}`;
  const should = expected === null ? 'no plan' : shownPlan(expected);
  if (active !== (expected?.status === 'active') || (expected !== null && is !== should))
    return `${reference} is ${is}, and should be ${should}.`;
  if (last === undefined)
    return active ? `${reference} is ${is}, and the product never got a call about it.` : null;
  const { plan, how } = last;
  const has = `${plan.status} ${plan.package.id} from ${plan.starts_at} until ${plan.expires_at}`;
  return is === has ? null : `${reference} is ${is}, and the product has ${has} (${how}).`;
}

function shownPlan({ status, packageId, startsAt, expiresAt }: ToldPlan): string {
  return `${status} ${packageId} from ${formatTime(startsAt)} until ${formatTime(expiresAt)}`;
}

/** Waits until no call is due. Restarts the product caller, because job leases expire when the clock moves far. */
async function quiet(service: TestService, also: 'test' | undefined): Promise<void> {
  const { clock } = service;
  for (let look = 1; ; look += 1) {
    if ((await countCalls(service, `next_attempt_at <= to_timestamp(${clock.seconds})`)) === 0) return;
    if (look % looksUntilBegun === 0) await beginProductCalls(service, also);
    await pause(5);
  }
}

const waitingCalls = (service: TestService) => countCalls(service, 'true');

async function countCalls({ database }: TestService, which: string): Promise<number> {
  const text = `select count(*)::int as count from product_calls c where status = 'waiting' and ${which}
    and not exists (select 1 from product_calls e where e.status = 'waiting' and e.account_id = c.account_id
      and e.customer_number = c.customer_number and e.id < c.id)`;
  const counts = await Promise.all(database.accountGroups().map((group) => group.query({ name: '', text })));
  return counts.flat().reduce((sum, row) => sum + Number(row['count']), 0);
}

async function openCalls({ database }: TestService, statuses: readonly string[]): Promise<OpenCall[]> {
  const text = `select call_id, account_id, customer_number, order_number, confirms from product_calls
    where status in (${statuses.map((one) => `'${one}'`).join()}) order by id`;
  const rows = await Promise.all(database.accountGroups().map((group) => group.query({ name: '', text })));
  return rows.flat().map((row) => ({
    accountId: Number(row['account_id']),
    callId: String(row['call_id']),
    customerNumber: Number(row['customer_number']),
    confirmed: row['confirms'] === true ? Number(row['order_number']) : null,
  }));
}

async function callsOf(service: TestService, { account, number }: Actor): Promise<string> {
  const rows = await sqlOf(
    service,
    account,
    `select call_id, type, status, attempts, held_back, payload ->> 'status' as said, payload ->> 'expires_at' as until
      from product_calls where account_id = ${account.id} and customer_number = ${number} order by id`,
  );
  return rows.map((row) => `    ${JSON.stringify(row)}`).join('\n');
}
