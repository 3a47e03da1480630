// Compares the service with the oracle: the histories of unit/core-against-oracle.test.ts request by request, then bursts of
// many clients. MODEL_SEED repeats a run.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { checkJournal, type Row, readAll, type Sent } from '../../proof/machines/journal.ts';
import { refusalProblem, settleCommandOf, settleProblem } from '../../proof/oracle/core-model.ts';
import {
  groups,
  type OwnPath,
  type PlanOperation,
  type PlayedHistory,
  packageTemplates,
  playHistory,
  type RenewedCustomer,
  type RenewStep,
  type SettleStep,
  type Step,
} from '../../proof/oracle/histories.ts';
import {
  createRandom,
  drawHistory,
  type History,
  historyArbitrary,
  type Random,
} from '../../proof/oracle/history-genes.ts';
import { countLabels, formatHistory, toText } from '../../proof/oracle/history-report.ts';
import type { Prices, ProductMode, SomePrices } from '../../proof/oracle/oracle.ts';
import { createOracle } from '../../proof/oracle/oracle.ts';
import type { PackageView } from '../../proof/oracle/oracle-prices.ts';
import {
  amountText,
  byPeriod,
  ownId,
  sentPriceList,
  shownCustomer,
  shownItem,
  shownOrder,
  sorted,
  timeText,
} from '../../proof/oracle/shown-plans.ts';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createAccount } from '../../src/features/accounts/account-store.ts';
import type { SqlStatement } from '../../src/platform/database/database.ts';
import { isJsonObject } from '../../src/shared/json.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';
import { runRenewals } from '../harness/run-renewals.ts';

/** For the long form. By default a few histories are enough. */
const seconds = Number(process.env['MODEL_SECONDS'] ?? 0);
const seed = Number(process.env['MODEL_SEED'] ?? fixedSeed);
const operationsPerHistory = 60;
const historiesMin = 6;
const shrinkMilliseconds = 30_000;

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

test('on random histories the service answers as the oracle does, request by request', async (context) => {
  const until = performance.now() + seconds * 1000;
  const counted = new Map<string, number>();
  let requests = 0;
  let histories = 0;
  while (histories < historiesMin || performance.now() < until) {
    const history = drawHistory(createRandom(seed, histories), operationsPerHistory);
    const { played, problems } = await runHistory(history);
    if (problems.size > 0) assert.fail(await describeFailure(history));
    countLabels(played.steps, counted);
    requests += played.steps.length;
    histories += 1;
  }
  context.diagnostic(`${requests} requests, ${histories} histories, ${counted.size} outcomes, seed ${seed}`);
});

interface Run {
  readonly played: PlayedHistory;
  readonly problems: ReadonlyMap<number, string>;
}

let runs = 0;

async function runHistory(history: History): Promise<Run> {
  runs += 1;
  const accounts = await createAccounts(runs);
  const administrator = accounts.at(-1);
  assert.ok(administrator);
  const packageIds: number[] = [];
  for (const template of packageTemplates) {
    const { name, trial, retired, durationDays, prices } = template;
    const answer = await administrator.post('/api/admin/v1/packages', {
      name,
      trial,
      retired,
      duration_days: durationDays,
      limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
      ...(!trial && { prices: sentPrices(prices) }),
    });
    assert.equal(answer.status, 201, answer.text);
    packageIds.push(answer.body.package.id);
  }
  const accountIds = accounts.map(({ id }) => id);
  const played = playHistory(history, {
    accountIds,
    packageIds,
    customerSuffix: `-${runs}`,
    cancelRefund: 'unused',
    hasAccountPrices: true,
    hasPayments: false,
    hasWriteOffKeys: false,
    hasReferences: true,
  });

  const problems = new Map<number, string>();
  const answers: (Answer | null)[] = [];
  /** By account and the oracle's number. */
  const listIds = new Map<string, number>();
  for (const [index, step] of played.steps.entries()) {
    service.clock.seconds = step.at;
    if (step.request.type === 'settle_order') {
      const problem = await settle(step.request, step, accountIds);
      if (problem !== null) problems.set(index, problem);
      answers.push(null);
      continue;
    }
    const answer = await send(step, accounts, answers, listIds);
    answers.push(answer);
    const problem = answer === null ? null : answerProblem(step, answer, accountIds);
    if (problem !== null) problems.set(index, `${problem}; the service answered ${answer?.text}`);
  }
  service.clock.seconds = played.endedAt;
  latestEnd = Math.max(latestEnd, played.endedAt);
  const atTheEnd = await stateProblem(played, accounts);
  if (atTheEnd !== null) problems.set(played.steps.length, atTheEnd);
  await letBe(played, accounts);
  return { played, problems };
}

