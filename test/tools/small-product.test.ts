// The guide's small products in TypeScript and PHP, as processes that receive orders from a service.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { mintSecret, signedHeaders, signingKeyOf } from '../../src/platform/outbound/webhook-signature.ts';
import { booksOf } from '../harness/books.ts';
import { openPage, pathOfLink } from '../harness/browser-request.ts';
import { expectStatus } from '../harness/refusals.ts';
import { beginProductCalls } from '../harness/run-product-calls.ts';
import { runProgram } from '../harness/run-program.ts';
import { changePackage, placeOrder } from '../harness/shop.ts';
import {
  createSmallProduct,
  type SmallProduct,
  smallProducts,
  timesDecided,
} from '../harness/small-product.ts';

const day = 86_400;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

async function until(question: () => Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 20));
}

for (const { language, isMissing, commandsOf } of smallProducts) {
  const skip = isMissing ? `${language} is not installed here` : false;
  describe(`the small product in ${language}`, { skip }, () => {
    const secret = mintSecret();
    let service: TestService;
    let account: TestAccount;
    let product: SmallProduct;
    before(async () => {
      service = await startTestService({
        environment: { PRODUCT_URL: 'https://product.example.com/welcome' },
      });
      account = await service.createReseller({ credit: '1000.00' });
      product = await createSmallProduct(commandsOf, {
        SELLTHROUGH_URL: service.address,
        SELLTHROUGH_KEY: service.admin.key,
        PRODUCT_SECRET: secret,
        PRODUCT_CUSTOMERS: '2',
      });
    });
    after(async () => {
      await product?.remove();
      await service?.close();
    });

    interface Me {
      readonly status: number;
      readonly active: boolean;
      readonly plan: string;
      readonly features: readonly string[];
    }
    async function me(customer: string): Promise<Me> {
      const answer = await fetch(`${product.address}/me?customer=${encodeURIComponent(customer)}`);
      const body = await answer.json();
      return { status: answer.status, active: body.active, plan: body.status, features: body.features };
    }
    const untilPlan = (customer: string, plan: string) =>
      until(async () => (await me(customer)).plan === plan);

    async function settled(orderId: number): Promise<string> {
      const statusOf = async () => expectStatus(await account.get(`/orders/${orderId}`), 200).order.status;
      await until(async () => (await statusOf()) !== 'pending');
      return statusOf();
    }
    const order = async (customer: string, more: object = {}) =>
      (await placeOrder(service, account, { customer, ...more })).order;

    interface Call {
      readonly id: string;
      readonly type: string;
      readonly data: object;
    }
    const activation = (id: string, reference: string): Call => ({
      id,
      type: 'plan.activate',
      data: {
        customer: { reference },
        order_id: 1,
        limits: {},
        status: 'active',
        expires_at: '2999-01-01T00:00:00Z',
      },
    });
    function callAs(key: string, call: Call, at = nowSeconds()): RequestInit & { body: string } {
      const body = JSON.stringify(call);
      return {
        method: 'POST',
        body,
        headers: signedHeaders({ id: call.id, body, keys: [signingKeyOf(key)] }, at),
      };
    }
    async function send(request: RequestInit): Promise<readonly [status: number, body: unknown]> {
      const answer = await fetch(`${product.address}/sellthrough`, request);
      return [answer.status, await answer.json()];
    }

    async function nameProduct(): Promise<void> {
      const guide = readFileSync(new URL('../../docs/small-product.md', import.meta.url), 'utf8');
      const [command = ''] = /^curl --fail-with-body -X PUT[\s\S]*?(?=^```$)/m.exec(guide) ?? [];
      const { code, stdout, stderr } = await runProgram('sh', ['-c', command], {
        cwd: product.folder,
        environment: {
          SELLTHROUGH_URL: service.address,
          SELLTHROUGH_KEY: service.admin.key,
          PRODUCT_SECRET: secret,
          PRODUCT: product.address,
        },
      });
      assert.equal(code, 0, stdout + stderr);
      assert.equal(JSON.parse(stdout).product.mode, 'confirm');
    }

    test('knows when a plan is over without a call', async () => {
      service.clock.seconds = nowSeconds() - 40 * day;
      await order('late@example.com');
      await order('early@example.com', { months: 3 });
      await product.start();
      await untilPlan('late@example.com', 'active');
      assert.equal((await me('late@example.com')).active, false, 'no call said that it has ended');
      assert.equal((await me('early@example.com')).active, true);
      assert.equal((await me('no-such@example.com')).status, 404);
    });

    test('takes an order, which is completed, and its customer may come in', async () => {
      service.clock.seconds = nowSeconds();
      await nameProduct();
      await beginProductCalls(service);
      for (const customer of ['ada@example.com', 'grace@example.com']) {
        assert.equal(await settled((await order(customer)).id), 'completed');
        await untilPlan(customer, 'active');
        assert.equal((await me(customer)).active, true);
      }
    });

    test('refuses an order when it is full, and the money is paid back', async () => {
      const { balance: before } = await booksOf(service, account);
      const refused = await order('one-too-many@example.com');
      assert.equal(await settled(refused.id), 'failed');
      const { balance, entries } = await booksOf(service, account);
      assert.equal(balance, before);
      assert.match(entries[0] ?? '', /^refund 10\.00 /);
      const { data } = expectStatus(await account.get(`/customers/${refused.customer.id}/history`), 200);
      assert.ok(JSON.stringify(data).includes('All places are taken'), 'the reseller reads why');
      assert.equal(
        await settled((await order('ada@example.com')).id),
        'completed',
        'a renewal needs no place',
      );
    });

    test('answers a repeated call as it did the first time, and does it once', async () => {
      const refused = callAs(secret, activation('call_order_777', 'alan@example.com'));
      assert.deepEqual(await send(refused), [422, { reason: 'All places are taken' }]);
      const { id } = await order('grace@example.com', { package_id: service.packages.plus });
      assert.equal(await settled(id), 'completed');
      const { customer } = expectStatus(await account.get(`/orders/${id}`), 200).order;
      expectStatus(await account.post(`/customers/${customer.id}/cancel`, { at: 'now' }), 200);
      const place = activation('call_order_778', 'alan@example.com');
      await until(
        async () => (await send(callAs(secret, { ...place, id: `${place.id}-${Math.random()}` })))[0] === 200,
      );
      assert.deepEqual(
        await send(refused),
        [422, { reason: 'All places are taken' }],
        'though one is free by now',
      );
      const body = JSON.parse(callAs(secret, place).body);
      for (const each of [1, 2, 3]) assert.equal((await send(callAs(secret, body)))[0], 200, String(each));
      assert.equal(timesDecided(product, 'call_order_777'), 1);
      assert.equal(timesDecided(product, 'call_order_778'), 1);
      assert.equal(timesDecided(product, `call_order_${id}`), 1);
    });

    test('does nothing for who has not the secret, or has caught an old call', async () => {
      const good = callAs(secret, activation('call_order_999', 'mallory@example.com'));
      const old = nowSeconds() - 301;
      const forged: Readonly<Record<string, RequestInit>> = {
        'another secret': callAs(mintSecret(), activation('call_order_999', 'mallory@example.com')),
        'another body': { ...good, body: good.body.replace('mallory', 'm') },
        'another id': { ...good, headers: { ...good.headers, 'webhook-id': 'call_order_998' } },
        'another time': {
          ...good,
          headers: { ...good.headers, 'webhook-timestamp': String(nowSeconds() - 9) },
        },
        'an old time': callAs(secret, activation('call_order_999', 'mallory@example.com'), old),
        'a time to come': callAs(secret, activation('call_order_999', 'mallory@example.com'), old + 900),
        'no time': { ...good, headers: { ...good.headers, 'webhook-timestamp': '' } },
        'no signature': { ...good, headers: {} },
        'half a signature': { ...good, headers: { ...good.headers, 'webhook-signature': 'v1,' } },
      };
      for (const [what, request] of Object.entries(forged)) assert.equal((await send(request))[0], 401, what);
      assert.equal(timesDecided(product, 'call_order_999'), 0);
      const two = `v1,${'A'.repeat(43)}= v2,x ${new Headers(good.headers).get('webhook-signature')}`;
      const signedTwice = { ...good, headers: { ...good.headers, 'webhook-signature': two } };
      assert.notEqual((await send(signedTwice))[0], 401, 'while a secret is replaced there are two');
    });

    test('sees a suspension, and its end', async () => {
      const { customer } = expectStatus(await account.get('/orders?customer=ada@example.com'), 200).data[0];
      expectStatus(await account.post(`/customers/${customer.id}/suspend`, {}), 200);
      await untilPlan('ada@example.com', 'suspended');
      assert.equal((await me('ada@example.com')).active, false);
      expectStatus(await account.post(`/customers/${customer.id}/resume`, {}), 200);
      await untilPlan('ada@example.com', 'active');
    });

    test('holds customers to the limits of their package, and refuses a package that is too small', async () => {
      const { admin, packages } = service;
      for (const [key, kind] of [
        ['seats', 'count'],
        ['storage_gb', 'count'],
        ['sso', 'switch'],
      ])
        expectStatus(
          await admin.send('PUT', `/api/admin/v1/limits/${key}`, { name: { en: key }, kind }),
          200,
        );
      await changePackage(service, packages.plus, { limits: { seats: 2, storage_gb: null, sso: true } });
      await changePackage(service, packages.basic, { limits: { seats: 1, storage_gb: 10 } });
      const ada = async (route: string) => {
        const [method = '', path = ''] = route.split(' ');
        const sign = path.includes('?') ? '&' : '?';
        const answer = await fetch(`${product.address}${path}${sign}customer=ada@example.com`, { method });
        const { error, limits, used } = await answer.json();
        return { status: answer.status, error, limits, used };
      };
      const refusal = async (route: string) => {
        const { status, error } = await ada(route);
        return `${status} ${error}`;
      };
      const order = async (package_id: number) => {
        const body = { package_id, customer: 'ada@example.com' };
        return expectStatus(await account.post('/orders', body), 201).order.id;
      };

      assert.equal(await settled(await order(packages.plus)), 'completed');
      await until(async () => (await ada('GET /me')).limits.sso === true);
      for (const seats of [1, 2]) assert.equal((await ada('POST /members')).used.seats, seats);
      assert.equal(await refusal('POST /members'), '403 seats: 3 of 2');
      assert.equal((await ada('POST /files?by=5000')).used.storage_gb, 5000, 'null is unlimited');
      assert.equal((await ada('GET /sso')).status, 200);
      assert.equal(await refusal('POST /members?by=1.5'), '400 by must be a whole number');
      assert.equal(await refusal('GET /members'), '404 nothing here');

      const tooSmall = await order(packages.basic);
      assert.equal(await settled(tooSmall), 'failed');
      const { failure } = expectStatus(await account.get(`/orders/${tooSmall}`), 200).order;
      assert.equal(failure.reason, 'seats: 2 of 1');
      assert.equal((await ada('POST /members?by=-1')).used.seats, 1);
      assert.equal((await ada('POST /files?by=-4990')).used.storage_gb, 10);
      assert.equal(await settled(await order(packages.basic)), 'completed');
      await until(async () => (await ada('GET /me')).limits.sso === undefined);
      assert.equal(await refusal('GET /sso'), '403 sso: not in the package');

      await product.kill();
      await product.start();
      assert.equal(await refusal('POST /members'), '403 seats: 2 of 1', 'what is used is remembered');
      assert.deepEqual((await ada('GET /me')).used, { seats: 1, storage_gb: 10 });

      const { customer } = expectStatus(await account.get('/orders?customer=ada@example.com'), 200).data[0];
      expectStatus(await account.post(`/customers/${customer.id}/suspend`, {}), 200);
      await untilPlan('ada@example.com', 'suspended');
      assert.equal(await refusal('POST /files'), '403 the plan is not active');
      expectStatus(await account.post(`/customers/${customer.id}/resume`, {}), 200);
      await untilPlan('ada@example.com', 'active');
    });

    test('catches up after a kill, and takes the order that was placed meanwhile once it is back', async () => {
      await product.kill();
      const { id, customer } = await order('ada@example.com');
      const { customer: early } = expectStatus(await account.get('/orders?customer=early@example.com'), 200)
        .data[0];
      expectStatus(await account.post(`/customers/${early.id}/suspend`, {}), 200);
      appendFileSync(join(product.folder, 'calls.jsonl'), '{"id":"call_order_1","refused":nu');
      await product.start();
      assert.equal((await me('grace@example.com')).plan, 'cancelled', 'the copy is still there');
      await untilPlan('early@example.com', 'suspended');
      service.clock.seconds += 6;
      assert.equal(await settled(id), 'completed');
      assert.equal(timesDecided(product, `call_order_${id}`), 1);
      assert.equal((await me(customer.reference)).active, true);
    });

    test('begins its copy again where a package is not what it was, and where changes were missed', async () => {
      await changePackage(service, service.packages.basic, { features: ['Three'] });
      const { customer } = expectStatus(await account.get('/orders?customer=early@example.com'), 200).data[0];
      expectStatus(await account.post(`/customers/${customer.id}/resume`, {}), 200);
      for (const each of ['early@example.com', 'ada@example.com', 'late@example.com'])
        await until(async () => (await me(each)).features[0] === 'Three');

      await product.kill();
      const file = join(product.folder, 'copy.json');
      const copy = JSON.parse(readFileSync(file, 'utf8'));
      delete copy.customers['ada@example.com'];
      // This customer existed only in a lost database, so the cursor is of another incarnation and gets events_gone.
      copy.customers['lost@example.com'] = copy.customers['early@example.com'];
      writeFileSync(file, JSON.stringify({ ...copy, after: 's.1.r0123456789ab' }));
      await product.start();
      await untilPlan('ada@example.com', 'active');
      assert.equal((await me('lost@example.com')).status, 404);
    });

    test('lets a customer in who comes with a login link, once', async () => {
      const { login_url: link } = await placeOrder(service, account, {
        customer: 'ada@example.com',
        return_login: true,
      });
      const spent = await openPage(service.address, 'POST', pathOfLink(link));
      const { search } = new URL(spent.headers.get('location') ?? '');
      const welcome = () => fetch(`${product.address}/welcome${search}`, { redirect: 'manual' });
      const first = await welcome();
      assert.deepEqual([first.status, first.headers.get('location')], [303, '/me']);
      const cookie = first.headers.getSetCookie().at(-1)?.split(';')[0] ?? '';
      const mine = await fetch(`${product.address}/me`, { headers: { cookie } });
      assert.equal((await mine.json()).reference, 'ada@example.com');
      assert.equal((await welcome()).status, 403, 'the code is spent');
      assert.equal((await fetch(`${product.address}/me`)).status, 401);
    });
  });
}
