// The engine on a real database. Orders that arrive together are decided in one batch of two round trips, with the same
// answers as if they had come one by one. Nothing waits for a time.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { changeAccount } from '../../src/features/accounts/account-store.ts';
import type {
  OrderCommand,
  OrderOutcome,
  PlaceOrder,
} from '../../src/features/order-engine/decisions/order-commands.ts';
import { DatabaseUnavailable, type Row } from '../../src/platform/database/database.ts';
import { bySharding } from '../../src/platform/database/shards/query-shards.ts';
import { sqlOfAll } from '../harness/group-sql.ts';
import { holdAccount, queueReaches } from '../harness/held-account.ts';
import { changePackage, createPackage } from '../harness/shop.ts';
import { watchedTransactions } from '../harness/watched-transaction.ts';

/** A batch is one round trip to lock and load and one to write. Several servers need one more, for references. */
const roundTripsOf = ({ database }: TestService) =>
  bySharding(database, { together: () => 2, apart: () => 3 });

describe('orders that arrive together', () => {
  let service: TestService;
  before(async () => {
    // Two lanes instead of one: what is true between lanes is true between processes.
    service = await startTestService({
      limits: {
        // Round trips are counted, so the service must not make others.
        database: { orderConnections: 2, locateMilliseconds: 3_600_000 },
        requestLog: { flushMilliseconds: 3_600_000 },
      },
    });
  });
  after(() => service.close());

  test('one order costs exactly two round trips', async () => {
    const reseller = await service.createReseller({ credit: '100.00' });
    await warm(reseller);
    const trips: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      const earlier = service.database.roundTrips();
      assert.equal((await order(service, reseller, `two-trips-${index}`, `trip-${index}`)).status, 201);
      trips.push(service.database.roundTrips() - earlier);
    }
    // A late notice of the packages created above may add round trips.
    const costs = trips.toSorted((one, other) => one - other);
    assert.deepEqual(
      [costs[0], costs[4]],
      [roundTripsOf(service), roundTripsOf(service)],
      `least and median of ${trips}`,
    );
  });

  test('however many orders a batch holds, it costs two round trips', async () => {
    const reseller = await service.createReseller({ credit: '5000.00' });
    await warm(reseller);
    const batchesBefore = await batchSizes(service);
    const release = await holdAccount(service, reseller);
    // The first batch waits for the account. Orders that arrive meanwhile form the next batch.
    const answers = [order(service, reseller, 'held-0', 'held-0')];
    await queueReaches(service, 1);
    const earlier = service.database.roundTrips();
    for (let index = 1; index < 80; index += 1) {
      answers.push(order(service, reseller, `held-${index}`, `held-${index}`));
    }
    await queueReaches(service, 80);
    await release();
    assert.deepEqual(statuses(await Promise.all(answers)), { 201: 80 });
    const trips = service.database.roundTrips() - earlier;
    const formed = (await batchSizes(service)).count - batchesBefore.count;
    assert.equal(formed, 2, 'the one that waited and the 79 behind it');
    const holdersCommit = 1;
    assert.ok(trips <= holdersCommit + 2 * roundTripsOf(service), `${trips} round trips`);
  });

  test('200 parallel orders over HTTP need far fewer round trips than 400', async (context) => {
    const reseller = await service.createReseller({ credit: '2000.00' });
    await warm(reseller);
    const earlier = service.database.roundTrips();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => order(service, reseller, `many-${index}`, `many-${index}`)),
    );
    assert.deepEqual(statuses(answers), { 201: 200 });
    const trips = service.database.roundTrips() - earlier;
    context.diagnostic(`200 orders in ${trips} round trips`);
    assert.ok(trips <= 200, `${trips} round trips`);
    assert.equal((await reseller.get('/balance')).body.balance, '0.00');
  });

  test('200 parallel orders of 10.00 against a credit of 70.00 give exactly 7', async () => {
    const reseller = await service.createReseller({ credit: '70.00' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => order(service, reseller, `seven-${index}`, `seven-${index}`)),
    );
    assert.deepEqual(statuses(answers), { 201: 7, 402: 193 });
    const balances = answers.filter(({ status }) => status === 201).map(({ body }) => body.balance);
    assert.deepEqual(balances.sort(), ['0.00', '10.00', '20.00', '30.00', '40.00', '50.00', '60.00']);
    for (const { status, body } of answers) {
      if (status === 402) assert.equal(body.error.details.required, '10.00');
    }
    assert.equal((await reseller.get('/orders')).body.total, 7);
    assert.equal((await reseller.get('/customers')).body.total, 7, 'a refused order makes no customer');
  });

  test('200 parallel requests with one key give one order, and 199 replays of it', async () => {
    const reseller = await service.createReseller({ credit: '70.00' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => order(service, reseller, 'same', 'same')),
    );
    assert.deepEqual(statuses(answers), { 201: 200 });
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'every answer is the same');
    const replays = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    assert.equal(replays.length, 199);
    assert.equal((await reseller.get('/balance')).body.balance, '60.00');
  });

  test('a batch answers as its orders one after another would', async () => {
    const alone = await service.createReseller({ credit: '300.00' });
    const together = await service.createReseller({ credit: '300.00' });
    const { basic, plus, retired } = service.packages;
    const foreign = await service.createReseller({ credit: '10.00' });
    assert.equal((await order(service, foreign, 'foreign', 'foreign-1')).status, 201);

    const commands = (account: TestAccount): OrderCommand[] => {
      const own = (name: string) => (name === 'foreign' ? name : `${name}-of-${account.id}`);
      const place = (customer: string, key: string, packageId = basic, months: 1 | 3 | 12 = 1) =>
        placeOrder(account, { customerReference: own(customer), idempotencyKey: key, packageId, months });
      const renew = (orderNumber: number, key: string, months: 1 | 3 | null = null): OrderCommand => ({
        type: 'renew',
        ...caller(account),
        orderNumber,
        months,
        maxChargeCents: null,
        idempotencyKey: key,
        keyIsMinted: false,
      });
      const credit = (amountCents: bigint, idempotencyKey: string): OrderCommand => ({
        type: 'credit',
        accountId: account.id,
        actorId: service.admin.id,
        amountCents,
        memo: null,
        idempotencyKey,
        keyIsMinted: false,
      });
      const grant = (customer: string, idempotencyKey: string, again = false): OrderCommand => ({
        type: 'grant_trial',
        accountId: account.id,
        actorId: service.admin.id,
        packageId: service.packages.trial,
        customerReference: own(customer),
        customerName: null,
        again,
        idempotencyKey,
        keyIsMinted: false,
      });
      return [
        place('a', 'k1'),
        place('a', 'k2'), // extends what the order before it began
        place('a', 'k1'), // a replay within the batch
        place('a', 'k1', plus), // a conflict within the batch
        place('a', 'k3', plus), // changes the plan: a refund of two unused months
        renew(1, 'k4'), // the plan was changed
        renew(3, 'k5', 3), // renews an order of this very batch
        renew(99, 'k6'), // there is none
        place('b', 'k7', retired),
        place('b', 'k8', 4_711),
        place('foreign', 'k9'),
        grant('c', 't1'),
        grant('c', 't1'), // a replay
        grant('c', 't1', true), // a conflict
        grant('c', 't2'), // runs already
        place('c', 'k10'), // replaces the trial
        grant('c', 't3'), // a plan is running
        grant('c', 't2'), // a replay of the grant that found it running
        place('d', 'k11', basic, 12),
        place('e', 'k12', plus, 12), // too dear
        credit(30_000n, 'c1'),
        credit(30_000n, 'c1'), // a replay
        credit(40_000n, 'c1'), // a conflict
        place('e', 'k12', plus, 12), // a refusal leaves its key free
        credit(-10_000_000n, 'c2'), // below zero
        credit(-1n, 'c3'),
      ];
    };

    const one: OrderOutcome[] = [];
    for (const command of commands(alone)) one.push(await submit(service, command));
    const earlier = await batchSizes(service);
    const all = await Promise.all(commands(together).map((command) => submit(service, command)));
    assert.equal((await batchSizes(service)).count - earlier.count, 1, 'it was one batch');

    assert.deepEqual(
      all.map((outcome) => neutral(outcome, together)),
      one.map((outcome) => neutral(outcome, alone)),
    );
    const kinds = new Set(one.map(kindOf));
    assert.deepEqual(
      [...kinds].sort(),
      [
        ...['credited', 'credited replayed', 'granted', 'granted replayed'],
        ...['ordered activate', 'ordered change', 'ordered renew', 'ordered activate replayed'],
        ...['customer_not_yours', 'idempotency_conflict', 'insufficient_credit', 'invalid_package'],
        ...['order_failed', 'order_not_found', 'package_unavailable'],
      ].sort(),
      'the list touches every kind of outcome',
    );
    const rows = (account: TestAccount) =>
      Promise.all(
        ['customers', 'orders', 'ledger'].map(async (list) => {
          const answer = await service.admin.get(`/api/admin/v1/accounts/${account.id}/${list}?limit=100`);
          return JSON.parse(withoutAccount(answer.text, account));
        }),
      );
    assert.deepEqual(await rows(together), await rows(alone), 'what is stored is the same as well');
  });

  test('top-ups and trial grants in parallel with orders wait in the same lane and all add up', async () => {
    const reseller = await service.createReseller({ credit: '10.00' });
    const admin = `/api/admin/v1/accounts/${reseller.id}`;
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => [
        order(service, reseller, `mixed-${index}`, `mixed-${index}`),
        service.admin.post(`${admin}/credit`, { amount: '10.00', idempotency_key: `top-up-${index}` }),
        service.admin.post(`${admin}/credit`, { amount: '10.00', idempotency_key: `top-up-${index}` }),
        service.admin.post(`${admin}/trials`, {
          package_id: service.packages.trial,
          customer: `granted-${index}`,
        }),
      ]).flat(),
    );
    const found = statuses(answers);
    assert.equal(Object.keys(found).filter((status) => status !== '201' && status !== '402').length, 0);
    const placed = answers.filter(({ body }) => body.order !== undefined).length;
    const { body } = await service.admin.get(admin);
    assert.equal(body.account.balance, `${10 + 300 - 10 * placed}.00`, 'every top-up counted once');
    assert.equal(body.account.customer_count, 30 + placed);
    const replayed = answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true');
    assert.equal(replayed.length, 30);
  });

  test('a database without the last change of a package, as a standby that was promoted, says what orders cost', async () => {
    const reseller = await service.createReseller({ credit: '100.00' });
    const id = await createPackage(service, 'Promoted', ['2.00', '5.00', '20.00']);
    const versionNow = async () =>
      Number((await sql(service, 'select packages_version as version from service_state'))[0]?.['version']);
    const pricedAt = async (key: string) => {
      const { status, body } = await reseller.post('/orders', {
        package_id: id,
        customer: key,
        idempotency_key: key,
      });
      assert.equal(status, 201, JSON.stringify(body));
      return body.order.price;
    };
    const before = await versionNow();
    await changePackage(service, id, { prices: { reseller: { monthly: '3.00' } } });
    const lost = await versionNow();
    assert.ok(lost > before);
    assert.equal(await pricedAt('before-failover'), '3.00');

    await sql(service, 'update package_prices set price_cents = 200 where package_id = $1 and months = 1', [
      id,
    ]);
    await sql(service, 'update service_state set packages_version = $1', [before]);
    assert.equal(await pricedAt('after-failover'), '2.00');
    const listed = (await reseller.get('/packages')).body.data.find((one: { id: number }) => one.id === id);
    assert.equal(listed.price, '2.00');

    // The next change gets a version number that was never used.
    await sql(service, 'update service_state set packages_version = 1');
    await changePackage(service, id, { prices: { reseller: { monthly: '4.00' } } });
    assert.ok((await versionNow()) > 86_400 * 365, 'it follows the clock');
    assert.equal(await pricedAt('changed-again'), '4.00');
    // Restore the lost version, because the audit log still names it.
    await sql(service, 'update service_state set packages_version = greatest(packages_version, $1)', [lost]);
  });

  test('of two accounts that claim one new customer in parallel one wins, and nothing deadlocks', async (context) => {
    // Neighboring ids: with two lanes, an odd and an even id are in different lanes.
    const [first, second] = [
      await service.createReseller({ credit: '9000.00' }),
      await service.createReseller({ credit: '9000.00' }),
    ];
    assert.notEqual(first.id % 2, second.id % 2);
    await Promise.all([warm(first), warm(second)]);
    const won = new Map([first, second].map((account) => [account, 0]));
    for (let round = 0; round < 25; round += 1) {
      const references = Array.from({ length: 8 }, (_, index) => `claim-${round}-${index}`);
      const claims = [
        ...references.map((reference) => ({ account: first, reference })),
        ...references.toReversed().map((reference) => ({ account: second, reference })),
      ];
      const answers = await Promise.all(
        claims.map(async ({ account, reference }) => ({
          account,
          reference,
          answer: await order(service, account, reference, `${reference}-key`),
        })),
      );
      for (const reference of references) {
        const both = answers.filter((one) => one.reference === reference);
        const [loser, winner] = both.toSorted((a, b) => b.answer.status - a.answer.status);
        assert.deepEqual([winner?.answer.status, loser?.answer.status], [201, 409], loser?.answer.text);
        assert.equal(loser?.answer.body.error.code, 'customer_not_yours');
        if (winner !== undefined) won.set(winner.account, (won.get(winner.account) ?? 0) + 1);
      }
    }
    context.diagnostic(`claims won: ${[...won.values()].join(' and ')}`);
    for (const [account, count] of won) {
      const { body } = await account.get('/customers');
      assert.equal(body.total, count);
      assert.equal((await account.get('/balance')).body.balance, `${9000 - 10 * count}.00`);
    }
  });
});

