// The stand-in for Stripe as an API: keys, idempotency, errors, lists, events, faults, and its control over HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { clientOf, openCheckout, pay, refusalOf, useStandIn } from '../harness/stand-in-scene.ts';

const scene = useStandIn();

describe('a key', () => {
  test('of the test mode is taken as Bearer and as Basic', async () => {
    const { standIn, stripe } = scene;
    assert.equal((await stripe.balance.retrieve()).object, 'balance');
    assert.equal((await stripe.accounts.retrieveCurrent()).object, 'account');
    const basic = `Basic ${Buffer.from('sk_test_basic:').toString('base64')}`;
    const answered = await fetch(`${standIn.url}/v1/balance`, { headers: { authorization: basic } });
    assert.equal(answered.status, 200);
    assert.match(answered.headers.get('request-id') ?? '', /^req_/);
  });

  for (const [title, key] of [
    ['a live one', 'sk_live_abc'],
    ['an empty one', ''],
  ] as const) {
    test(`${title} is a 401`, async () => {
      const headers = { authorization: `Bearer ${key}` };
      const answered = await fetch(`${scene.standIn.url}/v1/balance`, { headers });
      assert.equal(answered.status, 401);
      assert.equal((await answered.json()).error.type, 'invalid_request_error');
    });
  }

  test('that was withdrawn is a 401', async () => {
    const { standIn, stripe } = scene;
    standIn.control.setApiKeys(['sk_test_new']);
    assert.ok(
      (await refusalOf(stripe.balance.retrieve())) instanceof Stripe.errors.StripeAuthenticationError,
    );
    standIn.control.setApiKeys(null);
    assert.equal((await stripe.balance.retrieve()).object, 'balance');
  });

  test('another API version is refused, so that a test notices the drift', async () => {
    const refusal = await refusalOf(scene.stripe.balance.retrieve({}, { apiVersion: '2020-08-27' }));
    assert.match(refusal.message, /2020-08-27/);
  });
});

describe('an idempotency key', () => {
  test('answers a repetition as the first time and acts once', async () => {
    const { stripe } = scene;
    const { id } = await pay(scene);
    const refund = () =>
      stripe.refunds.create({ payment_intent: id, amount: 100 }, { idempotencyKey: `refund ${id}` });
    const [first, second] = [await refund(), await refund()];
    assert.equal(second.id, first.id);
    assert.deepEqual(
      [first, second].map(({ lastResponse }) => lastResponse.headers['idempotent-replayed']),
      [undefined, 'true'],
    );
    assert.notEqual(first.lastResponse.requestId, second.lastResponse.requestId);
    assert.equal((await stripe.refunds.list({ payment_intent: id })).data.length, 1);
  });

  test('with other parameters is an idempotency error', async () => {
    const { stripe } = scene;
    const key = { idempotencyKey: 'one key, two customers' };
    await stripe.customers.create({ email: 'a@example.com' }, key);
    const refusal = await refusalOf(stripe.customers.create({ email: 'b@example.com' }, key));
    assert.ok(refusal instanceof Stripe.errors.StripeIdempotencyError);
    assert.equal(refusal.statusCode, 400);
  });

  test('of a refused request may be used again, and of any request after a day', async () => {
    const { stripe, standIn } = scene;
    const key = { idempotencyKey: 'mended' };
    await refusalOf(stripe.refunds.create({ payment_intent: 'pi_unknown' }, key));
    const first = await stripe.customers.create({ email: 'c@example.com' }, key);
    standIn.control.setClockOffset(86_400);
    const next = await stripe.customers.create({ email: 'c@example.com' }, key);
    standIn.control.setClockOffset(0);
    assert.notEqual(next.id, first.id);
  });

  test('replays a declined card', async () => {
    const { stripe } = scene;
    const { id: customer } = await stripe.customers.create();
    const { id: method } = await stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer });
    const charge = () =>
      stripe.paymentIntents.create(
        { amount: 500, currency: 'eur', customer, payment_method: method, confirm: true, off_session: true },
        { idempotencyKey: `charge ${customer}` },
      );
    const [first, second] = [await refusalOf(charge()), await refusalOf(charge())];
    assert.deepEqual([first.code, second.code], ['card_declined', 'card_declined']);
    assert.equal(second.payment_intent?.id, first.payment_intent?.id);
  });
});