async function settle(
  request: SettleStep,
  { expected }: Step,
  accountIds: readonly number[],
): Promise<string | null> {
  const command = settleCommandOf(request, accountIds);
  const outcome = await service.service.engine.submit(command);
  const problem = expected.type === 'settle' ? settleProblem(expected.outcome, outcome) : 'no question';
  return problem === null ? null : `${problem}; the engine answered ${toText(outcome)}`;
}

/** Leaves nothing that could happen during later histories. */
async function letBe({ oracle, endedAt }: PlayedHistory, accounts: readonly TestAccount[]): Promise<void> {
  await setMode('none');
  for (const account of accounts) {
    for (const { number: orderNumber } of oracle.pendingOrders(account.id)) {
      const said = { outcome: 'failed', reason: null, by: 'product' } as const;
      const step = { type: 'settle_order', account: 0, order: orderNumber, ...said } as const;
      const settled = await service.service.engine.submit(settleCommandOf(step, [account.id]));
      assert.equal(settled.type, 'settled', toText(settled));
    }
    for (const { number } of oracle.customers(account.id, 1, 100, endedAt).data) {
      const answer = await account.send('DELETE', `/customers/${ownId(account.id, number)}/auto-renew`);
      assert.ok(answer.status === 200 || answer.status === 404, answer.text);
    }
  }
}

async function createAccounts(run: number): Promise<TestAccount[]> {
  const accounts: TestAccount[] = [];
  for (const group of groups) {
    if (group !== 'administrator') {
      accounts.push(await service.createReseller({ group }));
      continue;
    }
    const created = await createAccount(
      service.database,
      service.service.seal,
      {
        username: `administrator-${run}`,
        displayName: 'Administrator',
        group: 'distributor',
        isAdmin: true,
        passwordHash: 'none',
        rateLimitPerMinute: 1_000_000,
        allowedIps: [],
      },
      { actorId: null, now: service.clock.seconds },
    );
    assert.ok(created);
    const { account, apiKey } = created;
    accounts.push({ id: account.id, key: apiKey, ...createApiClient(service.address, apiKey) });
  }
  return accounts;
}

