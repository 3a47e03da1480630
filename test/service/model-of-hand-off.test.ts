// Some random histories around the hand-off, on each database. proof/machines/long-hand-off.ts is the long form.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { quickCalls, runHandOffRound } from '../../proof/machines/hand-off-histories.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';
import { type ProductReceiver, startProductReceiver } from '../harness/product-receiver.ts';
import { expectStatus } from '../harness/refusals.ts';
import { endProductCalls } from '../harness/run-product-calls.ts';
import { createTestAccounts, testModeOf } from '../harness/test-mode.ts';

const rounds = 3;
const customers = 30;

let service: TestService;
let product: ProductReceiver;
before(async () => {
  service = await startTestService({ limits: { productCalls: quickCalls } });
  product = await startProductReceiver();
});
after(async () => {
  await service.close();
  await product.close();
});

test('in random histories the last call that the product took equals the entitlement', async (context) => {
  const accounts: TestAccount[] = [];
  for (let count = 0; count < 3; count += 1)
    accounts.push(await service.createReseller({ credit: '900000.00' }));
  const { tests } = await createTestAccounts(service);
  expectStatus(await tests.post('/test/credit', { amount: '90000.00' }), 201);
  accounts.push(tests);
  const testReader = await testModeOf(service, service.admin);
  let histories = 0;
  for (let round = 0; round < rounds; round += 1) {
    const of = { service, product, accounts, testReader, seed: fixedSeed };
    const run = await runHandOffRound({ ...of, round, customers });
    assert.deepEqual(run.problems, []);
    histories += run.histories;
  }
  context.diagnostic(`${histories} histories, ${product.calls.length} calls, seed ${fixedSeed}`);
  await endProductCalls(service);
});