describe('a mistake', () => {
  const item = (price: object) =>
    [{ price_data: price, quantity: 1 }] as Stripe.Checkout.SessionCreateParams.LineItem[];
  const product = { product_data: { name: 'Top-up' } };
  const mistakes: readonly (readonly [
    title: string,
    request: (stripe: Stripe) => Promise<unknown>,
    status: number,
    code: string | undefined,
    param: string | undefined,
  ])[] = [
    ['an unknown object', (stripe) => stripe.refunds.retrieve('re_x'), 404, 'resource_missing', 'id'],
    [
      'an unknown object in a parameter',
      (stripe) => stripe.paymentIntents.create({ amount: 500, currency: 'eur', customer: 'cus_x' }),
      ...([400, 'resource_missing', 'customer'] as const),
    ],
    [
      'a missing parameter',
      (stripe) => openCheckout(stripe, 500, { line_items: item({ currency: 'eur', ...product }) }),
      ...([400, 'parameter_missing', 'line_items[0][price_data][unit_amount]'] as const),
    ],
    [
      'an unknown parameter',
      (stripe) => stripe.customers.create({ nick: 'x' } as Stripe.CustomerCreateParams),
      ...([400, 'parameter_unknown', 'nick'] as const),
    ],
    [
      'an amount with a fraction',
      (stripe) =>
        openCheckout(stripe, 500, { line_items: item({ currency: 'eur', unit_amount: 12.5, ...product }) }),
      ...([400, 'parameter_invalid_integer', 'line_items[0][price_data][unit_amount]'] as const),
    ],
    ['an amount below the minimum', (stripe) => openCheckout(stripe, 49), 400, 'amount_too_small', undefined],
    ['an amount of zero', (stripe) => openCheckout(stripe, 0), 400, 'parameter_invalid_integer', undefined],
    [
      'an amount beyond the limit',
      (stripe) => openCheckout(stripe, 100_000_000),
      400,
      'amount_too_large',
      undefined,
    ],
    [
      'an expiry that is too early',
      (stripe) => openCheckout(stripe, 500, { expires_at: Math.floor(Date.now() / 1000) + 60 }),
      ...([400, undefined, 'expires_at'] as const),
    ],
    [
      'a setup without a currency',
      (stripe) => stripe.checkout.sessions.create({ mode: 'setup', success_url: 'https://shop.example' }),
      ...([400, 'parameter_missing', 'currency'] as const),
    ],
    [
      'a page of 101',
      (stripe) => stripe.events.list({ limit: 101 }),
      400,
      'parameter_invalid_integer',
      'limit',
    ],
    [
      'an expansion of nothing',
      (stripe) => stripe.balance.retrieve({ expand: ['owner'] }),
      ...([400, undefined, 'expand'] as const),
    ],
    ['an unknown address', (stripe) => stripe.plans.list(), 404, undefined, undefined],
  ];
  for (const [title, request, status, code, param] of mistakes) {
    test(`${title} is refused as Stripe does, and leaves no event`, async () => {
      const { stripe } = scene;
      const [newest] = (await stripe.events.list({ limit: 1 })).data;
      const refusal = await refusalOf(request(stripe));
      assert.ok(refusal instanceof Stripe.errors.StripeInvalidRequestError);
      assert.deepEqual([refusal.statusCode, refusal.code], [status, code]);
      if (param !== undefined) assert.equal(refusal.param, param);
      assert.match(refusal.requestId ?? '', /^req_/);
      assert.equal((await stripe.events.list({ limit: 1 })).data[0]?.id, newest?.id);
    });
  }
});

