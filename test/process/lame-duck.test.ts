// How a process behind a proxy ends: /readyz announces it before anything closes.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ServiceProcess, startPatiently } from '../../proof/machines/service-process.ts';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgres-database.ts';

const adminKey = mintApiKey('live');
let database: PostgresDatabase;
let service: ServiceProcess;
before(async () => {
  database = await createPostgresDatabase();
});
after(() => database.remove());
beforeEach(async () => {
  service = await startPatiently({
    environment: {
      PORT: '0',
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key of the tests, of thirty-two and more characters',
      ADMIN_API_KEY: adminKey,
    },
    // With these limits, a wait that must not happen would never end, so the test would notice it.
    preloads: ['test/harness/patient-ending.ts'],
  });
});

const readiness = async () => (await fetch(`${service.address}/readyz`)).status;

/** Acts like a proxy: asks twice before the signal, and then until the process announces its end. */
async function askAndEnd(): Promise<void> {
  assert.deepEqual([await readiness(), await readiness()], [200, 200]);
  service.kill('SIGTERM');
  while ((await readiness()) === 200) await nextTurn();
}

async function ends(): Promise<void> {
  assert.deepEqual(await service.gone, { code: 0, signal: null });
}

async function canConnect(): Promise<boolean> {
  const { port, hostname } = new URL(service.address);
  const socket = connect(Number(port), hostname);
  const outcome = await once(socket, 'connect').catch(() => null);
  socket.destroy();
  return outcome !== null;
}

test('/readyz is 503 while everything is answered; then the port closes, and connections end with an answer', async () => {
  const { port, hostname } = new URL(service.address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const request = `GET /api/v1/balance HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${adminKey}\r\n`;
  socket.write(request);
  await askAndEnd();
  const admin = createApiClient(service.address, adminKey);
  const { status, headers } = await admin.get('/api/admin/v1/accounts');
  assert.deepEqual([status, headers.get('connection')], [200, 'keep-alive'], 'answered as ever');
  assert.equal((await fetch(`${service.address}/healthz`)).status, 200);
  // The process announces its end three times. The fourth request shows that they were received.
  assert.deepEqual([await readiness(), await readiness(), await readiness()], [503, 503, 503]);
  while (await canConnect()) await nextTurn();
  socket.write('\r\n');
  let answer = '';
  for await (const piece of socket) answer += piece;
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /^connection: close\r$/im);
  await ends();
});

test('SIGINT as the second signal: anyone who asks at /readyz is not waited for any more @nightly', async () => {
  await askAndEnd();
  service.kill('SIGINT');
  await ends();
});

test('so does a second SIGTERM, but not the same one that arrives twice @nightly', async () => {
  assert.deepEqual([await readiness(), await readiness()], [200, 200]);
  service.kill('SIGTERM');
  service.kill('SIGTERM');
  while ((await readiness()) === 200) await nextTurn();
  assert.equal(await canConnect(), true);
  const repeating = setInterval(() => service.kill('SIGTERM'), 100);
  await ends();
  clearInterval(repeating);
});

test('SIGINT alone does not wait for clients of /readyz @nightly', async () => {
  assert.deepEqual([await readiness(), await readiness()], [200, 200]);
  service.kill('SIGINT');
  await ends();
});

test('a process that no one asks whether it is ready ends at once @nightly', async () => {
  service.kill('SIGTERM');
  await ends();
});
