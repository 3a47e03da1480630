// Compares test mode with its oracle in random histories. MODEL_SEED repeats a run, MODEL_SECONDS makes it longer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { lastEventOf, listsProblem, type Party } from '../../proof/machines/compared-lists.ts';
import { readAll } from '../../proof/machines/journal.ts';
import { refusalProblem } from '../../proof/oracle/core-model.ts';
import { packageTemplates } from '../../proof/oracle/histories.ts';
import {
  createRandom,
  drawHistory,
  type History,
  historyArbitrary,
} from '../../proof/oracle/history-genes.ts';
import { toText } from '../../proof/oracle/history-report.ts';
import type { Prices, SomePrices } from '../../proof/oracle/oracle.ts';
import type { PackageView } from '../../proof/oracle/oracle-prices.ts';
import type { MoveOutcome } from '../../proof/oracle/oracle-test-mode.ts';
import {
  amountText,
  ownId,
  sentPriceList,
  shownCustomer,
  shownOrder,
  sorted,
  timeText,
} from '../../proof/oracle/shown-plans.ts';
import type { Mode } from '../../proof/oracle/test-mode-genes.ts';
import {
  type PlayedTestModeHistory,
  playTestModeHistory,
  type TestModePath,
  type TestModeRequest,
  type TestModeStep,
  testModeGroups,
  testModeLabels,
} from '../../proof/oracle/test-mode-histories.ts';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { runRenewals } from '../harness/run-renewals.ts';

/** For the long form. By default a few histories are enough. */
const seconds = Number(process.env['MODEL_SECONDS'] ?? 0);
const seed = Number(process.env['MODEL_SEED'] ?? fixedSeed);
const operationsPerHistory = 60;
const historiesMin = 8;
const shrinkMilliseconds = 30_000;
const charactersShownMax = 600;
const nobodysNumber = 900_000;

let service: TestService;
/** Each history has its own clock. */
let latestEnd = 0;
before(async () => {
  service = await startTestService();
});
after(() => {
  // Verify at the latest end, so that no earlier history is in the future.
  service.clock.seconds = Math.max(service.clock.seconds, latestEnd);
  return service.close();
});

test('live and in tests, on histories that mix both, the service answers as the oracles do', async (context) => {
  const until = performance.now() + seconds * 1_000;
  const counted = new Map<string, number>();
  let requests = 0;
  let histories = 0;
  while (histories < historiesMin || performance.now() < until) {
    const history = drawHistory(createRandom(seed, histories), operationsPerHistory);
    const { played, problem } = await runHistory(history);
    if (problem !== null) assert.fail(await describeFailure(history));
    for (const step of played.steps)
      for (const label of testModeLabels(step)) counted.set(label, (counted.get(label) ?? 0) + 1);
    requests += played.steps.length;
    histories += 1;
  }
  context.diagnostic(`${requests} requests, ${histories} histories, ${counted.size} outcomes, seed ${seed}`);
});