describe('the events', () => {
  test('are listed newest first, in pages in both directions, and by type', async () => {
    const { stripe } = scene;
    const made: string[] = [];
    for (const email of ['1@example.com', '2@example.com', '3@example.com', '4@example.com', '5@example.com'])
      made.unshift((await stripe.customers.create({ email })).id);
    const page = async (params: Stripe.EventListParams) => {
      const { data, has_more } = await stripe.events.list({ type: 'customer.created', ...params });
      const ids = data.map((event) => (event.data.object as Stripe.Customer).id);
      return { ids, has_more, first: data[0]?.id ?? '', last: data.at(-1)?.id ?? '' };
    };
    const first = await page({ limit: 2 });
    const second = await page({ limit: 2, starting_after: first.last });
    assert.deepEqual([...first.ids, ...second.ids], made.slice(0, 4));
    assert.ok(first.has_more && second.has_more);
    const back = await page({ limit: 1, ending_before: second.last });
    assert.deepEqual([back.ids, back.has_more], [[made[2]], true], 'the nearest newer one');
    const none = await page({ ending_before: first.first });
    assert.deepEqual([none.ids, none.has_more], [[], false]);
    const payment = await pay(scene);
    const { data } = await stripe.events.list({ types: ['payment_intent.succeeded', 'charge.*'], limit: 2 });
    assert.deepEqual(
      data.map(({ type }) => type),
      ['payment_intent.succeeded', 'charge.succeeded'],
    );
    assert.equal((data[0]?.data.object as Stripe.PaymentIntent | undefined)?.id, payment.id);
    assert.equal((await refusalOf(page({ starting_after: 'evt_x' }))).code, 'resource_missing');
  });

  test('are listed by time, for thirty days', async () => {
    const { stripe, standIn } = scene;
    const day = 86_400;
    standIn.control.setClockOffset(100 * day);
    const early = await stripe.customers.create();
    standIn.control.setClockOffset(129 * day);
    const late = await stripe.customers.create();
    const ids = async (created?: Stripe.RangeQueryParam) =>
      (await stripe.events.list({ type: 'customer.created', ...(created && { created }) })).data
        .map(({ data }) => (data.object as Stripe.Customer).id)
        .filter((id) => id === early.id || id === late.id);
    assert.deepEqual(await ids({ gte: early.created }), [late.id, early.id]);
    assert.deepEqual(await ids({ gt: early.created }), [late.id]);
    assert.deepEqual(await ids({ lt: late.created }), [early.id]);
    standIn.control.setClockOffset(131 * day);
    assert.deepEqual(await ids(), [late.id]);
    standIn.control.setClockOffset(0);
  });

  test('name the request and the key that caused them, and show the object as it was then', async () => {
    const { stripe, standIn } = scene;
    const session = await openCheckout(stripe);
    standIn.control.press(session.id, 'pay_later');
    standIn.control.settle(session.id, 'succeeds');
    const { data } = await stripe.events.list({ types: ['checkout.session.*'], limit: 2 });
    const statuses = data.map((event) => (event.data.object as Stripe.Checkout.Session).payment_status);
    assert.deepEqual(statuses, ['paid', 'unpaid']);
    assert.deepEqual(data[0]?.request, { id: null, idempotency_key: null });
    const customer = await stripe.customers.create({}, { idempotencyKey: 'who caused it' });
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    assert.deepEqual(event?.request, {
      id: customer.lastResponse.requestId,
      idempotency_key: 'who caused it',
    });
  });
});

describe('a fault', () => {
  test('answers some requests with 500 or 429 and then no more', async () => {
    const { stripe, standIn } = scene;
    standIn.control.setFault({ answer: 500, requests: 2, only: 'POST /v1/customers' });
    assert.equal((await stripe.balance.retrieve()).object, 'balance');
    for (let request = 1; request <= 2; request += 1)
      assert.ok((await refusalOf(stripe.customers.create())) instanceof Stripe.errors.StripeAPIError);
    assert.equal((await stripe.customers.create()).object, 'customer');
    standIn.control.setFault({ answer: 429 });
    assert.ok((await refusalOf(stripe.balance.retrieve())) instanceof Stripe.errors.StripeRateLimitError);
    assert.equal((await stripe.balance.retrieve()).object, 'balance');
  });

  test('after the effect loses the answer only: a repetition with the key finds it', async () => {
    const { stripe, standIn } = scene;
    const { id } = await pay(scene);
    const retrying = clientOf(standIn, { maxNetworkRetries: 1 });
    standIn.control.setFault({ answer: 500, afterEffect: true });
    const refund = await retrying.refunds.create({ payment_intent: id, amount: 300 });
    assert.equal(refund.lastResponse.headers['idempotent-replayed'], 'true');
    assert.deepEqual(
      (await stripe.refunds.list({ payment_intent: id })).data.map((each) => each.id),
      [refund.id],
    );
  });

  test('of silence accepts the request and never answers', async () => {
    const { standIn } = scene;
    standIn.control.setFault({ answer: 'silence' });
    const refusal = await refusalOf(clientOf(standIn, { timeout: 50 }).balance.retrieve());
    assert.ok(refusal instanceof Stripe.errors.StripeConnectionError);
  });
});

