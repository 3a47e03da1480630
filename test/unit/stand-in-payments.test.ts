// The stand-in for Stripe, asked through the official library: checkout, saved cards, refunds, disputes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Stripe from 'stripe';
import { stripeApiVersion } from '../../src/stand-in-stripe/stripe-objects.ts';
import {
  eventsAbout,
  openCheckout,
  pay,
  paymentOf,
  refusalOf,
  useStandIn,
} from '../harness/stand-in-scene.ts';

const scene = useStandIn({ shopName: 'Nordlicht & Co' });

test('the stand-in speaks the API version of the installed library', () => {
  assert.equal(Stripe.API_VERSION, stripeApiVersion);
});

describe('a checkout session', () => {
  test('shows what it was made with, and has no payment before the first attempt', async () => {
    const { stripe } = scene;
    const { id } = await openCheckout(stripe, 2_500, {
      client_reference_id: '12-3',
      metadata: { sellthrough_topup: '12-3' },
    });
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['line_items'] });
    assert.match(id, /^cs_test_/);
    assert.deepEqual(
      [session.status, session.payment_status, session.amount_total, session.currency],
      ['open', 'unpaid', 2_500, 'eur'],
    );
    assert.deepEqual(
      [session.client_reference_id, session.metadata],
      ['12-3', { sellthrough_topup: '12-3' }],
    );
    assert.equal(session.payment_intent, null);
    assert.equal(session.expires_at - session.created, 86_400);
    assert.deepEqual(
      session.line_items?.data.map(({ amount_total }) => amount_total),
      [2_500],
    );
  });

  test('that is paid has a payment with the metadata meant for it, and a charge', async () => {
    const { stripe, standIn } = scene;
    const { id } = await openCheckout(stripe, 2_500, {
      payment_intent_data: { metadata: { topup: '12-3' } },
    });
    standIn.control.press(id, 'pay');
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] });
    assert.deepEqual([session.status, session.payment_status, session.url], ['complete', 'paid', null]);
    const intent = session.payment_intent as Stripe.PaymentIntent;
    assert.deepEqual(
      [intent.status, intent.amount_received, intent.metadata],
      ['succeeded', 2_500, { topup: '12-3' }],
    );
    const charge = intent.latest_charge as Stripe.Charge;
    assert.deepEqual([charge.status, charge.amount, charge.payment_intent], ['succeeded', 2_500, intent.id]);
    assert.deepEqual(await eventsAbout(stripe, id), ['checkout.session.completed']);
    assert.deepEqual(await eventsAbout(stripe, intent.id), [
      'payment_intent.created',
      'payment_intent.succeeded',
    ]);
    assert.deepEqual(await eventsAbout(stripe, charge.id), ['charge.succeeded']);
  });

  test('stays open when the card is declined, and the same payment succeeds afterwards', async () => {
    const { stripe, standIn } = scene;
    const { id } = await openCheckout(stripe);
    standIn.control.press(id, 'fail');
    const declined = await paymentOf(stripe, id);
    assert.deepEqual(
      [declined.status, declined.last_payment_error?.code],
      ['requires_payment_method', 'card_declined'],
    );
    assert.equal((await stripe.checkout.sessions.retrieve(id)).status, 'open');
    standIn.control.press(id, 'pay');
    const paid = await paymentOf(stripe, id);
    assert.deepEqual([paid.id, paid.status, paid.last_payment_error], [declined.id, 'succeeded', null]);
  });

  for (const [button, outcome, status] of [
    ['pay_later', 'succeeds', 'paid'],
    ['pay_later_then_fail', 'fails', 'unpaid'],
  ] as const) {
    test(`with a delayed payment is complete but unpaid until it ${outcome}`, async () => {
      const { stripe, standIn } = scene;
      const { id } = await openCheckout(stripe);
      standIn.control.press(id, button);
      const waiting = await stripe.checkout.sessions.retrieve(id);
      assert.deepEqual([waiting.status, waiting.payment_status], ['complete', 'unpaid']);
      assert.equal((await paymentOf(stripe, id)).status, 'processing');
      standIn.control.settle(id, outcome);
      assert.equal((await stripe.checkout.sessions.retrieve(id)).payment_status, status);
      assert.deepEqual(await eventsAbout(stripe, id), [
        'checkout.session.completed',
        `checkout.session.async_payment_${outcome === 'succeeds' ? 'succeeded' : 'failed'}`,
      ]);
      assert.throws(() => standIn.control.settle(id, outcome), /not processing/);
    });
  }

  test('expires on request and by the clock, once, and cannot be paid then', async () => {
    const { stripe, standIn } = scene;
    const [asked, late] = [await openCheckout(stripe), await openCheckout(stripe)];
    assert.equal((await stripe.checkout.sessions.expire(asked.id)).status, 'expired');
    assert.equal((await refusalOf(stripe.checkout.sessions.expire(asked.id))).statusCode, 400);
    standIn.control.setClockOffset(86_400);
    assert.equal((await stripe.checkout.sessions.retrieve(late.id)).status, 'expired');
    standIn.control.setClockOffset(0);
    for (const { id } of [asked, late]) {
      assert.deepEqual(await eventsAbout(stripe, id), ['checkout.session.expired']);
      assert.throws(() => standIn.control.press(id, 'pay'), /expired/);
    }
  });

  test('is listed by customer, status and payment', async () => {
    const { stripe, standIn } = scene;
    const customer = await stripe.customers.create({ email: 'payer@example.com' });
    const first = await openCheckout(stripe, 2_500, { customer: customer.id });
    const second = await openCheckout(stripe, 2_500, { customer: customer.id });
    standIn.control.press(first.id, 'pay');
    const ids = async (params: Stripe.Checkout.SessionListParams) =>
      (await stripe.checkout.sessions.list(params)).data.map(({ id }) => id);
    assert.deepEqual(await ids({ customer: customer.id }), [second.id, first.id]);
    assert.deepEqual(await ids({ customer: customer.id, status: 'complete' }), [first.id]);
    assert.deepEqual(await ids({ payment_intent: (await paymentOf(stripe, first.id)).id }), [first.id]);
  });
});

