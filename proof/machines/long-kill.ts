// node proof/machines/long-kill.ts --database embedded|postgres|citus [--kills 500] [--seed 1] [--product]
// Runs kill-proof.ts with fifty kills per seed. Every second seed, or with --product every seed, has an unreliable product.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { startCitusPlace } from './citus-place.ts';
import { runKillProof } from './kill-proof.ts';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'embedded' },
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    product: { type: 'boolean', default: false },
  },
});
// After this many kills a fresh database is used: each kill audits all ledgers, which would take longer and longer.
const killsPerDatabase = 50;
const began = performance.now();
const killsWanted = Number(values.kills);
const killsByPoint: Record<string, number> = {};
const totals = {
  ...{ ordersAcknowledged: 0, ordersAfterUnknown: 0, renewals: 0, cancels: 0, changes: 0 },
  ...{ events: 0, deliveries: 0, repeats: 0 },
  ...{ completed: 0, failed: 0, settledByHand: 0, calls: 0, entitlements: 0 },
};
const counted = Object.keys(totals) as (keyof typeof totals)[];
let done = 0;
let seed = Number(values.seed);
for (let databases = 0; done < killsWanted; seed += 1, databases += 1) {
  const server = await serverOf(values.database);
  const dataDir = mkdtempSync(join(tmpdir(), 'sellthrough-kill-'));
  try {
    const report = await runKillProof({
      environment:
        server === null ? { DATA_DIR: dataDir } : { ...server.environment, DATABASE_URL: server.url },
      kills: Math.min(killsPerDatabase, killsWanted - done),
      seed,
      confirms: values.product || databases % 2 === 1,
      onKill(count, point) {
        if (count % 25 === 0) process.stdout.write(`${done + count} kills, the last ${point}\n`);
      },
    });
    done += report.kills;
    for (const name of counted) totals[name] += report[name] ?? 0;
    for (const [point, count] of Object.entries(report.killsByPoint))
      killsByPoint[point] = (killsByPoint[point] ?? 0) + count;
  } finally {
    await server?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
const { ordersAcknowledged, ordersAfterUnknown, renewals, cancels, changes, events, deliveries, repeats } =
  totals;
const { completed, failed, settledByHand, calls, entitlements } = totals;
const seconds = Math.round((performance.now() - began) / 1000);
process.stdout.write(
  `${JSON.stringify(killsByPoint)}\n${done} kills, ${ordersAcknowledged} orders acknowledged, ${ordersAfterUnknown} of them ` +
    'after an unknown outcome: 0 lost, 0 doubled, books in order after every kill; ' +
    `${renewals} renewals by themselves, one for each end, ${cancels} cancels, each paid once, ${changes} holds and the like; ` +
    `${events} events arrived in ${deliveries} deliveries, ${repeats} of them repeats, in order at each endpoint and none ` +
    `that was not committed; of orders that waited for the product ${completed} completed and ${failed} failed and repaid, ` +
    `${settledByHand} of them by hand, after ${calls} calls, and of ${entitlements} customers the ` +
    'last call that it took said what the entitlement says; ' +
    `seeds ${values.seed} to ${seed - 1}, ${seconds} s\n`,
);

async function serverOf(database: string) {
  if (database === 'citus') return startCitusPlace();
  return database === 'postgres' ? { ...(await startThrowawayPostgres()), environment: {} } : null;
}
