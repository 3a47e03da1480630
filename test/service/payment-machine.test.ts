// The short form of the payments machine: random histories of payments end in the books that the provider's own truth says.
// proof/machines/long-payments.ts is the long form.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Counts, playPayments } from '../../proof/machines/payment-histories.ts';
import { type PaymentsHere, startPaymentsHere } from '../../proof/machines/payments-here.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const histories = 20;

let here: PaymentsHere;
before(async () => {
  here = await startPaymentsHere();
});
after(() => here.close());

test('on random histories of payments the books equal the provider’s truth, however webhooks arrive', async (context) => {
  const counts: Counts = {};
  for (let number = 0; number < histories; number += 1) {
    const problems = await playPayments(here.place, createRandom(seed + number), counts);
    assert.deepEqual(problems, [], `history ${number}`);
  }
  context.diagnostic(JSON.stringify(counts));
  for (const what of [
    'pressed pay',
    'disputes',
    'disputes: win',
    'refunds at the provider',
    'outages',
    'statements',
  ])
    assert.ok((counts[what] ?? 0) > 0, `${what} happened`);
});
