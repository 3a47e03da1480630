// Bulk orders: answered like single ones, in order, and executed exactly once, however often they are repeated.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { booksOf } from '../harness/books.ts';
import { startCuttingProxy } from '../harness/cutting-proxy.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';
import { sqlOfAll } from '../harness/group-sql.ts';
import { signIn } from '../harness/panel-client.ts';
import { rawRequest, sendRaw } from '../harness/raw-socket.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount, credit, placeOrder } from '../harness/shop.ts';
import { type Watcher, watched } from '../harness/watched-transaction.ts';

const windowOrders = 10;
const queueDepthMax = 60;

type Item = Record<string, unknown>;
type Result = Answer['body'];

let service: TestService;
let now = 1_000_000;
let batches: (readonly number[])[] = [];
let beforeBatch: () => Promise<void> | void = () => undefined;

const refusalsPerMinute = 20;

before(async () => {
  service = await startTestService({
    limits: {
      bulks: {
        windowOrders,
        ofAccount: { atOnceMax: 2, waitingMax: 1, waitMilliseconds: 60_000 },
        ofAll: { atOnceMax: 8, waitingMax: 10, waitMilliseconds: 60_000 },
      },
      engine: { queueDepthMax },
      rates: { refusalsPerMinute },
    },
    wrapDatabase: (database) => ({
      ...database,
      async transaction(work, options) {
        if (options?.rank !== 'orders') return database.transaction(work, options);
        await beforeBatch();
        const watcher: Watcher = (send, { name }, values) => {
          if (name === 'lock_accounts')
            batches.push(String(values?.[0]).replace(/[{}]/g, '').split(',').map(Number));
          return send();
        };
        return database.transaction((transaction) => work(watched(transaction, watcher)), options);
      },
    }),
  });
  service.clock.monotonic = () => now;
});
after(() => service.close());
beforeEach(() => {
  now += 120_000;
  batches = [];
  beforeBatch = () => undefined;
});

const place = (name: string, part: Item = {}): Item => ({
  package_id: service.packages.basic,
  customer: name,
  idempotency_key: name,
  ...part,
});
const many = (prefix: string, count: number): Item[] =>
  Array.from({ length: count }, (_nothing, index) => place(`${prefix}-${index}`));

async function bulk(account: Pick<TestAccount, 'post'>, orders: readonly unknown[]): Promise<Answer['body']> {
  const answer = await account.post('/orders/bulk', { orders });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['results', 'balance']);
  assert.equal(answer.body.results.length, orders.length);
  return answer.body;
}

/** Such as "201", "201 replayed" or "402 insufficient_credit". */
function outcomeOf({ status, replayed, error }: Result): string {
  return [
    status,
    ...(error === undefined ? [] : [error.code]),
    ...(replayed === true ? ['replayed'] : []),
  ].join(' ');
}

function outcomes({ results }: { results: readonly Result[] }): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const result of results) counts[outcomeOf(result)] = (counts[outcomeOf(result)] ?? 0) + 1;
  return counts;
}

