import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPatiently } from '../../proof/machines/service-process.ts';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createPostgresDatabase } from '../harness/postgres-database.ts';

test('SIGTERM ends a process whose database is at a statement that does not end', async (context) => {
  const database = await createPostgresDatabase();
  const adminKey = mintApiKey('live');
  const service = await startPatiently({
    environment: {
      PORT: '0',
      DATABASE_URL: database.url,
      SECRET_KEY: 'a key of the tests, of thirty-two and more characters',
      ADMIN_API_KEY: adminKey,
    },
  });
  // This lock blocks readers of orders, so verification waits. It has no time limit of its own.
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  context.after(async () => {
    await blocker.end();
    await database.remove();
  });
  await blocker.query('begin; lock table orders');
  const admin = createApiClient(service.address, adminKey);
  // On a busy machine, verification may answer 503 before it asks for the lock, so repeat it.
  let verify = Promise.resolve<unknown>(null);
  let isAsking = false;
  const ask = () => {
    isAsking = true;
    verify = admin
      .get('/api/admin/v1/verify')
      .catch(() => null)
      .finally(() => {
        isAsking = false;
      });
  };
  const waitingHere = `select count(*)::int as waiting from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`;
  for (;;) {
    if (!isAsking) ask();
    const { rows } = await blocker.query(waitingHere);
    if (rows[0].waiting > 0) break;
    await pause(20);
  }

  service.kill('SIGTERM');
  assert.deepEqual(await service.gone, { code: 0, signal: null });
  await verify;
});
