// node test/machines/long-kill.ts --database embedded|postgres [--kills 500] [--seed 1]
// PostgreSQL: throwaway servers of its own. A hundred kills for each seed.

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
// A fresh database from time to time: the books are added up after every kill, and would take longer and longer.
const killsPerDatabase = 100;
const began = performance.now();
const killsWanted = Number(values.kills);
const killsByPoint: Record<string, number> = {};
let [done, acknowledged, afterUnknown, renewals, cancels] = [0, 0, 0, 0, 0];
let seed = Number(values.seed);
for (; done < killsWanted; seed += 1) {
  const postgres = values.database === 'postgres' ? await startThrowawayPostgres() : null;
  const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
  try {
    const report = await runKillProof({
      environment: postgres === null ? { DATA_DIR: dataDir } : { DATABASE_URL: postgres.url },
      kills: Math.min(killsPerDatabase, killsWanted - done),
      seed,
      onKill(count, point) {
        if (count % 25 === 0) process.stdout.write(`${done + count} kills, the last ${point}\n`);
      },
    });
    done += report.kills;
    acknowledged += report.ordersAcknowledged;
    afterUnknown += report.ordersAfterUnknown;
    renewals += report.renewals;
    cancels += report.cancels;
    for (const [point, count] of Object.entries(report.killsByPoint))
      killsByPoint[point] = (killsByPoint[point] ?? 0) + count;
  } finally {
    await postgres?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
const seconds = Math.round((performance.now() - began) / 1000);
process.stdout.write(
  `${JSON.stringify(killsByPoint)}\n${done} kills, ${acknowledged} orders acknowledged, ${afterUnknown} of them ` +
    'after an unknown outcome: 0 lost, 0 doubled, books in order after every kill; ' +
    `${renewals} renewals by themselves, one for each end, ${cancels} cancels, each paid once; ` +
    `seeds ${values.seed} to ${seed - 1}, ${seconds} s\n`,
);
