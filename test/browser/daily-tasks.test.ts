// Daily tasks take at most the promised number of clicks from the landing page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dailyTasks, Hand } from '../../scripts/demo/daily-steps.ts';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { signIn, usernameOf } from '../harness/panel-client.ts';
import { heading } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

let reseller: TestAccount;
const panel = usePanelBrowser(async (service) => {
  reseller = await service.createReseller({ credit: '900.00' });
  const order = (customer: string) =>
    reseller.post('/orders', { package_id: service.packages.basic, customer });
  for (const customer of ['ends.first', 'ends.second']) assert.equal((await order(customer)).status, 201);
  service.clock.seconds += 26 * 86_400;
  assert.equal((await order('ends.later')).status, 201);
  const client = await signIn(service, reseller);
  assert.equal((await client.put('/request-bodies', { bodies_kept: true })).status, 200);
  const refused = await reseller.post('/orders', { package_id: 999, customer: 'no-such' });
  assert.equal(refused.body.error.code, 'invalid_package');
});

const ends: Readonly<Record<string, RegExp>> = {
  'spending by package and kind': /^Basic/,
  'renew all plans that end this week': /^2 plans renewed$/,
};

for (const { name, role, clicksMax, steps } of dailyTasks) {
  test(`${name}: no more clicks than ${clicksMax}`, async () => {
    const isAdministrator = role === 'administrator';
    const page = await panel.openAs(
      isAdministrator ? panel.service.admin : reseller,
      isAdministrator ? '/panel/admin' : '/panel/',
    );
    await heading(page, isAdministrator ? 'Business' : 'Overview').waitFor();
    const hand = new Hand();
    const seen = await steps(hand, page, await usernameOf(panel.service, reseller));
    assert.match(seen, ends[name] ?? /"customer": "no-such"/);
    assert.ok(hand.clicks <= clicksMax, `${hand.clicks} clicks`);
  });
}
