// Scheduled prices: which applies in which second, in every process and without any write at that time.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { formatTime } from '../../src/shared/times.ts';
import { booksOf } from '../harness/books.ts';
import { falsify, forgetDays, verify } from '../harness/falsified-books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changePackage, createPackage, renewOrder, schedulePrices, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const day = 86_400;
const api = '/api/admin/v1/packages';

const inSeconds = (seconds: number) => formatTime(service.clock.seconds + seconds);
const reseller = (monthly: string) => ({ reseller: { monthly } });
const newPackage = (name: string) => createPackage(service, name, ['10.00', '27.00', '96.00']);
const remove = (id: number, from: string) => service.admin.send('DELETE', `${api}/${id}/prices?from=${from}`);
const listed = async (id: number) => (await service.admin.get(`${api}/${id}/prices`)).body.data;

async function shown(account: Pick<TestAccount, 'get'>, id: number): Promise<string> {
  const { data } = (await account.get('/packages')).body;
  const one = data.find((each: { id: number }) => each.id === id);
  const amounts = (prices: readonly { price: string }[]) => prices.map(({ price }) => price).join(' ');
  assert.equal(one.price, one.prices[0].price);
  const upcoming = one.upcoming.map(
    ({ from, prices }: { from: string; prices: [] }) => `, from ${from} ${amounts(prices)}`,
  );
  return amounts(one.prices) + upcoming.join('');
}

async function priceOf(account: Pick<TestAccount, 'post'>, id: number, customer: string): Promise<string> {
  const answer = await account.post('/orders', { package_id: id, customer });
  return expectStatus(answer, 201).order.price;
}

/** These numbers change with every change of packages and every audit entry. */
async function written() {
  const text = 'select packages_version, audit_count from service_state';
  return service.database.query({ name: '', text });
}

test('a price that begins between the preview and the order is not charged against the guard: nothing is', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const id = await newPackage('Rising');
  await schedulePrices(service, id, inSeconds(60), reseller('12.00'));
  const body = { package_id: id, customer: 'rising', idempotency_key: 'rising' };
  const { preview } = (await account.post('/orders/preview', body)).body;
  assert.equal(preview.charge, '10.00');

  const before = [await booksOf(service, account), await written()];
  service.clock.seconds += 59;
  assert.equal((await account.post('/orders/preview', body)).body.preview.charge, '10.00');
  service.clock.seconds += 1;
  const details = { max_charge: '10.00', charge: '12.00', currency: 'USD' };
  const guarded = { ...body, max_charge: preview.charge };
  expectRefusal(await account.post('/orders', guarded), '409 price_changed', details);
  assert.equal((await account.post('/orders/preview', body)).body.preview.charge, '12.00');
  assert.deepEqual([await booksOf(service, account), await written()], before, 'nothing was written');

  const placed = expectStatus(await account.post('/orders', { ...guarded, max_charge: '12.00' }), 201);
  assert.deepEqual([placed.order.price, placed.balance], ['12.00', '88.00']);
  service.clock.seconds += 40 * day;
  const again = await account.post('/orders', guarded);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.body.order.price, '12.00', 'a replay is the first answer');
});