// The embedded database has one session, so claims always come one after the other.
test('of two claims that both found the customer free, the later is decided again', {
  skip: !isPostgres,
}, async () => {
  let loading = 0;
  let bothLoaded = Promise.withResolvers<void>();
  const service = await startTestService({
    limits: { database: { orderConnections: 2 } },
    wrapDatabase: watchedTransactions(async (send, { name }) => {
      const rows = await send();
      if (name === 'load_customers' && loading < 2) {
        loading += 1;
        if (loading === 2) bothLoaded.resolve();
        await bothLoaded.promise;
      }
      return rows;
    }),
  });
  try {
    const accounts = [
      await service.createReseller({ credit: '100.00' }),
      await service.createReseller({ credit: '100.00' }),
    ];
    for (let round = 0; round < 3; round += 1) {
      loading = 0;
      bothLoaded = Promise.withResolvers<void>();
      const answers = await Promise.all(
        accounts.map((account) => order(service, account, `free-${round}`, `free-${round}`)),
      );
      assert.deepEqual(statuses(answers), { 201: 1, 409: 1 });
    }
  } finally {
    await service.close();
  }
});

test('an order waits while packages keep changing, and is answered 503 once it has waited too long', async () => {
  const waitMilliseconds = 300_000;
  let changes = 0;
  let isLate = false;
  const service = await startTestService({
    limits: { engine: { waitMilliseconds } },
    wrapDatabase: watchedTransactions(async (send, { name }) => {
      const rows = await send();
      if (name !== 'load_customers' || changes === 0) return rows;
      changes -= 1;
      if (isLate) service.clock.monotonic = () => performance.now() + waitMilliseconds;
      return rows.map((row) => ({ ...row, packages_version: -1 }));
    }),
  });
  try {
    const reseller = await service.createReseller({ credit: '100.00' });
    changes = 20;
    assert.equal((await order(service, reseller, 'changing', 'changing')).status, 201);
    assert.equal(changes, 0);
    isLate = true;
    changes = Number.POSITIVE_INFINITY;
    const refused = await order(service, reseller, 'late', 'late');
    assert.equal(refused.status, 503, refused.text);
    changes = 0;
    assert.equal((await order(service, reseller, 'late', 'late')).status, 201);
    assert.equal((await reseller.get('/balance')).body.balance, '80.00');
  } finally {
    await service.close();
  }
});

