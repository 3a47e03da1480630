// Two processes behind a proxy, restarted one after the other while orders come in: what the files of deploy/proxies/
// make of that. Run by `npm run test:proxies`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startFrontProxy, wantedProxy } from '../../scripts/throwaway/front-proxy.ts';
import { sendRequest } from '../../scripts/throwaway/send-request.ts';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/accounts/api-key.ts';
import { type ServiceProcess, startServiceProcess } from '../machines/service-process.ts';

const kind = wantedProxy();
assert.ok(kind, 'run by npm run test:proxies');
const clients = 20;
const prices = { monthly: '1.00', quarterly: '3.00', yearly: '12.00' };

test('every order with a key stands once, and HAProxy has it answered at the first attempt', async (context) => {
  const postgres = await startThrowawayPostgres();
  const adminKey = mintApiKey();
  const start = (port: string) =>
    startServiceProcess({
      environment: {
        PORT: port,
        DATABASE_URL: postgres.url,
        SECRET_KEY: 'a key of the tests, of thirty-two and more characters',
        ADMIN_API_KEY: adminKey,
      },
    });
  const processes: ServiceProcess[] = [await start('0'), await start('0')];
  const front = await startFrontProxy(kind, ...processes.map(({ address }) => address));
  context.after(async () => {
    await front.close();
    for (const { kill, gone } of processes) {
      kill('SIGTERM');
      await gone;
    }
    await postgres.remove();
  });
  const administrator = createApiClient(front.address, adminKey);
  const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
  const newPackage = { name: 'Rolling', limits, prices: { reseller: prices, distributor: prices } };
  const { package: ordered } = (await administrator.post('/api/admin/v1/packages', newPackage)).body;
  const { account, api_key } = (
    await administrator.post('/api/admin/v1/accounts', {
      username: 'rolling',
      group: 'reseller',
      rate_limit_per_minute: 1_000_000,
    })
  ).body;
  await administrator.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: '1000000.00' });
  const reseller = createApiClient(front.address, api_key);

  let isOver = false;
  let orders = 0;
  const failures: string[] = [];
  const ordering = Array.from({ length: clients }, async (_, client) => {
    for (let index = 0; !isOver; index += 1) {
      const customer = `rolling-${client}-${index}`;
      const place = () =>
        reseller
          .post('/orders', { package_id: ordered.id, customer }, { 'idempotency-key': customer })
          .then(({ status }) => String(status))
          .catch((error: NodeJS.ErrnoException) => String(error.code));
      orders += 1;
      for (let outcome = await place(); outcome !== '201'; outcome = await place()) failures.push(outcome);
    }
  });
  const answeredBy = async ({ address }: ServiceProcess) =>
    Number(
      /sellthrough_orders_total\{kind="activate"\} (\d+)/.exec(
        (await sendRequest(`${address}/metrics`, { method: 'GET' })).text,
      )?.[1] ?? 0,
    );
  for (const place of processes.keys()) {
    const old = processes[place];
    assert.ok(old);
    old.kill('SIGTERM');
    await old.gone;
    // However soon it could be back, the other one works alone for a while.
    for (const before = orders; orders < before + 200; ) await reseller.get('/balance');
    const restarted = await start(new URL(old.address).port);
    processes[place] = restarted;
    // The next one may go when the proxy uses this one again.
    while ((await answeredBy(restarted)) === 0) await reseller.get('/balance');
  }
  isOver = true;
  await Promise.all(ordering);

  context.diagnostic(`${orders} orders, ${failures.length} attempts that failed: ${failures.slice(0, 20)}`);
  const { total } = (await reseller.get('/orders')).body;
  assert.equal(total, orders);
  assert.equal((await reseller.get('/balance')).body.balance, `${1_000_000 - orders}.00`);
  // nginx repeats no POST that may have reached a process.
  if (kind === 'nginx') for (const outcome of failures) assert.equal(outcome, '503');
  else assert.deepEqual(failures, []);
});