async function send(
  { request, expected }: Step,
  accounts: readonly TestAccount[],
  answers: readonly (Answer | null)[],
  listIds: Map<string, number>,
): Promise<Answer | null> {
  const administrator = clientAt(accounts, accounts.length - 1);
  const adminPath = (account: number) => `/api/admin/v1/accounts/${clientAt(accounts, account).id}`;
  switch (request.type) {
    case 'place':
      return clientAt(accounts, request.account).post('/orders', request.body, headersOf(request, answers));
    case 'renew': {
      if (request.order.kind === 'customer') return renewInBulk(request, request.order, accounts, answers);
      const path = `/orders/${pathId(request.order, accounts, request.account)}/renew`;
      return clientAt(accounts, request.account).post(path, request.body, headersOf(request, answers));
    }
    case 'credit': {
      const { account, amountCents, memo, key } = request;
      return administrator.post(`${adminPath(account)}/credit`, {
        amount: amountText(amountCents),
        ...(memo !== undefined && { memo }),
        ...(key !== undefined && { idempotency_key: key }),
      });
    }
    case 'trial': {
      const { account, packageId, customer, key, again } = request;
      const asked = { package_id: packageId, customer, ...(again === true && { again }) };
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      return administrator.post(`${adminPath(account)}/trials`, asked, headers);
    }
    case 'group':
      return administrator.patch(adminPath(request.account), { group: request.group });
    case 'prices': {
      const prices = sentPrices(request.prices);
      return administrator.patch(`/api/admin/v1/packages/${request.packageId}`, { prices });
    }
    case 'retire':
      return administrator.patch(`/api/admin/v1/packages/${request.packageId}`, { retired: true });
    case 'periods': {
      const { packageId, periods } = request;
      return administrator.patch(`/api/admin/v1/packages/${packageId}`, { periods });
    }
    case 'schedule': {
      const { from, prices, existingPlans } = request;
      const body = {
        from: timeText(from),
        prices: sentPrices(prices),
        ...(existingPlans === 'held' && { existing_plans: existingPlans }),
      };
      return administrator.post(`/api/admin/v1/packages/${request.packageId}/prices`, body);
    }
    case 'unschedule': {
      const path = `/api/admin/v1/packages/${request.packageId}/prices?from=${timeText(request.from)}`;
      return administrator.send('DELETE', path);
    }
    case 'cancel':
    case 'suspend':
    case 'resume':
    case 'auto_renew':
    case 'auto_renew_off': {
      const { account, customer, body, headerKey } = request;
      const [method, end] = planRequests[request.type];
      const path = `/customers/${pathId(customer, accounts, account)}/${end}`;
      const headers: Record<string, string> = headerKey === undefined ? {} : { 'idempotency-key': headerKey };
      return clientAt(accounts, account).send(method, path, body, headers);
    }
    case 'status': {
      const { account, customer, status } = request;
      const id = ownId(clientAt(accounts, account).id, customer);
      return administrator.patch(`/api/admin/v1/customers/${id}`, { status });
    }
    case 'rename': {
      const client = clientAt(accounts, request.account);
      const path = `/customers/${ownId(client.id, request.customer)}`;
      return client.patch(path, { reference: request.reference });
    }
    case 'erase': {
      const client = clientAt(accounts, request.account);
      return client.post(`/customers/${ownId(client.id, request.customer)}/erase`, {});
    }
    case 'block':
      return administrator.patch(adminPath(request.account), { blocked: request.blocked });
    case 'mode':
      await setMode(request.mode);
      return null;
    case 'list': {
      const answer = await administrator.send(
        'PUT',
        `${adminPath(request.account)}/prices`,
        sentPriceList(request.list),
      );
      const { outcome } = expected.type === 'list' ? expected : { outcome: null };
      if (outcome !== null && 'list' in outcome && answer.status === 200)
        listIds.set(`${request.account} ${outcome.list.number}`, answer.body.price_list.id);
      return answer;
    }
    case 'unlist': {
      const id = listIds.get(`${request.account} ${request.list}`) ?? 2_000_000_000;
      return administrator.send('DELETE', `${adminPath(request.account)}/prices/${id}`);
    }
    case 'settle_order':
    case 'receive_payment':
    case 'reverse_payment':
    case 'reinstate_payment':
    case 'write_off_receivable':
      throw new Error('what is asked of the engine is not sent');
    case 'halt': {
      const { id } = clientAt(accounts, request.account);
      await service.database.ofAccount(id).query(request.halted ? haltAccount : liftHalt, [id]);
      return null;
    }
    case 'close': {
      const { id } = clientAt(accounts, request.account);
      await service.database.ofAccount(id).query(request.closed ? closeAccount : openAgain, [id]);
      return null;
    }
    case 'jobs':
      // A new end may be due at once, and the next run finds it (A67).
      for (let run = 0; run < 3; run += 1) await runRenewals(service);
      return null;
    case 'wait':
      return expected.type === 'packages' ? clientAt(accounts, expected.account).get('/packages') : null;
    default:
      return request satisfies never;
  }
}

/** Returns its result like the answer of a single request. */
async function renewInBulk(
  request: RenewStep,
  { number, reference }: RenewedCustomer,
  accounts: readonly TestAccount[],
  answers: readonly (Answer | null)[],
): Promise<Answer> {
  const client = clientAt(accounts, request.account);
  // A bulk has no header and makes no keys, so a renewal without a key gets a new one.
  const { 'idempotency-key': sent = `auto_bulk_${answers.length}` } = headersOf(request, answers);
  const renewed = {
    idempotency_key: sent,
    ...request.body,
    renew_customer: reference ?? ownId(client.id, number),
  };
  const answer = await client.post('/orders/bulk', { orders: [renewed] });
  if (answer.status !== 200) return answer;
  const { status, replayed, ...body } = answer.body.results[0];
  const headers = new Headers(replayed === true ? { 'idempotent-replayed': 'true' } : {});
  return { ...answer, status, headers, body, text: JSON.stringify(body) };
}

/** Sets a product that is never called, because the histories contain its answers. */
async function setMode(mode: ProductMode): Promise<void> {
  const product = { url: 'http://127.0.0.1:9/calls', secret: `whsec_${'A'.repeat(32)}`, mode };
  const answer = await service.admin.send('PUT', '/api/admin/v1/product', product);
  assert.equal(answer.status, 200, answer.text);
}

/** Halts the account as verification would, and lifts the halt as a later one would. */
const haltAccount: SqlStatement = {
  name: 'halt_account_of_model',
  text: 'update accounts set halted_at = now() where id = $1::int',
};
const liftHalt: SqlStatement = {
  name: 'lift_halt_of_model',
  text: 'update accounts set halted_at = null where id = $1::int',
};

