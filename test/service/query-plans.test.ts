// A named statement that is planned while its tables are empty silently keeps its plan. This lets the tables of order
// statements grow, and then checks the next plans in the same sessions (docs/architecture.md, "The one idea").

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { readStream } from '../../src/features/events/event-stream.ts';
import type { OrderCommand, OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import type { Database, Rank, Transaction } from '../../src/platform/database/database.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { beginProductCalls, endProductCalls } from '../harness/run-product-calls.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { plansOfSession, type SessionPlan } from '../harness/session-plans.ts';

const bigTables = [
  'accounts',
  'orders',
  'ledger_entries',
  'customers',
  'customer_references',
  'plan_changes',
  'login_links',
  'events',
  'order_handoffs',
  'product_calls',
  'reversals',
];

/** All statements of a batch. Others are not checked. */
const orderPath = [
  'lock_accounts',
  'load_packages_version',
  'load_customers',
  'load_orders_by_key',
  'load_named_orders',
  'load_last_orders',
  'load_last_orders_by_reference',
  'load_credits_by_key',
  'load_reversals',
  'load_customers_by_number',
  'load_plan_changes_by_key',
  'load_trials',
  'find_order_calls',
  'insert_customer_references',
  'insert_customers',
  'update_customers',
  'update_customer_lives',
  'insert_orders',
  'insert_ledger_entries',
  'update_account_balances',
  'put_login_links',
  'insert_plan_changes',
  'insert_order_handoffs',
  'settle_order_handoffs',
  'insert_product_calls',
  'close_product_calls',
  'supersede_earlier_product_calls',
  'insert_audit',
  'insert_events',
  'insert_event_inbox',
];

const manyOrders = 1_200;

let service: TestService;
let accounts: TestAccount[];
before(async () => {
  // One connection per rank, so that the checked plans are the ones that were used.
  service = await startTestService({ limits: { database: { lookupConnections: 1, readConnections: 1 } } });
  // One account per lane or account group, so that each session for orders gets its share.
  const count = Math.max(2, service.database.accountGroups().length);
  accounts = [];
  for (let made = 0; made < count; made += 1) accounts.push(await service.createReseller());
  // Sessions plan each statement once, for any values (force_generic_plan). The second round meets known customers.
  for (const account of accounts) for (const round of [1, 2]) await everyKindOfOrder(account, round);
});
after(() => service.close());

test('every statement of the order path has been planned while the tables were young, and once', async () => {
  const found = await plans();
  const planned = new Set(found.map(({ name }) => name));
  assert.deepEqual(
    orderPath.filter((name) => !planned.has(name)),
    [],
    'each is looked at below',
  );
  const unknown = [...planned].filter((name) => !orderPath.includes(name));
  assert.deepEqual(unknown, [], 'a statement that is new belongs in the list above');
  const plannedAnew = found.filter(({ customPlans }) => customPlans > 0);
  assert.deepEqual(plannedAnew, [], 'a plan for the values of each batch takes longer than the batch');
});

test('none of them scans a table that grows, neither while it is young nor when it has grown', async (context) => {
  holdIndexes(await plans(), 'young');
  await grow();
  const [counted] = await service.database.query({
    name: '',
    text: 'select (select count(*) from orders) as orders, (select count(*) from customers) as customers',
  });
  assert.ok(Number(counted?.['orders']) > manyOrders && Number(counted?.['customers']) > manyOrders);
  const grown = await plans();
  holdIndexes(grown, 'grown');
  const generic = grown.filter(({ genericPlans }) => genericPlans > 0).length;
  context.diagnostic(`${generic} of ${grown.length} had a plan for any values`);
  assert.ok(generic > 0, 'plans that were made for any values are among them');
});

test('nor do the reads of orders, customers and balances', async () => {
  const reads = [
    'find_accounts_by_key',
    'find_account_counters',
    'find_orders',
    'list_orders',
    'find_customers',
    'list_customers',
    'count_inactive_customers',
    'list_inactive_customers',
    'list_ledger_entries',
    'list_due_renewals',
    'list_events',
    'list_events_of_type',
    'read_event_stream',
    'read_event_stream_of_account',
    'find_stream_position',
  ];
  const found: SessionPlan[] = [];
  for (const rank of ['lookups', 'reads'] as const) {
    found.push(...(await inSessions(rank, (transaction) => plansOfSession(transaction, reads))));
  }
  assert.deepEqual([...new Set(found.map(({ name }) => name))].sort(), reads.toSorted());
  assert.deepEqual(
    found.filter(({ lines }) => scansOf(lines).length > 0).map(({ name }) => name),
    [],
    'these scan a whole table for each request',
  );
});

test("nor does anyone who calls the product, of real orders or of tests: the others are in no one's way", async () => {
  const wanted = new Map([
    ['read_due_product_calls', /Index Scan using product_calls_waiting on/],
    ['read_due_product_calls_of_tests', /Index Scan using product_calls_waiting_of_tests on/],
  ]);
  const found: SessionPlan[] = [];
  await withProduct(async () => {
    await beginProductCalls(service, 'test');
    while (new Set(found.map(({ name }) => name)).size < wanted.size) {
      found.length = 0;
      for (const rank of ['lookups', 'reads'] as const) {
        found.push(...(await inSessions(rank, (session) => plansOfSession(session, [...wanted.keys()]))));
      }
    }
  });
  await endProductCalls(service);
  for (const { name, lines } of found) {
    assert.deepEqual(scansOf(lines), [], name);
    assert.match(lines.join('\n'), wanted.get(name) ?? /^$/);
  }
});

test('anyone who looks for plans that end looks at each account, and then at a range of its customers', async () => {
  const found = await inSessions('reads', (transaction) =>
    plansOfSession(transaction, ['list_plan_ends', 'list_all_plan_ends']),
  );
  assert.equal(new Set(found.map(({ name }) => name)).size, 2);
  const scans = found.flatMap(({ lines }) => scansOf(lines));
  assert.deepEqual(
    scans.filter((line) => !line.includes('Seq Scan on accounts')),
    [],
  );
});

test('nor after statistics were gathered', async () => {
  await service.database.query({ name: '', text: 'analyze' });
  holdIndexes(await plans(), 'analyzed');
});

function holdIndexes(found: readonly SessionPlan[], when: string): void {
  assert.ok(found.length >= orderPath.length);
  for (const { name, lines } of found) {
    assert.deepEqual(scansOf(lines), [], `${when}: ${name} scans\n${lines.join('\n')}`);
  }
  const looksUp = found.find(({ name }) => name === 'load_orders_by_key')?.lines.join('\n') ?? '';
  assert.match(looksUp, /Index Scan using orders_idempotency_key/, 'the plans are those of the statements');
}

function scansOf(lines: readonly string[]): string[] {
  return lines.filter((line) => bigTables.some((table) => new RegExp(`Seq Scan on ${table}\\b`).test(line)));
}

async function plans(): Promise<SessionPlan[]> {
  if (service.database.kind === 'embedded') {
    return service.database.transaction((transaction) => plansOfSession(transaction, orderPath));
  }
  return inSessions('orders', (transaction) => plansOfSession(transaction, null));
}

/** At the same time, so that each session is reached. */
async function inSessions(
  rank: 'orders' | 'lookups' | 'reads',
  work: (transaction: Transaction) => Promise<SessionPlan[]>,
): Promise<SessionPlan[]> {
  if (service.database.kind === 'embedded') return service.database.transaction(work);
  if (rank === 'orders') {
    const groups = service.database.accountGroups();
    return (
      await Promise.all(groups.map((group) => inSessionsOf(group, group.orderSessions, rank, work)))
    ).flat();
  }
  return inSessionsOf(service.database, 1, rank, work);
}

async function inSessionsOf(
  database: Database,
  count: number,
  rank: Rank,
  work: (transaction: Transaction) => Promise<SessionPlan[]>,
): Promise<SessionPlan[]> {
  const arrived = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const all = Promise.all(arrived.map(({ promise }) => promise));
  const found = await Promise.all(
    arrived.map(({ resolve }) =>
      database.transaction(
        async (transaction) => {
          await transaction.query({ name: '', text: 'select 1' });
          resolve();
          await all;
          return work(transaction);
        },
        { rank },
      ),
    ),
  );
  return found.flat();
}

/** One after the other, so that each order is a batch of its own and uses its own statements. */
async function everyKindOfOrder(account: TestAccount, time: number): Promise<void> {
  const { packages, admin } = service;
  const path = `/api/admin/v1/accounts/${account.id}`;
  const customer = `first-${account.id}`;
  const place = (name: string, key: string) =>
    account.post(
      '/orders',
      { package_id: packages.basic, customer: name, return_login: true },
      { 'idempotency-key': key },
    );
  const credited = await admin.post(`${path}/credit`, { amount: '100.00', idempotency_key: `c-${time}` });
  const placed = await place(customer, `k-${time}`);
  const answers = [
    credited,
    placed,
    await place(customer, `k-${time}`),
    await place(`new-${account.id}-${time}`, `n-${time}`),
    await account.post(`/orders/${placed.body.order.id}/renew`, {}, { 'idempotency-key': `r-${time}` }),
    await admin.post(`${path}/trials`, { package_id: packages.trial, customer: `t-${account.id}-${time}` }),
  ];
  for (const { status, text } of answers) assert.equal(status, 201, text);
  const renewedByName = await account.post('/orders/bulk', {
    orders: [customer, placed.body.order.customer.id].map((renew_customer, index) => ({
      renew_customer,
      idempotency_key: `b-${time}-${index}`,
    })),
  });
  for (const { status } of renewedByName.body.results) assert.equal(status, 201, renewedByName.text);
  const plan = `/customers/${placed.body.order.customer.id}`;
  const change = (method: string, what: string, body: object, key: string) =>
    account.send(method, `${plan}/${what}`, body, { 'idempotency-key': `${key}-${time}` });
  for (const answer of [
    await change('POST', 'suspend', {}, 's'),
    await change('POST', 'resume', {}, 'e'),
    await change('PUT', 'auto-renew', { months: 1 }, 'a'),
    await change('POST', 'cancel', { at: 'now' }, 'x'),
  ]) {
    assert.equal(answer.status, 200, answer.text);
  }
  await runRenewals(service);
  service.clock.seconds += 1;
  await runPlanEnds(service);
  await readStream(service.database, { after: 0n, accountId: account.id, limit: 10, mode: 'live' });
  await withProduct(async () => {
    const handedOver = await place(`handed-${account.id}-${time}`, `h-${time}`);
    const settled = `/api/admin/v1/orders/${handedOver.body.order.id}`;
    assert.equal((await admin.post(`${settled}/fail`, { reason: 'No' })).status, 200);
  });
  const { id, customer: ordered } = placed.body.order;
  for (const answer of [
    await account.get('/balance'),
    await account.get('/orders'),
    await account.get(`/orders/${id}`),
    await account.get('/customers'),
    await account.get('/customers?active=false'),
    await account.get(`/customers/${ordered.id}`),
    await admin.get(`${path}/ledger`),
    await account.get('/events'),
    await account.get('/events?type=order.completed'),
    await admin.get(`/api/admin/v1/events?after=${account.id}000000001`),
  ]) {
    assert.equal(answer.status, 200, answer.text);
  }
}

async function withProduct(work: () => Promise<void>): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  const secret = `whsec_${'A'.repeat(32)}`;
  const body = { mode: 'confirm', url, secret, test_url: url, test_secret: secret };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', body)).status, 200);
  await work();
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/product')).status, 200);
}