test('GET /packages and the console show the prices of their second, forth and back, and no one writes anything', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const distributor = await service.createReseller({ credit: '500.00', group: 'distributor' });
  const id = await newPackage('Shown');
  const [first, second, third] = [inSeconds(100), inSeconds(200), inSeconds(300)];
  await schedulePrices(service, id, third, { distributor: { monthly: '7.00' } });
  await schedulePrices(service, id, second, { reseller: { yearly: '99.00' } });
  await schedulePrices(service, id, first, {
    reseller: { monthly: '11.00' },
    distributor: { yearly: '80.00' },
  });
  const console = async () => {
    const { prices } = (await service.admin.get(`${api}/${id}`)).body.package;
    return [prices.reseller, prices.distributor].map((one) => Object.values(one).join(' ')).join(', ');
  };

  const start = service.clock.seconds;
  const unwritten = await written();
  const days: readonly (readonly [
    seconds: number,
    toReseller: string,
    toDistributor: string,
    all: string,
  ])[] = [
    [
      0,
      `10.00 27.00 96.00, from ${first} 11.00 27.00 96.00, from ${second} 11.00 27.00 99.00`,
      `10.00 27.00 96.00, from ${first} 10.00 27.00 80.00, from ${third} 7.00 27.00 80.00`,
      '10.00 27.00 96.00, 10.00 27.00 96.00',
    ],
    [
      100,
      `11.00 27.00 96.00, from ${second} 11.00 27.00 99.00`,
      `10.00 27.00 80.00, from ${third} 7.00 27.00 80.00`,
      '11.00 27.00 96.00, 10.00 27.00 80.00',
    ],
    [
      200,
      '11.00 27.00 99.00',
      `10.00 27.00 80.00, from ${third} 7.00 27.00 80.00`,
      '11.00 27.00 99.00, 10.00 27.00 80.00',
    ],
    [300, '11.00 27.00 99.00', '7.00 27.00 80.00', '11.00 27.00 99.00, 7.00 27.00 80.00'],
  ];
  const forthAndBack = [...days, ...days.toReversed(), ...days];
  for (const [seconds, toReseller, toDistributor, all] of forthAndBack) {
    for (const second of [seconds, seconds + 99]) {
      service.clock.seconds = start + second;
      const seen = [await shown(account, id), await shown(distributor, id), await console()];
      assert.deepEqual(seen, [toReseller, toDistributor, all], `after ${second} s`);
    }
  }
  assert.deepEqual(await written(), unwritten);
  service.clock.seconds = start + 99;
  assert.equal(await priceOf(account, id, 'shown-before'), '10.00');
  service.clock.seconds = start + 100;
  assert.equal(await priceOf(account, id, 'shown-after'), '11.00');
  service.clock.seconds = start + 99;
  assert.equal(
    await priceOf(account, id, 'shown-back'),
    '10.00',
    'a clock that goes back finds the price of then',
  );
  service.clock.seconds = start + 400;
});

test('a renewal pays the price of its second, and a change gives back what was paid', async () => {
  // A month of 30 days begins here.
  service.clock.seconds = secondsOf('2026-04-01T00:00:00Z');
  const account = await service.createReseller({ credit: '500.00' });
  const id = await newPackage('Renewed');
  const first = await account.post('/orders', { package_id: id, customer: 'renewed' });
  await schedulePrices(service, id, inSeconds(15 * day), reseller('20.00'));
  const orderId = expectStatus(first, 201).order.id;
  service.clock.seconds += 15 * day;
  assert.equal((await renewOrder(account, orderId)).order.price, '20.00');
  const other = await newPackage('Other than renewed');
  const { preview } = (await account.post('/orders/preview', { package_id: other, customer: 'renewed' }))
    .body;
  // Half of the month at 10.00 and a whole month at 20.00.
  assert.equal(preview.refund, '25.00');
});

test('a change of the package’s prices holds at once over what has begun, and what comes later stays', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const id = await newPackage('Changed');
  const [first, second] = [inSeconds(100), inSeconds(200)];
  await schedulePrices(service, id, first, { reseller: { monthly: '11.00', quarterly: '30.00' } });
  await schedulePrices(service, id, second, reseller('13.00'));
  await changePackage(service, id, { prices: reseller('9.00') });
  const later = `from ${second} 13.00 30.00 96.00`;
  assert.equal(await shown(account, id), `9.00 27.00 96.00, from ${first} 11.00 30.00 96.00, ${later}`);

  service.clock.seconds += 100;
  assert.equal(await shown(account, id), `11.00 30.00 96.00, ${later}`);
  // The change comes in the second in which the scheduled price began.
  await changePackage(service, id, { prices: reseller('8.00') });
  assert.equal(await shown(account, id), `8.00 30.00 96.00, ${later}`);
  assert.equal(await priceOf(account, id, 'changed'), '8.00');
  await changePackage(service, id, { name: 'Changed again' });
  service.clock.seconds += 100;
  assert.equal(await shown(account, id), '13.00 30.00 96.00');
});

