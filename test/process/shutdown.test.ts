import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/accounts/api-key.ts';
import { startServiceProcess } from '../machines/service-process.ts';

test('SIGTERM ends a process whose database is at a statement that does not end', async (context) => {
  const postgres = await startThrowawayPostgres();
  const adminKey = mintApiKey('live');
  const service = await startServiceProcess({
    environment: {
      PORT: '0',
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a key of the tests, of thirty-two and more characters',
      ADMIN_API_KEY: adminKey,
    },
  });
  // Holds every reader of the orders off: verify waits for it, without a time limit of its own.
  const blocker = new pg.Client({ connectionString: postgres.url });
  await blocker.connect();
  context.after(async () => {
    await blocker.end();
    await postgres.remove();
  });
  await blocker.query('begin; lock table orders');
  const verify = createApiClient(service.address, adminKey)
    .get('/api/admin/v1/verify')
    .catch(() => null);
  for (;;) {
    const { rows } = await blocker.query('select count(*)::int as waiting from pg_locks where not granted');
    if (rows[0].waiting > 0) break;
  }

  service.kill('SIGTERM');
  assert.deepEqual(await service.gone, { code: 0, signal: null });
  await verify;
});