/** Through the engine, like a busy minute. */
async function grow(): Promise<void> {
  for (const account of accounts) {
    const path = `/api/admin/v1/accounts/${account.id}`;
    assert.equal((await service.admin.post(`${path}/credit`, { amount: '1000000.00' })).status, 201);
    const commands = Array.from(
      { length: manyOrders / accounts.length },
      (_, index): OrderCommand => ({
        type: 'place',
        accountId: account.id,
        accessVersion: 1,
        idempotencyKey: `many-${index}`,
        keyIsMinted: false,
        packageId: service.packages.basic,
        customerReference: `many-${account.id}-${index}`,
        customerName: null,
        months: 1,
        maxChargeCents: null,
        loginLink: null,
      }),
    );
    const submit = (command: OrderCommand) => service.service.engine.submit(command);
    const outcomes: OrderOutcome[] = [];
    await withProduct(async () => {
      outcomes.push(...(await Promise.all(commands.map(submit))));
    });
    assert.ok(outcomes.every(({ type }) => type === 'ordered'));
    const numbers = outcomes.flatMap((outcome) => (outcome.type === 'ordered' ? outcome.order.number : []));
    const settle = { type: 'settle_order', accountId: account.id, outcome: 'completed' } as const;
    const settled = await Promise.all(
      numbers.map((orderNumber) => submit({ ...settle, orderNumber, reason: null, by: null })),
    );
    assert.ok(settled.every(({ type }) => type === 'settled'));
    // Each change has a new key, which makes a row although nothing changes.
    const changes = await Promise.all(
      outcomes.map((outcome, index) =>
        service.service.engine.submit({
          type: 'resume',
          accountId: account.id,
          accessVersion: 1,
          actorId: account.id,
          idempotencyKey: `resume-${index}`,
          keyIsMinted: false,
          customerNumber: outcome.type === 'ordered' ? outcome.order.customerNumber : 0,
        }),
      ),
    );
    assert.ok(changes.every(({ type }) => type === 'plan_changed'));
  }
}
