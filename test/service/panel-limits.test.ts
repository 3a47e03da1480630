// The sessions of one account cannot slow down others. A locked table holds requests; nothing waits for a time.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { holdWith } from '../harness/held-account.ts';
import { ownPages, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { onlyJobs } from '../harness/run-job.ts';

const patient = {
  readMilliseconds: 60_000,
  answerMilliseconds: 60_000,
  idleInTransactionMilliseconds: 60_000,
};

let service: TestService;
let milliseconds = 1_000_000;
before(async () => {
  service = await startTestService({
    limits: {
      database: patient,
      rates: { sessionRequestsPerMinute: 4, panelRequestsPerMinute: 6 },
      lists: { atOnceMax: 1, waitingMax: 1, waitMilliseconds: 60_000 },
      exports: { atOnceMax: 1, waitingMax: 1, waitMilliseconds: 1 },
      // A job that waits for a lock would be counted as a request that does.
      scheduledJobs: onlyJobs(),
    },
  });
  service.clock.monotonic = () => milliseconds;
});
after(() => service.close());

test('an account has a limit over all its sessions, beside that of each', async () => {
  const account = await service.createReseller();
  const other = await signIn(service, await service.createReseller());
  const one = await signIn(service, account);
  const two = await signIn(service, account, { setPassword: false });
  for (let time = 0; time < 4; time += 1) assert.equal((await one.get('/v1/balance')).status, 200);
  expectRefusal(await one.get('/v1/balance'), '429 rate_limited', {
    limit: 4,
    window_seconds: 60,
    retry_after: 60,
  });
  for (let time = 0; time < 2; time += 1) assert.equal((await two.get('/v1/balance')).status, 200);
  const refused = await two.get('/v1/balance');
  expectRefusal(refused, '429 rate_limited', { limit: 6, window_seconds: 60, retry_after: 60 });
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal((await other.get('/v1/balance')).status, 200);
  milliseconds += 60_000;
  assert.equal((await two.get('/v1/balance')).status, 200);
});

test('an account’s exports wait for one another, but not for long; its lists and other accounts go on', async (context) => {
  if (isAlone()) return context.skip('one session: no one waits for a lock');
  milliseconds += 60_000;
  const account = await service.createReseller({ credit: '10.00' });
  const session = await signIn(service, account);
  const other = await signIn(service, await service.createReseller({ credit: '10.00' }));
  const letGo = await lock('ledger_entries');
  const first = session.get('/v1/ledger?format=csv');
  await lockWaiters(1);
  expectRefusal(
    await session.get('/v1/ledger?format=csv'),
    '503 service_unavailable',
    undefined,
    'its turn did not come',
  );
  assert.equal((await session.get('/v1/orders')).status, 200);
  const foreign = other.get('/v1/ledger?format=csv');
  await lockWaiters(2);
  await letGo();
  assert.deepEqual([(await first).status, (await foreign).status], [200, 200]);
  milliseconds += 60_000;
  assert.equal((await session.get('/v1/ledger?format=csv')).status, 200);
});

test('of an account’s lists some wait in line and the others are refused; anyone who hangs up gives its turn away', async (context) => {
  if (isAlone()) return context.skip('one session: no one waits for a lock');
  milliseconds += 60_000;
  const session = await signIn(service, await service.createReseller());
  const letGo = await lock('customers');
  const hangUp = new AbortController();
  const first = fetch(`${service.address}/panel/api/v1/customers?cursor=`, {
    headers: { ...ownPages, cookie: session.cookie },
    signal: hangUp.signal,
  }).catch(() => 'hung up');
  await lockWaiters(1);
  const [second, third] = [session.get('/v1/customers?cursor='), session.get('/v1/customers?cursor=')];
  const crowded = await Promise.race([second, third]);
  expectRefusal(crowded, '429 rate_limited', { at_once: 1, retry_after: 60 });
  assert.equal(crowded.headers.get('retry-after'), '60');
  hangUp.abort();
  assert.equal(await first, 'hung up');
  await lockWaiters(2);
  await letGo();
  assert.deepEqual([(await second).status, (await third).status].sort(), [200, 429]);
});

test('what is about the session itself waits for no turn: anyone who ends a stolen one need not wait behind it', async (context) => {
  if (isAlone()) return context.skip('one session: no one waits for a lock');
  milliseconds += 60_000;
  const session = await signIn(service, await service.createReseller());
  const letGo = await lock('customers');
  const ask = (path: string) =>
    `GET /panel/api${path} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncookie: ${session.cookie}\r\n\r\n`;
  const { port } = new URL(service.address);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.write(ask('/v1/customers?cursor='));
  await lockWaiters(1);
  assert.equal((await session.get('/me')).status, 200);
  assert.equal((await session.get('/sessions')).status, 200);
  socket.destroy();
  await letGo();
});

/** On the embedded database, a waiting transaction would block the test's own statements. */
function isAlone(): boolean {
  return service.database.kind === 'embedded';
}

function lock(table: string): Promise<() => Promise<void>> {
  return holdWith(service.database, `lock table ${table} in access exclusive mode`);
}

async function lockWaiters(count: number): Promise<void> {
  const until = performance.now() + 60_000;
  const text = `select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  for (;;) {
    const [row] = await service.database.query({ name: '', text }, [], 'lookups');
    if (Number(row?.['waiting']) >= count) return;
    assert.ok(performance.now() < until, `${row?.['waiting']} statements wait, not ${count}`);
    await nextTurn();
  }
}