test('a bulk answers exactly as its orders would one after another', async () => {
  const random = createRandom(fixedSeed);
  const outsider = await service.createReseller({ credit: '10.00' });
  await placeOrder(service, outsider, { customer: 'a-stranger-has-it' });
  const alone = await service.createReseller({ credit: '400.00' });
  const together = await service.createReseller({ credit: '400.00' });
  const seen = new Map<string, number>();
  let ordered = 0;
  const earlier: ((account: TestAccount) => unknown)[] = [];

  const { basic, plus, retired, trial } = service.packages;
  function draw(): (account: TestAccount) => unknown {
    if (earlier.length > 0 && random.below(8) === 0) return random.pick(earlier);
    const item = drawNew();
    earlier.push(item);
    return item;
  }

  function drawNew(): (account: TestAccount) => unknown {
    const key = random.below(4) === 0 ? `shared-${random.below(30)}` : `key-${random.below(1e9)}`;
    const odd = random.below(12);
    if (odd === 0) return () => random.pick([null, 7, 'x', [], [{}], true]);
    const common = {
      ...(random.below(25) === 0 ? {} : { idempotency_key: random.below(25) === 0 ? 'a b' : key }),
      ...(random.below(3) === 0 && { months: random.pick([1, 3, 12, 2]) }),
      ...(random.below(8) === 0 && { max_charge: random.pick(['9.99', '500', '-1.00', 5, 'x']) }),
    };
    if (random.below(3) === 0) {
      const number = 1 + random.below(ordered + 2);
      const strange = random.below(15) === 0 ? random.pick([null, 'x', 1.5, -1, 0, 9e15]) : null;
      return ({ id }) => ({ ...common, renew: strange ?? id * 1e9 + number });
    }
    const name = random.below(20) === 0 ? null : `c${random.below(12)}`;
    const rest = {
      ...common,
      package_id: random.pick([basic, basic, plus, plus, retired, trial, 4_711, 'x']),
      ...(random.below(10) === 0 && { customer_name: random.pick(['Ada', 5, '\u0007']) }),
      ...(random.below(10) === 0 && { return_login: random.pick([true, false, 'yes']) }),
    };
    return ({ id }) => ({ ...rest, customer: name === null ? 'a-stranger-has-it' : `${name}-of-${id}` });
  }

  for (let round = 0; round < 12; round += 1) {
    service.clock.seconds += random.pick([0, 3_600, 86_400]);
    const amount = random.pick(['0.01', '90.00', '200.00']);
    for (const account of [alone, together]) await credit(service, account, amount);
    const items = Array.from({ length: 1 + random.below(40) }, draw);
    const single: Result[] = [];
    for (const item of items) single.push(await sendAlone(alone, item(alone)));
    const { results, balance } = await bulk(
      together,
      items.map((item) => item(together)),
    );
    const shown = (list: readonly Result[], { id }: TestAccount) =>
      JSON.parse(
        JSON.stringify(list)
          .replaceAll(`-of-${id}`, '')
          .replaceAll(new RegExp(`\\b${id}(\\d{9})\\b`, 'g'), '7$1')
          .replaceAll(/\/login\/[\w-]+/g, '/login/…'),
      );
    assert.deepEqual(shown(results, together), shown(single, alone), `round ${round}`);
    assert.deepEqual(await booksOf(service, together), await booksOf(service, alone), `round ${round}`);
    assert.equal(balance, (await together.get('/balance')).body.balance);
    for (const result of results) seen.set(outcomeOf(result), (seen.get(outcomeOf(result)) ?? 0) + 1);
    ordered = (await together.get('/orders')).body.total;
  }
  for (const outcome of [
    '201',
    '201 replayed',
    '400 invalid_json',
    '402 insufficient_credit',
    '404 order_not_found',
    '409 customer_not_yours',
    '409 idempotency_conflict',
    '409 price_changed',
    '422 invalid_customer',
    '422 invalid_idempotency_key',
    '422 invalid_max_charge',
    '422 invalid_months',
    '422 invalid_package',
    '422 order_failed',
    '422 package_unavailable',
    '422 validation_failed',
  ]) {
    assert.ok((seen.get(outcome) ?? 0) > 0, `${outcome} came up: ${JSON.stringify([...seen])}`);
  }
});

/** Like a bulk's result. A bulk's own fields go in a bulk. */
async function sendAlone(account: TestAccount, item: unknown): Promise<Result> {
  const only = async () => (await bulk(account, [item])).results[0];
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return only();
  const { renew, ...body }: Item = { ...item };
  if (renew !== undefined && !Number.isInteger(renew)) return only();
  if (!('idempotency_key' in body)) return only();
  const answer = await account.post(renew === undefined ? '/orders' : `/orders/${renew}/renew`, body);
  const { order, error, ...rest } = answer.body;
  const replayed = answer.headers.has('idempotent-replayed');
  return { status: answer.status, ...(error === undefined ? { order, replayed, ...rest } : { error }) };
}

