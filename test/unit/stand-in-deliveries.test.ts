// The webhooks of the stand-in for Stripe: signatures, retries, and everything that a network or an attacker may do to them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import Stripe from 'stripe';
import { openCheckout, pay, useStandIn } from '../harness/stand-in-scene.ts';
import { type ReceivedAt, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const secret = 'whsec_current';
const { webhooks } = new Stripe('sk_test_standin');

const scene = useStandIn({ retryMilliseconds: [1, 1], settleMilliseconds: 1 });
const impatient = useStandIn({ retryMilliseconds: [1, 1], timeoutMilliseconds: 50 });
let receiver: WebhookReceiver;
let endpoint: ReceivedAt;
let places = 0;
before(async () => {
  receiver = await startWebhookReceiver();
});
after(() => receiver.close());
beforeEach(async () => {
  // Each test starts with an endpoint that has received nothing.
  places += 1;
  endpoint = receiver.at(`/payments/stripe/${places}`);
  scene.standIn.control.setEndpoints([{ urls: [endpoint.url], secrets: [secret] }]);
  scene.standIn.control.configureDeliveries({
    ...{ mode: 'send', copies: 1, delayMilliseconds: 0, signatureSeconds: 0, signsWithWrongSecret: false },
  });
});

type Arrived = ReceivedAt['received'][number];

function verified({ text, headers }: Arrived, key = secret): Stripe.Event {
  return webhooks.constructEvent(text, String(headers['stripe-signature']), key);
}

const typesOf = (received: readonly Arrived[]) => received.map(({ event }) => event.type);
const settled = () => scene.standIn.control.deliveriesSettled();

/** A payment by card causes these. */
const ofPayment = [
  ...['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded', 'checkout.session.completed'],
];

describe('a delivery', () => {
  test('is signed, and is the event that the API lists', async () => {
    const payment = await pay(scene);
    await settled();
    assert.deepEqual(typesOf(endpoint.received).toSorted(), ofPayment.toSorted());
    for (const each of endpoint.received) {
      const event = verified(each);
      const listed = await scene.stripe.events.retrieve(event.id);
      assert.deepEqual(event, JSON.parse(JSON.stringify(listed)));
      assert.throws(() =>
        verified({ ...each, text: each.text.replace('succeeded', 'suceeded') }, 'whsec_other'),
      );
    }
    const [completed] = endpoint.received.filter(({ event }) => event.type === 'checkout.session.completed');
    assert.equal(completed?.event.data.object.payment_intent, payment.id);
  });

  test('is signed with both secrets while one replaces the other', async () => {
    const { control } = scene.standIn;
    control.setEndpoints([{ urls: [endpoint.url], secrets: [secret, 'whsec_next'] }]);
    await scene.stripe.customers.create();
    const [received] = await endpoint.gets(1);
    assert.ok(received);
    assert.equal(verified(received, secret).id, verified(received, 'whsec_next').id);
    assert.throws(() => verified(received, 'whsec_previous'), /signature/);
  });

  for (const [title, answer] of [
    ['refused with 500', () => 500],
    ['redirected', () => 302],
  ] as const) {
    test(`${title} comes again, signed, until the retries are used up`, async () => {
      endpoint.answer = answer;
      await scene.stripe.customers.create();
      await settled();
      assert.equal(endpoint.received.length, 3);
      assert.equal(new Set(endpoint.ids()).size, 1);
      for (const each of endpoint.received) verified(each);
      const attempts = scene.standIn.control.attempts().filter(({ url }) => url === endpoint.url);
      const status = answer();
      assert.deepEqual(
        attempts.map((each) => each.status),
        [status, status, status],
      );
    });
  }

  test('never answered counts as failed after a while', async () => {
    endpoint.answer = () => null;
    impatient.standIn.control.setEndpoints([{ urls: [endpoint.url], secrets: [secret] }]);
    await impatient.stripe.customers.create();
    await impatient.standIn.control.deliveriesSettled();
    const statuses = impatient.standIn.control.attempts().map(({ status }) => status);
    assert.deepEqual(statuses, [null, null, null]);
  });

  test('that succeeds at last is not repeated', async () => {
    endpoint.answer = () => (endpoint.received.length === 1 ? 503 : 200);
    await scene.stripe.customers.create();
    await settled();
    assert.equal(endpoint.received.length, 2);
  });

  test('goes to every endpoint, and to the addresses of one in turn', async () => {
    const [other, third] = [receiver.at('/other'), receiver.at('/third')];
    scene.standIn.control.setEndpoints([
      { urls: [endpoint.url, other.url], secrets: [secret] },
      { urls: [third.url], secrets: ['whsec_third'] },
    ]);
    scene.standIn.control.configureDeliveries({ copies: 10 });
    await scene.stripe.customers.create();
    await settled();
    assert.deepEqual(
      [endpoint, other, third].map(({ received }) => received.length),
      [5, 5, 10],
    );
    assert.equal(new Set([...endpoint.ids(), ...other.ids(), ...third.ids()]).size, 1);
    for (const each of third.received) verified(each, 'whsec_third');
  });
});

describe('the control', () => {
  test('drops deliveries, which the API lists all the same', async () => {
    scene.standIn.control.configureDeliveries({ mode: 'drop' });
    const { id } = await pay(scene);
    await settled();
    assert.deepEqual(endpoint.received, []);
    const { data } = await scene.stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 });
    assert.equal((data[0]?.data.object as Stripe.PaymentIntent | undefined)?.id, id);
  });

  for (const [title, order, expected] of [
    ['in order', 'oldest_first', ofPayment],
    ['backwards', 'newest_first', ofPayment.toReversed()],
  ] as const) {
    test(`holds deliveries and releases them ${title}`, async () => {
      const { control } = scene.standIn;
      control.configureDeliveries({ mode: 'hold' });
      await pay(scene);
      assert.deepEqual(endpoint.received, []);
      await control.release(order);
      assert.deepEqual(typesOf(endpoint.received), expected);
      await scene.stripe.customers.create();
      assert.equal((await endpoint.gets(5)).at(-1)?.event.type, 'customer.created');
    });
  }

  test('releases chosen events and goes on holding the others', async () => {
    const { control } = scene.standIn;
    control.configureDeliveries({ mode: 'hold' });
    await pay(scene);
    const { data } = await scene.stripe.events.list({ limit: 4 });
    const chosen = [data[3]?.id, data[0]?.id].map(String);
    await control.release(chosen);
    assert.deepEqual(endpoint.ids(), chosen);
    await scene.stripe.customers.create();
    await control.release();
    assert.equal(endpoint.received.length, 5);
  });

  test('repeats a delivery in parallel', async () => {
    const { control } = scene.standIn;
    control.configureDeliveries({ mode: 'drop' });
    await pay(scene);
    const [event] = (await scene.stripe.events.list({ limit: 1 })).data;
    control.resend(String(event?.id), { copies: 50 });
    await settled();
    assert.equal(endpoint.received.length, 50);
    assert.deepEqual([...new Set(endpoint.ids())], [event?.id]);
  });

  test('sends late with an old signature or a fresh one', async () => {
    const { control } = scene.standIn;
    control.configureDeliveries({ signatureSeconds: -600 });
    await scene.stripe.customers.create();
    const [old] = await endpoint.gets(1);
    assert.ok(old);
    assert.throws(() => verified(old), /Timestamp outside the tolerance zone/);
    control.resend(old.event.id, { signatureSeconds: 0 });
    const [, fresh] = await endpoint.gets(2);
    assert.ok(fresh);
    assert.equal(verified(fresh).id, old.event.id);
  });

  test('delays deliveries', async () => {
    const { control } = scene.standIn;
    control.configureDeliveries({ delayMilliseconds: 20 });
    const begun = performance.now();
    await scene.stripe.customers.create();
    await endpoint.gets(1);
    assert.ok(performance.now() - begun >= 19);
  });

  test('signs with a wrong secret', async () => {
    scene.standIn.control.configureDeliveries({ signsWithWrongSecret: true });
    await scene.stripe.customers.create();
    const [received] = await endpoint.gets(1);
    assert.ok(received);
    assert.throws(() => verified(received), /No signatures found matching/);
  });

  test('shows wrong amounts in events alone', async () => {
    const { control } = scene.standIn;
    control.falsify({ in: 'events', amount: 9_999_900 });
    const { id } = await openCheckout(scene.stripe);
    control.press(id, 'pay');
    control.falsify(null);
    const received = await endpoint.gets(4);
    const completed = received.find(({ event }) => event.type === 'checkout.session.completed');
    assert.equal(completed?.event.data.object.amount_total, 9_999_900);
    assert.equal((await scene.stripe.checkout.sessions.retrieve(id)).amount_total, 2_500);
  });
});

