// Many clients use every account live and in test mode, without traces in the other. CROWD_REQUESTS makes it longer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCrowd } from '../../proof/machines/crowd.ts';
import { startCrowdPlace } from '../../proof/machines/crowd-place.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { createPostgresDatabase } from '../harness/postgres-database.ts';

const requestsMax = Number(process.env['CROWD_REQUESTS'] ?? 600);

test('a crowd in both modes leaves no trace of one in the other, and each of its books agrees with what it was answered', async (context) => {
  const database = await createPostgresDatabase();
  context.after(() => database.remove());
  const place = await startCrowdPlace(database.url);
  context.after(() => place.close());
  const report = await runCrowd({
    addresses: place.addresses,
    adminKey: place.adminKey,
    seed,
    isOver: (requests) => requests >= requestsMax,
    testMode: await place.witnesses(),
  });
  context.diagnostic(`seed ${seed}: ${JSON.stringify(report)}`);
  for (const wanted of ['place 201', 'renew 201', 'credit 201', 'balance 200', 'clock 200'])
    assert.ok((report.answers[wanted] ?? 0) > 0, `no "${wanted}"`);
  assert.ok((report.traces?.crossed ?? 0) > 0, 'ids of the other mode were asked for');
});