describe('a batch that one order breaks', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
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
  });
  after(() => service.close());

  test('is answered 500 for that order alone, and the others of the batch succeed', async () => {
    const reseller = await service.createReseller({ credit: '1000.00' });
    const neighbor = await service.createReseller({ credit: '1000.00' });
    const sameLane = await inLaneOf(service, reseller);
    await Promise.all([reseller, neighbor, sameLane].map(warm));
    const brokenBefore = await metric(service, 'sellthrough_batches_broken_total');
    const release = await holdAccount(service, reseller);
    const first = order(service, reseller, 'before', 'before');
    await queueReaches(service, 1);
    const keys = Array.from({ length: 12 }, (_, index) => (index === 5 ? 'poison-5' : `fine-${index}`));
    const answers = keys.map((key) => order(service, reseller, `customer-${key}`, key));
    const beside = [1, 2, 3].map((index) => order(service, sameLane, `beside-${index}`, `beside-${index}`));
    await queueReaches(service, 16);
    await release();

    assert.equal((await first).status, 201);
    assert.deepEqual(statuses(await Promise.all(beside)), { 201: 3 }, 'another account of the lane');
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      if (index !== 5) {
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.headers.get('idempotent-replayed'), null, 'it is the first answer');
        continue;
      }
      assert.equal(answer.status, 500, answer.text);
      assert.equal(answer.body.error.code, 'internal_error');
      assert.doesNotMatch(answer.text, /poison|trigger|refuse/, 'nothing of the inside is shown');
    }
    assert.equal((await reseller.get('/balance')).body.balance, '880.00', '12 of 13 were charged');
    assert.equal((await reseller.get('/orders')).body.total, 12);
    assert.equal(
      (await metric(service, 'sellthrough_batches_broken_total')) - brokenBefore,
      2,
      'the batch, and the order alone',
    );
    assert.equal((await order(service, neighbor, 'next-door', 'next-door')).status, 201);
  });

  test('leaves nothing behind: the same customer and key succeed once the data is mended', async () => {
    const reseller = await service.createReseller({ credit: '100.00' });
    const refused = await order(service, reseller, 'mended', 'poison-mended');
    assert.equal(refused.status, 500);
    assert.equal((await reseller.get('/customers')).body.total, 0);
    await sqlOfAll(service, 'alter table orders disable trigger poison');
    const placed = await order(service, reseller, 'mended', 'poison-mended');
    await sqlOfAll(service, 'alter table orders enable trigger poison');
    assert.equal(placed.status, 201);
    assert.equal(placed.headers.get('idempotent-replayed'), null);
    assert.equal(placed.body.balance, '90.00');
  });
});