test('what belongs to one order alone says so in its result: no object, no key, an odd renewal', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const keyless = { package_id: service.packages.basic, customer: 'keyless' };
  const { results, balance } = await bulk(account, [
    place('first'),
    null,
    keyless,
    { ...keyless, idempotency_key: 'a b', package_id: 'x' },
    { renew: null, idempotency_key: 'odd-renewal' },
    { renew: 1 },
    place('last'),
  ]);
  const details = (reason: string, field: string) => ({ field, reason });
  assert.deepEqual(
    results.slice(1, -1).map(({ status, error }: Result) => [status, error.code, error.details]),
    [
      [400, 'invalid_json', details('each must be an object', 'orders')],
      [422, 'invalid_idempotency_key', details('missing', 'idempotency_key')],
      [
        422,
        'invalid_idempotency_key',
        details('must be 1 to 80 visible ASCII characters', 'idempotency_key'),
      ],
      [
        422,
        'validation_failed',
        details('must be an integer, not null: to set nothing, leave it out', 'renew'),
      ],
      [422, 'invalid_idempotency_key', details('missing', 'idempotency_key')],
    ],
  );
  assert.deepEqual([results[0].status, results.at(-1).status, balance], [201, 201, '80.00']);
});

test('renew_customer renews the present plan by its last order, named by reference or id, and is replayed', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const { basic, plus } = service.packages;
  const first = await placeOrder(service, account, { package_id: basic, customer: 'ada', months: 3 });
  const ada = first.order.customer.id;
  const changed = await placeOrder(service, account, { package_id: plus, customer: 'ada', months: 12 });
  const planOf = async () => (await account.get(`/customers/${ada}`)).body.customer.plan;
  assert.deepEqual(
    [(await planOf()).package_id, (await planOf()).last_order_id],
    [plus, changed.order.id],
    'the plan names its package and the order that made it',
  );
  const renewal = (part: Item): Item => ({ renew_customer: 'ADA', ...part });
  const orders = [
    renewal({ idempotency_key: 'one' }),
    renewal({ renew_customer: ada, months: 1, idempotency_key: 'two' }),
    renewal({ idempotency_key: 'three' }),
  ];
  const { results } = await bulk(account, orders);
  assert.deepEqual(
    results.map(({ status, order }: Result) => [status, order.kind, order.package.id, order.months]),
    [
      [201, 'renew', plus, 12],
      [201, 'renew', plus, 1],
      [201, 'renew', plus, 1],
    ],
    'the second is the last order of the third',
  );
  assert.equal((await planOf()).last_order_id, results[2].order.id);
  const again = await bulk(account, [
    renewal({ renew_customer: ada, idempotency_key: 'one' }),
    renewal({ months: 12, idempotency_key: 'one' }),
    renewal({ months: 3, idempotency_key: 'one' }),
    { renew: changed.order.id, idempotency_key: 'one' },
    renewal({ renew_customer: 'no-such', idempotency_key: 'one' }),
  ]);
  assert.deepEqual(again.results.map(outcomeOf), [
    '201 replayed',
    '201 replayed',
    '409 idempotency_conflict',
    '409 idempotency_conflict',
    '409 idempotency_conflict',
  ]);
  const preview = async (body: Item) => (await account.post('/orders/preview', body)).body.preview;
  const byName = await preview({ renew_customer: 'ada' });
  assert.deepEqual(byName, await preview({ renew_customer: ada, months: 1 }));
  assert.deepEqual(byName, await preview({ order_id: results[2].order.id }));
});

