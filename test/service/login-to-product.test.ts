// Login links with the operator's product (PRODUCT_URL) and https.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
before(async () => {
  service = await startTestService({
    environment: {
      PRODUCT_URL: 'https://product.example/enter?from=link',
      PUBLIC_URL: 'https://shop.example/',
    },
  });
});
after(() => service.close());

let customers = 0;

async function orderWithLink() {
  const reseller = await service.createReseller({ credit: '10.00' });
  customers += 1;
  const order = { package_id: service.packages.basic, customer: `guest-${customers}`, return_login: true };
  const answer = await reseller.post('/orders', order);
  assert.match(
    answer.body.login_url,
    /^https:\/\/shop\.example\/login\/[A-Za-z0-9_-]{43}$/,
    'no doubled slash',
  );
  return { reseller, customerId: answer.body.order.customer.id, path: pathOfLink(answer.body.login_url) };
}

async function codeOf(path: string): Promise<string> {
  const spent = await openPage(service.address, 'POST', path);
  assert.equal(spent.status, 303, spent.text);
  const target = new URL(spent.headers.get('location') ?? '');
  assert.equal(`${target.origin}${target.pathname}`, 'https://product.example/enter');
  assert.equal(target.searchParams.get('from'), 'link', 'what stood in PRODUCT_URL stays');
  assert.deepEqual(spent.headers.getSetCookie(), [], 'the product makes its own session');
  return target.searchParams.get('code') ?? '';
}

const exchange = (code: unknown) => service.admin.post('/api/admin/v1/login-codes/exchange', { code });

test('the button leads to the product with a code, which is exchanged for the customer once', async () => {
  const { reseller, customerId, path } = await orderWithLink();
  const opened = await openPage(service.address, 'GET', path);
  assert.equal(opened.status, 200);
  const policy = opened.headers.get('content-security-policy') ?? '';
  assert.match(
    policy,
    /form-action 'self' (https:|https:\/\/product\.example)(;|$)/,
    'browsers let the form’s redirect through',
  );
  assert.doesNotMatch(policy, /unsafe/);
  assert.match(opened.headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/);

  const [language] = (await openPage(service.address, 'GET', `${path}?language=de`)).headers.getSetCookie();
  assert.match(language ?? '', /^__Host-sellthrough_language=de; .*Path=\/; HttpOnly; SameSite=Lax; Secure$/);

  const code = await codeOf(path);
  assert.match(code, /^[A-Za-z0-9_-]{43}$/);
  const answer = await exchange(code);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, (await reseller.get(`/customers/${customerId}`)).body);
  expectRefusal(await exchange(code), '404 customer_not_found', {});
  assert.equal((await openPage(service.address, 'POST', path)).status, 410, 'the link is spent');
});

test('of 20 parallel exchanges of a code one succeeds', async () => {
  const code = await codeOf((await orderWithLink()).path);
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(code)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('a code expires after a minute, and a made-up code is unknown', async () => {
  const start = service.clock.seconds;
  const [first, second] = [
    await codeOf((await orderWithLink()).path),
    await codeOf((await orderWithLink()).path),
  ];
  service.clock.seconds = start + 59;
  assert.equal((await exchange(first)).status, 200);
  service.clock.seconds = start + 60;
  expectRefusal(await exchange(second), '404 customer_not_found', {});
  for (const wrong of ['', 'x', 'A'.repeat(43), `${second}A`, 'é'.repeat(43)]) {
    expectRefusal(await exchange(wrong), '404 customer_not_found', {}, wrong);
  }
  for (const wrong of [null, 1, [second], { code: second }, undefined, 'x'.repeat(101)]) {
    expectRefusal(await exchange(wrong), '422 validation_failed');
  }
});

test('a link’s token is no code, a code is no link, and only an administrator may exchange', async () => {
  const { reseller, path } = await orderWithLink();
  expectRefusal(await exchange(path.slice('/login/'.length)), '404 customer_not_found');
  const code = await codeOf(path);
  assert.equal((await openPage(service.address, 'POST', `/login/${code}`)).status, 410);
  assert.equal(
    (await openPage(service.address, 'GET', '/customer', { cookie: `__Host-sellthrough_customer=${code}` }))
      .status,
    401,
  );
  expectRefusal(await reseller.post('/api/admin/v1/login-codes/exchange', { code }), '403 forbidden');
  assert.equal((await exchange(code)).status, 200, 'none of this used it up');
});

async function setStatus(customerId: number, status: 'active' | 'suspended'): Promise<void> {
  const set = await service.admin.patch(`/api/admin/v1/customers/${customerId}`, { status });
  assert.equal(set.status, 200, set.text);
}

test('a suspended customer is not led to the product: the link says so, and works when the suspension is lifted', async () => {
  const { customerId, path } = await orderWithLink();
  await setStatus(customerId, 'suspended');
  for (const method of ['GET', 'POST', 'POST'] as const) {
    const refused = await openPage(service.address, method, path);
    assert.equal(refused.status, 403, method);
    assert.match(refused.text, /Your access is suspended/);
    assert.equal(refused.headers.get('location'), null);
  }
  await setStatus(customerId, 'active');
  assert.equal((await openPage(service.address, 'GET', path)).status, 200);
  assert.equal((await exchange(await codeOf(path))).status, 200);
});

test('a customer who is suspended on the way to the product is not let in by the code', async () => {
  const { customerId, path } = await orderWithLink();
  const code = await codeOf(path);
  await setStatus(customerId, 'suspended');
  expectRefusal(await exchange(code), '404 customer_not_found', {});
  expectRefusal(await exchange(code), '404 customer_not_found', {});
  await setStatus(customerId, 'active');
  const answer = await exchange(code);
  assert.deepEqual(
    [answer.status, answer.body.customer?.status],
    [200, 'active'],
    'the code was not used up',
  );
  expectRefusal(await exchange(code), '404 customer_not_found', {});
});

test('only hashes of codes are in the database', async () => {
  const code = await codeOf((await orderWithLink()).path);
  const text = 'select c::text as line from login_codes c';
  const rows = await service.database.query({ name: '', text });
  const lines = rows.map((row) => String(row['line'])).join('\n');
  assert.ok(lines.includes(createHash('sha256').update(code).digest('base64url')));
  assert.ok(!lines.includes(code) && !JSON.stringify(service.logLines).includes(code));
});

test('with https the cookie is a __Host- one and Secure', async () => {
  const out = await openPage(service.address, 'POST', '/customer/logout');
  assert.match(
    out.headers.getSetCookie()[0] ?? '',
    /^__Host-sellthrough_customer=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  assert.equal(cookieOf(out), '__Host-sellthrough_customer=');
});