describe('more orders than the service can take', () => {
  const queueDepthMax = 5;
  const batchOrdersMax = 16;
  let service: TestService;
  before(async () => {
    service = await startTestService({ limits: { engine: { queueDepthMax } } });
  });
  after(() => service.close());

  test('are answered 503 with Retry-After, charge nothing, and succeed when they come again', async (context) => {
    const reseller = await service.createReseller({ credit: '1000.00' });
    await warm(reseller);
    const release = await holdAccount(service, reseller);
    context.after(release);
    const keys = Array.from({ length: 12 }, (_, index) => `crowd-${index}`);
    const answered: Answer[] = [];
    const all = keys.map(async (key) => {
      const answer = await order(service, reseller, key, key);
      answered.push(answer);
      return answer;
    });
    while (answered.length < keys.length - queueDepthMax) {
      assert.ok(service.service.engine.queueDepth() <= queueDepthMax, 'more orders wait than may');
      await nextTurn();
    }
    for (const answer of answered) {
      assert.equal(answer.status, 503, answer.text);
      assert.equal(answer.body.error.code, 'service_unavailable');
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    assert.equal(service.service.engine.queueDepth(), queueDepthMax);
    assert.equal(await metric(service, 'sellthrough_queue_depth'), queueDepthMax);
    await release();
    const answers = await Promise.all(all);
    assert.deepEqual(statuses(answers), { 201: queueDepthMax, 503: keys.length - queueDepthMax });
    assert.equal((await reseller.get('/balance')).body.balance, '950.00');

    for (const [index, key] of keys.entries()) {
      const again = await order(service, reseller, key, key);
      assert.equal(again.status, 201);
      const wasPlaced = answers[index]?.status === 201;
      assert.equal(again.headers.get('idempotent-replayed'), wasPlaced ? 'true' : null);
    }
    assert.equal((await reseller.get('/balance')).body.balance, '880.00', 'each was charged once');
    assert.equal(service.service.engine.queueDepth(), 0);
    assert.equal(service.service.engine.batchesInFlight(), 0);
  });

  test('never form a batch beyond batchOrdersMax', async () => {
    const small = await startTestService({ limits: { engine: { batchOrdersMax } } });
    try {
      const reseller = await small.createReseller({ credit: '1000.00' });
      const earlier = await batchSizes(small);
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          submit(
            small,
            placeOrder(reseller, {
              customerReference: `slice-${index}`,
              idempotencyKey: `slice-${index}`,
              packageId: small.packages.basic,
            }),
          ),
        ),
      );
      const numbers = outcomes.map((outcome) => (outcome.type === 'ordered' ? outcome.order.number : 0));
      assert.deepEqual(
        numbers,
        Array.from({ length: 100 }, (_, index) => index + 1),
        'in arrival order',
      );
      const now = await batchSizes(small);
      assert.equal(now.count - earlier.count, Math.ceil(100 / batchOrdersMax));
      assert.equal(now.sum - earlier.sum, 100);
      assert.equal(now.upTo(batchOrdersMax), now.count, 'no batch is larger');
    } finally {
      await small.close();
    }
  });
});