test('a customer keeps what an update does not name, and loses what it empties', async () => {
  const { stripe } = scene;
  const { id } = await stripe.customers.create({
    ...{ email: 'old@example.com', name: 'Old', metadata: { account: '12', note: 'x' } },
  });
  await stripe.customers.update(id, { email: 'new@example.com', metadata: { note: '' } });
  const { email, name, metadata } = (await stripe.customers.retrieve(id)) as Stripe.Customer;
  assert.deepEqual([email, name, metadata], ['new@example.com', 'Old', { account: '12' }]);
});

describe('a saved card', () => {
  async function saveCard(button: 'save_card' | 'save_card_that_asks' | 'save_card_that_fails') {
    const { stripe, standIn } = scene;
    const customer = await stripe.customers.create({ metadata: { account: '12' } });
    const session = await stripe.checkout.sessions.create({
      ...{ mode: 'setup', currency: 'eur', customer: customer.id, success_url: 'https://shop.example/saved' },
    });
    standIn.control.press(session.id, button);
    const intent = await stripe.setupIntents.retrieve(String(session.setup_intent));
    assert.deepEqual([intent.status, intent.customer], ['succeeded', customer.id]);
    return { customer: customer.id, method: String(intent.payment_method) };
  }

  const charge = (customer: string, method: string) =>
    scene.stripe.paymentIntents.create({
      ...{ amount: 5_000, currency: 'eur', customer, payment_method: method },
      ...{ confirm: true, off_session: true, metadata: { topup: '12-4' } },
    });

  test('belongs to its customer and is charged without its holder', async () => {
    const { stripe } = scene;
    const { customer, method } = await saveCard('save_card');
    const listed = await stripe.customers.listPaymentMethods(customer, { type: 'card' });
    assert.deepEqual(
      listed.data.map(({ id, card }) => [id, card?.last4]),
      [[method, '4242']],
    );
    const intent = await charge(customer, method);
    assert.deepEqual(
      [intent.status, intent.amount_received, intent.metadata],
      ['succeeded', 5_000, { topup: '12-4' }],
    );
    const found = await stripe.paymentIntents.list({ customer });
    assert.deepEqual(
      found.data.map(({ id }) => id),
      [intent.id],
    );
    const other = await stripe.customers.create();
    assert.match((await refusalOf(charge(other.id, method))).message, /must be attached to the customer/);
    await stripe.paymentMethods.detach(method);
    assert.match((await refusalOf(charge(customer, method))).message, /must be attached to the customer/);
  });

  for (const [button, code] of [
    ['save_card_that_asks', 'authentication_required'],
    ['save_card_that_fails', 'card_declined'],
  ] as const) {
    test(`that ends in ${code} is a card error with the payment, which stays unpaid`, async () => {
      const { stripe, standIn } = scene;
      const { customer, method } = await saveCard(button);
      const refusal = await refusalOf(charge(customer, method));
      assert.ok(refusal instanceof Stripe.errors.StripeCardError);
      assert.deepEqual([refusal.statusCode, refusal.code], [402, code]);
      const id = refusal.payment_intent?.id ?? '';
      const intent = await stripe.paymentIntents.retrieve(id);
      assert.deepEqual([intent.status, intent.last_payment_error?.code], ['requires_payment_method', code]);
      assert.deepEqual(await eventsAbout(stripe, id), [
        'payment_intent.created',
        'payment_intent.payment_failed',
      ]);
      standIn.control.setCustomerOutcome(customer, 'succeeds');
      assert.equal((await charge(customer, method)).status, 'succeeded');
      standIn.control.setCustomerOutcome(customer, null);
      assert.equal((await refusalOf(charge(customer, method))).code, code);
    });
  }
});

