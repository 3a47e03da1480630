// Behind a trusted proxy (TRUST_PROXY), the client's address counts, which clients cannot forge.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount } from '../harness/shop.ts';

let service: TestService;
let now = 1_000_000;
before(async () => {
  service = await startTestService({
    environment: { TRUST_PROXY: '127.0.0.1, 10.1.0.0/16' },
    limits: { rates: { failuresPerMinute: 2 } },
  });
  service.clock.monotonic = () => now;
});
after(() => service.close());
beforeEach(() => {
  now += 120_000;
});

test('the allow-list is held against the last address that no trusted proxy stands behind', async () => {
  const table = `
    X-Forwarded-For                              allow-list            answer
    192.0.2.7                                    192.0.2.7             200
    192.0.2.7                                    192.0.2.0/24          200
    192.0.2.7                                    127.0.0.1             403
    192.0.2.7,10.1.2.3                           192.0.2.7             200
    192.0.2.7,10.2.2.3                           192.0.2.7             403
    192.0.2.7,10.2.2.3                           10.2.2.3              200
    203.0.113.9,192.0.2.7                        203.0.113.9           403
    127.0.0.1,192.0.2.7                          127.0.0.1             403
    2001:db8::7                                  2001:db8::/32         200
    2001:DB8:0:0::7                              2001:db8::7           200
    2001:db9::7                                  2001:db8::/32         403
    ::ffff:192.0.2.7                             192.0.2.7             200
    ::ffff:c000:207                              192.0.2.0/24          200
    192.0.2.7                                    ::ffff:192.0.2.7      200
    192.0.2.7                                    ::ffff:192.0.2.0/120  200
    192.0.2.7                                    0.0.0.0/0             200
    2001:db8::7                                  0.0.0.0/0             403
    -                                            127.0.0.1             200
    -                                            192.0.2.7             403`;
  const reseller = await service.createReseller();
  for (const line of table.trim().split('\n').slice(1)) {
    const [forwarded = '', entry = '', status] = line.trim().split(/ +/);
    await changeAccount(service, reseller, { allowed_ips: [entry] });
    const headers: Record<string, string> = forwarded === '-' ? {} : { 'x-forwarded-for': forwarded };
    assert.equal((await reseller.get('/balance', headers)).status, Number(status), line);
  }
});

test('an invalid address is never allowed, and never breaks anything', async () => {
  const reseller = await service.createReseller();
  await changeAccount(service, reseller, { allowed_ips: ['0.0.0.0/0', '::/0'] });
  for (const forwarded of [
    'unknown',
    '_hidden',
    '999.1.1.1',
    '1.2.3',
    'x'.repeat(1_000),
    '<script>',
    '[::1]:80',
    ',',
    ' ',
  ]) {
    const answer = await reseller.get('/balance', { 'x-forwarded-for': forwarded });
    assert.ok([200, 403].includes(answer.status), `${forwarded.slice(0, 20)} ${answer.text}`);
    if (/^[a-z_<9]/.test(forwarded)) expectRefusal(answer, '403 ip_not_allowed', {}, forwarded.slice(0, 20));
  }
});

test('failed authentications are counted per client, and an IPv6 client by its /64', async () => {
  const outsider = createApiClient(service.address, null);
  const from = async (address: string) =>
    (await outsider.get('/balance', { 'x-forwarded-for': address })).status;
  assert.deepEqual(
    [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')],
    [401, 401, 429],
  );
  assert.equal(await from('::ffff:192.0.2.1'), 429, 'the same machine');
  assert.equal(await from('192.0.2.2'), 401, 'another machine');
  assert.deepEqual(
    [await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8:0:0:ff::3')],
    [401, 401, 429],
  );
  assert.equal(await from('2001:db8:0:1::1'), 401, 'another /64');
});

test('keys that no one holds are looked up per client, and for a /48 four times as often as for one of its /64', async () => {
  const from = async (address: string) =>
    (
      await createApiClient(service.address, mintApiKey('live')).get('/balance', {
        'x-forwarded-for': address,
      })
    ).status;
  const statuses: number[] = [];
  for (let network = 1; network <= 6; network += 1) {
    for (let host = 1; host <= 2; host += 1) statuses.push(await from(`2001:db8:5:${network}::${host}`));
  }
  assert.deepEqual(statuses, [...Array(8).fill(401), ...Array(4).fill(429)]);
  assert.equal(await from('2001:db8:6:1::1'), 401, 'another /48');
});

test('a proxy that TRUST_PROXY does not name is noticed in the log: at its first request, and once', async () => {
  const warnings = ({ logLines }: TestService) => logLines.filter(({ level }) => level === 40);
  assert.deepEqual(warnings(service), [], 'a named proxy causes no warning');
  const misled = await startTestService({ environment: { TRUST_PROXY: '10.1.0.0/16' } });
  try {
    const outsider = createApiClient(misled.address, null);
    await outsider.get('/balance');
    assert.deepEqual(warnings(misled), [], 'there is no proxy in front');
    for (const client of ['192.0.2.1', '192.0.2.2'])
      await outsider.get('/balance', { 'x-forwarded-for': client });
    const [said, ...more] = warnings(misled);
    assert.equal(said?.['peer'], '127.0.0.1');
    assert.equal(said?.['msg'], 'forwarded headers ignored');
    assert.deepEqual(more, []);
  } finally {
    await misled.close();
  }
});
