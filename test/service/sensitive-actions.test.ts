// Actions in the console that move money or data require the password. Keys need no password.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type PanelClient, signIn, testPassword } from '../harness/panel-client.ts';
import { addPerson, enter, ownPassword } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';

const own = { current_password: testPassword };
let service: TestService;
let reseller: TestAccount;
let attempts = 0;
before(async () => {
  service = await startTestService({
    outbound: {
      send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
      problemOf: async () => null,
      close: async () => undefined,
    },
  });
  reseller = await service.createReseller({ credit: '100000.00' });
});
after(() => service.close());
// Move the clock, because wrong passwords and sums count for an hour.
beforeEach(() => {
  service.clock.seconds += 2 * 3_600;
  attempts += 1;
  service.clock.monotonic = () => attempts * 24 * 3_600_000;
});

const admin = '/admin/v1';

function isAsked(answer: Answer, why = ''): void {
  expectRefusal(answer, '422 validation_failed', undefined, why);
  assert.equal(answer.body.error.details.field, 'current_password', why);
}

test('product, brand, retention, prices, any customer and the operator’s endpoints take the password, and are as they were without it', async () => {
  const { basic } = service.packages;
  const prices = { reseller: { monthly: '0.00' } };
  const six = { monthly: '0.00', quarterly: '0.00', yearly: '0.00' };
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const product = { mode: 'confirm', url: 'https://thief.example/', secret: `whsec_${'A'.repeat(32)}` };
  const brand = {
    name: null,
    colour: null,
    letterhead: ['IBAN of a thief'],
    support_address: null,
    language: 'en',
  };
  const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';
  const hook = expectStatus(
    await service.admin.post('/api/admin/v1/webhooks', { url: 'https://ops.example/' }),
    201,
  );
  const webhook = `${admin}/webhooks/${hook.webhook.id}`;
  const { order } = await placeOrder(service, reseller, { customer: 'watched' });
  const customer = `${admin}/customers/${order.customer.id}`;
  const from = '2027-01-01T00:00:00Z';
  const actions: readonly (readonly [method: string, path: string, body: object])[] = [
    ['PUT', `${admin}/product`, product],
    ['DELETE', `${admin}/product`, {}],
    ['PUT', `${admin}/brand`, brand],
    ['PUT', `${admin}/brand/logo`, { data: logo }],
    ['DELETE', `${admin}/brand/logo`, {}],
    ['PATCH', `${admin}/retention`, { mail_days: 7 }],
    ['POST', `${admin}/packages`, { name: 'Free', limits, prices: { reseller: six, distributor: six } }],
    ['PATCH', `${admin}/packages/${basic}`, { prices: { reseller: { monthly: '11.00' } } }],
    ['POST', `${admin}/packages/${basic}/prices`, { from, prices }],
    ['DELETE', `${admin}/packages/${basic}/prices?from=${from}`, {}],
    ['POST', `${admin}/webhooks`, { url: 'https://thief.example/' }],
    ['PATCH', webhook, { url: 'https://thief.example/' }],
    ['POST', `${webhook}/secret`, {}],
    ['DELETE', webhook, {}],
    ['POST', `${customer}/login-link`, {}],
    ['POST', `${customer}/change-package`, { package_id: service.packages.plus, months: 1 }],
    ['POST', `${customer}/cancel`, { at: 'now' }],
  ];
  const state = async () => {
    const paths = ['product', 'brand', 'retention', 'packages', `packages/${basic}/prices`, 'webhooks'];
    const read = await Promise.all(paths.map((path) => service.admin.get(`/api/admin/v1/${path}`)));
    const links = await service.database.query({ name: '', text: 'select token_hash from login_link_log' });
    const { text: shown } = await reseller.get(`/customers/${order.customer.id}`);
    return [...read.map(({ text }) => text), shown, links];
  };
  for (const [method, path, body] of actions) {
    const name = `${method} ${path}`;
    // Begin a new session, because a confirmation lasts five minutes.
    const panel = await signIn(service, service.admin);
    const send = (sent: object) => sendAs(panel, method, path, { ...body, ...sent });
    const before = await state();
    isAsked(await send({}), name);
    expectRefusal(await send({ current_password: 'a guess' }), '403 wrong_password', {}, name);
    assert.deepEqual(await state(), before, name);
    const done = await send(own);
    assert.ok(done.status < 300, `${name} ${done.text}`);
    service.clock.seconds += 400;
    attempts += 1;
  }
  const panel = await signIn(service, service.admin);
  expectStatus(await panel.patch(`${admin}/packages/${basic}`, { name: 'Basic' }), 200);
  expectStatus(
    await service.admin.patch(`/api/admin/v1/packages/${basic}`, {
      prices: { reseller: { monthly: '10.00' } },
    }),
    200,
  );
});

function sendAs(panel: PanelClient, method: string, path: string, body: object): Promise<Answer> {
  const { cookie } = panel;
  return service.admin.send(method, `/panel/api${path}`, body, {
    cookie,
    'sec-fetch-site': 'same-origin',
    authorization: '',
  });
}

test('credits and debits of a person within an hour count together, in all of their sessions', async () => {
  const person = await addPerson(service, service.admin, 'owner');
  const elsewhere = await enter(service, person.username);
  const path = `${admin}/accounts/${reseller.id}/credit`;
  const give = (panel: PanelClient, amount: string, sent: object = {}) =>
    panel.post(path, { amount, ...sent });
  isAsked(await give(person.panel, '1000.01'));
  expectStatus(await give(person.panel, '400.00', { idempotency_key: 'once' }), 201);
  expectStatus(await give(person.panel, '400.00', { idempotency_key: 'once' }), 201);
  expectStatus(await give(elsewhere, '-400.00'), 201);
  isAsked(await give(person.panel, '200.01'), 'the sum');
  isAsked(await give(elsewhere, '-200.01'), 'in another session');
  expectStatus(await give(elsewhere, '200.00'), 201);
  isAsked(await give(person.panel, '-0.01'));
  const another = await addPerson(service, service.admin, 'finance');
  expectStatus(await give(another.panel, '1000.00'), 201);

  expectRefusal(await give(person.panel, '50.00', { current_password: 'a guess' }), '403 wrong_password');
  expectStatus(await give(person.panel, '5000.00', { current_password: ownPassword }), 201);
  expectStatus(await give(person.panel, '5000.00'), 201);
  isAsked(await give(elsewhere, '0.01'), 'confirmed in the other session');
  service.clock.seconds += 3_600;
  expectStatus(await give(elsewhere, '1000.00'), 201);
  isAsked(await give(elsewhere, '0.01'));
});

test('requests at the same moment, in several processes, do not get beyond the sum', async (context) => {
  const person = await addPerson(service, service.admin, 'owner');
  const isShared = service.testDatabase.config.kind === 'postgres';
  const another = isShared ? await service.startAnother() : null;
  context.after(() => another?.close());
  const path = `/panel/api${admin}/accounts/${reseller.id}/credit`;
  const addresses = [service.address, another?.address ?? service.address];
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const answer = await fetch(`${addresses[index % 2]}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          cookie: person.panel.cookie,
        },
        body: JSON.stringify({ amount: index % 3 === 0 ? '-100.00' : '100.00' }),
      });
      return answer.status;
    }),
  );
  assert.equal(answers.filter((status) => status === 201).length, 10, answers.join());
  assert.equal(answers.filter((status) => status === 422).length, 30);
});