describe('a refund', () => {
  test('in two parts: each is its own object, and the charge adds them up', async () => {
    const { stripe } = scene;
    const { id, latest_charge } = await pay(scene, 2_500);
    const first = await stripe.refunds.create({ payment_intent: id, amount: 700, metadata: { refund: '1' } });
    assert.deepEqual([first.status, first.amount, first.metadata], ['succeeded', 700, { refund: '1' }]);
    const tooMuch = await refusalOf(stripe.refunds.create({ payment_intent: id, amount: 1_801 }));
    assert.deepEqual(
      [tooMuch.statusCode, tooMuch.param, tooMuch.message],
      [400, 'amount', 'Refund amount (€18.01) is greater than unrefunded amount on charge (€18.00)'],
    );
    const rest = await stripe.refunds.create({ charge: String(latest_charge) });
    assert.equal(rest.amount, 1_800);
    const again = await refusalOf(stripe.refunds.create({ payment_intent: id, amount: 1 }));
    assert.equal(again.code, 'charge_already_refunded');
    const charge = await stripe.charges.retrieve(String(latest_charge), { expand: ['refunds'] });
    assert.deepEqual([charge.amount_refunded, charge.refunded], [2_500, true]);
    assert.deepEqual(
      charge.refunds?.data.map((each) => each.id),
      [rest.id, first.id],
    );
    const listed = await stripe.refunds.list({ payment_intent: id });
    assert.deepEqual(
      listed.data.map((each) => each.id),
      [rest.id, first.id],
    );
    assert.deepEqual(await eventsAbout(stripe, charge.id), [
      ...['charge.succeeded', 'charge.refunded', 'charge.refunded'],
    ]);
  });

  test('made in the dashboard has no metadata of the shop', async () => {
    const { stripe, standIn } = scene;
    const { id } = await pay(scene);
    const refund = await stripe.refunds.retrieve(standIn.control.refund(id, 400).id);
    assert.deepEqual([refund.amount, refund.payment_intent, refund.metadata], [400, id, {}]);
    assert.deepEqual(await eventsAbout(stripe, refund.id), ['refund.created']);
  });

  test('that is pending may succeed, and fail even then: the amount can be refunded again', async () => {
    const { stripe, standIn } = scene;
    const { id, latest_charge } = await pay(scene);
    standIn.control.setRefundStatus('pending');
    const refund = await stripe.refunds.create({ payment_intent: id });
    standIn.control.setRefundStatus('succeeded');
    assert.equal(refund.status, 'pending');
    standIn.control.settleRefund(refund.id, 'succeeded');
    standIn.control.settleRefund(refund.id, 'failed');
    const failed = await stripe.refunds.retrieve(refund.id);
    assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'lost_or_stolen_card']);
    assert.equal((await stripe.charges.retrieve(String(latest_charge))).amount_refunded, 0);
    assert.deepEqual(await eventsAbout(stripe, refund.id), [
      ...['refund.created', 'refund.updated', 'charge.refund.updated'],
      ...['refund.failed', 'refund.updated', 'charge.refund.updated'],
    ]);
    assert.throws(() => standIn.control.settleRefund(refund.id, 'succeeded'), /failed already/);
    assert.equal((await stripe.refunds.create({ payment_intent: id })).amount, 2_500);
  });

  test('of a payment that did not succeed is refused', async () => {
    const { stripe, standIn } = scene;
    const { id } = await openCheckout(stripe);
    standIn.control.press(id, 'pay_later');
    const intent = await paymentOf(stripe, id);
    const refusal = await refusalOf(stripe.refunds.create({ payment_intent: intent.id }));
    assert.match(refusal.message, /does not have a successful charge/);
  });
});

