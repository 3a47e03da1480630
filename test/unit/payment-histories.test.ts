// Which cases of payments the random histories reach, by the oracle alone: a run that misses a case proves nothing about it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groups, type PlayedHistory, packageTemplates, playHistory } from '../../proof/oracle/histories.ts';
import { createRandom, drawHistory } from '../../proof/oracle/history-genes.ts';
import { countLabels, formatDistribution, rarePaymentLabels } from '../../proof/oracle/history-report.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const histories = 150;
const operations = 100;
const timesMin = 5;

const naming = {
  accountIds: groups.map((_group, account) => account + 1),
  packageIds: packageTemplates.map((_template, slot) => slot + 10),
  customerSuffix: '',
  cancelRefund: 'unused',
  hasAccountPrices: true,
  hasPayments: true,
  hasWriteOffKeys: true,
  hasReferences: false,
} as const;

test('random histories meet every case of payments, and balance and receivable follow from sums', (context) => {
  const counted = new Map<string, number>();
  for (let number = 0; number < histories; number += 1) {
    const played = playHistory(drawHistory(createRandom(seed, number), operations), naming);
    countLabels(played.steps, counted);
    checkSums(played);
  }
  context.diagnostic(`\n${formatDistribution(counted)}`);
  assert.deepEqual(rarePaymentLabels(counted, timesMin), []);
});

/** Regardless of the order: a payment counts unless it was reversed, and a write-off counts as paid. */
function checkSums({ oracle, naming: { accountIds } }: PlayedHistory): void {
  for (const accountId of accountIds) {
    const [ledger, reversals] = [oracle.ledger(accountId), oracle.reversals(accountId)];
    const others = ledger.filter(({ topupNumber }) => topupNumber === undefined);
    const standing = reversals.filter(({ reinstatedAt }) => reinstatedAt === null);
    const netCents =
      others.reduce((sum, { amountCents }) => sum + amountCents, 0n) +
      oracle.payments(accountId).reduce((sum, { amountCents }) => sum + amountCents, 0n) -
      standing.reduce((sum, { amountCents, writtenOffCents }) => sum + amountCents - writtenOffCents, 0n);
    const { balanceCents } = oracle.balance(accountId);
    assert.equal(balanceCents - oracle.receivable(accountId), netCents);
    for (const reversal of reversals) {
      const { takenCents, settledCents, writtenOffCents, openCents, amountCents } = reversal;
      assert.ok(openCents >= 0n && takenCents + settledCents + writtenOffCents <= amountCents);
    }
  }
}