test('of twenty moves at the same moment each is carried out once or refused, and nothing on the way comes twice', async () => {
  const account = await service.createReseller();
  const made = await service.admin.post(`/api/admin/v1/accounts/${account.id}/keys`, {
    name: 'in parallel',
    test: true,
  });
  assert.equal(made.status, 201, made.text);
  const client = createApiClient(service.address, made.body.api_key);
  await lastEventOf(client);
  const body = { package_id: service.packages.basic, customer: 'in-parallel' };
  const ordered = await client.post('/orders', body);
  assert.equal(ordered.status, 201, ordered.text);
  const clockOf = async () => Date.parse((await client.get('/test/clock')).body.clock.now) / 1_000;
  const move = (key: string) =>
    client.post('/test/clock', { advance: 'P3D' }, { 'idempotency-key': `move-${key}` });

  let clock = await clockOf();
  let ended = 0;
  // First with separate keys, then all with the same key.
  for (const keyOf of [(place: number) => `own-${place}`, () => 'shared']) {
    const answers = await Promise.all(Array.from({ length: 20 }, (_nothing, place) => move(keyOf(place))));
    const carriedOut = answers.filter((answer) => isFresh(answer));
    for (const answer of answers)
      assert.ok(answer.status === 200 || answer.body.error.code === 'clock_moving', answer.text);
    assert.ok(carriedOut.length > 0, 'the first of them is');
    clock += carriedOut.length * 3 * 86_400;
    assert.equal(await clockOf(), clock, 'the clock shows what was carried out');
    ended += carriedOut.reduce((sum, answer) => sum + answer.body.happened.ended, 0);
    // Then one after the other: refused requests did not use their key, others are repeated.
    for (const [place, { status }] of answers.entries()) {
      const again = await move(keyOf(place));
      assert.equal(again.status, 200, again.text);
      if (status === 200) assert.equal(isFresh(again), false, 'a move is a move once');
      if (!isFresh(again)) continue;
      clock += 3 * 86_400;
      ended += again.body.happened.ended;
    }
    assert.equal(await clockOf(), clock);
  }
  assert.equal(ended, 1, 'the plan ended once');
  const { body: feed } = await client.get('/events?limit=100&type=plan.expired');
  assert.equal(feed.data.length, 1);
});

function isFresh({ status, headers }: Answer): boolean {
  return status === 200 && !headers.has('idempotent-replayed');
}

interface Run {
  readonly played: PlayedTestModeHistory;
  /** Only the first problem, because later ones usually follow from it. */
  readonly problem: { readonly index: number; readonly text: string } | null;
}

let runs = 0;

async function runHistory(history: History): Promise<Run> {
  runs += 1;
  const accounts: TestAccount[] = [];
  for (const group of testModeGroups) accounts.push(await service.createReseller({ group }));
  const packageIds: number[] = [];
  for (const template of packageTemplates) packageIds.push(await createPackage(template));
  const accountIds = accounts.map(({ id }) => id);
  const played = playTestModeHistory(history, {
    accountIds,
    packageIds,
    customerSuffix: `-${runs}`,
    hasAccountPrices: true,
  });

  const parties: Parties = { live: [], test: [], forgotten: [], listIds: new Map() };
  for (const { id, ...client } of accounts)
    parties.live.push({ client, id, heardUntil: await lastEventOf(client) });
  for (const [index, step] of played.steps.entries()) {
    service.clock.seconds = step.at;
    const text = await stepProblem(step, parties);
    if (text !== null) {
      await letBe(parties);
      return { played, problem: { index, text } };
    }
  }
  service.clock.seconds = played.endedAt;
  latestEnd = Math.max(latestEnd, played.endedAt);
  const text = await stateProblem(played, parties);
  await letBe(parties);
  return { played, problem: text === null ? null : { index: played.steps.length, text } };
}

interface Parties {
  readonly live: Party[];
  readonly test: Party[];
  readonly forgotten: Party[];
  readonly listIds: Map<string, number>;
}