describe('a batch that is durable while others wait', () => {
  const placed = 50;

  test('is answered once the next batch has left, and before the engine is drained', async () => {
    const events: string[] = [];
    let afterCommit = () => {};
    const service = await startTestService({
      wrapDatabase: (database) => ({
        ...database,
        async transaction(work, options) {
          if (options?.rank === 'orders') events.push('begin');
          const result = await database.transaction(work, options);
          if (options?.rank === 'orders') afterCommit();
          return result;
        },
      }),
    });
    try {
      const account = await service.createReseller({ credit: '1000.00' });
      const submitOne = async (name: string) => {
        const packageId = service.packages.basic;
        const idempotencyKey = name.replaceAll(' ', '-');
        const customerReference = `told-${idempotencyKey}`;
        const command = placeOrder(account, { packageId, customerReference, idempotencyKey });
        const outcome = await submit(service, command);
        events.push(outcome.type);
      };
      events.length = 0;
      const answers: Promise<void>[] = [];
      afterCommit = () => {
        afterCommit = () => {};
        answers.push(submitOne('the next'));
      };
      answers.push(...Array.from({ length: placed }, (_, index) => submitOne(String(index))));
      while (!events.includes('ordered')) await nextTurn();
      await service.service.engine.drain();
      events.push('drained');
      await Promise.all(answers);
      const emitted = Array.from({ length: placed + 1 }, () => 'ordered');
      assert.deepEqual(events, ['begin', 'begin', ...emitted, 'drained']);
    } finally {
      await service.close();
    }
  });
});

