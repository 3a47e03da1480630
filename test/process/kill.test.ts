import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { runKillProof } from '../machines/kill-proof.ts';

// The short form of test/machines/long-kill.ts; the seed of a failure goes there.
const seed = Number(process.env['PROOF_SEED'] ?? Date.now() % 1_000_000);

test('kill -9 at any point loses and doubles no order on the embedded database', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({ environment: { DATA_DIR: dataDir }, kills: 8, seed });
  context.diagnostic(JSON.stringify(report));
});

test('kill -9 at any point loses and doubles no order on PostgreSQL', async (context) => {
  const postgres = await startThrowawayPostgres();
  context.after(() => postgres.remove());
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({ environment: { DATABASE_URL: postgres.url }, kills: 12, seed });
  context.diagnostic(JSON.stringify(report));
});
