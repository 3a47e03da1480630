import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CrashPoint } from '../../proof/machines/crash-points.ts';
import { runKillProof } from '../../proof/machines/kill-proof.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { createPostgresDatabase } from '../harness/postgres-database.ts';

// At the commit, the order may or may not be charged; right after it, the client does not know that it is.
const edges: Readonly<Record<'embedded' | 'postgres', readonly CrashPoint[]>> = {
  embedded: ['before-commit', 'in-commit'],
  postgres: ['in-commit', 'before-answer'],
};

test('kill -9 around the commit loses and doubles no order on the embedded database @nightly', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
  context.after(() => rmSync(dataDir, { recursive: true, force: true }));
  copyEmbeddedTemplate(dataDir);
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({
    environment: { DATA_DIR: dataDir },
    points: edges.embedded,
    kills: edges.embedded.length,
    seed,
    isShort: true,
    confirms: true,
  });
  context.diagnostic(JSON.stringify(report));
});

test('kill -9 around the commit and before the answer loses and doubles no order on PostgreSQL', async (context) => {
  const postgres = await createPostgresDatabase();
  context.after(() => postgres.remove());
  context.diagnostic(`seed ${seed}`);
  const report = await runKillProof({
    environment: { DATABASE_URL: postgres.url },
    points: edges.postgres,
    kills: edges.postgres.length,
    seed,
    isShort: true,
  });
  context.diagnostic(JSON.stringify(report));
});
