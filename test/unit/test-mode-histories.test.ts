// Which cases the random histories of accounts and test accounts reach: a run that misses one proves nothing about it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageTemplates } from '../../proof/oracle/histories.ts';
import { createRandom, drawHistory } from '../../proof/oracle/history-genes.ts';
import {
  playTestModeHistory,
  testModeGroups,
  testModeLabels,
} from '../../proof/oracle/test-mode-histories.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const histories = 200;
const operations = 80;

const naming = {
  accountIds: testModeGroups.map((_group, account) => account + 1),
  packageIds: packageTemplates.map((_template, slot) => slot + 10),
  customerSuffix: '',
  hasAccountPrices: true,
};

const met = [
  'test place 201 activate',
  'test place 201 renew',
  'test place 201 change',
  'test place 201 activate, replayed',
  'test place customer_not_yours',
  'test place idempotency_conflict',
  'test place insufficient_credit',
  'test place price_changed',
  'test place account_blocked',
  'test place api_disabled',
  'live place 201 activate',
  'live place customer_not_yours',
  'live place account_blocked',
  'live renew 201 renew',
  'test renew 201 renew',
  'test cancel done',
  'test suspend done',
  'test resume done',
  'test auto_renew done',
  'test auto_renew_off done',
  'live auto_renew done',
  'live renewals by itself',
  'test move done',
  'test move done, replayed',
  'test move with renewals',
  'test move with renewalsFailed',
  'test move with warnings',
  'test move with ended',
  'test move validation_failed',
  'test move idempotency_conflict',
  'test move account_blocked',
  'test move api_disabled',
  'test test_credit done',
  'test test_credit done, replayed',
  'test test_credit validation_failed',
  'test test_credit idempotency_conflict',
  'test reset',
  'test open',
  'test alerts',
  'live move test_mode_only',
  'live test_credit test_mode_only',
  'live reset test_mode_only',
  'live look_at_clock test_mode_only',
  ...['live', 'test'].flatMap((mode) =>
    ['other_mode', 'foreign'].flatMap((whose) => [
      `${mode} look_at_order ${whose} order_not_found`,
      `${mode} look_at_customer ${whose} customer_not_found`,
      `${mode} renew ${whose} order_not_found`,
      `${mode} cancel ${whose} customer_not_found`,
    ]),
  ),
  'test look_at_order forgotten order_not_found',
  'test look_at_customer forgotten customer_not_found',
  'schedule done',
  'unschedule done',
  'list done',
  'unlist done',
  'live price by account',
  'test price by account',
  'live price by held',
  'test price by held',
  'prices',
  'retire',
  'live group',
];

test('histories meet everything that is different in tests, and the books of both modes add up', (context) => {
  const counted = new Map<string, number>();
  for (let number = 0; number < histories; number += 1) {
    const played = playTestModeHistory(drawHistory(createRandom(seed, number), operations), naming);
    for (const step of played.steps)
      for (const label of testModeLabels(step)) counted.set(label, (counted.get(label) ?? 0) + 1);
    for (const [account, accountId] of naming.accountIds.entries()) {
      const oracles = played.opened.has(account) ? [played.live, played.tests.oracle] : [played.live];
      for (const oracle of oracles) {
        const sum = oracle.ledger(accountId).reduce((cents, { amountCents }) => cents + amountCents, 0n);
        assert.equal(oracle.balance(accountId).balanceCents, sum);
      }
      const times = played.feedOf('test', account).map(({ at }) => at);
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
        'time does not go back',
      );
    }
  }
  const requests = [...counted.values()].reduce((sum, count) => sum + count, 0);
  context.diagnostic(
    `${histories} histories, ${requests} times something of ${counted.size} kinds, seed ${seed}`,
  );
  assert.deepEqual(
    met.filter((label) => !counted.has(label)),
    [],
    'every run meets these',
  );
});
