// Three processes behind a proxy are restarted one by one while orders arrive, then killed. Run by `npm run test:proxies`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runRollingRestarts } from '../../proof/machines/rolling-restarts.ts';
import { wantedProxy } from '../../scripts/throwaway/front-proxy.ts';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';

const kind = wantedProxy();
const certificates = process.env['TEST_PROXY_CERTIFICATES'];
assert.ok(kind !== null && certificates !== undefined, 'run by npm run test:proxies');

test('no restart fails a request, and no kill one that the proxy may repeat', async (context) => {
  const postgres = await startThrowawayPostgres();
  context.after(() => postgres.remove());
  const report = await runRollingRestarts({
    kind,
    certificates,
    ca: readFileSync(join(certificates, 'certificate.pem'), 'utf8'),
    databaseUrl: postgres.url,
    rounds: 1,
    killRounds: 1,
    seed: 1,
  });
  const { requests, restarts, failedByRestarts, failedByKills, problems } = report;
  context.diagnostic(
    `${requests} requests, ${restarts} restarts; killed: ${failedByKills.length} failed that may be repeated, ${report.handedBackByKills.length} handed back, ${report.unknownByKills.length} that may not`,
  );
  assert.deepEqual(failedByRestarts, []);
  assert.deepEqual(problems, []);
  assert.deepEqual(failedByKills, []);
});
