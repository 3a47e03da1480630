// node proof/machines/long-citus-crashes.ts [--crashes 6] [--seed 1]
// Runs citus-crashes.ts on the servers of `npm run test:citus`. Exit code 1 if a check fails.

import { parseArgs } from 'node:util';
import { crashServers } from './citus-crashes.ts';

const { values } = parseArgs({
  options: {
    crashes: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const began = performance.now();
const gaps: number[] = [];
const totals = { refused: 0, replayed: 0 };
const { acknowledged, missing, doubled, problems } = await crashServers({
  crashes: Number(values.crashes),
  seed: Number(values.seed),
  onCrash(title, { gapMilliseconds, refused, replayed }) {
    gaps.push(gapMilliseconds);
    totals.refused += refused;
    totals.replayed += replayed;
    say(`${title}: ${gapMilliseconds} ms without an order, ${refused} answers of 503, ${replayed} replays`);
  },
});
for (const sentence of [...missing, ...doubled].slice(0, 10)) say(`  ${sentence}`);
for (const sentence of problems) say(`  ${sentence}`);
const seconds = Math.round((performance.now() - began) / 1000);
say(
  `${gaps.length} crashes of servers, ${acknowledged} orders acknowledged, ${totals.replayed} of them after an unknown outcome: ` +
    `${missing.length} missing, ${doubled.length} doubled, ${problems.length} problems; ${totals.refused} answers of 503; ` +
    `longest time without an order ${Math.max(...gaps)} ms; seed ${values.seed}, ${seconds} s`,
);
if (missing.length + doubled.length + problems.length > 0) process.exitCode = 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