test('wrong amounts and currencies are shown where asked, and the truth again afterwards', async () => {
  const { stripe, standIn } = scene;
  const { id } = await openCheckout(stripe);
  standIn.control.falsify({ in: 'both', amount: 1, currency: 'usd' });
  standIn.control.press(id, 'pay');
  const wrong = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
  const intent = wrong.payment_intent as Stripe.PaymentIntent;
  assert.deepEqual([wrong.amount_total, wrong.currency], [1, 'usd']);
  assert.deepEqual([intent.amount_received, intent.currency], [1, 'usd']);
  standIn.control.falsify(null);
  const right = await stripe.checkout.sessions.retrieve(id);
  assert.deepEqual([right.amount_total, right.currency], [2_500, 'eur']);
  const [event] = (await stripe.events.list({ type: 'checkout.session.completed', limit: 1 })).data;
  assert.equal((event?.data.object as Stripe.Checkout.Session | undefined)?.amount_total, 1);
});

describe('the control over HTTP', () => {
  const command = (name: string, body: object, type = 'application/json') =>
    fetch(`${scene.standIn.url}/stand-in/${name}`, {
      ...{ method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) },
    });

  test('does what the control in the process does', async () => {
    const { stripe } = scene;
    const { id } = await openCheckout(stripe);
    assert.equal((await command('press', { session: id, button: 'pay' })).status, 200);
    const dispute = await (await command('dispute', { payment: id, amount: 900, inquiry: true })).json();
    assert.deepEqual([dispute.amount, dispute.status], [900, 'warning_needs_response']);
    await command('move-dispute', { dispute: dispute.id, move: 'close_inquiry' });
    const refund = await (await command('refund', { payment: id, amount: 800 })).json();
    await command('settle-refund', { refund: refund.id, status: 'failed' });
    assert.equal((await stripe.refunds.retrieve(refund.id)).status, 'failed');
    await command('fault', { answer: 429 });
    assert.equal((await refusalOf(stripe.balance.retrieve())).statusCode, 429);
    await command('clock', { offset_seconds: 3_600 });
    const { created } = await stripe.customers.create();
    await command('clock', { offset_seconds: 0 });
    assert.ok(created > Date.now() / 1000 + 3_000);
  });

  test('takes only JSON, which pages of the web cannot send, and says what is wrong', async () => {
    assert.equal((await command('clock', { offset_seconds: 1 }, 'text/plain')).status, 415);
    const unknown = await command('dance', {});
    assert.match((await unknown.json()).error.message, /no command dance/);
    const answers = [
      unknown,
      await command('press', { session: 'cs_test_x', button: 'pay' }),
      await command('press', { button: 'pay' }),
      await command('fault', { answer: 404 }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 404, 400, 400],
    );
  });
});

test('the program of the stand-in says where it listens and ends with a signal', async () => {
  const file = fileURLToPath(new URL('../../src/stand-in-stripe/run-stand-in.ts', import.meta.url));
  const child = spawn(process.execPath, [file, '--port', '0', '--shop', 'Nordlicht'], { stdio: 'pipe' });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stderr), 'line');
  const address = /http:\/\/[\d.:]+\d/.exec(String(line))?.[0];
  const headers = { authorization: 'Bearer sk_test_program' };
  assert.equal((await fetch(`${address}/v1/balance`, { headers })).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
