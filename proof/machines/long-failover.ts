// node proof/machines/long-failover.ts [--rounds 2] [--seed 1] [--asynchronous]
// Runs each event of failover.ts for several rounds. Exit code 1 if a check fails. --asynchronous adds a fault that it must
// find.

import { parseArgs } from 'node:util';
import { failoverNames, runFailovers } from './failover.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    asynchronous: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const began = performance.now();
const gaps: number[] = [];
const totals = { refused: 0, replayed: 0 };
const { acknowledged, missing, doubled, problems } = await runFailovers({
  seed,
  events: Array.from({ length: Number(values.rounds) }, () => failoverNames).flat(),
  isAsynchronous: values.asynchronous,
  onEvent(name, { gapMilliseconds, refused, replayed }) {
    gaps.push(gapMilliseconds);
    totals.refused += refused;
    totals.replayed += replayed;
    say(`${name}: ${gapMilliseconds} ms without an order, ${refused} answers of 503, ${replayed} replays`);
  },
});
for (const sentence of [...missing, ...doubled].slice(0, 10)) say(`  ${sentence}`);
for (const sentence of problems) say(`  ${sentence}`);
const seconds = Math.round((performance.now() - began) / 1000);
say(
  `${gaps.length} failovers, ${acknowledged} orders acknowledged, ${totals.replayed} of them after an unknown outcome: ` +
    `${missing.length} missing, ${doubled.length} doubled, ${problems.length} problems; ${totals.refused} answers of 503; ` +
    `longest time without an order ${Math.max(...gaps)} ms; no process was started again; seed ${seed}, ${seconds} s`,
);
if (missing.length + doubled.length + problems.length > 0) process.exitCode = 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
