// node proof/machines/long-payments.ts [--histories 2000] [--killed 100] [--seed 1]
// The long form of payment-machine.test.ts: histories in this process, then histories in two processes that are killed (-9),
// as is PostgreSQL, with restores from backups in between. The last line gives the totals.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { postgresForTests, startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { type Counts, type PaymentPlace, playPayments, verifyOf } from './payment-histories.ts';
import { startPaymentProcesses } from './payment-processes.ts';
import { startPaymentsHere } from './payments-here.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '2000' },
    killed: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const [histories, killed, seed] = [Number(values.histories), Number(values.killed), Number(values.seed)];
/** A new place now and then, because the provider keeps every event. */
const historiesOfPlace = 50;
const restEvery = 6;
const [restMin, restMore] = [700, 3_000];
const counts: Counts = {};
const problems: string[] = [];

const postgres = await postgresForTests();
process.env['TEST_DATABASE'] = 'postgres';
process.env['TEST_DATABASE_URL'] ??= postgres.url;
try {
  for (let done = 0; done < histories; ) {
    const here = await startPaymentsHere();
    for (const end = Math.min(histories, done + historiesOfPlace); done < end; done += 1)
      note(done, await playPayments(here.place, createRandom(seed + done), counts));
    countWebhooks(here.place);
    await here.close();
    process.stdout.write(`${done} histories, ${problems.length} divergences\n`);
  }
} finally {
  await postgres.remove();
}
if (killed > 0) await playKilled();
process.stdout.write(
  `${counts['histories'] ?? 0} histories, ${problems.length} divergences: ${JSON.stringify(counts)}\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
process.exit();

function note(number: number, found: readonly string[]): void {
  if (found.length === 0) return;
  const problem = `history ${number} of seed ${seed}: ${found.join('\n  ')}`;
  problems.push(problem);
  process.stdout.write(`${problem}\n`);
}

function countWebhooks({ standIn }: PaymentPlace): void {
  counts['webhooks sent'] = (counts['webhooks sent'] ?? 0) + standIn.control.attempts().length;
}

async function playKilled(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-payments-'));
  const server = await startThrowawayPostgres();
  const random = createRandom(seed);
  const processes = await startPaymentProcesses(server, folder, createRandom(seed + 1));
  let isOver = false;
  let isCalm = false;
  let kill: Promise<string> | null = null;
  const killing = (async () => {
    while (!isOver) {
      await pause(restMin + random.below(restMore));
      if (isOver || isCalm) continue;
      kill = processes.kill();
      const what = await kill;
      counts[what] = (counts[what] ?? 0) + 1;
    }
  })();
  try {
    for (let done = 0; done < killed; done += 1) {
      const place = {
        ...processes.place,
        // A process that still starts would be of the database before a restore.
        setCalm: async (calm: boolean) => {
          isCalm = calm;
          await kill;
        },
        restores: done % restEvery === restEvery - 1,
      };
      note(done, await playPayments(place, createRandom(seed + 1_000_000 + done), counts));
      note(done, await verifyOf(place));
      process.stdout.write(`${done + 1} killed histories, ${problems.length} divergences\n`);
      if (problems.length > 3) break;
    }
  } finally {
    isOver = true;
    await killing;
    countWebhooks(processes.place);
    await processes.close();
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
