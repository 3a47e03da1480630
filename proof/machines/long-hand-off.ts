// node proof/machines/long-hand-off.ts --histories 10000 [--seed 1] [--customers 200]
// The long form of model-of-hand-off.test.ts, on the embedded database. The last line gives the totals.

import { parseArgs } from 'node:util';
import { startTestService, type TestAccount } from '../../scripts/throwaway/test-service.ts';
import { startProductReceiver } from '../../test/harness/product-receiver.ts';
import { expectStatus } from '../../test/harness/refusals.ts';
import { endProductCalls } from '../../test/harness/run-product-calls.ts';
import { testModeOf } from '../../test/harness/test-mode.ts';
import { quickCalls, runHandOffRound } from './hand-off-histories.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    customers: { type: 'string', default: '200' },
  },
});
const [wanted, seed, customers] = [Number(values.histories), Number(values.seed), Number(values.customers)];
const shownMax = 5;
const accountCount = 5;

const began = performance.now();
const service = await startTestService({ limits: { productCalls: quickCalls } });
const product = await startProductReceiver();
const counted = new Map<string, number>();
const problems: string[] = [];
let histories = 0;
try {
  const testReader = await testModeOf(service, service.admin);
  for (let round = 0; histories < wanted; round += 1) {
    // Each round has new accounts, because an account's credit is enough for a few thousand orders.
    const accounts: TestAccount[] = [];
    for (let count = 0; count < accountCount; count += 1)
      accounts.push(await service.createReseller({ credit: '900000.00' }));
    accounts.push(await testAccount());
    const some = Math.min(customers, wanted - histories);
    const run = await runHandOffRound({
      service,
      product,
      accounts,
      testReader,
      seed,
      round,
      customers: some,
    });
    histories += run.histories;
    problems.push(...run.problems);
    for (const [what, count] of run.counted) counted.set(what, (counted.get(what) ?? 0) + count);
    console.log(`${histories} histories, ${product.calls.length} calls, ${problems.length} counter-examples`);
  }
  await endProductCalls(service);
} finally {
  await service.close();
  await product.close();
}
async function testAccount(): Promise<TestAccount> {
  const tests = await testModeOf(service, await service.createReseller());
  expectStatus(await tests.post('/test/credit', { amount: '90000.00' }), 201);
  return tests;
}

for (const [what, count] of [...counted].sort(([one], [other]) => (one < other ? -1 : 1)))
  console.log(`${String(count).padStart(8)}  ${what}`);
for (const problem of problems.slice(0, shownMax)) console.log(`\n${problem}`);
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
console.log(
  `${histories} histories, ${product.calls.length} calls, ${problems.length} counter-examples, seed ${seed}, ${seconds} s`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
