// The stand-in for Stripe with the official library in front of it, as a file of tests uses them.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import Stripe from 'stripe';
import {
  type StandInOptions,
  type StandInStripe,
  startStandInStripe,
} from '../../src/stand-in-stripe/stand-in-stripe.ts';

export interface StandInScene {
  readonly standIn: StandInStripe;
  readonly stripe: Stripe;
}

/** Registers hooks that start and stop one for the file. The library does not retry, so that tests see every answer. */
export function useStandIn(options: StandInOptions = {}): StandInScene {
  let started: StandInScene | undefined;
  before(async () => {
    const standIn = await startStandInStripe(options);
    started = { standIn, stripe: clientOf(standIn) };
  });
  after(() => started?.standIn.stop());
  const scene = (): StandInScene => {
    assert.ok(started, 'the stand-in runs once the tests have begun');
    return started;
  };
  return {
    get standIn() {
      return scene().standIn;
    },
    get stripe() {
      return scene().stripe;
    },
  };
}

export function clientOf({ host, port }: StandInStripe, config: Stripe.StripeConfig = {}): Stripe {
  return new Stripe('sk_test_standin', { host, port, protocol: 'http', maxNetworkRetries: 0, ...config });
}

export function openCheckout(
  stripe: Stripe,
  cents = 2_500,
  more: Stripe.Checkout.SessionCreateParams = {},
): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        price_data: { currency: 'eur', unit_amount: cents, product_data: { name: 'Top-up' } },
        quantity: 1,
      },
    ],
    success_url: 'https://shop.example/paid?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example/topups',
    ...more,
  });
}

export async function pay({ stripe, standIn }: StandInScene, cents = 2_500): Promise<Stripe.PaymentIntent> {
  const { id } = await openCheckout(stripe, cents);
  standIn.control.press(id, 'pay');
  return paymentOf(stripe, id);
}

export async function paymentOf(stripe: Stripe, session: string): Promise<Stripe.PaymentIntent> {
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session, {
    expand: ['payment_intent'],
  });
  assert.ok(typeof intent === 'object' && intent !== null, 'the session has a payment');
  return intent;
}

export async function eventsAbout(stripe: Stripe, id: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type, data } of stripe.events.list({ limit: 100 }))
    if ('id' in data.object && data.object.id === id) types.unshift(type);
  return types;
}

export async function refusalOf(request: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await request;
  } catch (error) {
    assert.ok(error instanceof Stripe.errors.StripeError, String(error));
    return error;
  }
  throw new Error('the request was not refused');
}