test('prices that were deleted never begin; what has begun stays in the list forever', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const id = await newPackage('Deleted');
  const [first, second] = [inSeconds(100), inSeconds(200)];
  await schedulePrices(service, id, first, reseller('11.00'));
  await schedulePrices(service, id, second, { distributor: { yearly: '5' } });
  const [latest, soonest] = await listed(id);
  const toCome = { existing_plans: 'new', begun: false };
  assert.deepEqual(latest, { from: second, prices: { distributor: { yearly: '5.00' } }, ...toCome });
  assert.deepEqual(soonest, { from: first, prices: { reseller: { monthly: '11.00' } }, ...toCome });

  const deleted = expectStatus(await remove(id, first), 200);
  assert.deepEqual(deleted, { price: soonest });
  expectRefusal(await remove(id, first), '404 price_not_found');
  service.clock.seconds += 200;
  assert.equal(await shown(account, id), '10.00 27.00 96.00');
  assert.deepEqual(await listed(id), [{ ...latest, begun: true }]);
  expectRefusal(await remove(id, second), '409 price_has_begun', { from: second });
  assert.deepEqual(await listed(id), [{ ...latest, begun: true }]);

  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=3')).body;
  const seen = data.map((entry: Record<string, unknown>) => [
    entry['action'],
    entry['before'],
    entry['after'],
  ]);
  const wanted = { from: first, prices: { reseller: { monthly: '11.00' } } };
  assert.deepEqual(seen, [
    ['package.unschedule_prices', wanted, null],
    ['package.schedule_prices', null, { from: second, prices: { distributor: { yearly: '5.00' } } }],
    ['package.schedule_prices', null, wanted],
  ]);
  assert.ok(data.every(({ subject }: { subject: string }) => subject === `package ${id}`));
});

test('the same prices for the same second again are scheduled once, however late the request comes', async () => {
  const id = await newPackage('Repeated');
  const from = inSeconds(100);
  const body = { from, prices: { reseller: { monthly: '11', yearly: '90.5' } } };
  const send = (sent: object) => service.admin.post(`${api}/${id}/prices`, sent);
  const first = expectStatus(await send(body), 201);
  assert.deepEqual(first.price.prices, { reseller: { monthly: '11.00', yearly: '90.50' } });
  const noted = (await written())[0]?.['audit_count'];
  const spelled = { from, prices: { distributor: {}, reseller: { yearly: '90.50', monthly: '11.00' } } };
  const others = await Promise.all([send(body), send(body), send(spelled)]);
  service.clock.seconds += 100;
  const late = await send(body);
  await changePackage(service, id, { retired: true });
  for (const answer of [...others, late, await send(body)]) {
    assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    const { price } = expectStatus(answer, 201);
    assert.deepEqual([price.from, price.prices], [from, first.price.prices]);
  }
  const conflict = { from, prices: { reseller: { monthly: '11.00' } } };
  expectRefusal(await send(conflict), '422 package_unavailable');
  assert.equal((await listed(id)).length, 1);
  assert.equal((await written())[0]?.['audit_count'], Number(noted) + 1, 'only the retirement was noted');
});