async function createPackage(template: (typeof packageTemplates)[number]): Promise<number> {
  const { name, trial, retired, durationDays, prices } = template;
  const answer = await service.admin.post('/api/admin/v1/packages', {
    name,
    trial,
    retired,
    duration_days: durationDays,
    limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
    ...(!trial && { prices: sentPrices(prices) }),
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.package.id;
}

function sentPrices(prices: Prices | SomePrices): Record<string, Record<string, string>> {
  const groups = Object.entries(prices).map(([group, amounts]) => {
    const named = { 1: 'monthly', 3: 'quarterly', 12: 'yearly' } as const;
    const sent = Object.entries(named).flatMap(([months, period]) => {
      const cents = new Map(Object.entries(amounts)).get(months);
      return cents === undefined ? [] : [[period, amountText(cents)]];
    });
    return [group, Object.fromEntries(sent)];
  });
  return Object.fromEntries(groups);
}

/** Leaves nothing that could happen during later histories. */
async function letBe({ live }: Parties): Promise<void> {
  for (const { client } of live)
    for (const customer of await readAll(client, '/customers')) {
      const answer = await client.send('DELETE', `/customers/${customer['id']}/auto-renew`);
      assert.equal(answer.status, 200, answer.text);
    }
}

async function stepProblem(step: TestModeStep, parties: Parties): Promise<string | null> {
  const { request } = step;
  if (request.type === 'open') return openProblem(step, request.account, parties);
  const answer = await send(step, parties);
  const problem = answer === null ? null : await answerProblem(step, answer, parties);
  if (problem !== null) return `${problem}; the service answered ${answer?.status} ${answer?.text}`;
  if (request.type !== 'reset' || step.expected.type !== 'done') return null;
  const before = partyOf(parties, 'test', request.account);
  parties.forgotten[request.account] = before;
  return freshProblem(step.at, request.account, before.client, parties);
}

async function openProblem({ at }: TestModeStep, account: number, parties: Parties): Promise<string | null> {
  const { id } = partyOf(parties, 'live', account);
  const body = { name: 'tests', test: true };
  const answer = await service.admin.post(`/api/admin/v1/accounts/${id}/keys`, body);
  if (answer.status !== 201) return `no test key: ${answer.status} ${answer.text}`;
  const { key, api_key: apiKey } = answer.body;
  if (key.mode !== 'test' || !String(apiKey).startsWith('sk_test_')) return `no test key: ${answer.text}`;
  return freshProblem(at, account, createApiClient(service.address, apiKey), parties);
}

/** A new or reset test account must have its initial money and time, and nothing else. */
async function freshProblem(
  at: number,
  account: number,
  client: Party['client'],
  parties: Parties,
): Promise<string | null> {
  const heardUntil = await lastEventOf(client);
  const clock = await client.get('/test/clock');
  if (clock.body?.clock?.now !== timeText(at)) return `its clock is ${clock.text} instead of ${timeText(at)}`;
  for (const list of ['/orders', '/customers', '/webhooks']) {
    const { body, text } = await client.get(list);
    if (body?.data?.length !== 0) return `${list} of a new test account are ${text}`;
  }
  const [first, ...rest] = await readAll(client, '/ledger');
  const shown = [first?.['kind'], first?.['amount'], first?.['memo'], first?.['created_at'], rest.length];
  const wanted = ['credit', '1000.00', 'Test credit', timeText(at), 0];
  if (toText(shown) !== toText(wanted)) return `its ledger is ${toText([first, ...rest])}`;
  const id = Math.floor(Number(first?.['id']) / ownId(1, 0));
  if (parties.live.some((party) => party.id === id)) return `the test account has the ids of account ${id}`;
  parties.test[account] = { client, id, heardUntil };
  return null;
}

async function send({ request, expected }: TestModeStep, parties: Parties): Promise<Answer | null> {
  const { admin } = service;
  const adminPath = (account: number) => `/api/admin/v1/accounts/${partyOf(parties, 'live', account).id}`;
  const client = 'mode' in request ? partyOf(parties, request.mode, request.account).client : admin;
  const headers: Record<string, string> =
    'headerKey' in request && request.headerKey !== undefined ? { 'idempotency-key': request.headerKey } : {};
  const pathId = (path: TestModePath) => ('mode' in request ? idOf(path, request, parties) : 0);
  switch (request.type) {
    case 'place':
      return client.post('/orders', request.body, headers);
    case 'renew':
      return client.post(`/orders/${pathId(request.order)}/renew`, request.body, headers);
    case 'cancel':
    case 'suspend':
    case 'resume':
      return client.post(`/customers/${pathId(request.customer)}/${request.type}`, request.body, headers);
    case 'auto_renew':
      return client.send('PUT', `/customers/${pathId(request.customer)}/auto-renew`, request.body, headers);
    case 'auto_renew_off':
      return client.send(
        'DELETE',
        `/customers/${pathId(request.customer)}/auto-renew`,
        request.body,
        headers,
      );
    case 'move':
      return client.post('/test/clock', request.body, headers);
    case 'test_credit':
      return client.post('/test/credit', request.body, headers);
    case 'reset':
      return client.post('/test/reset', {});
    case 'look_at_clock':
      return client.get('/test/clock');
    case 'look_at_order':
      return client.get(`/orders/${pathId(request.order)}`);
    case 'look_at_customer':
      return client.get(`/customers/${pathId(request.customer)}`);
    case 'look_at_history':
      return client.get(`/customers/${pathId(request.customer)}/history`);
    case 'packages':
      return client.get('/packages');
    case 'alerts': {
      const { balanceBelowCents: below, plansEndingDays: days } = request.alerts;
      return client.send('PUT', '/alerts', {
        ...(below !== null && { balance_below: amountText(below) }),
        ...(days !== null && { plans_ending_days: days }),
        emails: [],
      });
    }
    case 'credit':
      return admin.post(`${adminPath(request.account)}/credit`, { amount: amountText(request.amountCents) });
    case 'group':
      return admin.patch(adminPath(request.account), { group: request.group });
    case 'rights': {
      const { account, blocked, apiEnabled } = request;
      return admin.patch(adminPath(account), { blocked, api_enabled: apiEnabled });
    }
    case 'prices': {
      const prices = sentPrices(request.prices);
      return admin.patch(`/api/admin/v1/packages/${request.packageId}`, { prices });
    }
    case 'retire':
      return admin.patch(`/api/admin/v1/packages/${request.packageId}`, { retired: true });
    case 'schedule': {
      const body = {
        from: timeText(request.from),
        prices: sentPrices(request.prices),
        existing_plans: request.existingPlans,
      };
      return admin.post(`/api/admin/v1/packages/${request.packageId}/prices`, body);
    }
    case 'unschedule': {
      const path = `/api/admin/v1/packages/${request.packageId}/prices?from=${timeText(request.from)}`;
      return admin.send('DELETE', path);
    }
    case 'list': {
      const answer = await admin.send(
        'PUT',
        `${adminPath(request.account)}/prices`,
        sentPriceList(request.list),
      );
      const { outcome } = expected.type === 'list' ? expected : { outcome: null };
      if (outcome !== null && 'list' in outcome && answer.status === 200)
        parties.listIds.set(`${request.account} ${outcome.list.number}`, answer.body.price_list.id);
      return answer;
    }
    case 'unlist': {
      const id = parties.listIds.get(`${request.account} ${request.list}`) ?? 0;
      return admin.send('DELETE', `${adminPath(request.account)}/prices/${id}`);
    }
    case 'jobs':
      // A new end may be due at once, and the next run finds it (A67). Only live plans have events of ends.
      for (let run = 0; run < 3; run += 1) await runRenewals(service);
      await runPlanEnds(service);
      return null;
    case 'open':
      throw new Error('a test account is opened with its key');
    default:
      return request satisfies never;
  }
}

function partyOf(parties: Parties, mode: Mode, account: number): Party {
  const party = parties[mode][account];
  assert.ok(party, `account ${account} has no test account yet`);
  return party;
}

function idOf(
  { of, number }: TestModePath,
  { mode, account }: { readonly mode: Mode; readonly account: number },
  parties: Parties,
): number {
  const own = partyOf(parties, mode, account);
  const outsiders = {
    own,
    other_mode: parties[mode === 'live' ? 'test' : 'live'][account],
    foreign: parties[mode][(account + 1) % testModeGroups.length],
    forgotten: parties.forgotten[account],
  };
  const party = outsiders[of];
  const isOneself = party === undefined || (of !== 'own' && party.id === own.id);
  return isOneself ? ownId(own.id, nobodysNumber + number) : ownId(party.id, number);
}

async function answerProblem(step: TestModeStep, answer: Answer, parties: Parties): Promise<string | null> {
  const { request, expected } = step;
  const { status, body } = answer;
  switch (expected.type) {
    case 'done':
      return status === 200 ? null : `status ${status}`;
    case 'test_mode_only':
      return status === 403 && body?.error?.code === 'test_mode_only' ? null : 'not test_mode_only';
    case 'clock':
      return body?.clock?.now === timeText(expected.clockAt) ? null : 'another time';
    case 'renewals':
      return 'answered what was no question';
    case 'packages':
      return packagesProblem(expected.views, expected.upcomingAfter, body?.data);
    case 'move':
      return moveProblem(expected.outcome, answer, request, parties);
    case 'list': {
      const { outcome } = expected;
      if ('code' in outcome) return body?.error?.code === outcome.code ? null : `not ${outcome.code}`;
      return status === 200
        ? replayProblem(answer, 'replayed' in outcome && outcome.replayed)
        : `status ${status}`;
    }
    case 'schedule': {
      const { outcome } = expected;
      if ('code' in outcome) return body?.error?.code === outcome.code ? null : `not ${outcome.code}`;
      const wanted = outcome.status === 204 ? 200 : outcome.status;
      return status === wanted ? replayProblem(answer, outcome.replayed) : `status ${status}`;
    }
    case 'shown':
    case 'order':
    case 'plan':
    case 'credit':
      break;
    default:
      return expected satisfies never;
  }
  const { outcome } = expected;
  if ('code' in outcome) return refusedProblem(outcome, answer, request.type === 'credit');
  if (expected.type === 'shown') return 'the oracle shows nothing';
  const { id } = 'mode' in request ? partyOf(parties, request.mode, request.account) : { id: 0 };
  if (!('replayed' in outcome)) return 'the oracle has no answer';
  if (status !== (expected.type === 'plan' ? 200 : 201)) return `status ${status}`;
  const replayed = replayProblem(answer, outcome.replayed);
  if (replayed !== null) return replayed;
  const balance = amountText(outcome.balanceAfterCents);
  if ('customer' in outcome) {
    const money = request.type === 'cancel' ? { refund: amountText(outcome.refundCents), balance } : {};
    const wanted = { customer: shownCustomer(outcome.customer, id), ...money };
    return toText(sorted(body)) === toText(sorted(wanted)) ? null : `the answer is not ${toText(wanted)}`;
  }
  if (body.balance !== balance) return `the balance is ${body.balance} instead of ${balance}`;
  if (!('order' in outcome)) return null;
  const wanted = shownOrder(outcome.order, id, body.order);
  return toText(sorted(body.order)) === toText(sorted(wanted)) ? null : `the order is not ${toText(wanted)}`;
}

function refusedProblem(
  outcome: Parameters<typeof refusalProblem>[0],
  { status, body }: Answer,
  isAdministrators: boolean,
): string | null {
  const { code, details } = body?.error ?? {};
  if (typeof code !== 'string') return `status ${status} instead of ${outcome.code}`;
  // The administrator's API refuses a debit below zero as an invalid field: 422, where orders have 402.
  if (isAdministrators && code === 'insufficient_credit') return status === 422 ? null : `status ${status}`;
  return refusalProblem(outcome, { code, details, status });
}

function replayProblem({ headers }: Answer, replayed: boolean): string | null {
  const shown = headers.get('idempotent-replayed');
  return shown === (replayed ? 'true' : null) ? null : `Idempotent-Replayed is ${shown}`;
}

/** Continues an incomplete move to its end, because the sum of its parts must agree. */
async function moveProblem(
  outcome: MoveOutcome,
  first: Answer,
  request: TestModeRequest,
  parties: Parties,
): Promise<string | null> {
  if ('code' in outcome) return refusedProblem(outcome, first, false);
  if (first.status !== 200) return `status ${first.status}`;
  const replayed = replayProblem(first, outcome.replayed);
  if (replayed !== null) return replayed;
  assert.ok(request.type === 'move');
  const { client } = partyOf(parties, request.mode, request.account);
  const sum = { renewals: 0, renewals_failed: 0, ended: 0, warnings: 0 };
  let { body } = first;
  for (;;) {
    for (const name of ['renewals', 'renewals_failed', 'ended', 'warnings'] as const)
      sum[name] += Number(body?.happened?.[name]);
    if (body?.reached !== false || outcome.replayed) break;
    ({ body } = await client.post('/test/clock', { now: timeText(outcome.clockAt) }));
  }
  const { renewals, renewalsFailed, ended, warnings } = outcome.happened;
  const wanted = { renewals, renewals_failed: renewalsFailed, ended, warnings };
  if (toText(sum) !== toText(wanted)) return `what happened is not ${toText(wanted)}`;
  return body?.clock?.now === timeText(outcome.clockAt)
    ? null
    : `the clock is not ${timeText(outcome.clockAt)}`;
}

interface ListedPackage {
  readonly id: number;
  readonly prices: readonly { readonly price: string; readonly price_rule: string }[];
  readonly upcoming: readonly { readonly from: string; readonly prices: ListedPackage['prices'] }[];
}

/** Lists also contain packages of other histories. */
function packagesProblem(
  views: readonly PackageView[],
  upcomingAfter: number,
  listed: readonly ListedPackage[] | undefined,
): string | null {
  const amounts = ({ prices, rules }: Pick<PackageView, 'prices' | 'rules'>) => [
    Object.values(prices).map(amountText),
    Object.values(rules),
  ];
  const shown = (prices: ListedPackage['prices']) => [
    prices.map(({ price }) => price),
    prices.map(({ price_rule: rule }) => rule),
  ];
  const isLater = (from: number) => from > upcomingAfter;
  for (const view of views) {
    const one = listed?.find(({ id }) => id === view.id);
    const later = one?.upcoming
      .filter(({ from }) => isLater(Date.parse(from) / 1_000))
      .map(({ from, prices }) => [from, shown(prices)]);
    const upcoming = view.upcoming
      .filter(({ from }) => isLater(from))
      .map((each) => [timeText(each.from), amounts(each)]);
    const wanted = toText([amounts(view), upcoming]);
    if (one === undefined || toText([shown(one.prices), later]) !== wanted)
      return `package ${view.id} is not ${wanted}`;
  }
  return null;
}

async function stateProblem(played: PlayedTestModeHistory, parties: Parties): Promise<string | null> {
  const packages = played.naming.packageIds.map((id, slot) => ({
    id,
    name: packageTemplates[slot]?.name ?? '',
  }));
  for (const [account, accountId] of played.naming.accountIds.entries())
    for (const mode of ['live', 'test'] as const) {
      const party = parties[mode][account];
      if (party === undefined) continue;
      const oracle = mode === 'live' ? played.live : played.tests.oracle;
      const now = mode === 'live' ? played.endedAt : played.tests.clockOf(accountId);
      const expected = { oracle, accountId, now, mode, feed: played.feedOf(mode, account), packages };
      const problem =
        (await listsProblem(party, expected)) ?? (mode === 'test' ? await hiddenProblem(party) : null);
      if (problem !== null) return `${mode}, account ${account}: ${problem}`;
    }
  return null;
}

async function hiddenProblem({ id }: Party): Promise<string | null> {
  for (const end of ['', '/orders', '/customers', '/ledger']) {
    const { status } = await service.admin.get(`/api/admin/v1/accounts/${id}${end}`);
    if (status !== 404) return `the administrator finds the test account: ${status} for …/${id}${end}`;
  }
  return null;
}

/** Shrinks the history and describes it, request by request, up to its failure. */
async function describeFailure(history: History): Promise<string> {
  const until = performance.now() + shrinkMilliseconds;
  // Do not use fast-check's own time limit, which would leave a history running beside the next one.
  const agrees = fc.asyncProperty(
    historyArbitrary(history.operations.length),
    async (one) => performance.now() > until || (await runHistory(one)).problem === null,
  );
  const result = await fc.check(agrees, { examples: [[history]], numRuns: 1 });
  const { played, problem } = await runHistory(result.counterexample?.[0] ?? history);
  const lines = played.steps
    .slice(0, (problem?.index ?? played.steps.length) + 1)
    .map(
      (step, index) =>
        `${index}  ${timeText(step.at)}  ${toText(step.request)}\n     oracle: ${toText(step.expected).slice(0, charactersShownMax)}`,
    );
  const head = `The service and the oracles part (again: MODEL_SEED=${seed}).`;
  return `${head}\n${lines.join('\n')}\n>>> ${problem?.text ?? 'not again: all well'}`;
}