/** Closes nothing else, so that the history goes on with the account afterwards. */
const closeAccount: SqlStatement = {
  name: 'close_account_of_model',
  text: 'update accounts set closed_at = now() where id = $1::int',
};
const openAgain: SqlStatement = {
  name: 'open_account_of_model',
  text: 'update accounts set closed_at = null where id = $1::int',
};

const planRequests: Readonly<Record<PlanOperation, readonly [method: string, end: string]>> = {
  cancel: ['POST', 'cancel'],
  suspend: ['POST', 'suspend'],
  resume: ['POST', 'resume'],
  auto_renew: ['PUT', 'auto-renew'],
  auto_renew_off: ['DELETE', 'auto-renew'],
};

function headersOf(
  { headerKey, mintedBy }: { headerKey: string | undefined; mintedBy: number | null },
  answers: readonly (Answer | null)[],
): Record<string, string> {
  const key = mintedBy === null ? headerKey : answers[mintedBy]?.body?.order?.idempotency_key;
  return typeof key === 'string' ? { 'idempotency-key': key } : {};
}

function pathId(path: OwnPath, accounts: readonly TestAccount[], account: number): string {
  if (path.kind === 'text') return path.text;
  return String(ownId(clientAt(accounts, path.kind === 'foreign' ? path.account : account).id, path.number));
}

function answerProblem(step: Step, answer: Answer, accountIds: readonly number[]): string | null {
  const { request, expected } = step;
  const { status, body } = answer;
  if (expected.type === 'done') return status === 200 ? null : `status ${status}`;
  if (expected.type === 'renewals' || expected.type === 'settle' || expected.type === 'payment')
    return 'answered what was no question';
  if (expected.type === 'packages') return packagesProblem(expected.views, body.data);
  if (expected.type === 'schedule') return scheduleProblem(expected.outcome, answer);
  if (expected.type === 'list') return listProblem(expected.outcome, answer);
  const { outcome } = expected;
  if ('code' in outcome) {
    const { code, details } = body?.error ?? {};
    if (typeof code !== 'string') return `status ${status} instead of ${outcome.code}`;
    // The administrator's API refuses a debit below zero as an invalid field: 422, where orders have 402.
    if (request.type === 'credit' && code === 'insufficient_credit')
      return status === 422 ? refusalProblem(outcome, { code, details }) : `status ${status}`;
    return refusalProblem(outcome, { code, details, status });
  }
  if (expected.type === 'plan' || expected.type === 'status' || expected.type === 'reference') {
    const account = 'account' in request ? request.account : 0;
    return changeProblem(step, answer, accountIds[account] ?? 0);
  }
  if (status !== 201) return `status ${status}`;
  if (!('replayed' in outcome)) return null;
  const replayed = answer.headers.get('idempotent-replayed');
  if (replayed !== (outcome.replayed ? 'true' : null)) return `Idempotent-Replayed is ${replayed}`;
  if (expected.type === 'trial') return null;
  if (!('balanceAfterCents' in outcome)) return 'the oracle has no balance';
  if (body.balance !== amountText(outcome.balanceAfterCents)) return `the balance is ${body.balance}`;
  if (!('order' in outcome)) return null;
  const accountId = 'account' in request ? (accountIds[request.account] ?? 0) : 0;
  const wanted = shownOrder(outcome.order, accountId, body.order);
  if (toText(sorted(body.order)) !== toText(sorted(wanted))) return `the order is not ${toText(wanted)}`;
  const wantsLink = request.type === 'place' && request.body['return_login'] === true;
  return wantsLink === /^http:.*\/login\/[\w-]{43}$/.test(String(body.login_url)) ? null : 'the login link';
}

/** Lists also contain packages of other histories. */
function packagesProblem(views: readonly PackageView[], listed: readonly ListedPackage[]): string | null {
  const shown = (prices: ListedPackage['prices']) =>
    prices.map((each) => [each.price, each.price_rule, each.saving_percent]);
  const wantedOf = ({ prices, rules, savings }: Pick<PackageView, 'prices' | 'rules' | 'savings'>) =>
    ([1, 3, 12] as const).flatMap((months) => {
      const price = prices[months];
      return price === undefined ? [] : [[amountText(price), rules[months], savings[months]]];
    });
  for (const view of views) {
    const one = listed.find(({ id }) => id === view.id);
    const later = one?.upcoming.map(({ from, prices }) => [from, shown(prices)]);
    const wanted = [
      amountText(view.price),
      wantedOf(view),
      view.upcoming.map((each) => [timeText(each.from), wantedOf(each)]),
    ];
    if (one === undefined || toText([one.price, shown(one.prices), later]) !== toText(wanted))
      return `package ${view.id} is not ${toText(wanted)}`;
  }
  return null;
}