describe('a batch whose COMMIT was not answered', () => {
  /** All of the steps reach the real database. */
  interface Step {
    readonly isHeard: boolean;
    /** Runs once the transaction is durable. */
    readonly meanwhile?: () => Promise<unknown>;
  }
  const steps: Step[] = [];
  let service: TestService;
  before(async () => {
    service = await startTestService({
      wrapDatabase: (database) => ({
        ...database,
        async transaction(work, options) {
          const result = await database.transaction(work, options);
          const step = options?.rank === 'orders' ? steps.shift() : undefined;
          await step?.meanwhile?.();
          if (step?.isHeard === false) throw new DatabaseUnavailable('The connection was cut.');
          return result;
        },
      }),
    });
  });
  after(() => service.close());

  const orderOnce = async (
    sentKey: string | null,
    meanwhile?: (account: TestAccount) => Promise<unknown>,
  ) => {
    const reseller = await service.createReseller({ credit: '100.00' });
    steps.push({ isHeard: false, ...(meanwhile && { meanwhile: () => meanwhile(reseller) }) });
    const answer = await order(service, reseller, `unheard-by-${reseller.id}`, sentKey);
    assert.deepEqual(steps, []);
    const { body } = await service.admin.get(`/api/admin/v1/accounts/${reseller.id}`);
    assert.deepEqual([body.account.order_count, body.account.balance], [1, '90.00'], 'it stands, once');
    return answer;
  };

  for (const sentKey of ['sent-key', null]) {
    const by = sentKey === null ? 'its minted key' : "the client's key";
    test(`is found by ${by} and answered as what it is: the first answer`, async () => {
      const answer = await orderOnce(sentKey);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
      assert.equal(answer.body.balance, '90.00');
    });

    test(`is found by ${by} also when the account's rights moved meanwhile`, async () => {
      const answer = await orderOnce(sentKey, ({ id }) =>
        changeAccount(service.database, id, { allowedIps: ['127.0.0.0/8'] }, actor()),
      );
      assert.equal(answer.status, 201, `it stands, but the answer is ${answer.text}`);
      assert.equal(answer.headers.get('idempotent-replayed'), null, 'to its caller it is the first answer');
    });
  }

  test('answers its caller also when the account was blocked meanwhile', async () => {
    const answer = await orderOnce('sent-key', ({ id }) =>
      changeAccount(service.database, id, { blocked: true }, actor()),
    );
    assert.equal(answer.status, 201, `it stands, but the answer is ${answer.text}`);
  });

  const actor = () => ({ actorId: service.admin.id, now: service.clock.seconds });
});

