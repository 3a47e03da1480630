// node test/proof/long-kill.ts --database embedded|postgres [--kills 500] [--seed 1]
// PostgreSQL: a throwaway server of its own.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { runKillProof } from './kill-proof.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'embedded' },
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});
const began = performance.now();
const postgres = values.database === 'postgres' ? await startThrowawayPostgres() : null;
const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
try {
  const report = await runKillProof({
    environment: postgres === null ? { DATA_DIR: dataDir } : { DATABASE_URL: postgres.url },
    kills: Number(values.kills),
    seed: Number(values.seed),
    onKill(done, point) {
      if (done % 25 === 0) process.stdout.write(`${done} kills, the last ${point}\n`);
    },
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${JSON.stringify(report.killsByPoint)}\n`);
  process.stdout.write(
    `${report.kills} kills, ${report.ordersAcknowledged} orders acknowledged, ${report.ordersAfterUnknown} of ` +
      `them after an unknown outcome: 0 lost, 0 doubled, books in order after every kill; ` +
      `seed ${values.seed}, ${seconds} s\n`,
  );
} finally {
  await postgres?.remove();
  rmSync(dataDir, { recursive: true, force: true });
}