test('what cannot be scheduled or deleted is refused, each for its reason, and nothing is noted', async () => {
  const id = await newPackage('Refused');
  const { trial, retired } = service.packages;
  const taken = inSeconds(1_000);
  await schedulePrices(service, id, taken, reseller('11.00'));
  const fine = { from: inSeconds(50), prices: reseller('11.00') };
  const unreadable = [
    '2027-02-29T00:00:00Z',
    '2027-01-01',
    '2027-01-01T00:00:00.5Z',
    '2027-01-01T00:00:00+00:00',
    '2027-01-01T24:00:00Z',
    '20270101T000000Z',
    'tomorrow',
    '',
  ];
  const cases: readonly (readonly [what: string, id: number | string, body: object, refusal: string])[] = [
    ['now', id, { ...fine, from: inSeconds(0) }, '422 validation_failed from'],
    ['the past', id, { ...fine, from: inSeconds(-1) }, '422 validation_failed from'],
    ...unreadable.map((from) => [from, id, { ...fine, from }, '422 validation_failed from'] as const),
    ['a number', id, { ...fine, from: 1_800_000_000 }, '422 validation_failed from'],
    ['no second', id, { prices: fine.prices }, '422 validation_failed from'],
    ['no prices', id, { from: fine.from }, '422 validation_failed prices'],
    ['an empty list', id, { ...fine, prices: {} }, '422 validation_failed prices'],
    ['an empty group', id, { ...fine, prices: { reseller: {} } }, '422 validation_failed prices'],
    [
      'a group that there is not',
      id,
      { ...fine, prices: { friend: { monthly: '1' } } },
      '422 validation_failed prices',
    ],
    [
      'below zero',
      id,
      { ...fine, prices: reseller('-1.00') },
      '422 validation_failed prices.reseller.monthly',
    ],
    [
      'no amount',
      id,
      { ...fine, prices: reseller('1.001') },
      '422 validation_failed prices.reseller.monthly',
    ],
    [
      'a number as amount',
      id,
      { ...fine, prices: { reseller: { monthly: 1 } } },
      '422 validation_failed prices.reseller.monthly',
    ],
    [
      'other prices for a second that is taken',
      id,
      { ...fine, from: taken, prices: reseller('12.00') },
      '409 price_already_scheduled ',
    ],
    [
      'more of them',
      id,
      { from: taken, prices: { ...reseller('11.00'), distributor: { monthly: '1' } } },
      '409 price_already_scheduled ',
    ],
    ['a free trial', trial, fine, '422 package_unavailable '],
    ['a retired package', retired, fine, '422 package_unavailable '],
    ['an unknown package', 999_999, fine, '404 package_not_found '],
    ['no id', 'x', fine, '404 package_not_found '],
  ];
  const before = await written();
  for (const [what, of, body, wanted] of cases) {
    const answer = await service.admin.post(`${api}/${of}/prices`, body);
    const [status, code, field] = wanted.split(' ');
    expectRefusal(answer, `${status} ${code}`, undefined, what);
    if (code === 'validation_failed') assert.equal(answer.body.error.details.field, field, what);
  }
  for (const from of ['', 'x', '2027-02-29T00:00:00Z', `${taken}&from=${taken}`]) {
    expectRefusal(await remove(id, from), '422 validation_failed', undefined, from);
  }
  expectRefusal(await remove(id, inSeconds(999)), '404 price_not_found');
  expectRefusal(await remove(999_999, taken), '404 package_not_found');
  expectRefusal(await service.admin.get(`${api}/999999/prices`), '404 package_not_found');
  assert.equal((await listed(id)).length, 1);
  assert.equal((await written())[0]?.['audit_count'], before[0]?.['audit_count']);
});

test('of one package 50 prices may be still to come; those that have begun do not count', async () => {
  const id = await newPackage('Many');
  const schedule = (seconds: number) =>
    service.admin.post(`${api}/${id}/prices`, { from: inSeconds(seconds), prices: reseller(`${seconds}`) });
  const text = `insert into scheduled_prices (package_id, starts_at, group_name, months, price_cents)
    select $1::int, to_timestamp($2::bigint + second), 'reseller', 1, 100 * second from generate_series(1, 49) second`;
  await service.database.query({ name: '', text }, [id, service.clock.seconds]);
  expectStatus(await schedule(50), 201);
  const refused = await schedule(51);
  expectRefusal(refused, '422 validation_failed');
  assert.equal(refused.body.error.details.field, 'from');
  service.clock.seconds += 1;
  expectStatus(await schedule(51), 201);
  assert.equal((await listed(id)).length, 51);
  // Changes by SQL are not in the audit log.
  const left = 'delete from scheduled_prices where package_id = $1::int and price_cents < 5000';
  await service.database.query({ name: '', text: left }, [id]);
});

