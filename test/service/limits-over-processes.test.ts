// A service with VALKEY_URL on a stand-in server, as clients and operators see it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { type LimitStandIn, startLimitStandIn } from '../harness/limit-stand-in.ts';
import { readMetrics } from '../harness/read-metrics.ts';

const limit = 20;
let standIn: LimitStandIn;
let service: TestService;
before(async () => {
  standIn = await startLimitStandIn();
  const patient = { answerMilliseconds: 60_000, connectMilliseconds: 60_000 };
  const sharedLimits = { ...defaultLimits.sharedLimits, ...patient, restMilliseconds: 20 };
  service = await startTestService({ environment: { VALKEY_URL: standIn.url }, limits: { sharedLimits } });
});
after(async () => {
  await service.close();
  await standIn.close();
});

test('what other processes have admitted counts here, for single requests and for bulks', async () => {
  const reseller = await service.createReseller({ credit: '100.00', rateLimitPerMinute: limit });
  assert.equal((await reseller.get('/packages')).headers.get('ratelimit'), `"default";r=${limit - 1};t=60`);
  // Another process admits ten requests.
  const words = ['500000', 'take', '1', '10', '0', '0', '0', '60000000', String(limit), '0'];
  standIn.model.run([`sellthrough:1:account:${reseller.id}`], words, standIn.now());
  const { headers } = await reseller.get('/packages');
  assert.match(String(headers.get('ratelimit')), new RegExp(`;r=${limit - 12};`));
  const orders = Array.from({ length: 90 }, (_, index) => ({
    package_id: service.packages.basic,
    customer: `c-${index}`,
    idempotency_key: `o-${index}`,
  }));
  const refused = await reseller.post('/orders/bulk', { orders });
  assert.equal(refused.status, 429);
  const done = await reseller.post('/orders/bulk', { orders: orders.slice(0, 80) });
  assert.equal(done.status, 200, 'a refused bulk has counted for nothing');
  assert.equal((await reseller.get('/packages')).status, 429);
});

test('while the server answers errors the service counts by itself, stays ready, and says so', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 2 });
  assert.equal((await readMetrics(service)).get('sellthrough_shared_limits_up'), 1);
  standIn.manner = "error OOM command not allowed when used memory > 'maxmemory'.";
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await reseller.get('/packages')).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  const metrics = await readMetrics(service);
  assert.equal(metrics.get('sellthrough_shared_limits_up'), 0);
  assert.equal(metrics.get('sellthrough_shared_limits_losses_total'), 1);
  assert.equal((await fetch(`${service.address}/readyz`)).status, 200);
});