interface ListedPackage {
  readonly id: number;
  readonly price: string;
  readonly prices: readonly {
    readonly price: string;
    readonly price_rule: string;
    readonly saving_percent: number;
  }[];
  readonly upcoming: readonly { readonly from: string; readonly prices: ListedPackage['prices'] }[];
}

function listProblem(
  outcome: Extract<Step['expected'], { type: 'list' }>['outcome'],
  { status, body, headers }: Answer,
): string | null {
  if ('code' in outcome) {
    const { code, details } = body?.error ?? {};
    if (code !== outcome.code) return `${code} instead of ${outcome.code}`;
    const { field } = outcome.details;
    return field === undefined || details.field === field ? null : `the field is ${details.field}`;
  }
  const replayed = 'replayed' in outcome && outcome.replayed;
  if (headers.get('idempotent-replayed') !== (replayed ? 'true' : null)) return 'replayed or not';
  if (status !== 200) return `status ${status}`;
  const { from, until, percentOff, memo } = outcome.list;
  const wanted = [
    timeText(from),
    until === null ? null : timeText(until),
    percentOff === null ? null : amountText(BigInt(percentOff)),
    memo,
  ];
  const list = body.price_list;
  const found = [list.from, list.until, list.percent_off, list.memo];
  return toText(found) === toText(wanted)
    ? null
    : `the list is ${toText(found)} instead of ${toText(wanted)}`;
}

function scheduleProblem(
  outcome: Extract<Step['expected'], { type: 'schedule' }>['outcome'],
  { status, body, headers }: Answer,
): string | null {
  if ('code' in outcome) {
    const { code, details } = body?.error ?? {};
    if (code !== outcome.code) return `${code} instead of ${outcome.code}`;
    return details.field === outcome.details.field ? null : `the field is ${details.field}`;
  }
  if (headers.get('idempotent-replayed') !== (outcome.replayed ? 'true' : null)) return 'replayed or not';
  // A deletion is answered with what was deleted.
  const wanted = outcome.status === 204 ? 200 : outcome.status;
  return status === wanted ? null : `status ${status}`;
}

function changeProblem(
  { request, expected }: Step,
  { status, body, headers }: Answer,
  accountId: number,
): string | null {
  if (status !== 200) return `status ${status}`;
  if (expected.type === 'status' && 'customer' in expected.outcome) {
    const { status: shown } = expected.outcome.customer;
    return body.customer.status === shown ? null : `the customer is ${body.customer.status}`;
  }
  if (expected.type === 'reference' && 'customer' in expected.outcome) {
    const wanted = toText(sorted(shownCustomer(expected.outcome.customer, accountId)));
    return toText(sorted(body.customer)) === wanted ? null : `the customer is not ${wanted}`;
  }
  if (expected.type !== 'plan' || 'code' in expected.outcome) return 'the oracle has no such answer';
  const { replayed, customer, refundCents, balanceAfterCents } = expected.outcome;
  const header = headers.get('idempotent-replayed');
  if (header !== (replayed ? 'true' : null)) return `Idempotent-Replayed is ${header}`;
  const wanted = {
    customer: shownCustomer(customer, accountId),
    ...(request.type === 'cancel' && {
      refund: amountText(refundCents),
      balance: amountText(balanceAfterCents),
    }),
  };
  return toText(sorted(body)) === toText(sorted(wanted)) ? null : `the answer is not ${toText(wanted)}`;
}