test('what one process schedules another sells in its second, each by its own clock', {
  skip: isPostgres ? false : 'the embedded database has one process',
}, async (context) => {
  const ahead = await service.startAnother(30);
  context.after(() => ahead.close());
  const account = await service.createReseller({ credit: '500.00' });
  const there = createApiClient(ahead.address, account.key);
  const id = await newPackage('Two processes');
  const from = inSeconds(60);
  await schedulePrices(service, id, from, reseller('12.00'));
  assert.equal(await priceOf(there, id, 'there-early'), '10.00');
  service.clock.seconds += 30;
  const prices = [await priceOf(account, id, 'here-early'), await priceOf(there, id, 'there-late')];
  assert.deepEqual(prices, ['10.00', '12.00']);
  // By one process's clock the price has yet to begin, but the other has sold at it. That breaks no rule.
  expectStatus(await remove(id, from), 200);
  assert.deepEqual(
    [await priceOf(account, id, 'here-1'), await priceOf(there, id, 'there-1')],
    ['10.00', '10.00'],
  );
  await schedulePrices(service, id, from, reseller('13.00'));
  service.clock.seconds += 30;
  assert.deepEqual(
    [await priceOf(account, id, 'here-2'), await priceOf(there, id, 'there-2')],
    ['13.00', '13.00'],
  );
  assert.equal(await shown(account, id), await shown(there, id));
});

test('the audit knows which price held when: before its second, deleted, or replaced it is not by the rules', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const id = await newPackage('Audited');
  const start = service.clock.seconds;
  await schedulePrices(service, id, inSeconds(10 * day), reseller('11.00'));
  await schedulePrices(service, id, inSeconds(20 * day), reseller('99.00'));
  await schedulePrices(service, id, inSeconds(30 * day), reseller('13.00'));
  expectStatus(await remove(id, inSeconds(20 * day)), 200);
  const prices: string[] = [];
  for (const days of [9, 11, 21, 26, 31]) {
    service.clock.seconds = start + days * day;
    if (days === 26) {
      await changePackage(service, id, { prices: reseller('12.00') });
      service.clock.seconds += 3_600;
    }
    prices.push(await priceOf(account, id, `audited-${days}`));
  }
  assert.deepEqual(prices, ['10.00', '11.00', '11.00', '12.00', '13.00']);
  service.clock.seconds += 1;
  assert.deepEqual(await verify(service), { ok: true, problems: [] });

  // Removes hashes, like orders from before there were hashes.
  await falsify(
    service,
    account,
    `update orders set row_hash = null where account_id = ${account.id};
      update accounts set order_hash = null where id = ${account.id}`,
  );
  /** Changes the order's price by this many cents, in all sums. */
  const chargeMore = (order: number, cents: number) => {
    const row = (number: number) => `where account_id = ${account.id} and number = ${number}`;
    const rest = `where account_id = ${account.id} and number >`;
    return `update orders set price_cents = price_cents + ${cents} ${row(order)};
      update orders set balance_after_cents = balance_after_cents - ${cents} ${rest}= ${order};
      update ledger_entries set amount_cents = amount_cents - ${cents} ${row(order + 1)};
      update ledger_entries set balance_after_cents = balance_after_cents - ${cents} ${rest} ${order};
      update accounts set balance_cents = balance_cents - ${cents} where id = ${account.id};
      update customers set paid_periods[3] = paid_periods[3] + ${cents} ${row(order)}; ${forgetDays(account)}`;
  };
  const wrong: readonly (readonly [what: string, order: number, cents: number])[] = [
    ['the price that has not begun', 1, 100],
    ['the price from before', 2, -100],
    ['the price that was deleted', 3, 8_800],
    ['the price that was changed', 4, -100],
    ['the price that was set before the next began', 5, -100],
  ];
  for (const [what, order, cents] of wrong) {
    await falsify(service, account, chargeMore(order, cents));
    const { problems } = await verify(service);
    assert.equal(problems.length, 1, `${what}: ${JSON.stringify(problems)}`);
    assert.equal(problems[0]?.subject, `order ${order}`, what);
    assert.match(problems[0]?.problem ?? '', /not by the rules: \d+ cents were never the price/, what);
    await falsify(service, account, chargeMore(order, -cents));
  }
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
});