test('renew_customer is refused for others, for a trial, while an order waits, and where none was ever completed', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const outsider = await service.createReseller({ credit: '50.00' });
  const foreign = await placeOrder(service, outsider, { customer: 'not-yours' });
  const { basic, plus, trial } = service.packages;
  const path = `/api/admin/v1/accounts/${account.id}/trials`;
  assert.equal((await service.admin.post(path, { package_id: trial, customer: 'on-trial' })).status, 201);
  const paid = await placeOrder(service, account, { package_id: basic, customer: 'paid' });
  const product = { url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}`, mode: 'confirm' };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  const waiting = await placeOrder(service, account, { package_id: plus, customer: 'paid', months: 12 });
  const failed = await placeOrder(service, account, { package_id: plus, customer: 'never-had-one' });
  const fail = (id: number) => service.admin.post(`/api/admin/v1/orders/${id}/fail`, { reason: 'No' });
  assert.equal((await fail(failed.order.id)).status, 200);
  const ask = async (renew_customer: unknown, index: number) => {
    const { results } = await bulk(account, [{ renew_customer, idempotency_key: `no-${index}` }]);
    const previewed = await account.post('/orders/preview', { renew_customer });
    assert.equal(previewed.body.error?.code, results[0].error?.code, 'a preview is refused as the order');
    return [results[0].status, results[0].error.code, results[0].error.details];
  };
  const customer = { field: 'renew_customer' };
  const reason = 'must be a reference or an id';
  const cases: readonly (readonly [named: unknown, status: number, code: string, details: Item])[] = [
    ['not-yours', 404, 'customer_not_found', {}],
    [foreign.order.customer.id, 404, 'customer_not_found', {}],
    ['no-such', 404, 'customer_not_found', {}],
    ['on-trial', 422, 'package_unavailable', { reason: 'free_trial' }],
    ['paid', 422, 'order_failed', { reason: 'order_pending' }],
    ['never-had-one', 404, 'order_not_found', {}],
    [null, 422, 'invalid_customer', { ...customer, reason }],
    [1.5, 422, 'invalid_customer', { ...customer, reason }],
    ['a b', 422, 'invalid_customer', { ...customer, reason: 'must be ASCII without spaces' }],
  ];
  for (const [index, [named, ...refusal]] of cases.entries()) {
    assert.deepEqual(await ask(named, index), refusal, String(named));
  }
  const both = await bulk(account, [
    { renew: 1, renew_customer: 'paid', idempotency_key: 'both' },
    { renew_customer: 'paid' },
  ]);
  assert.deepEqual(both.results.map(outcomeOf), ['422 validation_failed', '422 invalid_idempotency_key']);

  // After the failed order, a renewal uses the months of the order before it.
  assert.equal((await fail(waiting.order.id)).status, 200);
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/product')).status, 200);
  const shown = (await account.get(`/customers/${paid.order.customer.id}`)).body.customer.plan;
  assert.deepEqual([shown.package_id, shown.last_order_id], [basic, paid.order.id]);
  const { results } = await bulk(account, [{ renew_customer: 'paid', idempotency_key: 'after-it-failed' }]);
  assert.deepEqual(
    [results[0].status, results[0].order.package.id, results[0].order.months],
    [201, basic, 1],
  );
  const csv = await account.get('/customers?format=csv');
  const rows: Record<string, string>[] = parse(csv.text, { columns: true, bom: true });
  const basesOf = (reference: string) => {
    const row = rows.find((one) => one['reference'] === reference);
    return [row?.['package_id'], row?.['last_order_id']];
  };
  assert.deepEqual(basesOf('on-trial'), [String(trial), ''], csv.text);
  assert.deepEqual(basesOf('paid'), [String(basic), String(results[0].order.id)]);
});

test('the whole is refused before anything is done where there are no orders in it, or too many', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const refused: readonly (readonly [body: unknown, reason: string])[] = [
    [{}, 'missing'],
    [{ orders: null }, 'must be a list, not null: to set nothing, leave it out'],
    [{ orders: {} }, 'must be a list'],
    [{ orders: 'x' }, 'must be a list'],
    [{ orders: [] }, 'must hold 1 to 500 orders, not 0'],
    [{ orders: many('too-many', 501) }, 'must hold 1 to 500 orders, not 501'],
  ];
  for (const [body, reason] of refused) {
    expectRefusal(await account.post('/orders/bulk', body), '422 validation_failed', {
      field: 'orders',
      reason,
    });
  }
  expectRefusal(await account.post('/orders/bulk'), '400 invalid_json');
  expectRefusal(await account.post('/orders/bulk', [place('list')]), '400 invalid_json');
  expectRefusal(await account.post('/orders/bulk', '{"orders":['), '400 invalid_json');
  const { orders } = await booksOf(service, account);
  assert.equal(orders, 0);
});

test('512 KiB are taken, one byte more is not; elsewhere it stays at 64', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const padded = (bytes: number) => {
    const text = JSON.stringify({ orders: [place('padded')] });
    return text + ' '.repeat(bytes - text.length);
  };
  const taken = await account.send('POST', '/orders/bulk', padded(524_288));
  assert.equal(taken.status, 200, taken.text);
  const tooLarge = padded(524_289);
  const head = ['POST /api/v1/orders/bulk HTTP/1.1', 'host: x', `authorization: Bearer ${account.key}`];
  const chunked = rawRequest([...head, 'transfer-encoding: chunked'], `80001\r\n${tooLarge}\r\n0\r\n\r\n`);
  for (const refused of [
    await account.send('POST', '/orders/bulk', tooLarge),
    ...(await sendRaw(service.address, chunked)).answers,
  ]) {
    expectRefusal(refused, '413 payload_too_large', { limit_bytes: 524_288 });
    assert.match(refused.body.error.message, /512 KiB/);
  }
  for (const path of ['/orders', '/orders/preview', '/orders/bulk/renew']) {
    const refused = await account.send('POST', path, padded(65_537));
    expectRefusal(refused, '413 payload_too_large', { limit_bytes: 65_536 });
    assert.match(refused.body.error.message, /64 KiB/);
  }
});

test('500 orders are placed at once, and all of them are replays when they are sent again', async () => {
  const account = await service.createReseller({ credit: '6000.00' });
  const orders = many('five-hundred', 500);
  batches = [];
  const first = await bulk(account, orders);
  assert.deepEqual(outcomes(first), { 201: 500 });
  assert.equal(first.balance, '1000.00');
  assert.equal(batches.length, 500 / windowOrders, 'a batch for each window');
  const again = await bulk(account, orders);
  assert.deepEqual(outcomes(again), { '201 replayed': 500 });
  assert.equal(again.balance, '1000.00');
  assert.deepEqual(
    again.results.map(({ order, balance }: Result) => ({ order, balance })),
    first.results.map(({ order, balance }: Result) => ({ order, balance })),
  );
  const numbers = first.results.map(({ order }: Result) => order.id);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a: number, b: number) => a - b),
    'in the order sent',
  );
});

test('an order of someone else does not wait for a bulk to end, and a window waits for the one before it', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const other = await service.createReseller({ credit: '100.00' });
  const gate = Promise.withResolvers<void>();
  beforeBatch = () => gate.promise;
  const whole = bulk(account, many('windows', 35));
  await queueReaches(windowOrders);
  const single = other.post('/orders', place('in-between'));
  await queueReaches(windowOrders + 1);
  gate.resolve();
  assert.equal((await single).status, 201);
  assert.deepEqual(outcomes(await whole), { 201: 35 });
  const last = batches.findLastIndex((accounts) => accounts.includes(account.id));
  const theirs = batches.findIndex((accounts) => accounts.includes(other.id));
  assert.ok(theirs > 0 && theirs < last, JSON.stringify(batches));
  assert.ok(theirs <= 1, `it was in the batch after the one that was under way: ${JSON.stringify(batches)}`);
});

for (const [how, hangUp, doneOf40] of [
  ['is reset stops the bulk at its window', (socket: Socket) => socket.resetAndDestroy(), 2 * windowOrders],
  // A half-closed client can still read, so it gets an answer when all is done.
  ['is ended lets the bulk go on to its end', (socket: Socket) => socket.destroy(), 40],
] as const) {
  test(`a connection that ${how}; sent again, each order stands exactly once`, async () => {
    const account = await service.createReseller({ credit: '1000.00' });
    const orders = many(`hung-up-${doneOf40}`, 40);
    const body = JSON.stringify({ orders });
    const linesOfBulks = () => service.logLines.filter(({ route }) => route === '/api/v1/orders/bulk').length;
    const linesBefore = linesOfBulks();
    let begun = 0;
    const gate = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    beforeBatch = () => {
      begun += 1;
      if (begun < 2) return undefined;
      isHeld.resolve();
      return gate.promise;
    };
    const { hostname, port } = new URL(service.directAddress);
    const accepted = once(service.service.app.server, 'connection');
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const [serversEnd]: Socket[] = await accepted;
    assert.ok(serversEnd);
    const head = ['POST /api/v1/orders/bulk HTTP/1.1', 'host: x', `authorization: Bearer ${account.key}`];
    socket.write(rawRequest([...head, `content-length: ${body.length}`], body));
    await isHeld.promise;
    hangUp(socket);
    await until(() => serversEnd.closed || serversEnd.readableEnded);
    gate.resolve();
    // An answer has a log line. For a closed connection, only orders that have begun are awaited.
    const isOver = () => serversEnd.closed || linesOfBulks() > linesBefore;
    await until(() => isOver() && service.service.engine.queueDepth() === 0);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    assert.equal((await booksOf(service, account)).orders, doneOf40);

    const again = await bulk(account, orders);
    assert.equal(outcomes(again)['201 replayed'], doneOf40);
    assert.deepEqual(await chargesOf(account), { orders: 40, balance: '600.00' });
  });
}

test('an answer that is lost on its way is the same when it is asked for again', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const proxy = await startCuttingProxy(service.directAddress);
  const client = createApiClient(proxy.address, account.key);
  const orders = many('lost-answer', 25);
  try {
    for (const where of ['before', 'middle'] as const) {
      proxy.cutAnswers(1, where);
      await assert.rejects(client.post('/orders/bulk', { orders }));
    }
    assert.equal(proxy.cuts(), 2);
    assert.deepEqual(outcomes(await bulk(client, orders)), { '201 replayed': 25 });
  } finally {
    await proxy.close();
  }
  assert.deepEqual(await chargesOf(account), { orders: 25, balance: '750.00' });
});

test('of two equal keys the second is a replay or a conflict, within a window and across two', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const other = { package_id: service.packages.plus };
  for (const apart of [0, windowOrders]) {
    const key = `twice-${apart}`;
    const between = many(`between-${apart}`, apart);
    const { results } = await bulk(account, [
      place(key),
      ...between,
      place(key),
      place(key, other),
      place(key),
    ]);
    const own = [results[0], ...results.slice(-3)].map(outcomeOf);
    assert.deepEqual(own, ['201', '201 replayed', '409 idempotency_conflict', '201 replayed']);
    assert.deepEqual(results.at(-1).order, results[0].order);
  }
});

test('an order that breaks its batch is 500 alone, and the others stand', async () => {
  const ddl = (text: string) => service.database.query({ name: '', text });
  await ddl(`create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.idempotency_key like 'poison%' then raise exception 'this order is poison'; end if;
      return new;
    end $$`);
  await sqlOfAll(
    service,
    'create trigger poison before insert on orders for each row execute function refuse_poison()',
  );
  const account = await service.createReseller({ credit: '1000.00' });
  const orders = [...many('fine', 13), place('poison'), ...many('also-fine', 4)];
  const { results, balance } = await bulk(account, orders);
  assert.deepEqual(outcomes({ results }), { 201: 17, '500 internal_error': 1 });
  assert.equal(outcomeOf(results[13]), '500 internal_error');
  assert.doesNotMatch(JSON.stringify(results[13]), /trigger|refuse/);
  assert.equal(balance, '830.00');
  await sqlOfAll(service, 'drop trigger poison on orders');
  assert.deepEqual(outcomes(await bulk(account, orders)), { 201: 1, '201 replayed': 17 });
  assert.deepEqual(await chargesOf(account), { orders: 18, balance: '820.00' });
});

test('a database that goes away in the middle makes the rest 503, and nothing is charged twice afterwards', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const orders = many('away', 30);
  let begun = 0;
  beforeBatch = () => {
    begun += 1;
    if (begun === 1) return;
    now += 3_600_000;
    throw new DatabaseUnavailable('It went away.');
  };
  const first = await bulk(account, orders);
  assert.deepEqual(outcomes(first), { 201: windowOrders, '503 service_unavailable': 20 });
  assert.equal(first.balance, '900.00');
  beforeBatch = () => undefined;
  assert.deepEqual(outcomes(await bulk(account, orders)), { 201: 20, '201 replayed': windowOrders });
  assert.deepEqual(await chargesOf(account), { orders: 30, balance: '700.00' });
});

test('orders that find the queue full are 503 alone', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const other = await service.createReseller({ credit: '10000.00' });
  const gate = Promise.withResolvers<void>();
  beforeBatch = () => gate.promise;
  const waiting = Array.from({ length: queueDepthMax - 4 }, (_nothing, index) =>
    other.post('/orders', place(`fills-${index}`)),
  );
  await queueReaches(queueDepthMax - 4);
  const whole = bulk(account, many('overloaded', windowOrders));
  await queueReaches(queueDepthMax);
  gate.resolve();
  assert.deepEqual(outcomes(await whole), { 201: 4, '503 service_unavailable': windowOrders - 4 });
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 201);
  assert.deepEqual(outcomes(await bulk(account, many('overloaded', windowOrders))), {
    201: windowOrders - 4,
    '201 replayed': 4,
  });
});

test('rights that change in the middle are seen: the rest is decided with the new ones, or refused with the block', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  let change: object | null = { group: 'distributor' };
  let begun = 0;
  beforeBatch = async () => {
    begun += 1;
    if (begun !== 2 || change === null) return;
    const wanted = change;
    change = null;
    await changeAccount(service, account, wanted);
  };
  const raised = await bulk(account, many('raised', 30));
  assert.deepEqual(outcomes(raised), { 201: 30 });
  assert.deepEqual(
    raised.results.map(({ order }: Result) => order.price),
    [...Array(windowOrders).fill('10.00'), ...Array(20).fill('8.00')],
  );
  change = { blocked: true };
  begun = 0;
  const blocked = await bulk(account, many('blocked', 30));
  assert.deepEqual(outcomes(blocked), { 201: windowOrders, '403 account_blocked': 20 });
});

test('a bulk counts as one request for every ten orders begun; one that does not fit is refused whole and counts for nothing', async () => {
  // If nothing is left of the limit, the guard refuses before it has read the number of orders.
  const account = await service.createReseller({ credit: '9000.00', rateLimitPerMinute: 7 });
  const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  const start = now;
  const send = (name: string, count: number) => account.post('/orders/bulk', { orders: many(name, count) });
  const table = `
    second  orders  status  left  retry-after  counts
         0       1     200     6            -       -
        10      11     200     4            -       -
        20      21     200     1            -       -
        21      11     429     1           39       2
        22      10     200     0            -       -
        23       1     429     0           37       -
        59      41     429     0            1       -
        60      10     200     0            -       -
        70      20     200     0            -       -`;
  const rows = table.trim().split('\n').slice(1);
  for (const [index, row] of rows.entries()) {
    const [second = '', orders = '', ...expected] = row.trim().split(/\s+/);
    now = start + Number(second) * 1000;
    const answer = await send(`counted-${index}`, Number(orders));
    const { status, headers, body } = answer;
    const counts = body?.error?.details.counts_as ?? '-';
    const shown = [status, left(answer), headers.get('retry-after') ?? '-', counts].map(String);
    assert.deepEqual(shown, expected, row);
    if (Number(status) !== 200) {
      expectRefusal(answer, '429 rate_limited');
      assert.equal(body.error.details.retry_after, Number(headers.get('retry-after')));
    }
  }
  assert.equal(
    (await booksOf(service, account)).orders,
    1 + 11 + 21 + 10 + 10 + 20,
    'the refused did nothing',
  );
});

test('a bulk that the limit can never admit says how many orders one may hold', async () => {
  const account = await service.createReseller({ credit: '900.00', rateLimitPerMinute: 3 });
  const send = (orders: number) => account.post('/orders/bulk', { orders: many(`never-${orders}`, orders) });
  const fresh = await send(31);
  expectRefusal(fresh, '429 rate_limited', {
    limit: 3,
    window_seconds: 60,
    retry_after: 1,
    counts_as: 4,
    orders_max: 30,
  });
  assert.match(fresh.body.error.message, /Send at most 30 orders at once/);
  assert.equal((await send(30)).status, 200, 'the refused bulk used up nothing');
  now += 5_000;
  assert.equal((await send(31)).headers.get('retry-after'), '55', 'when the largest one would pass');
});

test('bulks that do not fit are read so often in a minute, and then no more are: what else the account sends goes on', async () => {
  const account = await service.createReseller({ credit: '900.00', rateLimitPerMinute: 30 });
  const tooMany = { orders: many('unfit', 301) };
  for (let sent = 0; sent < refusalsPerMinute; sent += 1) {
    const { body } = await account.post('/orders/bulk', tooMany);
    assert.equal(body.error.details.counts_as, 31);
  }
  const unread = await account.post('/orders/bulk', tooMany);
  const details = { limit: refusalsPerMinute, window_seconds: 60, retry_after: 60 };
  expectRefusal(unread, '429 rate_limited', details);
  assert.equal((await account.get('/balance')).status, 200);
  now += 60_000;
  assert.equal((await account.post('/orders/bulk', tooMany)).body.error.details.counts_as, 31);
  assert.equal((await account.post('/orders/bulk', { orders: many('fit', 1) })).status, 200);
});

test('at the panel a bulk counts against the session, and against all sessions of its account', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const page = await signIn(service, account);
  const answer = await page.post('/v1/orders/bulk', { orders: many('by-session', 25) });
  assert.equal(answer.status, 200, answer.text);
  const before = await page.get('/v1/balance');
  const again = await page.post('/v1/orders/bulk', { orders: many('by-session', 25) });
  assert.deepEqual(outcomes(again.body), { '201 replayed': 25 });
  const left = ({ headers }: { headers: Headers }) =>
    Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  assert.equal(left(before) - left(again), 3);
});

test('an account has two bulks under way; one more waits, and the others are refused until one ends', async () => {
  const account = await service.createReseller({ credit: '1000.00' });
  const gate = Promise.withResolvers<void>();
  beforeBatch = () => gate.promise;
  const all = Array.from({ length: 4 }, (_nothing, index) =>
    account.post('/orders/bulk', { orders: many(`turn-${index}`, 3) }),
  );
  const refused = await Promise.race(all);
  expectRefusal(refused, '429 rate_limited', { at_once: 2, retry_after: 60 });
  await queueReaches(6);
  gate.resolve();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 200, 429]);
  assert.equal((await booksOf(service, account)).orders, 9);
});

test('login links are made for the orders that ask, and a replay has a fresh one', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const orders = [place('linked', { return_login: true }), place('not-linked')];
  const first = await bulk(account, orders);
  const again = await bulk(account, orders);
  const links = [first, again].map(({ results }) => results.map(({ login_url }: Result) => login_url));
  assert.match(links[0]?.[0], /\/login\/[\w-]{43}$/);
  assert.match(links[1]?.[0], /\/login\/[\w-]{43}$/);
  assert.notEqual(links[0]?.[0], links[1]?.[0]);
  assert.deepEqual([links[0]?.[1], links[1]?.[1]], [undefined, undefined]);
});

async function chargesOf(account: TestAccount): Promise<{ orders: number; balance: string }> {
  const { orders, entries, balance } = await booksOf(service, account);
  const charges = entries.filter((entry) => entry.startsWith('charge -10.00 '));
  assert.equal(charges.length, orders, entries.join('\n'));
  return { orders, balance };
}

function queueReaches(depth: number): Promise<void> {
  return until(() => service.service.engine.queueDepth() >= depth);
}

async function until(isTrue: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while (!isTrue()) {
    assert.ok(performance.now() < giveUpAt, 'it never came to that');
    await nextTurn();
  }
}