describe('a dispute', () => {
  test('takes the money at once, forbids refunds, and gives all back when it is won', async () => {
    const { stripe, standIn } = scene;
    const { id } = await openCheckout(stripe);
    standIn.control.press(id, 'pay_and_dispute');
    const intent = await paymentOf(stripe, id);
    const [dispute] = (await stripe.disputes.list({ payment_intent: intent.id })).data;
    assert.deepEqual([dispute?.status, dispute?.amount], ['needs_response', 2_500]);
    const refusal = await refusalOf(stripe.refunds.create({ payment_intent: intent.id }));
    assert.equal(refusal.code, 'charge_disputed');
    standIn.control.moveDispute(String(dispute?.id), 'win');
    const won = await stripe.disputes.retrieve(String(dispute?.id));
    assert.equal(won.status, 'won');
    assert.deepEqual(
      won.balance_transactions.map(({ amount }) => amount),
      [-2_500, 2_500],
    );
    assert.deepEqual(await eventsAbout(stripe, won.id), [
      ...['charge.dispute.created', 'charge.dispute.funds_withdrawn'],
      ...['charge.dispute.closed', 'charge.dispute.funds_reinstated'],
    ]);
    assert.throws(() => standIn.control.moveDispute(won.id, 'lose'), /is won/);
  });

  test('of a part that is lost keeps what it took', async () => {
    const { stripe, standIn } = scene;
    const { id } = await pay(scene);
    const { id: dispute } = standIn.control.dispute(id, { amount: 1_000 });
    assert.equal((await stripe.disputes.close(dispute)).status, 'lost');
    assert.deepEqual(await eventsAbout(stripe, dispute), [
      ...['charge.dispute.created', 'charge.dispute.funds_withdrawn', 'charge.dispute.closed'],
    ]);
  });

  test('that is an inquiry takes nothing, allows refunds, and may become a dispute', async () => {
    const { stripe, standIn } = scene;
    const { id } = await pay(scene);
    const inquiry = standIn.control.dispute(id, { isInquiry: true });
    assert.deepEqual([inquiry.status, inquiry.balance_transactions], ['warning_needs_response', []]);
    assert.equal((await stripe.refunds.create({ payment_intent: id, amount: 500 })).status, 'succeeded');
    assert.throws(() => standIn.control.moveDispute(inquiry.id, 'win'), /warning_needs_response/);
    standIn.control.moveDispute(inquiry.id, 'escalate');
    assert.deepEqual(await eventsAbout(stripe, inquiry.id), [
      ...['charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.funds_withdrawn'],
    ]);
    const other = standIn.control.dispute((await pay(scene)).id, { isInquiry: true });
    standIn.control.moveDispute(other.id, 'close_inquiry');
    assert.equal((await stripe.disputes.retrieve(other.id)).status, 'warning_closed');
    assert.deepEqual(await eventsAbout(stripe, other.id), [
      'charge.dispute.created',
      'charge.dispute.closed',
    ]);
  });
});