function order(
  { packages }: TestService,
  account: TestAccount,
  customer: string,
  key: string | null,
): Promise<Answer> {
  const headers = key === null ? {} : { 'idempotency-key': key };
  return account.post('/orders', { package_id: packages.basic, customer }, headers);
}

function submit({ service }: TestService, command: OrderCommand): Promise<OrderOutcome> {
  return service.engine.submit(command);
}

/** A new account's access_version is 1. */
function caller({ id }: TestAccount) {
  return { accountId: id, accessVersion: 1 };
}

function placeOrder(
  account: TestAccount,
  part: Pick<PlaceOrder, 'customerReference' | 'idempotencyKey' | 'packageId'> & Partial<PlaceOrder>,
): PlaceOrder {
  return {
    type: 'place',
    ...caller(account),
    keyIsMinted: false,
    customerName: null,
    months: 1,
    maxChargeCents: null,
    loginLink: null,
    ...part,
  };
}

async function warm(account: TestAccount): Promise<void> {
  assert.equal((await account.get('/packages')).status, 200);
}

function sql(
  { database }: TestService,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.query({ name: '', text }, values);
}

async function inLaneOf(service: TestService, { id }: TestAccount): Promise<TestAccount> {
  const lanes = service.database.orderSessions * service.database.accountGroups().length;
  let other: TestAccount;
  do other = await service.createReseller({ credit: '1000.00' });
  while (other.id % lanes !== id % lanes);
  return other;
}

function statuses(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function metricLines({ address }: TestService): Promise<string[]> {
  return (await (await fetch(`${address}/metrics`)).text()).split('\n');
}

async function metric(service: TestService, name: string): Promise<number> {
  const line = (await metricLines(service)).find((one) => one.startsWith(`${name} `));
  assert.ok(line !== undefined, `/metrics has ${name}`);
  return Number(line.slice(name.length + 1));
}

async function batchSizes(service: TestService) {
  const lines = await metricLines(service);
  const value = (name: string) => {
    const line = lines.find((one) => one.startsWith(`sellthrough_batch_orders_${name} `));
    assert.ok(line !== undefined, `/metrics has sellthrough_batch_orders_${name}`);
    return Number(line.split(' ').at(-1));
  };
  return {
    count: value('count'),
    sum: value('sum'),
    upTo: (size: number) => value(`bucket{le="${size}"}`),
  };
}

/** Leaves out what differs between two accounts. */
function neutral(outcome: OrderOutcome, account: TestAccount): unknown {
  const text = JSON.stringify(outcome, (name, value) => {
    if (name === 'accountId' || name === 'fingerprint') return undefined;
    return typeof value === 'bigint' ? `${value} cents` : value;
  });
  return JSON.parse(withoutAccount(text, account));
}

/** Removes the account's id, with which public ids begin and the test's references end. */
function withoutAccount(text: string, { id }: TestAccount): string {
  return text.replaceAll(`-of-${id}`, '').replaceAll(new RegExp(`\\b${id}(\\d{9})\\b`, 'g'), '7$1');
}

function kindOf(outcome: OrderOutcome): string {
  if (outcome.type === 'refused') return outcome.refusal.code;
  const replayed = 'replayed' in outcome && outcome.replayed ? ' replayed' : '';
  return `${outcome.type}${outcome.type === 'ordered' ? ` ${outcome.order.kind}` : ''}${replayed}`;
}
