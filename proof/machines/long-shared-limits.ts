// node proof/machines/long-shared-limits.ts [--rounds 1] [--seed 1] [--patience 1000]
// Runs shared-limits-crowd.ts and compared-limits.ts; a round takes five minutes. --patience: milliseconds to wait for an
// answer.

import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { compareWithModel } from './compared-limits.ts';
import { disturbances, runSharedLimits } from './shared-limits-crowd.ts';
import { startThrowawayValkey, valkeyProblem } from './throwaway-valkey.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    patience: { type: 'string' },
    disturbance: { type: 'string', multiple: true },
  },
});
const modelCalls = 3_000;
const modelSeeds = 5;

const problem = valkeyProblem();
if (problem === null) await prove();
else process.stdout.write(`not run: ${problem}\n`);

async function prove(): Promise<void> {
  const chosen = disturbances.filter(
    (name) => values.disturbance === undefined || values.disturbance.includes(name),
  );
  const say = (sentence: string) => process.stdout.write(`${sentence}\n`);
  const postgres = await startThrowawayPostgres();
  const valkey = await startThrowawayValkey();
  try {
    let operations = 0;
    const firstSeed = Number(values.seed);
    for (let seed = firstSeed; seed < firstSeed + modelSeeds; seed += 1)
      operations += await compareWithModel(valkey.url, seed, modelCalls);
    say(`${operations} operations of the script answered as the model does (${valkey.description})`);
    let [admitted, refused, calmWindows] = [0, 0, 0];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const report = await runSharedLimits({
        databaseUrl: postgres.url,
        valkey,
        seed: firstSeed + round,
        disturbances: chosen,
        patienceMilliseconds: values.patience === undefined ? null : Number(values.patience),
        say,
      });
      say(JSON.stringify(report));
      admitted += report.admitted;
      refused += report.refused;
      calmWindows += report.calmWindows;
    }
    say(
      `three processes, ${admitted} requests admitted and ${refused} refused while ${valkey.description} was ` +
        `${chosen.join(', ')}: none of ${calmWindows} windows of 60 seconds that this did not touch holds more than its ` +
        `limit, and no process more than it in any; ${operations} operations of the script as the model does them; seed ${values.seed}`,
    );
  } finally {
    await valkey.remove();
    await postgres.remove();
  }
}