async function readHistory(account: TestAccount, customerId: number): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let cursor = '';
  do {
    const { body, text } = await account.get(`/customers/${customerId}/history?limit=7${cursor}`);
    assert.ok(Array.isArray(body?.data), text);
    items.push(...body.data);
    cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`;
  } while (cursor !== '');
  return items;
}

async function stateProblem(
  { oracle, endedAt, naming }: PlayedHistory,
  accounts: readonly TestAccount[],
): Promise<string | null> {
  const nameOf = (packageId: number) => packageTemplates[naming.packageIds.indexOf(packageId)]?.name ?? '';
  const administrator = clientAt(accounts, accounts.length - 1);
  for (const account of accounts) {
    const { balanceCents, group } = oracle.balance(account.id);
    const { body: shown } = await account.get('/balance');
    const shownGroup = group === 'administrator' ? 'distributor' : group;
    if (shown.balance !== amountText(balanceCents) || shown.group !== shownGroup)
      return `account ${account.id}: ${toText(shown)} instead of ${balanceCents} ${group}`;

    const orders = await readAll(account, '/orders');
    const expected = oracle.orders(account.id, 1, 100).data;
    for (const [place, order] of expected.entries()) {
      const found = orders[place];
      if (found === undefined) return `order ${order.number} of account ${account.id} is not listed`;
      const wanted = shownOrder(order, account.id, found);
      if (toText(sorted(found)) !== toText(sorted(wanted)))
        return `the list has ${toText(found)} instead of ${toText(wanted)}`;
    }
    if (orders.length !== oracle.orders(account.id, 1, 1).total) return `${orders.length} orders are listed`;

    const entries = await readAll(administrator, `/api/admin/v1/accounts/${account.id}/ledger`);
    const ledger = entries
      .filter(({ amount }) => amount !== '0.00')
      .map((entry) => [
        entry['kind'] === 'debit' ? 'credit' : entry['kind'],
        entry['amount'],
        entry['balance_after'],
        entry['order_id'],
        entry['memo'] ?? '',
        entry['actor'] !== null,
        entry['created_at'],
      ]);
    const wanted = oracle
      .ledger(account.id)
      .toReversed()
      .map((entry) => [
        entry.kind,
        amountText(entry.amountCents),
        amountText(entry.balanceAfterCents),
        entry.orderNumber === null ? null : ownId(account.id, entry.orderNumber),
        entry.memo,
        entry.actorId !== null,
        timeText(entry.createdAt ?? 0),
      ]);
    if (toText(ledger) !== toText(wanted))
      return `the ledger of ${account.id} is ${toText(ledger)} instead of ${toText(wanted)}`;

    const customers = await readAll(account, '/customers');
    const views = oracle.customers(account.id, 1, 100, endedAt).data;
    const found = customers.map(sorted);
    const shownViews = views.map((view) => sorted(shownCustomer(view, account.id)));
    if (toText(found) !== toText(shownViews))
      return `the customers of ${account.id} are ${toText(found)} instead of ${toText(shownViews)}`;

    for (const { number, reference } of views) {
      const items = await readHistory(account, ownId(account.id, number));
      const wantedItems = oracle.history(account.id, reference);
      if (!Array.isArray(wantedItems)) return `the oracle has no customer ${reference}`;
      const shownItems = wantedItems.map((item, place) =>
        shownItem(
          item,
          nameOf,
          (orderNumber) => {
            const { order: shown } = items[place] ?? {};
            const order = oracle.order(account.id, orderNumber);
            return 'code' in order || !isJsonObject(shown) ? order : shownOrder(order, account.id, shown);
          },
          (orderNumber) => oracle.hasWaited(account.id, orderNumber),
        ),
      );
      if (toText(items.map(sorted)) !== toText(shownItems.map(sorted)))
        return `the history of ${reference} is ${toText(items)} instead of ${toText(shownItems)}`;
    }
  }
  return null;
}

async function describeFailure(history: History): Promise<string> {
  const until = performance.now() + shrinkMilliseconds;
  // Do not use fast-check's own time limit, which would leave a history running beside the next one.
  const agrees = fc.asyncProperty(
    historyArbitrary(history.operations.length),
    async (one) => performance.now() > until || (await runHistory(one)).problems.size === 0,
  );
  const result = await fc.check(agrees, { examples: [[history]], numRuns: 1 });
  const { played, problems } = await runHistory(result.counterexample?.[0] ?? history);
  const head = `The service and the oracle part (again: MODEL_SEED=${seed}).`;
  return `${head}\n${formatHistory(played, problems)}\nat the end: ${problems.get(played.steps.length) ?? 'all well'}`;
}

const clientCount = 24;
const roundCount = 6;
const requestsPerRound = 4;
const customersEach = 5;

interface SentAt extends Sent {
  readonly account: TestAccount;
  readonly at: number;
}

test('what clients were answered in bursts agrees with the ledger, with each other and with the oracle', async (context) => {
  const random = createRandom(seed, 1_000_000);
  const below = (count: number) => Math.floor(random() * count);
  const accounts = await Promise.all(
    (
      [
        ['500.00', 'reseller'],
        ['5000.00', 'distributor'],
        ['90.00', 'reseller'],
      ] as const
    ).map(async ([credit, group]) => ({ ...(await service.createReseller({ credit, group })), credit })),
  );
  // On PostgreSQL, every second client uses another service on the same database.
  const another = isPostgres ? await service.startAnother() : null;
  context.after(() => another?.close());
  const journal: SentAt[] = [];
  let moment = 0;

  const addressOf = (client: number) =>
    another !== null && client % 2 === 1 ? another.address : service.address;
  async function note(client: ApiClient, part: Pick<SentAt, 'account' | 'type' | 'path' | 'body' | 'key'>) {
    moment += 1;
    const sentAt = moment;
    const at = service.clock.seconds;
    const answer = await (part.type === 'balance'
      ? client.get(part.path)
      : client.post(part.path, part.body, { 'idempotency-key': part.key }));
    moment += 1;
    journal.push({ ...part, accountId: part.account.id, sentAt, answeredAt: moment, at, answer });
  }

  for (let round = 0; round < roundCount; round += 1) {
    await Promise.all(
      Array.from({ length: clientCount }, async (_nothing, number) => {
        const account = accounts[number % accounts.length];
        assert.ok(account);
        const client = createApiClient(addressOf(number), account.key);
        const administrator = createApiClient(addressOf(number), service.admin.key);
        for (let place = 0; place < requestsPerRound; place += 1) {
          // One request in three is sent twice at about the same time with the same key, mostly with the same data.
          const key = below(3) === 0 ? `shared-${round}-${below(6)}` : `own-${round}-${number}-${place}`;
          const drawn = below(11);
          const cancelled = drawn === 10 ? customerToCancel(journal, account) : null;
          if (cancelled !== null) {
            const path = `/customers/${cancelled}/cancel`;
            await note(client, { account, type: 'cancel', path, body: { at: 'now' }, key });
          } else if (drawn === 0) {
            const body = { amount: amountText(BigInt(1 + below(9000)) * (below(4) === 0 ? -1n : 1n)) };
            const path = `/api/admin/v1/accounts/${account.id}/credit`;
            await note(administrator, { account, type: 'credit', path, body, key });
          } else if (drawn < 3) {
            await note(client, { account, type: 'balance', path: '/balance', body: {}, key: '' });
          } else if (drawn < 5) {
            const own = journal.filter(
              (sent) =>
                sent.account === account &&
                ['place', 'renew'].includes(sent.type) &&
                sent.answer.status === 201,
            );
            const renewed = own[below(own.length)]?.answer.body.order.id ?? ownId(account.id, 999_999);
            const body = below(3) === 0 ? { months: 3 } : {};
            await note(client, { account, type: 'renew', path: `/orders/${renewed}/renew`, body, key });
          } else {
            const isShared = key.startsWith('shared');
            const what = isShared && below(5) > 0 ? createRandom(seed, Number(key.slice(-1))) : random;
            await note(client, {
              account,
              type: 'place',
              path: '/orders',
              body: placeBody(what, account),
              key,
            });
          }
        }
      }),
    );
    // All requests are answered, so the clock may move.
    service.clock.seconds += [1, 3600, 20 * 86_400, 40 * 86_400][below(4)] ?? 1;
  }

  const statuses = new Map<string, number>();
  for (const { type, answer } of journal) {
    const label = `${type} ${answer.body?.error?.code ?? (answer.headers.has('idempotent-replayed') ? 'replayed' : answer.status)}`;
    statuses.set(label, (statuses.get(label) ?? 0) + 1);
    assert.ok([200, 201, 402, 404, 409, 422].includes(answer.status), answer.text);
  }
  context.diagnostic(`${journal.length} requests, seed ${seed}: ${toText(Object.fromEntries(statuses))}`);
  for (const wanted of ['place 201', 'place replayed', 'place customer_not_yours', 'renew 201', 'cancel 200'])
    assert.ok((statuses.get(wanted) ?? 0) > 0, `no "${wanted}" among ${toText([...statuses])}`);

  for (const account of accounts) {
    const own = journal.filter((sent) => sent.account === account);
    const orders = await readAll(account, '/orders');
    const entries = (
      await readAll(service.admin, `/api/admin/v1/accounts/${account.id}/ledger`)
    ).toReversed();
    checkJournal(own, { orders, entries, openingBalance: account.credit });
  }
  const owners = new Map<unknown, number>();
  for (const { account, answer } of journal) {
    const reference = answer.body?.order?.customer.reference;
    if (reference === undefined) continue;
    assert.equal(owners.get(reference) ?? account.id, account.id, `${reference} has one owner`);
    owners.set(reference, account.id);
  }
  for (const { account, body, answer } of journal) {
    if (answer.body?.error?.code === 'customer_not_yours')
      assert.notEqual(owners.get(body['customer']), account.id);
  }
  await checkAgainstOracle(accounts, journal);
});

/** One customer per account, so that a refund in the ledger belongs to a known plan. */
const oneToCancel = ({ id }: TestAccount) => `of-${id}-0@example.com`;

function customerToCancel(journal: readonly SentAt[], account: TestAccount): number | null {
  const made = journal.find(
    ({ answer }) => answer.body?.order?.customer.reference === oneToCancel(account) && answer.status === 201,
  );
  return made === undefined ? null : made.answer.body.order.customer.id;
}

/** Mostly for the account's own customer, sometimes for one that all accounts order for. */
function placeBody(random: Random, { id }: TestAccount): Record<string, unknown> {
  const { basic, plus } = service.packages;
  const whose = random() < 0.8 ? `of-${id}` : 'shared';
  return {
    package_id: random() < 0.6 ? basic : plus,
    customer: `${whose}-${Math.floor(random() * customersEach)}@example.com`,
    months: random() < 0.8 ? 1 : 3,
  };
}

/** Executed in ledger order, the oracle gives every order the same money and terms. */
async function checkAgainstOracle(
  accounts: readonly TestAccount[],
  journal: readonly SentAt[],
): Promise<void> {
  const { basic, plus } = service.packages;
  const oracle = createOracle({
    packages: [
      { id: basic, name: 'Basic', trial: false, retired: false, durationDays: 30, prices: pricesOf(0) },
      { id: plus, name: 'Plus', trial: false, retired: false, durationDays: 30, prices: pricesOf(1) },
    ],
    accounts: accounts.map(({ id }, place) => ({
      id,
      group: place === 1 ? 'distributor' : 'reseller',
      balanceCents: 0n,
    })),
  });
  const cancelInOracle = (account: TestAccount, entry: Row) => {
    const at = Date.parse(String(entry['created_at'])) / 1000;
    const view = oracle.customer(account.id, oneToCancel(account), at);
    assert.ok('number' in view);
    const input = { accountId: account.id, customerId: String(view.number), body: { at: 'now' } };
    const outcome = oracle.cancel(input, at);
    assert.ok('refundCents' in outcome, `the oracle refuses ${toText(entry)}: ${toText(outcome)}`);
    assert.deepEqual(
      [amountText(outcome.refundCents), amountText(outcome.balanceAfterCents)],
      [entry['amount'], entry['balance_after']],
    );
  };
  for (const account of accounts) {
    const entries = await readAll(service.admin, `/api/admin/v1/accounts/${account.id}/ledger`);
    for (const entry of entries.toReversed()) {
      if (entry['kind'] === 'refund') {
        if (entry['order_id'] === null) cancelInOracle(account, entry);
        continue;
      }
      if (entry['kind'] !== 'charge') {
        const amountCents = centsOf(entry['amount']);
        const credited = oracle.credit({ accountId: account.id, amountCents, actorId: service.admin.id });
        assert.ok('balanceAfterCents' in credited);
        assert.equal(amountText(credited.balanceAfterCents), entry['balance_after']);
        continue;
      }
      const sent = journal.find(
        ({ account: { id }, answer }) =>
          id === account.id &&
          answer.body?.order?.id === entry['order_id'] &&
          !answer.headers.has('idempotent-replayed'),
      );
      assert.ok(sent);
      const { type, path, body, key: headerKey, at, answer } = sent;
      const orderNumber = String(Number(path.split('/')[2] ?? 0) % 1_000_000_000);
      const input = { accountId: account.id, body, headerKey };
      const outcome =
        type === 'place'
          ? oracle.placeOrder(input, at)
          : oracle.renewOrder({ ...input, orderId: orderNumber }, at);
      assert.ok('order' in outcome, `the oracle refuses ${toText(sent)}: ${toText(outcome)}`);
      assert.deepEqual(answer.body.order, shownOrder(outcome.order, account.id, answer.body.order));
      assert.equal(answer.body.balance, amountText(outcome.balanceAfterCents));
    }
  }
}

/** The test service's Basic and Plus are the first two packages of the histories. */
function pricesOf(slot: number): Prices {
  const template = packageTemplates[slot];
  assert.ok(template);
  return template.prices;
}

function clientAt(accounts: readonly TestAccount[], place: number): TestAccount {
  const account = accounts[place];
  assert.ok(account);
  return account;
}

function sentPrices({ reseller, distributor }: SomePrices) {
  return {
    ...(reseller && { reseller: byPeriod(reseller) }),
    ...(distributor && { distributor: byPeriod(distributor) }),
  };
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}
