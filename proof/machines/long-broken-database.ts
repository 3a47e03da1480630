// node proof/machines/long-broken-database.ts [--rounds 5] [--seed 1] [--only name]
// Runs each breakage of broken-database.ts for several rounds. Exit code 1 if a check fails.

import { parseArgs } from 'node:util';
import {
  type BreakageName,
  type BrokenDatabaseReport,
  breakageNames,
  openBreakableService,
  sceneOf,
  whyNotHere,
} from './broken-database.ts';

const recoveryMedianMax = 2_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
  },
});
const chosen = values.only?.map(knownName) ?? breakageNames;
const seed = Number(values.seed);
const began = performance.now();
const totals = {
  breakages: 0,
  skipped: 0,
  rounds: 0,
  ordersAcknowledged: 0,
  unknownOutcomesRetried: 0,
  answersByStatus: {} as Record<string, number>,
  readsByStatus: {} as Record<string, number>,
  lost: 0,
  doubled: 0,
  verify: 0,
  problems: 0,
  recoveries: 0,
  recoveryMedian: 0,
  recoveryMax: 0,
  tooLate: [] as string[],
};
const allRecoveries: number[] = [];

for (const name of chosen) {
  const reason = whyNotHere(sceneOf(name));
  if (reason !== null) {
    totals.skipped += 1;
    say(`${name}: not tried. ${reason}`);
    continue;
  }
  totals.breakages += 1;
  const reports: BrokenDatabaseReport[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const service = await openBreakableService(sceneOf(name));
    const seen = await service.breakDatabase({ breakage: name, seed: seed + round });
    const report = { ...seen, problems: [...seen.problems, ...(await service.end())] };
    for (const sentence of [...report.lost, ...report.doubled, ...report.verify, ...report.problems]) {
      say(`  ${name}, seed ${seed + round}: ${sentence}`);
    }
    reports.push(report);
  }
  const sum = (count: (report: BrokenDatabaseReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const answers = addUp(reports.map(({ answersByStatus }) => answersByStatus));
  const reads = addUp(reports.map(({ readsByStatus }) => readsByStatus));
  const recoveries = reports.flatMap((report) => report.recoveries);
  const first = recoveries.map((recovery) => recovery.first);
  const everyAccount = recoveries.map((recovery) => recovery.everyAccount);
  const placed = sum(({ ordersAcknowledged }) => ordersAcknowledged);
  const retried = sum(({ unknownOutcomesRetried }) => unknownOutcomesRetried);
  const lost = sum((report) => report.lost.length);
  const doubled = sum((report) => report.doubled.length);
  const verify = sum((report) => report.verify.length);
  const problems = sum((report) => report.problems.length);
  const isLate = !(median(first) <= recoveryMedianMax);
  say(
    `${name}: ${placed} orders, ${retried} after an unknown outcome; answers ${list(answers)}; reads ${list(reads)}; ` +
      `back after ${median(first)} ms (median of ${first.length}), at most ${Math.max(0, ...first)} ms, ` +
      `every account after ${median(everyAccount)} ms, at most ${Math.max(0, ...everyAccount)} ms; ` +
      `${lost} lost, ${doubled} doubled, verify ${verify === 0 ? 'content' : `found ${verify}`}, ` +
      `${problems} problems${isLate ? ', TOO LATE' : ''}`,
  );
  totals.rounds += reports.length;
  totals.ordersAcknowledged += placed;
  totals.unknownOutcomesRetried += retried;
  totals.answersByStatus = addUp([totals.answersByStatus, answers]);
  totals.readsByStatus = addUp([totals.readsByStatus, reads]);
  totals.lost += lost;
  totals.doubled += doubled;
  totals.verify += verify;
  totals.problems += problems;
  if (isLate) totals.tooLate.push(name);
  allRecoveries.push(...first);
}

totals.recoveries = allRecoveries.length;
totals.recoveryMedian = median(allRecoveries);
totals.recoveryMax = Math.max(0, ...allRecoveries);
const seconds = Math.round((performance.now() - began) / 1000);
say(JSON.stringify(totals));
const skipped = totals.skipped === 0 ? '' : `, ${totals.skipped} skipped`;
say(
  `${totals.rounds} rounds of ${totals.breakages} breakages${skipped}, ${totals.ordersAcknowledged} orders acknowledged, ` +
    `${totals.unknownOutcomesRetried} of them after an unknown outcome: ${totals.lost} lost, ${totals.doubled} doubled, ` +
    `${totals.problems} problems; ${totals.recoveries} recoveries, median ${totals.recoveryMedian} ms, at most ` +
    `${totals.recoveryMax} ms; seed ${seed}, ${seconds} s`,
);
const wrong = totals.lost + totals.doubled + totals.verify + totals.problems + totals.tooLate.length;
if (wrong > 0 || totals.rounds === 0) process.exitCode = 1;

function knownName(name: string): BreakageName {
  const known = breakageNames.find((one) => one === name);
  if (known !== undefined) return known;
  throw new Error(`There is no breakage "${name}". There are: ${breakageNames.join(', ')}.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ');
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
