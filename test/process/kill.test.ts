import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { type CrashPoint, crashPoints } from '../machines/crash-points.ts';
import { runKillProof } from '../machines/kill-proof.ts';

// The short form of test/machines/long-kill.ts, whose runs begin with other seeds: every point of a crash once. Before
// anything is written the embedded database has nothing to lose: what happens there is tried on PostgreSQL.
const writing: readonly CrashPoint[] = ['before-write', 'before-commit', 'in-commit', 'after-commit'];

test('kill -9 at any point from the first write on loses and doubles no order on the embedded database', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  copyEmbeddedTemplate(dataDir);
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({
    environment: { DATA_DIR: dataDir },
    points: writing,
    kills: writing.length + 1,
    seed,
    isShort: true,
    confirms: true,
  });
  context.diagnostic(JSON.stringify(report));
});

test('kill -9 at any point loses and doubles no order on PostgreSQL', async (context) => {
  const postgres = await startThrowawayPostgres();
  context.after(() => postgres.remove());
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({
    environment: { DATABASE_URL: postgres.url },
    kills: crashPoints.length + 1,
    seed,
    isShort: true,
  });
  context.diagnostic(JSON.stringify(report));
});