describe('the hosted page', () => {
  const press = (session: Stripe.Checkout.Session, button: string) =>
    fetch(String(session.url), { method: 'POST', body: new URLSearchParams({ button }), redirect: 'manual' });

  test('leads back to the shop after the press, and after a second one', async () => {
    const session = await openCheckout(scene.stripe);
    for (let times = 1; times <= 2; times += 1) {
      const answered = await press(session, 'pay');
      assert.equal(answered.status, 303);
      assert.equal(answered.headers.get('location'), `https://shop.example/paid?session=${session.id}`);
    }
    await settled();
    assert.deepEqual(typesOf(endpoint.received).toSorted(), ofPayment.toSorted());
  });

  test('settles a payment for later by itself', async () => {
    const session = await openCheckout(scene.stripe);
    assert.equal((await press(session, 'pay_later_then_fail')).status, 303);
    const types = typesOf(await endpoint.gets(7));
    assert.ok(types.includes('checkout.session.async_payment_failed'), types.join());
    assert.ok(types.includes('payment_intent.payment_failed'), types.join());
  });

  test('says so when there is nothing to pay', async () => {
    const session = await openCheckout(scene.stripe);
    await scene.stripe.checkout.sessions.expire(session.id);
    const expired = await fetch(String(session.url));
    assert.match(await expired.text(), /has been used or has expired[\s\S]*https:\/\/shop\.example\/topups/);
    const unknown = await fetch(`${scene.standIn.url}/c/pay/cs_test_unknown`);
    assert.equal(unknown.status, 404);
    assert.equal((await press(session, 'pay')).status, 200);
  });
});
