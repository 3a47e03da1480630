// "Open your channel": which steps are done, what an operator skips, and the test call to the product.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { type PanelClient, signIn, testPassword } from '../harness/panel-client.ts';
import { type ProductReceiver, startProductReceiver } from '../harness/product-receiver.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
let console: PanelClient;
let product: ProductReceiver;
before(async () => {
  service = await startTestService();
  product = await startProductReceiver();
  console = await signIn(service, service.admin);
});
after(async () => {
  await service.close();
  await product.close();
});

interface Step {
  readonly name: string;
  readonly state: string;
}

async function states(): Promise<Record<string, string>> {
  const { steps } = (await console.get('/admin/setup')).body;
  return Object.fromEntries(steps.map(({ name, state }: Step) => [name, state]));
}

test('a step is done once the database says so', async () => {
  const before = await states();
  assert.equal(before['packages'], 'done');
  assert.equal(before['prices'], 'done');
  for (const name of ['brand', 'product', 'reseller', 'address', 'mail', 'backup'])
    assert.equal(before[name], 'open', name);
  await service.createReseller();
  assert.equal((await states())['reseller'], 'done');
});

test('a skipped step stays so until it is shown again, and a step that is done counts as done', async () => {
  for (const skipped of [true, true, false, true]) {
    const answer = await console.put('/admin/setup', { step: 'mail', skipped });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await states())['mail'], skipped ? 'skipped' : 'open');
  }
  await console.put('/admin/setup', { step: 'reseller', skipped: true });
  assert.equal((await states())['reseller'], 'done');
  expectRefusal(await console.put('/admin/setup', { step: 'all', skipped: true }), '422 validation_failed');
});

test('a test call is signed, grants nothing, and shows what came back', async () => {
  expectRefusal(await console.post('/admin/product/test-call', {}), '409 product_not_set');
  const { url, secret } = product;
  const named = { mode: 'confirm', url, secret, current_password: testPassword };
  assert.equal((await console.put('/admin/v1/product', named)).status, 200);
  const { status, answer, problem, sent } = (await console.post('/admin/product/test-call', {})).body;
  assert.equal(status, 200);
  assert.equal(problem, null);
  assert.equal(answer, null, 'the answer had no body');
  assert.deepEqual(product.forged, []);
  const call = JSON.parse(sent);
  assert.deepEqual([call.type, call.data.status, call.data.customer.id], ['plan.expire', 'expired', 0]);
  assert.equal((await states())['product'], 'done');
  await product.close();
  const failed = (await console.post('/admin/product/test-call', {})).body;
  assert.equal(failed.status, null);
  assert.equal(typeof failed.problem, 'string');
  product = await startProductReceiver();
});

test('a mail server that cannot be used is among what doctor reports', async () => {
  const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'shop@example.com' };
  const mailing = await startTestService({ environment });
  try {
    const { findings } = (await (await signIn(mailing, mailing.admin)).get('/admin/setup')).body;
    const mail = findings.find(({ name }: { name: string }) => name === 'mail');
    assert.equal(mail?.state, 'fail');
    assert.match(mail?.says, /^127\.0\.0\.1 cannot be used: .*check SMTP_URL$/);
  } finally {
    await mailing.close();
  }
});
